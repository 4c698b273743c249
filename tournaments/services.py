"""Everything that is written about tournaments.

Each write is safe to repeat and safe against itself: two browsers, two server processes and two
directors may do the same thing at once. Constraints refuse what may exist once only. What is read
before it is written stands until the commit: PostgreSQL locks the rows that are named, SQLite lets
one transaction write at a time (`transaction_mode` IMMEDIATE).

Locks are taken in one order (holes, entry, result, tournament), so nobody waits in a circle.
"""

import logging
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from games import services as games_services
from games.engine import EASY, GameCode, RuleSet
from games.live import publish
from games.models import Game, Player
from tournaments import scorecard, selectors
from tournaments.models import Club, Entry, Hole, HoleResult, Tournament

logger = logging.getLogger(__name__)

HOLES = 9
#: The address of the club that holds the nine holes of each day.
HOUSE_CLUB = "house"
MOST_HOLES = 36
#: Games that the reading of a page closes at most; more are left to the director.
CLOSED_WHILE_READING = 50
#: Parameters of one statement; SQLite allows a limited number.
_CHUNK = 500
#: What may no longer change once the first hole was started.
_FORMAT = ("slug", "rules", "rank_by", "opens_at", "closes_at")


class TournamentError(Exception):
    """Something that the tournament does not allow, with a stable `code`.

    ``not_started``: it has not opened yet. ``closed``: its time is over. ``no_such_hole``.
    ``previous_hole``: holes are played in order, and the one before is not finished.
    ``has_results``: what has results is kept.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


# --- setting up --------------------------------------------------------------------------------


@sensitive_variables()
def create_tournament(
    *,
    club: Club,
    name: str,
    slug: str,
    rules: RuleSet,
    rank_by: str,
    opens_at: datetime,
    closes_at: datetime,
    codes: list[GameCode] | None = None,
    day: date | None = None,
) -> Tournament:
    """Create a tournament and its holes, by default nine secret deals drawn for it.

    `day` is set for the nine holes of a day, of which there is one tournament only.

    Raises `ValidationError`, by field, with the codes of the fields and of `Tournament.clean` and:
    ``closes_in_past``; for `codes` ``hole_count`` (1 to 36), ``rules_differ`` (a code of another
    rule set), ``open_deal`` (a GO1 code, which can be guessed), ``deal_twice`` and ``deal_used``
    (dealt in another tournament, under whichever rules).
    """
    codes = _draw(rules, HOLES) if codes is None else list(codes)
    _check_codes(codes, rules)
    tournament = Tournament(
        club=club,
        name=name,
        slug=slug,
        rules=rules.text,
        rank_by=rank_by,
        opens_at=opens_at,
        closes_at=closes_at,
        day=day,
    )
    tournament.full_clean()
    check_closing(closes_at=closes_at)
    with transaction.atomic():
        tournament.save()
        Hole.objects.bulk_create(
            Hole(tournament=tournament, number=number, deal_code=code.text)
            for number, code in enumerate(codes, 1)
        )
    return tournament


def todays_nine(*, now: datetime) -> Tournament | None:
    """Return the tournament of the day that `now` is in, where the site has one; created if new.

    A day lasts from midnight to midnight in the site's time zone. Idempotent, also between
    several servers: a day has one tournament only.
    """
    if not settings.DAILY_NINE:
        return None
    zone = ZoneInfo(settings.TIME_ZONE)
    day = now.astimezone(zone).date()
    found = selectors.nine_of(day=day)
    if found is not None:
        return found
    try:
        _create_nine(day, zone)
    except (IntegrityError, ValidationError):
        found = selectors.nine_of(day=day)
        if found is None:
            raise
        return found  # another server was faster
    return selectors.nine_of(day=day)


def _create_nine(day: date, zone: ZoneInfo) -> None:
    club, _created = Club.objects.get_or_create(
        slug=HOUSE_CLUB, defaults={"name": settings.DAILY_NINE_CLUB}
    )
    create_tournament(
        club=club,
        name=day.isoformat(),
        slug=_free_slug(f"nine-{day.isoformat()}"),
        rules=EASY,
        rank_by=Tournament.RankBy.STROKES,
        opens_at=datetime.combine(day, time.min, zone),
        closes_at=datetime.combine(day + timedelta(days=1), time.min, zone),
        day=day,
    )


def _free_slug(slug: str) -> str:
    """Return `slug`, or one like it where a club has taken it."""
    if not Tournament.objects.filter(slug=slug, day=None).exists():
        return slug
    return f"{slug}-{get_random_string(6, 'abcdefghjkmnpqrstuvwxyz')}"


def check_closing(*, closes_at: datetime) -> None:
    """Raise `ValidationError` with the code ``closes_in_past`` for a time that has passed."""
    if closes_at <= timezone.now():
        raise ValidationError(
            {"closes_at": ValidationError(_("This time has already passed."), "closes_in_past")}
        )


@sensitive_variables()
def update_tournament(
    *,
    tournament: Tournament,
    club: Club,
    name: str,
    slug: str,
    rules: RuleSet,
    rank_by: str,
    opens_at: datetime,
    closes_at: datetime,
) -> Tournament:
    """Change a tournament; other rules draw other deals.

    Raises `ValidationError` as `create_tournament` does, and with the code ``frozen`` if
    anything but the name and the club would change after the first hole was started.
    """
    with transaction.atomic():
        # Whoever starts a hole at this moment is waited for, or finds the new format.
        list(Hole.objects.select_for_update().filter(tournament=tournament))
        stored = Tournament.objects.select_for_update().get(pk=tournament.pk)
        before = {field: getattr(stored, field) for field in _FORMAT}
        stored.club, stored.name, stored.slug = club, name, slug
        stored.rules, stored.rank_by = rules.text, rank_by
        stored.opens_at, stored.closes_at = opens_at, closes_at
        changed = {field for field in _FORMAT if getattr(stored, field) != before[field]}
        if changed and has_started(tournament=stored):
            raise ValidationError(
                _("The first hole has been started: only the name may change."), "frozen"
            )
        stored.full_clean()
        if "closes_at" in changed:
            check_closing(closes_at=closes_at)
        stored.save()
        if "rules" in changed:
            _deal_again(stored)
        if changed:
            _announce(stored.pk)
    return stored


def has_started(*, tournament: Tournament) -> bool:
    """Return whether anybody has started a hole, which freezes the format."""
    return HoleResult.objects.filter(hole__tournament=tournament).exists()


def delete_tournament(*, tournament: Tournament) -> None:
    """Delete a tournament that nobody has played, with its holes and entries.

    Raises `TournamentError` ``has_results``.
    """
    try:
        with transaction.atomic():
            list(Hole.objects.select_for_update().filter(tournament=tournament))
            Entry.objects.filter(tournament=tournament).delete()
            Hole.objects.filter(tournament=tournament).delete()
            Tournament.objects.filter(pk=tournament.pk).delete()
    except IntegrityError as error:  # the results protect what they belong to
        raise TournamentError("has_results") from error


def _draw(rules: RuleSet, count: int) -> list[GameCode]:
    return [GameCode.secret(rules, secrets.randbits(128)) for _ in range(count)]


def _check_codes(codes: Sequence[GameCode], rules: RuleSet) -> None:
    if not 1 <= len(codes) <= MOST_HOLES:
        raise ValidationError(_("A tournament has 1 to 36 holes."), "hole_count")
    if any(code.rules != rules for code in codes):
        raise ValidationError(_("A code belongs to another rule set."), "rules_differ")
    if any(code.version == 1 for code in codes):
        raise ValidationError(_("The deal of a GO1 code is no secret."), "open_deal")
    if len({code.number for code in codes}) < len(codes):
        raise ValidationError(_("Two holes have the same deal."), "deal_twice")
    # The cards depend on the last part of a code, not on the rules before it.
    for code in codes:
        if Hole.objects.filter(deal_code__endswith=code.text.rpartition("-")[2]).exists():
            raise ValidationError(_("A deal was used in another tournament."), "deal_used")


@sensitive_variables()
def _deal_again(tournament: Tournament) -> None:
    holes = list(Hole.objects.filter(tournament=tournament))
    for hole, code in zip(holes, _draw(tournament.rule_set, len(holes)), strict=True):
        hole.deal_code = code.text
    Hole.objects.bulk_update(holes, ["deal_code"])


# --- playing -----------------------------------------------------------------------------------


def enter(*, tournament: Tournament, player: Player) -> Entry:
    """Enter the player, also before the opening; an entry that exists is returned.

    Raises `TournamentError` ``closed``.
    """
    entry = Entry.objects.filter(tournament=tournament, player=player).first()
    if entry is not None:
        return entry
    if tournament.phase(timezone.now()) in (Tournament.Phase.CLOSING, Tournament.Phase.CLOSED):
        raise TournamentError("closed")
    with transaction.atomic():
        entry, created = Entry.objects.get_or_create(tournament=tournament, player=player)
        if created:
            _announce(tournament.pk)
    return entry


def remove_entry(*, entry: Entry) -> None:
    """Take back an entry that has not started a hole.

    Raises `TournamentError` ``has_results``.
    """
    try:
        with transaction.atomic():
            if Entry.objects.filter(pk=entry.pk).delete()[0]:
                _announce(entry.tournament_id)
    except IntegrityError as error:  # the results protect what they belong to
        raise TournamentError("has_results") from error


def start_hole(*, entry: Entry, number: int) -> HoleResult:
    """Start the entry's one attempt at a hole; an attempt that exists is returned.

    Raises `TournamentError` ``no_such_hole``, ``not_started``, ``closed``, ``previous_hole``.
    """
    found = _result_of(entry, number)
    if found is not None:
        return found
    try:
        return _start(entry, number)
    except IntegrityError:
        # Another tab was faster, and the game that was made here is gone with the transaction.
        found = _result_of(entry, number)
        if found is None:
            raise
        return found


@sensitive_variables()
def _start(entry: Entry, number: int) -> HoleResult:
    with transaction.atomic():
        # Whoever changes or closes the tournament holds the holes too: what is read now stands.
        holes = Hole.objects.select_for_update(no_key=True)
        hole = holes.filter(tournament_id=entry.tournament_id, number=number).first()
        if hole is None:
            raise TournamentError("no_such_hole")
        tournament = Tournament.objects.get(pk=entry.tournament_id)
        _check_window(tournament)
        _check_previous(entry, number)
        game = games_services.new_competition_game(
            player=entry.player,
            code=GameCode.parse(hole.deal_code),
            closes_at=tournament.closes_at,
            undo=False,
            hints=False,
        )
        return HoleResult.objects.create(entry=entry, hole=hole, game=game)


def _result_of(entry: Entry, number: int) -> HoleResult | None:
    results = HoleResult.objects.select_related("game", "hole")
    return results.filter(entry=entry, hole__number=number).first()


def _check_window(tournament: Tournament) -> None:
    phase = tournament.phase(timezone.now())
    if phase == Tournament.Phase.UPCOMING:
        raise TournamentError("not_started")
    if phase != Tournament.Phase.OPEN:
        raise TournamentError("closed")


def _check_previous(entry: Entry, number: int) -> None:
    """Holes are played in order. The game is asked: its result may be recorded a moment later."""
    if number > 1:
        previous = _result_of(entry, number - 1)
        if previous is None or previous.game.finished_at is None:
            raise TournamentError("previous_hole")


# --- results -----------------------------------------------------------------------------------


def record_result(*, game_id: int) -> None:
    """Copy a final game's figures to its hole and its entry, and tell the tournament's room.

    Idempotent; does nothing for a game that is not final or belongs to no tournament.
    """
    result = HoleResult.objects.filter(game_id=game_id).select_related("entry").first()
    if result is not None:
        _record(result.entry)


def record_finished(*, limit: int = _CHUNK) -> int:
    """Record results of final games that nobody recorded, and return how many.

    They are left over when a server was killed between a game's last move and its result.
    """
    waiting = HoleResult.objects.filter(is_final=False).exclude(game__finished_at=None)
    results = list(waiting.order_by("pk").select_related("entry")[:limit])
    for result in results:
        _record(result.entry)
    return len(results)


def _record(entry: Entry) -> int:
    """Bring the results and totals of an entry in line with its games.

    Returns how many rows were out of line.
    """
    with transaction.atomic():
        entry = Entry.objects.select_for_update().get(pk=entry.pk)
        results = list(HoleResult.objects.filter(entry=entry).select_related("game", "hole"))
        corrected = sum(_set_fields(result, _figures(result.game)) for result in results)
        total = scorecard.totals(
            scorecard.HoleScore(result.hole.number, result.hole.par, strokes, app_score)
            for result in results
            if (strokes := result.strokes) is not None
            and (app_score := result.app_score) is not None
        )
        corrected += _set_fields(entry, asdict(total))
        if corrected:
            _announce(entry.tournament_id)
    return corrected


def _figures(game: Game) -> dict[str, Any]:
    """Return the columns of `HoleResult` that are a copy of a game's."""
    if game.finished_at is None:
        return {"is_final": False, "strokes": None, "app_score": None}
    return {"is_final": True, "strokes": game.strokes, "app_score": game.app_score}


