"""Everything that a director decides about a tournament, in one piece, and what of it is refused.

A form, a copy, a recurring tournament and the nine holes of a day all make a `Plan`; one service
creates a tournament from it and another one changes it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import datetime, time, timedelta
from typing import Any, Final, Self

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.engine import RuleSet
from tournaments import dates
from tournaments.models import ROUND, SHORTEST_WINDOW, Club, Division, Round, Season, Tournament
from tournaments.selectors.seasons import season_on

HOLES: Final = 9
MOST_HOLES: Final = 36
MOST_DIVISIONS: Final = 20
_LONGEST_DIVISION: Final = 40
#: A window longer than this is a slip of the hand.
LONGEST_WINDOW: Final = timedelta(days=366)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlan:
    """Up to nine holes between two times.

    After the round the best `cut_to` entries go on, ties included; None: everybody does.
    """

    opens_at: datetime
    closes_at: datetime
    holes: int = ROUND
    cut_to: int | None = None


def whole_window(
    *, opens_at: datetime, closes_at: datetime, holes: int = HOLES
) -> tuple[RoundPlan, ...]:
    """Return so many holes in rounds of nine that are all open from the first time to the last."""
    return tuple(
        RoundPlan(opens_at=opens_at, closes_at=closes_at, holes=min(ROUND, holes - first))
        for first in range(0, max(1, holes), ROUND)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that a director decides about a tournament but its deals.

    The fields are those of `Tournament`, with `rules` as a rule set, and `rounds` and `divisions`
    in order; the first round's opening and the last one's closing are the tournament's.
    """

    name: str
    slug: str
    rules: RuleSet
    rounds: tuple[RoundPlan, ...]
    about: str = ""
    rank_by: str = Tournament.RankBy.STROKES
    strokes_kind: str = Tournament.StrokesKind.TRADITIONAL
    undo_allowed: bool = False
    hints_allowed: bool = False
    difficulty: str = Tournament.Difficulty.ANY
    tie_break: str = Tournament.TieBreak.SHARED
    unplayed: str = Tournament.Unplayed.NO_PLACE
    visibility: str = Tournament.Visibility.VISIBLE
    frozen_at: datetime | None = None
    window: str = Tournament.Window.FIXED
    personal_minutes: int | None = None
    hole_minutes: int | None = None
    entries_close_at: datetime | None = None
    most_entries: int | None = None
    divisions: tuple[str, ...] = ()
    season: Season | None = None

    def __post_init__(self) -> None:
        if not self.rounds:
            raise ValueError("a tournament has a round at least")

    @property
    def opens_at(self) -> datetime:
        """When the first round opens."""
        return self.rounds[0].opens_at

    @property
    def closes_at(self) -> datetime:
        """When the last round closes."""
        return self.rounds[-1].closes_at

    @property
    def holes(self) -> int:
        """The holes of all rounds."""
        return sum(each.holes for each in self.rounds)

    def columns(self) -> dict[str, Any]:
        """Return what `Tournament` itself stores of it."""
        kept = {name: getattr(self, name) for name in _COLUMNS}
        times = {"opens_at": self.opens_at, "closes_at": self.closes_at}
        return {**kept, **times, "rules": self.rules.text}

    def moved(self, move: Callable[[datetime], datetime]) -> Self:
        """Return the same plan with each of its times moved."""
        rounds = tuple(
            replace(each, opens_at=move(each.opens_at), closes_at=move(each.closes_at))
            for each in self.rounds
        )
        return replace(
            self,
            rounds=rounds,
            frozen_at=self.frozen_at and move(self.frozen_at),
            entries_close_at=self.entries_close_at and move(self.entries_close_at),
        )

    def between(self, opens_at: datetime, closes_at: datetime) -> Self:
        """Return the same plan between two other times; rounds without their own follow."""
        return replace(
            self,
            rounds=tuple(
                replace(
                    each,
                    opens_at=opens_at if each.opens_at == self.opens_at else each.opens_at,
                    closes_at=closes_at if each.closes_at == self.closes_at else each.closes_at,
                )
                for each in self.rounds
            ),
        )


_COLUMNS: Final = tuple(
    field.name for field in fields(Plan) if field.name not in ("rules", "rounds", "divisions")
)


