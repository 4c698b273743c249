"""What links to a leaderboard and to a scorecard show in other places.

The figures of final holes are open to all at every time, so a card has its picture from the start.
It may still change, until the tournament is closed and by a correction after that: its address
carries a mark of what it shows, and nobody keeps it for longer than an hour.
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
from tournaments.selectors import Card, Leaderboard

#: Seconds for which a picture may be kept while holes are played, and afterwards.
_WHILE_OPEN: Final = 60
_AFTERWARDS: Final = 60 * 60


@require_safe
def scorecard_picture(request: HttpRequest, slug: str, entry_id: int) -> HttpResponse:
    """Draw an entry's scorecard."""
    try:
        tournament = selectors.tournament_of(slug=slug)
        entry = selectors.entry_to_show(tournament=tournament, entry_id=entry_id)
    except (Tournament.DoesNotExist, Entry.DoesNotExist):
        raise Http404 from None
    picture = picture_of(selectors.scorecard_of(entry=entry))
    etag = f'"{_mark(picture)}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(pictures.draw_card(picture), content_type="image/png")
        response["ETag"] = etag
    age = _AFTERWARDS if tournament.is_revealed else _WHILE_OPEN
    patch_cache_control(response, public=True, max_age=age)
    return response


def picture_of(card: Card) -> pictures.CardPicture:
    """Return what the picture of a scorecard shows."""
    return pictures.CardPicture(tuple((hole.par, hole.strokes) for hole in card.holes))


def _mark(picture: pictures.CardPicture) -> str:
    """Return a short text that differs wherever two pictures do."""
    return hashlib.sha256(repr(picture.holes).encode()).hexdigest()[:12]


def of_card(request: HttpRequest, tournament: Tournament, card: Card) -> Social:
    """Return what a link to a scorecard shows."""
    picture = reverse("scorecard_picture", args=[tournament.slug, card.entry.pk])
    return social(
        request,
        title=f"{card.entry.player} · {tournament.title}",
        description=_card_text(card),
        image=f"{picture}?v={_mark(picture_of(card))}",
        alt=_("Scorecard. %(text)s") % {"text": _card_text(card)},
    )


def _card_text(card: Card) -> str:
    totals = card.totals
    if not totals.thru:
        return _("No hole has been finished yet.")
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
        for row in board.rows[:3]
        if row.standing.place is not None
    ]
    players = ngettext("%(count)s player", "%(count)s players", board.entries)
    return social(
        request,
        title=_("%(tournament)s: leaderboard") % {"tournament": tournament.title},
        description=" · ".join([*leaders, players % {"count": board.entries}]),
    )
