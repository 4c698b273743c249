"""The results bundle of a tournament that is over: all that its figures rest on, in one file.

`tournaments.bundle` has the form, `tournaments.verification` checks it. The same rows give the same
bytes each time.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from games.models import Move, Player
from tournaments import bundle, scorecard
from tournaments.models import (
    Correction,
    DealOpening,
    Division,
    Entry,
    Hole,
    HoleResult,
    Round,
    Tournament,
)
from tournaments.selectors.fairness import proof_of
from tournaments.selectors.sight import view_for
from tournaments.verification import Card, Place, places_of

#: How often it is begun anew if a director decides something meanwhile.
_ATTEMPTS: Final = 5
#: Rows of the journal that are fetched together.
_ROWS: Final = 5000

_PLAYED: Final = (
    "state", "cleared", "left", "stock_left", "moves_made", "undos", "hints", "app_score",
    "strokes", "strokes_below_par", "streak_score", "longest_streak", "time_ms",
)  # fmt: skip

Record = bundle.Record


def may_have_bundle(*, tournament: Tournament, player: Player | None = None) -> bool:
    """Return whether a player, or with None a visitor, may see all that a bundle holds."""
    if not tournament.is_revealed:
        return False
    return view_for(tournament=tournament, player=player).is_whole


def bundle_of(*, tournament: Tournament, player: Player | None = None) -> Iterator[bytes]:
    """Return the file for a player, piece by piece, in a constant number of queries.

    Raises `Tournament.DoesNotExist` before the tournament is over, and while figures are kept back.
    """
    if not may_have_bundle(tournament=tournament, player=player):
        raise Tournament.DoesNotExist
    return stored_bundle(tournament=tournament)


def stored_bundle(*, tournament: Tournament) -> Iterator[bytes]:
    """Return the file for whoever runs the site, though figures be kept back from all others."""
    for _attempt in range(_ATTEMPTS):
        version = _version(tournament)
        read = _Read.of(tournament.pk)
        if _version(tournament) == version:
            break
    # The journal of a tournament that is over never changes, so it can be read afterwards.
    return bundle.with_digest(read.lines(_journals(tournament)))


def _version(tournament: Tournament) -> tuple[int, str]:
    row = Tournament.objects.filter(pk=tournament.pk).values_list("board_version", "status")
    return row.get()


@dataclass(slots=True)
class _Journal:
    """The actions of a game, a character each, and their times in milliseconds."""

    actions: list[str]
    times: list[int]


def _journals(tournament: Tournament) -> dict[int, _Journal]:
    """Return the actions of all games by the game's id."""
    games = HoleResult.objects.filter(hole__tournament=tournament, game__isnull=False)
    moves = Move.objects.filter(game__in=games.values("game")).order_by("game", "turn")
    found: dict[int, _Journal] = defaultdict(lambda: _Journal([], []))
    for game_id, action, ms in moves.values_list("game_id", "action", "ms").iterator(_ROWS):
        journal = found[game_id]
        journal.actions.append(action)
        journal.times.append(ms)
    return found


def _time(time: datetime | None) -> str | None:
    return None if time is None else bundle.time_text(time)


