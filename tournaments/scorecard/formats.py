"""Other ways to reckon the same cards: Stableford points, and a match between two."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from tournaments.scorecard.totals import HoleScore


class _Hole(Protocol):
    """What a match knows of a hole (`tournaments.scorecard.Hole`)."""

    @property
    def number(self) -> int: ...
    @property
    def is_void(self) -> bool: ...


def stableford_points(par: int, strokes: int) -> int:
    """Return the points of a hole: two for par, one more for each stroke less, never below none.

    >>> [stableford_points(5, strokes) for strokes in (0, 4, 5, 6, 7, 35)]
    [7, 3, 2, 1, 0, 0]
    """
    return max(0, 2 + par - strokes)


class MatchState(StrEnum):
    """How a match stands: before its first hole, going on, or decided."""

    NOT_STARTED = "not_started"
    ALL_SQUARE = "all_square"
    UP = "up"
    DORMIE = "dormie"
    WON = "won"
    HALVED = "halved"


@dataclass(frozen=True, slots=True)
class MatchHole:
    """One hole of a match.

    :param first: the first one's figures, None while the hole is not final.
    :param second: as `first`.
    :param winner: 1 or 2, 0 when it was halved; None while it is open, when it is void, and after
        the match was decided.
    :param up: by how many holes the first is up after it, below zero the second; None as `winner`.
    """

    number: int
    is_void: bool
    first: HoleScore | None
    second: HoleScore | None
    winner: int | None = None
    up: int | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A match between two entries.

    :param up: by how many holes the first is up, below zero the second.
    :param left: holes that were still to play at its end, or are to play now.
    :param played: holes that are decided.
    """

    holes: tuple[MatchHole, ...]
    up: int
    left: int
    played: int

    @property
    def lead(self) -> int:
        """By how many holes one of them is up."""
        return abs(self.up)

    @property
    def leader(self) -> int | None:
        """Who is up, 1 or 2; None while they are all square."""
        return None if self.up == 0 else 1 if self.up > 0 else 2

    @property
    def state(self) -> MatchState:
        """How it stands."""
        if self.lead > self.left:
            return MatchState.WON
        if self.left == 0:
            return MatchState.HALVED if self.played else MatchState.NOT_STARTED
        if not self.played:
            return MatchState.NOT_STARTED
        if not self.up:
            return MatchState.ALL_SQUARE
        return MatchState.DORMIE if self.lead == self.left else MatchState.UP


def play_match(
    holes: Iterable[_Hole],
    first: Iterable[HoleScore],
    second: Iterable[HoleScore],
    *,
    by_app_score: bool = False,
    closed: bool = False,
) -> Match:
    """Let two cards play a match: each hole is won by the better figure, or halved.

    It is over as soon as one of them is up by more holes than are left. Once `closed`, a hole that
    only one of them has played is won by that one, and one that neither has is halved. Void holes
    are left out.
    """
    cards = [{score.number: score for score in scores} for scores in (first, second)]
    course = list(holes)
    left = sum(not hole.is_void for hole in course)
    up = played = 0
    found: list[MatchHole] = []
    for hole in course:
        one, other = (card.get(hole.number) for card in cards)
        is_open = not hole.is_void and abs(up) <= left
        winner = _winner(one, other, by_app_score, closed) if is_open else None
        if winner is None:
            found.append(MatchHole(hole.number, hole.is_void, one, other))
            continue
        up += {0: 0, 1: 1, 2: -1}[winner]
        left, played = left - 1, played + 1
        found.append(MatchHole(hole.number, False, one, other, winner, up))
    return Match(tuple(found), up, left, played)


def _winner(
    one: HoleScore | None, other: HoleScore | None, by_app_score: bool, closed: bool
) -> int | None:
    """Return who wins a hole, 1 or 2, 0 for neither; None while it is open."""
    if one is not None and other is not None:
        over = other.app_score - one.app_score if by_app_score else one.strokes - other.strokes
        return 0 if over == 0 else 1 if over < 0 else 2
    if not closed:
        return None
    if one is None:
        return 0 if other is None else 2
    return 1
