"""What somebody's rounds come to: averages, bests, wins, days in a row. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import NamedTuple


class Nine(NamedTuple):
    """A round of nine holes, all of them finished.

    :param tournament_id: where it was played, in its round `number`.
    :param day: when its last hole was finished, by the clock of the club.
    """

    tournament_id: int
    number: int
    day: date
    strokes: int
    to_par: int
    app_score: int


class Days(NamedTuple):
    """Days in a row: those up to today or yesterday, the most there were, and when these ended."""

    current: int = 0
    longest: int = 0
    longest_ended: date | None = None


@dataclass(frozen=True, slots=True)
class Records:
    """What rounds come to; `nines` in the order in which they were played."""

    nines: tuple[Nine, ...]

    @property
    def average(self) -> Fraction | None:
        """The mean against par, None without a round."""
        if not self.nines:
            return None
        return Fraction(sum(nine.to_par for nine in self.nines), len(self.nines))

    @property
    def best(self) -> Nine | None:
        """The best round; of equals the first one."""
        return min(self.nines, key=lambda nine: nine.to_par, default=None)

    @property
    def best_app_score(self) -> Nine | None:
        """The round with the highest app score; of equals the first one."""
        return max(self.nines, key=lambda nine: nine.app_score, default=None)

    def form(self, rounds: int) -> Sequence[Nine]:
        """Return the last rounds."""
        return self.nines[-rounds:]


def days_in_a_row(days: Iterable[date], *, today: date) -> Days:
    """Return how many days in a row there are. What goes on until yesterday still goes on.

    >>> on = [date(2026, 11, day) for day in (1, 2, 3, 28, 29)]
    >>> days_in_a_row(on, today=date(2026, 11, 30))
    Days(current=2, longest=3, longest_ended=datetime.date(2026, 11, 3))
    """
    a_day = timedelta(days=1)
    run = longest = current = 0
    ended = before = None
    for day in sorted(set(days)):
        run = run + 1 if before is not None and day - before == a_day else 1
        before = day
        if run > longest:
            longest, ended = run, day
    if before is not None and before >= today - a_day:
        current = run
    return Days(current, longest, ended)
