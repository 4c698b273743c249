"""The figures of a tournament's field, hole by hole, and the lines that it took.

Who was disqualified, removed or has seen the deals was not one of the field. What is best possible
and how everybody played is told once the cards are open; before that only what the reader may see
of the board.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Generic, TypeVar

from games import analysis, solving
from games.engine import Best, GameCode
from games.engine.scoring import standing
from games.models import BestResult, Move
from tournaments import figures, lines
from tournaments.figures import FieldFigures, Gain, HoleFigures
from tournaments.models import Hole, HoleResult, Tournament, holes_of_text
from tournaments.selectors.boards import whole_field
from tournaments.selectors.handicaps import NOT_ONE_OF_THE_FIELD
from tournaments.selectors.sight import View
from tournaments.selectors.tournaments import is_deal_in_play

#: Fields and trees that a process keeps; one of five hundred entries takes about 2 MB.
MOST_KEPT: Final = 24
#: Branches of a tree that are shown.
MOST_BRANCHES: Final = 120
#: Entries of which it is told that they gained most.
MOST_GAINS: Final = 10

T = TypeVar("T")


class _Kept(Generic[T]):
    """What was made last, by what it was made of."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept under a key, made if it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            self._values[key] = made
            while len(self._values) > MOST_KEPT:
                self._values.popitem(last=False)
        return made


@dataclass(frozen=True, slots=True)
class Possible:
    """What the deals of a tournament allow: results by the hole's number, and the strokes."""

    results: Mapping[int, BestResult]
    below_par: bool

    def strokes(self, number: int) -> int:
        """Return the fewest strokes of a hole, as the tournament counts them."""
        best: Best = self.results[number].best
        return best.strokes_below_par if self.below_par else best.strokes


@dataclass(frozen=True, slots=True)
class Figures:
    """What a reader may know of a field.

    :param names: of the entries, by id.
    :param strokes: by the entry's id and the hole's number.
    :param codes: of the deals by the hole's number; empty before the cards are open.
    :param possible: None before the cards are open, while nobody can work it out, and while
        another friendly tournament plays one of the deals, which `in_play` says.
    """

    field: FieldFigures
    names: Mapping[int, str]
    strokes: Mapping[int, Mapping[int, int]]
    codes: Mapping[int, GameCode]
    possible: Possible | None
    in_play: bool = False

    def hole(self, number: int) -> HoleFigures | None:
        """Return a hole's figures, None where there is no such hole."""
        return next((hole for hole in self.field.holes if hole.number == number), None)

    def over_best(self, entry_id: int) -> int | None:
        """Return by how many strokes an entry was over the best possible, on the holes it played.

        None where that is not known.
        """
        if self.possible is None:
            return None
        counted = {hole.number for hole in self.field.holes if not hole.is_void}
        return sum(
            strokes - self.possible.strokes(number)
            for number, strokes in self.strokes[entry_id].items()
            if number in counted
        )

    @property
    def best_total(self) -> int | None:
        """The fewest strokes of all holes that count."""
        if self.possible is None:
            return None
        counted = (hole.number for hole in self.field.holes if not hole.is_void)
        return sum(map(self.possible.strokes, counted))


@dataclass(frozen=True, slots=True)
class HoleRow:
    """An entry's result of a hole."""

    entry_id: int
    name: str
    strokes: int
    percentile: Fraction | None
    percent: Fraction | None


def figures_of(*, tournament: Tournament, view: View) -> Figures:
    """Return the figures of a tournament as a reader may know them, in five queries at most.

    The best results may be computed first: so it is neither for the event loop nor for within a
    transaction.
    """
    field, names, strokes = _fields.get(
        (*_key(tournament), tournament.rank_by, view),
        lambda: _read(tournament, view),
    )
    codes = _codes(tournament) if may_see_cards(tournament=tournament, view=view) else {}
    # As for reviews (`analysis.is_open`): pasting takes nothing away of deals that were secret.
    in_play = is_deal_in_play(codes=[code for code in codes.values() if code.version == 1])
    possible = None if in_play else _possible(tournament, codes)
    return Figures(field, names, strokes, codes, possible, in_play)