@dataclass(slots=True)
class _Read:
    """Everything but the journal: records by kind, and the results of each entry with its game."""

    tournament: Record
    commitment: Record | None
    rounds: list[Record]
    holes: list[Record]
    divisions: list[Record]
    entries: list[Record]
    corrections: list[Record]
    games: dict[int, list[int | None]]

    @classmethod
    def of(cls, tournament_id: int) -> "_Read":
        tournament = Tournament.objects.select_related("club").get(pk=tournament_id)
        rounds = list(Round.objects.filter(tournament=tournament).order_by("number"))
        holes = list(Hole.objects.filter(tournament=tournament).order_by("number"))
        divisions = Division.objects.filter(tournament=tournament).order_by("pk")
        entries = list(Entry.objects.filter(tournament=tournament).order_by("pk"))
        numbers = _Numbers(
            rounds={row.pk: row.number for row in rounds},
            holes={row.pk: row.number for row in holes},
            divisions={row.pk: number for number, row in enumerate(divisions, 1)},
            entries={row.pk: number for number, row in enumerate(entries, 1)},
        )
        openings = DealOpening.objects.filter(tournament=tournament)
        saw_deals = dict(openings.values_list("player", "at"))
        results, games = _results(tournament, numbers)
        read = cls(
            tournament=_tournament(tournament),
            commitment=_commitment(tournament),
            rounds=[_round(row) for row in rounds],
            holes=[_hole(row, numbers) for row in holes],
            divisions=[
                {"number": numbers.divisions[row.pk], "name": row.name} for row in divisions
            ],
            entries=[
                _entry(row, numbers, saw_deals.get(row.player_id), results[row.pk])
                for row in entries
            ],
            corrections=_corrections(tournament, numbers),
            games={numbers.entries[entry_id]: ids for entry_id, ids in games.items()},
        )
        read.rank()
        return read

    def rank(self) -> None:
        """Give the entries their places."""
        pars = {hole["number"]: hole["par"] for hole in self.holes}
        cards = [
            Card(
                entry["number"],
                entry["name"],
                entry["status"],
                entry["division"],
                tuple(
                    scorecard.HoleScore(
                        result["hole"],
                        pars[result["hole"]],
                        result["counts_strokes"],
                        result["counts_app_score"],
                        result["time_ms"] or 0,
                    )
                    for result in entry["holes"]
                    if result["counts_strokes"] is not None
                ),
            )
            for entry in self.entries
        ]
        places = places_of(self.tournament, self.holes, cards)
        among: dict[int, Place] = {}
        for division in self.divisions:
            part = [card for card in cards if card.division == division["number"]]
            among |= places_of(self.tournament, self.holes, part)
        for entry in self.entries:
            place, part_of = places[entry["number"]], among.get(entry["number"], Place())
            entry.update(place._asdict())
            entry.update(division_place=part_of.place, division_tied=part_of.tied)

    def lines(self, journals: dict[int, _Journal]) -> Iterator[str]:
        """Return the lines of the file, with the games' actions."""
        promised = self.commitment
        single = {
            "tournament": bundle.record_text("tournament", self.tournament),
            "commitment": None if promised is None else bundle.record_text("commitment", promised),
        }
        lists: dict[str, Iterator[str]] = {
            name: map(partial(bundle.record_text, name), getattr(self, name))
            for name in bundle.LISTS
        }
        lists["entries"] = self._entries(journals)
        return bundle.lines_of(single, lists)

    def _entries(self, journals: dict[int, _Journal]) -> Iterator[str]:
        for entry in self.entries:
            games = self.games.get(entry["number"], [])
            for result, game_id in zip(entry["holes"], games, strict=True):
                journal = None if game_id is None else journals[game_id]
                result["actions"] = None if journal is None else "".join(journal.actions)
                result["times_ms"] = None if journal is None else journal.times
            yield bundle.record_text("entries", entry)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers that rows have in the file, by their ids."""

    rounds: dict[int, int]
    holes: dict[int, int]
    divisions: dict[int, int]
    entries: dict[int, int]


def _tournament(tournament: Tournament) -> Record:
    record = {key: getattr(tournament, key) for key in bundle.RECORDS["tournament"]}
    return record | {
        "club": tournament.club.name,
        "opens_at": _time(tournament.opens_at),
        "closes_at": _time(tournament.closes_at),
        "closed_at": _time(tournament.closed_at),
    }


def _commitment(tournament: Tournament) -> Record | None:
    proof = proof_of(tournament=tournament)
    if proof is None:
        return None
    return {"sha256": proof.commitment, "salt": proof.salt, "made_at": _time(proof.made_at)}


def _round(row: Round) -> Record:
    return {
        "number": row.number,
        "opens_at": _time(row.opens_at),
        "closes_at": _time(row.closes_at),
        "cut_to": row.cut_to,
        "cut_at": _time(row.cut_at),
    }


def _hole(row: Hole, numbers: _Numbers) -> Record:
    return {
        "number": row.number,
        "round": numbers.rounds[row.round_id],
        "par": row.par,
        "is_void": row.is_void,
        "code": row.deal_code,
    }


def _entry(
    row: Entry, numbers: _Numbers, saw_deals_at: datetime | None, results: list[Record]
) -> Record:
    same = (
        "name", "status", "cut_after", "thru", "strokes", "to_par", "app_score", "time_ms",
        "corrections",
    )  # fmt: skip
    return {key: getattr(row, key) for key in same} | {
        "number": numbers.entries[row.pk],
        "division": None if row.division_id is None else numbers.divisions[row.division_id],
        "entered_at": _time(row.created_at),
        "started_at": _time(row.started_at),
        "saw_deals_at": _time(saw_deals_at),
        "holes": results,
    }


def _results(
    tournament: Tournament, numbers: _Numbers
) -> tuple[dict[int, list[Record]], dict[int, list[int | None]]]:
    """Return the results of each entry, and the games that they come from, in order."""
    played = ("started_at", "finished_at", "damaged_at", *_PLAYED)
    rows = (
        HoleResult.objects.filter(hole__tournament=tournament)
        .order_by("entry", "hole__number")
        .values_list(
            "entry", "hole", "game", "is_corrected", "strokes", "app_score",
            *(f"game__{column}" for column in played),
        )
    )  # fmt: skip
    results: dict[int, list[Record]] = defaultdict(list)
    games: dict[int, list[int | None]] = defaultdict(list)
    for entry_id, hole_id, game_id, is_corrected, strokes, app_score, *figures in rows:
        record: Record = dict(zip(played, figures, strict=True))
        record["hole"] = numbers.holes[hole_id]
        record["started_at"] = _time(record["started_at"])
        record["finished_at"] = _time(record["finished_at"])
        record["is_damaged"] = record.pop("damaged_at") is not None
        record["moves"] = record.pop("moves_made")
        record["is_corrected"] = is_corrected
        record["counts_strokes"], record["counts_app_score"] = strokes, app_score
        results[entry_id].append(record)
        games[entry_id].append(game_id)
    return results, games


def _corrections(tournament: Tournament, numbers: _Numbers) -> list[Record]:
    rows = Correction.objects.filter(tournament=tournament).select_related("by").order_by("pk")
    return [
        {
            "number": number,
            "kind": row.kind,
            "entry": None if row.entry_id is None else numbers.entries[row.entry_id],
            "hole": None if row.hole_id is None else numbers.holes[row.hole_id],
            "by": row.by.name,
            "at": _time(row.at),
            "reason": row.reason,
            "before": _side(row.before, numbers),
            "after": _side(row.after, numbers),
        }
        for number, row in enumerate(rows, 1)
    ]


def _side(side: dict[str, Any], numbers: _Numbers) -> dict[str, Any]:
    """Return one side of a correction with the number of a division instead of its id."""
    if "division" not in side:
        return side
    return {**side, "division": numbers.divisions.get(side["division"])}
