"""What the moves and the corrections make of results, entries and the board."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F

from games import services as games_services
from games.live import publish
from games.locks import held, hold_in_order
from tournaments import scorecard, selectors
from tournaments.models import (
    Correction,
    DealOpening,
    Entry,
    Hole,
    HoleResult,
    Tournament,
    holes_text,
)

#: Parameters of one statement; SQLite allows a limited number.
CHUNK = 500
#: Entries that `recompute` looks at together.
ENTRIES = 50


def record_result(*, game_id: int) -> None:
    """Copy a final game's figures to its hole and its entry, and tell the tournament's room.

    Idempotent; does nothing for a game that is not final or belongs to no tournament.
    """
    entry_ids = HoleResult.objects.filter(game_id=game_id).values_list("entry_id", flat=True)
    for entry_id in entry_ids:
        refresh_entry(entry_id=entry_id)


def refresh_entry(*, entry_id: int) -> int:
    """Bring the results, totals and status of an entry in line with its games and corrections.

    Idempotent. Returns how many rows were out of line.
    """
    with transaction.atomic():
        entry = held(Entry.objects).get(pk=entry_id)
        tournament = Tournament.objects.get(pk=entry.tournament_id)
        rows = list(Correction.objects.filter(entry=entry).order_by("pk"))
        decided = selectors.decided(rows)
        changed = _give_results(entry, decided.adjusted)
        results = list(
            HoleResult.objects.filter(entry=entry)
            .select_related("game", "hole")
            .order_by("hole__number")
        )
        changed += sum(
            _set_fields(result, _figures(result, tournament, decided.adjusted.get(result.hole_id)))
            for result in results
        )
        openings = DealOpening.objects.filter(tournament=tournament, player=entry.player_id)
        has_seen = openings.exists()
        changed += _set_fields(entry, _entry_fields(entry, results, rows, has_seen=has_seen))
        if changed:
            announce(entry.tournament_id, entry_id=entry.pk)
    return changed


def _out_of_line(*, tournament: Tournament, entry_ids: Sequence[int]) -> list[int]:
    """Return which of the entries `refresh_entry` would change, at a few queries for all."""
    rows: dict[int, list[Correction]] = defaultdict(list)
    for row in Correction.objects.filter(entry__in=entry_ids).order_by("pk"):
        if row.entry_id is not None:
            rows[row.entry_id].append(row)
    results: dict[int, list[HoleResult]] = defaultdict(list)
    played = HoleResult.objects.filter(entry__in=entry_ids).select_related("game", "hole")
    for result in played.order_by("hole__number"):
        results[result.entry_id].append(result)
    openings = DealOpening.objects.filter(tournament=tournament)
    seen = set(openings.values_list("player_id", flat=True))
    return [
        entry.pk
        for entry in Entry.objects.filter(pk__in=entry_ids).order_by("pk")
        if not _is_in_line(
            entry,
            tournament,
            results[entry.pk],
            rows[entry.pk],
            has_seen=entry.player_id in seen,
        )
    ]


def _is_in_line(
    entry: Entry,
    tournament: Tournament,
    results: list[HoleResult],
    rows: list[Correction],
    *,
    has_seen: bool,
) -> bool:
    adjusted = selectors.decided(rows).adjusted
    given = {result.hole_id for result in results if result.game_id is None}
    there = {result.hole_id for result in results}
    return (
        given <= adjusted.keys() <= there
        and all(
            _has(result, _figures(result, tournament, adjusted.get(result.hole_id)))
            for result in results
        )
        and _has(entry, _entry_fields(entry, results, rows, has_seen=has_seen))
    )


def _has(row: Entry | HoleResult, fields: dict[str, Any]) -> bool:
    return all(getattr(row, name) == value for name, value in fields.items())


def _entry_fields(
    entry: Entry, results: list[HoleResult], rows: list[Correction], *, has_seen: bool
) -> dict[str, Any]:
    """Return the columns of `Entry` that its results and corrections make."""
    decided = selectors.decided(rows)
    counted = [
        _Counted(
            scorecard.HoleScore(result.hole.number, result.hole.par, strokes, app_score),
            0 if result.game is None else result.game.time_ms,
        )
        for result in results
        if not result.hole.is_void
        and (strokes := result.strokes) is not None
        and (app_score := result.app_score) is not None
    ]
    played = [
        selectors.played_hole(result, decided.adjusted.get(result.hole_id))
        for result in results
        if result.is_final
    ]
    return {
        **_totals(counted),
        "status": selectors.status_of(
            decided.status, is_cut=entry.cut_after is not None, has_seen_deals=has_seen
        ),
        "extended_to": decided.extended_to,
        "division_id": _division_id(entry, rows),
        "corrections": len(rows),
        "played": holes_text(played),
    }


class _Counted(NamedTuple):
    """A final hole that is not void, and how long it was played."""

    score: scorecard.HoleScore
    time_ms: int


def _totals(counted: Iterable[_Counted]) -> dict[str, int]:
    """Return the columns of `Entry` that its holes add up to."""
    counted = list(counted)
    totals = scorecard.totals(hole.score for hole in counted)
    return {**asdict(totals), "time_ms": sum(hole.time_ms for hole in counted)}


def _give_results(entry: Entry, adjusted: dict[int, selectors.Adjusted]) -> int:
    """Let holes that were not played have a result exactly where a director gave one."""
    played = HoleResult.objects.filter(entry=entry)
    gone, _by_model = played.filter(game=None).exclude(hole_id__in=adjusted).delete()
    missing = set(adjusted) - set(played.values_list("hole_id", flat=True))
    HoleResult.objects.bulk_create(HoleResult(entry=entry, hole_id=hole) for hole in missing)
    return gone + len(missing)


def _figures(
    result: HoleResult, tournament: Tournament, adjusted: selectors.Adjusted | None
) -> dict[str, Any]:
    """Return the columns of `HoleResult` that are made from its game or a director's word."""
    strokes, app_score = played_figures(result, tournament) or (None, None)
    if adjusted is not None:
        strokes, app_score = adjusted.strokes, adjusted.app_score
    return {
        "is_final": strokes is not None,
        "is_corrected": adjusted is not None,
        "strokes": strokes,
        "app_score": app_score,
    }