def usual_plan(*, club: Club, now: datetime) -> Plan:
    """Return the plan that a new tournament of the club starts with, yet without a name.

    Nine holes by the club's rules, from nine tomorrow morning until nine in the evening a week
    later by the club's clock, in the season that the opening is in.
    """
    tomorrow = dates.wall(now, club.zone).date() + timedelta(days=1)
    opens_at, closes_at = (
        dates.at(datetime.combine(tomorrow + timedelta(days=days), time(hour)), club.zone)
        for days, hour in ((0, 9), (7, 21))
    )
    return Plan(
        name="",
        slug="",
        rules=club.rule_set,
        rounds=whole_window(opens_at=opens_at, closes_at=closes_at),
        season=season_on(club=club, day=tomorrow),
    )


def plan_of(tournament: Tournament) -> Plan:
    """Return the plan that a stored tournament follows."""
    rows = Round.objects.filter(tournament=tournament).annotate(count=Count("holes"))
    rounds = tuple(
        RoundPlan(
            opens_at=row.opens_at, closes_at=row.closes_at, holes=row.count, cut_to=row.cut_to
        )
        for row in rows.order_by("number")
    )
    divisions = Division.objects.filter(tournament=tournament).order_by("pk")
    return Plan(
        rules=tournament.rule_set,
        rounds=rounds,
        divisions=tuple(divisions.values_list("name", flat=True)),
        **{name: getattr(tournament, name) for name in _COLUMNS},
    )


class Refusals:
    """What is wrong with an input, field by field, all of it at once."""

    def __init__(self) -> None:
        self._found: dict[str, list[ValidationError]] = defaultdict(list)

    def add(self, field: str | None, code: str, message: str) -> None:
        """Refuse a field, or the whole with None, for a reason."""
        self._found[field or NON_FIELD_ERRORS].append(ValidationError(message, code))

    @contextmanager
    def gather(self) -> Iterator[None]:
        """Add what is refused inside."""
        try:
            yield
        except ValidationError as error:
            if hasattr(error, "error_dict"):
                for field, errors in error.error_dict.items():
                    self._found[field] += errors
            else:
                self._found[NON_FIELD_ERRORS] += error.error_list

    def has(self, field: str) -> bool:
        """Whether a field has been refused."""
        return field in self._found

    def raise_if_any(self) -> None:
        """Raise `ValidationError` with all of them."""
        if self._found:
            raise ValidationError(dict(self._found))


def check_plan(plan: Plan, *, club: Club, refusals: Refusals) -> None:
    """Refuse what no tournament of the club can be, by the names of the fields.

    Codes: ``window_long``, ``window_short``, ``window_order``, ``round_order``, ``cut_none``,
    ``cut_last``, ``cut_whole_field``, ``cut_overlap``, ``hole_count``, ``personal_missing``,
    ``personal_long``, ``hole_minutes``, ``entries_late``, ``no_places``,
    ``frozen_missing``, ``frozen_outside``, ``divisions_many``, ``division_twice``,
    ``division_name``, ``season_other``, ``season_dates``. Fields of a round are called
    ``round_2_opens_at``, ``round_1_closes_at`` and ``round_1_cut_to``.
    """
    *full, last = [each.holes for each in plan.rounds]
    if set(full) - {ROUND} or not 1 <= last <= ROUND or plan.holes > MOST_HOLES:
        refusals.add("holes", "hole_count", _("A tournament has 1 to 36 holes."))
    if plan.closes_at - plan.opens_at > LONGEST_WINDOW:
        refusals.add("closes_at", "window_long", _("It can be open for a year at most."))
    _check_rounds(plan, refusals)
    _check_cuts(plan, refusals)
    _check_minutes(plan, refusals)
    _check_entries(plan, refusals)
    _check_divisions(plan, refusals)
    _check_season(plan, club, refusals)


def _check_rounds(plan: Plan, refusals: Refusals) -> None:
    last = len(plan.rounds)
    if plan.closes_at - plan.opens_at < SHORTEST_WINDOW:
        return  # which `Tournament.clean` says
    for number, (before, each) in enumerate(zip(plan.rounds, plan.rounds[1:], strict=False), 2):
        opens = f"round_{number}_opens_at"
        closes = "closes_at" if number == last else f"round_{number}_closes_at"
        if each.opens_at < before.opens_at:
            refusals.add(opens, "round_order", _("It must not open before the round before it."))
        if each.closes_at < before.closes_at:
            refusals.add(closes, "round_order", _("It must not close before the round before it."))
        elif each.closes_at - each.opens_at < SHORTEST_WINDOW:
            text = _("Each round must be open for at least a minute.")
            refusals.add(opens, "window_short", text)
    first = plan.rounds[0]
    if last > 1 and first.closes_at - first.opens_at < SHORTEST_WINDOW:
        text = _("Each round must be open for at least a minute.")
        refusals.add("round_1_closes_at", "window_short", text)


