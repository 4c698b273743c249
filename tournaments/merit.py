"""An order of merit: places in several tournaments to points, points to a table. Pure.

Points go by the place on a tournament's board. Who share a place share the points of all the
places that they take up, in equal parts: nothing is lost or made by a tie. Points are exact
fractions; they are rounded where they are shown and nowhere else.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Generic, TypeVar

Player = TypeVar("Player", bound=Hashable)

#: Points of a season that states none: the first ten places.
USUAL_POINTS = (25, 18, 15, 12, 10, 8, 6, 4, 2, 1)


@dataclass(frozen=True, slots=True)
class Score:
    """What one player got in one tournament.

    :param event: which tournament, counted from 0 in the season's order.
    :param place: the place on its board.
    :param points: what the place is worth.
    :param counts: whether it is among the results that count.
    """

    event: int
    place: int
    points: Fraction
    counts: bool

    @property
    def shown(self) -> Decimal:
        """The points as they are shown."""
        return rounded(self.points)


@dataclass(frozen=True, slots=True)
class Line(Generic[Player]):
    """One player of the table.

    :param place: from 1; equal totals share it, and the next place counts them all.
    :param tied: whether others have the same place.
    :param total: the points that count.
    :param scores: the player's tournaments in the season's order.
    """

    player: Player
    place: int
    tied: bool
    total: Fraction
    scores: tuple[Score, ...]

    @property
    def shown(self) -> Decimal:
        """The total as it is shown."""
        return rounded(self.total)

    @property
    def place_text(self) -> str:
        """The place as a table shows it: ``3``, ``T3`` when it is shared."""
        return f"T{self.place}" if self.tied else f"{self.place}"


def share(places: Mapping[Player, int], points: Sequence[int]) -> dict[Player, Fraction]:
    """What each place of one tournament is worth.

    :param places: the place of each who has one; equal results have the same place.
    :param points: of the first place, the second and so on; beyond the last there are none.

    Two share the second place: together they have the points of the second and of the third.

    >>> worth = share({"Ann": 1, "Bo": 2, "Cy": 2, "Di": 4}, [25, 18, 15, 12])
    >>> {player: f"{rounded(each)}" for player, each in worth.items()}
    {'Ann': '25', 'Bo': '16.5', 'Cy': '16.5', 'Di': '12'}

    Three share the last place that has points, and two of the three places have none:

    >>> worth = share({"Ann": 1, "Bo": 2, "Cy": 2, "Di": 2}, [10, 7])
    >>> rounded(worth["Bo"])
    Decimal('2.33')
    """
    at = list(places.values())
    worth = {}
    for place in set(at):
        count = at.count(place)
        worth[place] = Fraction(sum(points[place - 1 : place - 1 + count]), count)
    return {player: worth[place] for player, place in places.items()}


def table(
    events: Sequence[Mapping[Player, int]],
    *,
    points: Sequence[int],
    best_of: int | None = None,
    among: Mapping[Player, object] | None = None,
) -> list[Line[Player]]:
    """The table of a season, the most points first.

    Only the best `best_of` results of a player count. Of equal ones the earlier count. Equal
    totals share a place, whatever they are made of.

    :param events: for each tournament in order the places on its board.
    :param best_of: how many of a player's results count, None for all.
    :param among: who is in the table; the others keep their places and points on the boards, and
        nobody moves up. None: everybody.

    Ann has 25 + 18 + 25, Bo 18 + 25; of three tournaments the best two count.

    >>> season = [{"Ann": 1, "Bo": 2}, {"Bo": 1, "Ann": 2, "Cy": 3}, {"Ann": 1, "Cy": 2}]
    >>> for line in table(season, points=[25, 18, 15], best_of=2):
    ...     print(line.place_text, line.player, line.shown)
    1 Ann 50
    2 Bo 43
    3 Cy 33
    """
    scores: dict[Player, list[tuple[int, int, Fraction]]] = {}
    for event, places in enumerate(events):
        for player, worth in share(places, points).items():
            if among is None or player in among:
                scores.setdefault(player, []).append((event, places[player], worth))
    rows = [(player, _counted(mine, best_of)) for player, mine in scores.items()]
    totals = {player: sum(_worth(mine), Fraction(0)) for player, mine in rows}
    rows.sort(key=lambda row: -totals[row[0]])
    better = {total: sum(other > total for other in totals.values()) for total in totals.values()}
    equal = list(totals.values())
    return [
        Line(
            player=player,
            place=better[totals[player]] + 1,
            tied=equal.count(totals[player]) > 1,
            total=totals[player],
            scores=mine,
        )
        for player, mine in rows
    ]


def _counted(scores: list[tuple[int, int, Fraction]], best_of: int | None) -> tuple[Score, ...]:
    best = sorted(scores, key=lambda score: (-score[2], score[0]))[:best_of]
    return tuple(Score(*score, counts=score in best) for score in scores)


def _worth(scores: Sequence[Score]) -> list[Fraction]:
    return [score.points for score in scores if score.counts]


def rounded(points: Fraction) -> Decimal:
    """Points as a table shows them: with two decimals at most, a half rounded up.

    >>> [f"{rounded(Fraction(number))}" for number in ("25", "33/2", "7/3", "1/200")]
    ['25', '16.5', '2.33', '0.01']
    """
    hundredths = (points * 200 + 1) // 2
    whole, part = divmod(hundredths, 100)
    return Decimal(f"{whole}.{part:02}".rstrip("0").rstrip("."))