def _set_fields(row: Entry | HoleResult, fields: dict[str, Any]) -> bool:
    """Save `fields` where they differ, and return whether they did."""
    changed = [name for name, value in fields.items() if getattr(row, name) != value]
    for name in changed:
        setattr(row, name, fields[name])
    if changed:
        row.save(update_fields=changed)
    return bool(changed)


def _announce(tournament_id: int) -> None:
    """Give the leaderboard its next version, and tell the room after the commit.

    Comes last in a transaction: it holds the tournament's row until the commit.
    """
    row = Tournament.objects.filter(pk=tournament_id)
    row.update(board_version=F("board_version") + 1)
    slug, version = row.values_list("slug", "board_version").get()
    transaction.on_commit(partial(publish, selectors.room_of(slug=slug), version), robust=True)


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What `recompute` did: games replayed, and results and entries that were out of line."""

    games: int
    corrected: int


def recompute(*, tournament: Tournament) -> Recomputed:
    """Make figures, results and totals anew from the journal. Idempotent.

    It also picks up final games whose result was never recorded. Entries are done one by one, so
    that nobody who plays has to wait.
    """
    games = corrected = 0
    for entry in Entry.objects.filter(tournament=tournament).order_by("pk"):
        game_ids = HoleResult.objects.filter(entry=entry).values_list("game_id", flat=True)
        for game_id in list(game_ids):
            games_services.refresh_figures(game_id=game_id)
            games += 1
        corrected += _record(entry)
    return Recomputed(games=games, corrected=corrected)


# --- the end -----------------------------------------------------------------------------------


def close_due(*, now: datetime) -> int:
    """Close every tournament whose time is over, and return how many were closed.

    One that fails is logged and does not keep the others open; the next call tries it again.
    """
    due = Tournament.objects.filter(closed_at=None, closes_at__lte=now).order_by("closes_at")
    closed = 0
    for tournament in due:
        try:
            closed += close_tournament(tournament=tournament, now=now)
        except Exception as error:  # noqa: BLE001 - the others are due as well
            _log_not_closed(tournament, error)
    return closed


def close_tournament(*, tournament: Tournament, now: datetime, limit: int | None = None) -> bool:
    """Close the holes in progress where they lie, then reveal the cards. Idempotent.

    Returns whether this call was the one that closed it. With a `limit` at most so many games are
    closed, and the tournament stays open if there are more.
    """
    if tournament.closed_at is not None or now < tournament.closes_at:
        return False
    unfinished = HoleResult.objects.filter(hole__tournament=tournament, is_final=False)
    game_ids = list(unfinished.order_by("pk").values_list("game_id", flat=True)[:limit])
    for game_id in game_ids:
        try:
            _close_hole(game_id)
        except Exception as error:  # noqa: BLE001 - the other holes are due as well
            _log_not_closed(tournament, error)
    return _reveal(tournament, now)


def _close_hole(game_id: int) -> None:
    """Close a hole in progress; one whose cards were never sent was never started."""
    with transaction.atomic():
        if Game.objects.filter(pk=game_id, started_at=None).exists():
            HoleResult.objects.filter(game_id=game_id).delete()
            if games_services.discard_game(game_id=game_id):
                return
            transaction.set_rollback(True)  # its cards were sent just now
    games_services.close_game(game_id=game_id)
    record_result(game_id=game_id)


def close_while_reading(*, tournament: Tournament, now: datetime) -> Tournament:
    """Return the tournament as it is at `now`, closed if its time is over.

    For pages, so that they are right although no director has come by. A failure is logged: the
    page then shows a tournament that is about to close.
    """
    if tournament.phase(now) != Tournament.Phase.CLOSING:
        return tournament
    try:
        close_tournament(tournament=tournament, now=now, limit=CLOSED_WHILE_READING)
    except Exception as error:  # noqa: BLE001 - the page can be read all the same
        _log_not_closed(tournament, error)
    return Tournament.objects.select_related("club").get(pk=tournament.pk)


def _log_not_closed(tournament: Tournament, error: Exception) -> None:
    # Its name alone: what a database says may quote a row, and with it a secret code.
    logger.error("Tournament %s was not closed: %s", tournament.pk, type(error).__name__)


def _reveal(tournament: Tournament, now: datetime) -> bool:
    """Set `closed_at` and open the cards, unless a hole is still in progress."""
    with transaction.atomic():
        # Whoever starts a hole at this moment is waited for, or finds the tournament closed.
        list(Hole.objects.select_for_update().filter(tournament=tournament))
        results = HoleResult.objects.filter(hole__tournament=tournament)
        if results.filter(is_final=False).exists():
            return False
        row = Tournament.objects.filter(pk=tournament.pk, closed_at=None, closes_at__lte=now)
        if not row.update(closed_at=now):
            return False
        game_ids = list(results.values_list("game_id", flat=True))
        for start in range(0, len(game_ids), _CHUNK):
            games_services.reveal_games(game_ids=game_ids[start : start + _CHUNK])
        _announce(tournament.pk)
    return True
