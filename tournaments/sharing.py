"""What links to a leaderboard and to a scorecard show in other places.

A link is read by everybody, so it shows what everybody may see (`selectors.view_for`), whoever
makes the page that it is on. Figures may still change, until the tournament is closed and by a
correction after that: the address of a picture carries a mark of what it shows, and nobody keeps it
for longer than an hour.
"""

import hashlib
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from games.social import Social, in_order, social
from games.templatetags.golf import signed
from tournaments import pictures, selectors
from tournaments.models import Entry, Tournament
from tournaments.selectors import BoardRow, Leaderboard

#: Seconds for which a picture may be kept while holes are played, and afterwards.
_WHILE_OPEN: Final = 60
_AFTERWARDS: Final = 60 * 60
#: Entries whose places a link to a leaderboard shows.
LEADERS: Final = 3


@require_safe
def scorecard_picture(request: HttpRequest, slug: str, entry_id: int) -> HttpResponse:
    """Draw an entry's scorecard."""
    try:
        tournament = selectors.tournament_of(slug=slug)
        entry = selectors.entry_to_show(tournament=tournament, entry_id=entry_id)
    except (Tournament.DoesNotExist, Entry.DoesNotExist):
        raise Http404 from None
    picture = picture_of(tournament, _row_for_all(tournament, entry))
    etag = f'"{_mark(picture)}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(pictures.draw_card(picture), content_type="image/png")
        response["ETag"] = etag
    age = _AFTERWARDS if tournament.is_revealed else _WHILE_OPEN
    patch_cache_control(response, public=True, max_age=age)
    return response


def _row_for_all(tournament: Tournament, entry: Entry) -> BoardRow | None:
    """Return an entry's row as everybody may see it, None where nobody knows of it yet."""
    view = selectors.view_for(tournament=tournament, player=None)
    return selectors.row_of(tournament=tournament, entry_id=entry.pk, view=view)


def picture_of(tournament: Tournament, row: BoardRow | None) -> pictures.CardPicture:
    """Return what the picture of a scorecard shows."""
    if row is None:
        holes = selectors.holes_of(tournament=tournament)
        return pictures.CardPicture(tuple((hole.par, None) for hole in holes))
    return pictures.CardPicture(
        tuple((hole.par, hole.strokes) for hole in row.holes),
        void=tuple(hole.number for hole in row.holes if hole.is_void),
    )


def _mark(picture: pictures.CardPicture) -> str:
    """Return a short text that differs wherever two pictures do."""
    return hashlib.sha256(repr(picture).encode()).hexdigest()[:12]


def of_card(request: HttpRequest, tournament: Tournament, entry: Entry) -> Social:
    """Return what a link to a scorecard shows."""
    row = _row_for_all(tournament, entry)
    picture = reverse("scorecard_picture", args=[tournament.slug, entry.pk])
    text = _card_text(tournament, row)
    return social(
        request,
        title=f"{entry.name} · {tournament.title}",
        description=text,
        image=f"{picture}?v={_mark(picture_of(tournament, row))}",
        alt=_("Scorecard. %(text)s") % {"text": text},
    )


def _card_text(tournament: Tournament, row: BoardRow | None) -> str:
    if row is None or not row.totals.thru:
        if selectors.view_for(tournament=tournament, player=None).is_whole:
            return _("No hole has been finished yet.")
        return _("The figures are not shown yet.")
    totals = row.totals
    text = ngettext(
        "%(to_par)s against par after %(count)s hole; strokes: %(strokes)s, app score: %(score)s.",
        "%(to_par)s against par after %(count)s holes; strokes: %(strokes)s, app score: %(score)s.",
        totals.thru,
    )
    return text % {
        "count": totals.thru,
        "to_par": in_order(signed(totals.to_par)),
        "strokes": totals.strokes,
        "score": totals.app_score,
    }


def of_board(request: HttpRequest, tournament: Tournament, board: Leaderboard) -> Social:
    """Return what a link to a leaderboard shows: its head, as text."""
    by_strokes = tournament.rank_by == Tournament.RankBy.STROKES
    leaders = [
        f"{row.standing.place_text} {row.name} "
        f"({in_order(signed(row.totals.to_par)) if by_strokes else row.totals.app_score})"
        for row in board.rows[:LEADERS]
        if row.standing.place is not None
    ]
    players = ngettext("%(count)s player", "%(count)s players", board.entries)
    return social(
        request,
        title=_("%(tournament)s: leaderboard") % {"tournament": tournament.title},
        description=" · ".join([*leaders, players % {"count": board.entries}]),
    )
