"""What a field made of its holes: averages, distributions, how hard a hole was, who gained where.

Pure: no database, no clock, no language. A field are entries with the final holes of each; who was
not one of the field is left out by the caller. Means are fractions, so that who reckons again gets
the very same.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple


class Result(NamedTuple):
    """What a hole came to for one entry.

    :param strokes: as the tournament counts them; they may be negative.
    :param figure: what ranks, so that a smaller one is better: the strokes, or the app score with
        its sign turned.
    """

    strokes: int
    figure: int


class Compared(NamedTuple):
    """An entry's result of a hole beside those of the others, as in duplicate bridge.

    :param beaten: how many others it is better than.
    :param tied: how many others it is equal to.
    :param others: how many there are.
    """

    beaten: int
    tied: int
    others: int

    @property
    def points(self) -> int:
        """The matchpoints: two for each entry beaten, one for each tie."""
        return 2 * self.beaten + self.tied

    @property
    def most(self) -> int:
        """The matchpoints of who beats all others."""
        return 2 * self.others

    @property
    def percent(self) -> Fraction | None:
        """The matchpoints as a percentage of the most there are; None without others."""
        return percent_of(self.points, self.most)

    @property
    def percentile(self) -> Fraction | None:
        """The percentage of the others that are beaten; None without others."""
        return percent_of(self.beaten, self.others)


def percent_of(part: int, whole: int) -> Fraction | None:
    """Return a share in percent; None of nothing.

    >>> percent_of(1, 8), percent_of(0, 0)
    (Fraction(25, 2), None)
    """
    return Fraction(100 * part, whole) if whole else None


def compare(figures: Mapping[int, int]) -> dict[int, Compared]:
    """Compare each entry's figure, by its key, with those of all others; a smaller one is better.

    >>> compare({1: 4, 2: 7, 3: 7})[2].points, compare({1: 4, 2: 7, 3: 7})[1].percent
    (1, Fraction(100, 1))
    """
    counts = Counter(figures.values())
    worse, beaten = 0, {}
    for figure in sorted(counts, reverse=True):
        beaten[figure] = worse
        worse += counts[figure]
    others = len(figures) - 1
    return {
        key: Compared(beaten[figure], counts[figure] - 1, others) for key, figure in figures.items()
    }


@dataclass(frozen=True, slots=True)
class HoleFigures:
    """What a field made of one hole.

    :param results: how many entries have finished it.
    :param strokes: theirs added up.
    :param cleared: how many have cleared all cards.
    :param distribution: how many took so many strokes, the fewest first.
    :param compared: each entry's result beside the others', by key.
    :param index: 1 for the hardest hole that counts, by the field's average; None of a void hole
        and of one that nobody has finished.
    """

    number: int
    par: int
    is_void: bool
    results: int
    strokes: int
    cleared: int
    distribution: tuple[tuple[int, int], ...]
    compared: Mapping[int, Compared]
    index: int | None = None

    @property
    def average(self) -> Fraction | None:
        """The mean of the strokes, None before anybody has finished it."""
        return Fraction(self.strokes, self.results) if self.results else None

    @property
    def to_par(self) -> Fraction | None:
        """The mean against par."""
        return None if self.average is None else self.average - self.par

    @property
    def cleared_percent(self) -> Fraction | None:
        """How many percent of the field have cleared it."""
        return percent_of(self.cleared, self.results)


class Gain(NamedTuple):
    """By how many strokes an entry was better on a hole than the field's average."""

    key: int
    number: int
    strokes: Fraction


@dataclass(frozen=True, slots=True)
class EntryFigures:
    """What one entry made of the holes that count.

    :param thru: how many it has finished.
    :param points: its matchpoints, of `most`.
    :param gained: strokes gained on the field's average, all holes together.
    """

    thru: int
    points: int
    most: int
    gained: Fraction

    @property
    def percent(self) -> Fraction | None:
        """The matchpoints as a percentage of the most that there were."""
        return percent_of(self.points, self.most)