def _check_cuts(plan: Plan, refusals: Refusals) -> None:
    most = plan.most_entries
    for number, each in enumerate(plan.rounds, 1):
        if each.cut_to is None:
            continue
        field = f"round_{number}_cut_to"
        if each.cut_to < 1:
            refusals.add(field, "cut_none", _("At least one must go on."))
        elif number == len(plan.rounds):
            refusals.add(field, "cut_last", _("After the last round there is nothing to cut to."))
        elif most is not None and each.cut_to >= most:
            text = _("No more players than that can be there: the cut must leave some behind.")
            refusals.add(field, "cut_whole_field", text)
        else:
            most = each.cut_to
        if number < len(plan.rounds) and plan.rounds[number].opens_at < each.closes_at:
            refusals.add(
                f"round_{number + 1}_opens_at",
                "cut_overlap",
                _("Before the round with the cut has closed nobody knows who goes on."),
            )


def _check_minutes(plan: Plan, refusals: Refusals) -> None:
    shortest = min(each.closes_at - each.opens_at for each in plan.rounds)
    if plan.window == Tournament.Window.PERSONAL:
        if not plan.personal_minutes:
            text = _("Say how many minutes each player has.")
            refusals.add("personal_minutes", "personal_missing", text)
        elif _longer(plan.personal_minutes, shortest):
            text = _("That is longer than the tournament, or one of its rounds, is open.")
            refusals.add("personal_minutes", "personal_long", text)
        else:
            shortest = timedelta(minutes=plan.personal_minutes)
    if plan.hole_minutes is not None and (
        plan.hole_minutes < 1 or _longer(plan.hole_minutes, shortest)
    ):
        text = _("A hole has at least a minute, and no longer than all holes together.")
        refusals.add("hole_minutes", "hole_minutes", text)


def _longer(minutes: int, window: timedelta) -> bool:
    """Whether so many minutes, however many, are longer than a window."""
    return minutes > window / timedelta(minutes=1)


def _check_entries(plan: Plan, refusals: Refusals) -> None:
    if plan.entries_close_at is not None and plan.entries_close_at > plan.closes_at:
        text = _("Nobody can enter after the closing time.")
        refusals.add("entries_close_at", "entries_late", text)
    if plan.most_entries is not None and plan.most_entries < 1:
        refusals.add("most_entries", "no_places", _("There must be a place for somebody."))
    if plan.visibility == Tournament.Visibility.FROZEN:
        if plan.frozen_at is None:
            text = _("Say from when on the standing is not shown.")
            refusals.add("frozen_at", "frozen_missing", text)
        elif not plan.opens_at <= plan.frozen_at < plan.closes_at:
            text = _("This must be between the opening and the closing time.")
            refusals.add("frozen_at", "frozen_outside", text)


def _check_divisions(plan: Plan, refusals: Refusals) -> None:
    if len(plan.divisions) > MOST_DIVISIONS:
        text = ngettext(
            "There can be %(count)d division at most.",
            "There can be %(count)d divisions at most.",
            MOST_DIVISIONS,
        )
        refusals.add("divisions", "divisions_many", text % {"count": MOST_DIVISIONS})
    if len({name.casefold() for name in plan.divisions}) < len(plan.divisions):
        refusals.add("divisions", "division_twice", _("Two divisions have the same name."))
    if any(not name.strip() or len(name) > _LONGEST_DIVISION for name in plan.divisions):
        text = ngettext(
            "The name of a division has at most %(count)d character.",
            "The name of a division has at most %(count)d characters.",
            _LONGEST_DIVISION,
        )
        refusals.add("divisions", "division_name", text % {"count": _LONGEST_DIVISION})


def _check_season(plan: Plan, club: Club, refusals: Refusals) -> None:
    if plan.season is None:
        return
    if plan.season.club_id != club.pk:
        refusals.add("season", "season_other", _("This is another club's season."))
    elif not covers(plan.season, plan.opens_at, club):
        text = _("It does not open within this season.")
        refusals.add("season", "season_dates", text)


def covers(season: Season, opens_at: datetime, club: Club) -> bool:
    """Return whether a tournament that opens then opens within the season, in the club's zone."""
    return season.starts_on <= dates.wall(opens_at, club.zone).date() <= season.ends_on
