"""Seasons: which of a club's tournaments add up, and what a place is worth."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.locks import held, hold_in_order
from tournaments import merit
from tournaments.models import Club, Season, Tournament
from tournaments.selectors.seasons import tournaments_between
from tournaments.services.plan import Refusals
from tournaments.services.seen import changed_meanwhile, fingerprint

MOST_PLACES: Final = 100
MOST_POINTS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonPlan:
    """All that a director decides about a season but its tournaments.

    `points` are those of the first place, the second and so on; of a player's results the best
    `best_of` count, None: all.
    """

    name: str
    slug: str
    starts_on: date
    ends_on: date
    points: tuple[int, ...] = merit.USUAL_POINTS
    best_of: int | None = None


def create_season(*, club: Club, plan: SeasonPlan) -> Season:
    """Create a season with all tournaments of the club between its days that have none yet.

    Raises `ValidationError`, by field, with the codes of the fields and ``season_order``;
    for `points` ``points_none``, ``points_many``, ``points_range`` (0 to 10,000) and
    ``points_order`` (a worse place must not be worth more); for `best_of` ``best_of_none``.
    """
    season = Season(club=club)
    with transaction.atomic():
        _save(season, plan)
        between = tournaments_between(club=club, starts_on=plan.starts_on, ends_on=plan.ends_on)
        free = hold_in_order(between.filter(season=None))
        Tournament.objects.filter(pk__in=free).update(season=season)
    return season


def update_season(
    *,
    season: Season,
    plan: SeasonPlan,
    tournaments: Collection[int] | None = None,
    seen: str | None = None,
) -> Season:
    """Change a season; it adds up exactly the `tournaments`, those of the club between its days.

    Without `tournaments` it keeps those that it has, as far as they are between its days.
    `seen` is what the director saw of it (`seen_of_season`), None whatever there was.

    Raises `ValidationError` as `create_season` does, and with ``changed`` (by somebody else
    meanwhile, or by a recurring tournament that has come into it).
    """
    with transaction.atomic():
        stored = held(Season.objects).get(pk=season.pk)
        own = Tournament.objects.filter(season=stored)
        wanted = own if tournaments is None else Tournament.objects.filter(pk__in=tournaments)
        # All that come or go, in one order: two seasons may exchange some at this moment.
        hold_in_order((own | wanted).filter(club=stored.club_id))
        if seen not in (None, seen_of_season(season=stored)) and (
            _plan_of(stored) != plan
            or set(wanted.values_list("pk", flat=True)) != set(own.values_list("pk", flat=True))
        ):
            raise changed_meanwhile()
        _save(stored, plan)
        between = tournaments_between(
            club=stored.club, starts_on=plan.starts_on, ends_on=plan.ends_on
        )
        chosen = set((between & wanted).values_list("pk", flat=True))
        own.exclude(pk__in=chosen).update(season=None)
        Tournament.objects.filter(pk__in=chosen).update(season=stored)
    return stored


def seen_of_season(*, season: Season) -> str:
    """Return what is to be seen of a season, and of which tournaments it adds up."""
    tournaments = season.tournaments.order_by("pk").values_list("pk", flat=True)
    return fingerprint([asdict(_plan_of(season)), list(tournaments)])


def _plan_of(season: Season) -> SeasonPlan:
    values = {each.name: getattr(season, each.name) for each in fields(SeasonPlan)}
    return SeasonPlan(**{**values, "points": tuple(season.points)})


def delete_season(*, season: Season) -> None:
    """Delete a season; its tournaments stay. Idempotent."""
    with transaction.atomic():
        list(held(Season.objects).filter(pk=season.pk))
        own = hold_in_order(Tournament.objects.filter(season=season))
        Tournament.objects.filter(pk__in=own).update(season=None)
        Season.objects.filter(pk=season.pk).delete()


def _save(season: Season, plan: SeasonPlan) -> None:
    refusals = Refusals()
    season.name, season.slug = plan.name, plan.slug
    season.starts_on, season.ends_on = plan.starts_on, plan.ends_on
    season.points, season.best_of = list(plan.points), plan.best_of
    with refusals.gather():
        season.full_clean(exclude=["points"], validate_constraints=False)
    if plan.ends_on < plan.starts_on:
        text = _("Its last day must not be before its first.")
        refusals.add("ends_on", "season_order", text)
    _check_points(plan.points, refusals)
    if plan.best_of is not None and plan.best_of < 1:
        refusals.add("best_of", "best_of_none", _("At least one result must count."))
    refusals.raise_if_any()
    try:
        with transaction.atomic():
            season.save()
    except IntegrityError:
        season.validate_unique()  # says it, where another director took the address just now
        raise


def _check_points(points: Sequence[int], refusals: Refusals) -> None:
    if not points:
        refusals.add("points", "points_none", _("Say what the first place is worth."))
    elif len(points) > MOST_PLACES:
        text = ngettext(
            "Points for %(count)d place at most.",
            "Points for %(count)d places at most.",
            MOST_PLACES,
        )
        refusals.add("points", "points_many", text % {"count": MOST_PLACES})
    elif not all(0 <= each <= MOST_POINTS for each in points) or not any(points):
        text = _("Points go from 0 to %(most)d, and some place is worth more than nothing.")
        refusals.add("points", "points_range", text % {"most": MOST_POINTS})
    elif list(points) != sorted(points, reverse=True):
        text = _("A worse place must not be worth more.")
        refusals.add("points", "points_order", text)