def played_figures(result: HoleResult, tournament: Tournament) -> tuple[int, int] | None:
    """Return the strokes and the app score that the moves alone make of a hole, once it is over."""
    game = result.game
    if game is None or game.finished_at is None:
        return None
    return tournament.strokes_of(game), game.app_score


def _division_id(entry: Entry, rows: list[Correction]) -> int | None:
    """Return the division of the last decision about it; without one that of the entry stands."""
    decided = [row.after["division"] for row in rows if row.kind == Correction.Kind.DIVISION]
    last: int | None = decided[-1] if decided else entry.division_id
    return last


def _set_fields(row: Entry | HoleResult, fields: dict[str, Any]) -> bool:
    """Save `fields` where they differ, and return whether they did."""
    changed = [name for name, value in fields.items() if getattr(row, name) != value]
    for name in changed:
        setattr(row, name, fields[name])
    if changed:
        row.save(update_fields=changed)
    return bool(changed)


def refresh_holes(*, tournament: Tournament) -> int:
    """Let exactly those holes be void that were voided last. Returns how many were out of line."""
    holes = Hole.objects.filter(tournament=tournament)
    with transaction.atomic():
        # As who voids one: a decision that is on its way is known, or comes after this.
        hold_in_order(holes)
        void = selectors.void_holes(tournament_id=tournament.pk)
        changed = holes.filter(is_void=False, pk__in=void).update(is_void=True)
        return changed + holes.filter(is_void=True).exclude(pk__in=void).update(is_void=False)


def refresh_totals(*, tournament: Tournament) -> int:
    """Bring the totals of all entries in line with their holes, after a hole was made void.

    As `refresh_entry`, for hundreds of entries in one go, but without the news. Returns how many
    were out of line.
    """
    with transaction.atomic():
        # All of them, and in one order: who is half-way through his own would wait in a circle.
        entries = list(held(Entry.objects).filter(tournament=tournament).order_by("pk"))
        counted: dict[int, list[_Counted]] = defaultdict(list)
        finals = HoleResult.objects.filter(
            entry__tournament=tournament, is_final=True, hole__is_void=False
        )
        columns = ("hole__number", "hole__par", "strokes", "app_score", "game__time_ms", "entry_id")
        for *figures, time_ms, entry_id in finals.order_by().values_list(*columns):
            counted[entry_id].append(_Counted(scorecard.HoleScore(*figures), time_ms or 0))
        changed = []
        for entry in entries:
            totals = _totals(counted[entry.pk])
            if any(getattr(entry, name) != value for name, value in totals.items()):
                for name, value in totals.items():
                    setattr(entry, name, value)
                changed.append(entry)
        Entry.objects.bulk_update(changed, _totals([]), batch_size=100)
    return len(changed)


def announce(tournament_id: int, *, entry_id: int | None = None) -> None:
    """Give the leaderboard its next version, and tell the room after the commit.

    With `entry_id` only that entry has changed, so that whoever has read the others need not read
    them again; without it, anything may have.

    Comes last in a transaction: it holds the tournament's row until the commit, so that versions
    become visible in their order.
    """
    row = Tournament.objects.filter(pk=tournament_id)
    if entry_id is None:
        row.update(board_version=F("board_version") + 1, board_base=F("board_version") + 1)
    else:
        row.update(board_version=F("board_version") + 1)
    slug, version = row.values_list("slug", "board_version").get()
    if entry_id is not None:
        Entry.objects.filter(pk=entry_id).update(board_version=version)
    transaction.on_commit(partial(publish, selectors.room_of(slug=slug), version), robust=True)


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What `recompute` did: games replayed, and results and entries that were out of line."""

    games: int
    corrected: int


def recompute(*, tournament: Tournament) -> Recomputed:
    """Make figures, results and totals anew from the journal and the corrections. Idempotent.

    It also picks up final games whose result was never recorded. Some entries at a time are looked
    at, and only what is out of line is locked and written, so that nobody who plays has to wait.
    """
    games = 0
    void = corrected = refresh_holes(tournament=tournament)
    entries = list(
        Entry.objects.filter(tournament=tournament).order_by("pk").values_list("pk", flat=True)
    )
    for at in range(0, len(entries), ENTRIES):
        chunk = entries[at : at + ENTRIES]
        played = HoleResult.objects.filter(entry__in=chunk).exclude(game=None)
        game_ids = list(played.values_list("game_id", flat=True))
        games_services.refresh_many(game_ids=[game_id for game_id in game_ids if game_id])
        games += len(game_ids)
        for entry_id in _out_of_line(tournament=tournament, entry_ids=chunk):
            corrected += refresh_entry(entry_id=entry_id)
    if void:
        announce(tournament.pk)
    return Recomputed(games=games, corrected=corrected)