@dataclass(frozen=True, slots=True)
class FieldFigures:
    """What a field made of a course.

    :param holes: in order, void ones too.
    :param entries: by key.
    :param gains: on holes that count, the largest first.
    """

    holes: tuple[HoleFigures, ...]
    entries: Mapping[int, EntryFigures]
    gains: tuple[Gain, ...]

    @property
    def hardest(self) -> HoleFigures | None:
        """The hole with the worst average; None before there is any."""
        return min(self._known, key=lambda hole: hole.index or 0, default=None)

    @property
    def easiest(self) -> HoleFigures | None:
        """The hole with the best average; None before there is any."""
        return max(self._known, key=lambda hole: hole.index or 0, default=None)

    @property
    def _known(self) -> list[HoleFigures]:
        return [hole for hole in self.holes if hole.index is not None]


class Course(NamedTuple):
    """A hole of a course: its number, its par, and whether it counts for nobody."""

    number: int
    par: int
    is_void: bool = False


def field_figures(
    course: Sequence[Course], cards: Mapping[int, Mapping[int, Result]], *, gains: int = 10
) -> FieldFigures:
    """Return what a field made of a course.

    :param cards: by the entry's key its results by the hole's number.
    :param gains: how many of the largest are wanted.

    >>> course = [Course(1, 5), Course(2, 5)]
    >>> cards = {1: {1: Result(4, 4), 2: Result(9, 9)}, 2: {1: Result(6, 6)}}
    >>> found = field_figures(course, cards)
    >>> [(hole.average, hole.index) for hole in found.holes]
    [(Fraction(5, 1), 2), (Fraction(9, 1), 1)]
    >>> found.entries[1].gained, found.entries[1].percent
    (Fraction(1, 1), Fraction(100, 1))
    """
    holes = _with_index([_hole(each, cards) for each in course])
    counted = [hole for hole in holes if not hole.is_void and hole.results]
    gained = [
        Gain(key, hole.number, hole.average - cards[key][hole.number].strokes)
        for hole in counted
        if hole.average is not None
        for key in hole.compared
    ]
    return FieldFigures(
        holes=tuple(holes),
        entries=_entries(cards, counted, gained),
        gains=tuple(sorted(gained, key=lambda gain: (-gain.strokes, gain[:2]))[:gains]),
    )


def _hole(hole: Course, cards: Mapping[int, Mapping[int, Result]]) -> HoleFigures:
    results = {key: card[hole.number] for key, card in cards.items() if hole.number in card}
    strokes = [result.strokes for result in results.values()]
    return HoleFigures(
        number=hole.number,
        par=hole.par,
        is_void=hole.is_void,
        results=len(results),
        strokes=sum(strokes),
        # Who has not cleared all cards has a stroke at least.
        cleared=sum(each <= 0 for each in strokes),
        distribution=tuple(sorted(Counter(strokes).items())),
        compared=compare({key: result.figure for key, result in results.items()}),
    )


def _with_index(holes: Sequence[HoleFigures]) -> list[HoleFigures]:
    """Number the holes by how hard they were; of equals the earlier one is the harder."""
    known = [hole for hole in holes if hole.to_par is not None and not hole.is_void]
    known.sort(key=lambda hole: (-(hole.to_par or 0), hole.number))
    index = {hole.number: at for at, hole in enumerate(known, 1)}
    return [replace(hole, index=index.get(hole.number)) for hole in holes]


def _entries(
    cards: Iterable[int], counted: Sequence[HoleFigures], gains: Iterable[Gain]
) -> dict[int, EntryFigures]:
    gained: dict[int, Fraction] = dict.fromkeys(cards, Fraction())
    for gain in gains:
        gained[gain.key] += gain.strokes
    found = {}
    for key, strokes in gained.items():
        mine = [hole.compared[key] for hole in counted if key in hole.compared]
        found[key] = EntryFigures(
            thru=len(mine),
            points=sum(each.points for each in mine),
            most=sum(each.most for each in mine),
            gained=strokes,
        )
    return found