def _key(tournament: Tournament) -> tuple[Any, ...]:
    # An id alone may be given anew.
    return tournament.pk, tournament.created_at, tournament.board_version


def _read(
    tournament: Tournament, view: View
) -> tuple[FieldFigures, dict[int, str], dict[int, dict[int, int]]]:
    whole = whole_field(tournament=tournament, view=view)
    by_score = tournament.rank_by == Tournament.RankBy.APP_SCORE
    entries = [entry for entry in whole.entries if entry.status not in NOT_ONE_OF_THE_FIELD]
    cards = {
        entry.pk: {
            hole.number: figures.Result(hole.strokes, -hole.app_score if by_score else hole.strokes)
            for hole in holes_of_text(entry.played)
            if view.shows_hole(hole.number)
        }
        for entry in entries
    }
    course = [
        figures.Course(hole.number, hole.par, hole.is_void)
        for hole in whole.course.holes
        if view.shows_hole(hole.number)
    ]
    return (
        figures.field_figures(course, cards, gains=MOST_GAINS),
        {entry.pk: entry.name for entry in entries},
        {
            pk: {number: result.strokes for number, result in card.items()}
            for pk, card in cards.items()
        },
    )


def _codes(tournament: Tournament) -> dict[int, GameCode]:
    holes = Hole.objects.filter(tournament=tournament).order_by("number")
    return {
        number: GameCode.parse(text) for number, text in holes.values_list("number", "deal_code")
    }


def _possible(tournament: Tournament, codes: Mapping[int, GameCode]) -> Possible | None:
    if not codes:
        return None
    try:
        found = analysis.bests_of(codes=codes.values())
    except solving.Unavailable:
        return None
    below_par = tournament.strokes_kind == Tournament.StrokesKind.BELOW_PAR
    return Possible({number: found[code] for number, code in codes.items()}, below_par)


def may_see_cards(*, tournament: Tournament, view: View) -> bool:
    """Return whether a reader may know the deals of a tournament and how they were played."""
    return tournament.is_revealed and view.is_whole


def rows_of(found: Figures, number: int) -> list[HoleRow]:
    """Return the results of a hole, the best first; equals are listed by name."""
    hole = found.hole(number)
    if hole is None:
        return []
    rows = [
        HoleRow(
            entry_id=key,
            name=found.names[key],
            strokes=found.strokes[key][number],
            percentile=compared.percentile,
            percent=compared.percent,
        )
        for key, compared in hole.compared.items()
    ]
    return sorted(rows, key=lambda row: (-(row.percent or 0), row.strokes, row.name.casefold()))


def gains_of(found: Figures, number: int | None = None) -> list[Gain]:
    """Return who gained most on the field, the largest gains first; those above nothing."""
    gains = (gain for gain in found.field.gains if gain.strokes > 0)
    return [gain for gain in gains if number is None or gain.number == number]


def lines_of(*, tournament: Tournament, number: int, found: Figures) -> lines.Branch | None:
    """Return how the field played a hole, as a tree by the entries' ids, in two queries at most.

    None where nobody's game is to be seen. The caller knows that the cards are open.
    """

    def read() -> lines.Branch | None:
        results = HoleResult.objects.filter(
            hole__tournament=tournament,
            hole__number=number,
            game__finished_at__isnull=False,
            game__damaged_at=None,
            game__is_secret=False,
        )
        games = dict(results.order_by().values_list("game_id", "entry_id"))
        actions: dict[int, list[str]] = {game_id: [] for game_id in games}
        moves = Move.objects.filter(game__in=results.order_by().values("game"))
        for game_id, action in moves.order_by("game", "turn").values_list("game_id", "action"):
            actions[game_id].append(action)
        stood = {
            games[game_id]: "".join(standing(each))
            for game_id, each in actions.items()
            if games[game_id] in found.names
        }
        return lines.tree(stood, most=MOST_BRANCHES) if stood else None

    return _trees.get((*_key(tournament), number), read)


_fields: Final = _Kept[tuple[FieldFigures, dict[int, str], dict[int, dict[int, int]]]]()
_trees: Final = _Kept[lines.Branch | None]()
