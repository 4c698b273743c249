"""Copies of a tournament: one by one, or again and again."""

import logging
import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import count
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Max
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from games.locks import held
from tournaments import dates
from tournaments.dates import Every
from tournaments.models import Club, Recurrence, Season, Tournament
from tournaments.services.closing import Attempt
from tournaments.services.life import publish
from tournaments.services.plan import Plan, plan_of
from tournaments.services.screening import draw_deals
from tournaments.services.setup import create_tournament, free_slug

logger = logging.getLogger(__name__)

_LONGEST_NAME: Final = 80
#: A day or a month at the end of a name and of an address; there a number may follow.
_DAY_OF_NAME: Final = re.compile(r"\s*\b\d{4}-\d{2}(-\d{2})?$")
_DAY_OF_SLUG: Final = re.compile(r"-\d{4}-\d{2}(-\d{2})?(-\d+)?$")


def copy_plan(*, tournament: Tournament, now: datetime) -> Plan:
    """Return the plan of a tournament like this one, in the next month that is still to come.

    It has the same weekday of the month and the same times of the club's clock; a name with the
    month or the year in it has the new one, and the address ends with the month. Created from it
    it has new secret deals.
    """
    plan, club = plan_of(tournament), tournament.club
    before = dates.wall(plan.opens_at, club.zone)
    day = copy_day(tournament=tournament, now=now)
    return replace(
        _opening(plan, club, datetime.combine(day, before.time())),
        name=_name_of_month(plan.name, before.date(), day),
        slug=free_slug(f"{_DAY_OF_SLUG.sub('', plan.slug)}-{day:%Y-%m}", otherwise=club.slug),
        season=_season_of(tournament, day),
    )


def copy_day(*, tournament: Tournament, now: datetime) -> date:
    """Return the day of the same weekday in the next month on which a copy is still to come."""
    zone = tournament.club.zone
    before = dates.wall(tournament.opens_at, zone)
    for months in count(1):
        day = dates.same_weekday(before.date(), months=months)
        if dates.at(datetime.combine(day, before.time()), zone) > now:
            return day
    raise AssertionError("unreachable")


def _opening(plan: Plan, club: Club, after: datetime) -> Plan:
    """Return a plan whose times are moved by the club's clock, so that it opens at `after`."""
    shift = after - dates.wall(plan.opens_at, club.zone)
    return plan.moved(lambda time: dates.at(dates.wall(time, club.zone) + shift, club.zone))


def _name_of_month(name: str, before: date, after: date) -> str:
    """Put the new month and the new year where a name has the old ones."""
    for form in ("F", "E", "M", "Y"):
        old, new = date_format(before, form), date_format(after, form)

        def changed(found: re.Match[str], new: str = new) -> str:
            first = new[0].upper() if found[0][0].isupper() else new[0].lower()
            return first + new[1:]

        name = re.sub(rf"\b{re.escape(old)}\b", changed, name, flags=re.IGNORECASE)
    return name


def _season_of(tournament: Tournament, day: date) -> Season | None:
    """Return the season of one like this that opens on a day, where this one belongs to any."""
    if tournament.season_id is None:
        return None
    seasons = Season.objects.filter(
        club=tournament.club_id, starts_on__lte=day, ends_on__gte=day
    ).order_by("-starts_on", "-pk")
    return seasons.filter(pk=tournament.season_id).first() or seasons.first()


# --- again and again ---------------------------------------------------------------------------


def start_recurring(*, tournament: Tournament, every: Every, first_on: date) -> Recurrence:
    """Hold a tournament like this one every day, week or month, for the first time on `first_on`.

    Each opens at this one's time of day and is open as long, by the club's clock; a monthly one
    that begins on the 31st is held on the last day of a shorter month. Idempotent.

    Raises `ValidationError` for `first_on` with the code ``first_in_past`` or ``first_too_early``
    (not after this one), and for `every` with ``overlap``: the next would open before it closes.
    """
    zone = tournament.club.zone
    opens = dates.wall(tournament.opens_at, zone)
    closes = dates.wall(tournament.closes_at, zone)
    minutes = -(-(closes - opens) // timedelta(minutes=1))
    errors = {}
    if first_on <= opens.date():
        text = _("The first one must come after the tournament that it is like.")
        errors["first_on"] = ValidationError(text, "first_too_early")
    elif dates.at(datetime.combine(first_on, opens.time()), zone) <= timezone.now():
        errors["first_on"] = ValidationError(_("This day has already passed."), "first_in_past")
    if timedelta(minutes=minutes) > _APART[every]:
        text = _("It is open for so long that the next one would open before it closes.")
        errors["every"] = ValidationError(text, "overlap")
    if errors:
        raise ValidationError(errors)
    with transaction.atomic():
        # One after another: a form that is sent twice starts it once.
        held(Tournament.objects).get(pk=tournament.pk)
        same = Recurrence.objects.filter(template=tournament, every=every, is_active=True)
        return same.filter(next_on=first_on).first() or Recurrence.objects.create(
            club=tournament.club,
            template=tournament,
            every=every,
            next_on=first_on,
            anchor_day=first_on.day,
            opens_at=opens.time(),
            open_minutes=minutes,
        )


#: How far apart two of them are at the least.
_APART: Final = {
    Every.DAY: timedelta(days=1),
    Every.WEEK: timedelta(days=7),
    Every.MONTH: timedelta(days=28),
}


def pause_recurring(*, recurrence: Recurrence) -> None:
    """Hold no more of them until it goes on; what is published stays. Idempotent."""
    Recurrence.objects.filter(pk=recurrence.pk).update(is_active=False)


def resume_recurring(*, recurrence: Recurrence) -> None:
    """Go on with the next one that is still to come. Idempotent."""
    Recurrence.objects.filter(pk=recurrence.pk).update(is_active=True)


def end_recurring(*, recurrence: Recurrence) -> None:
    """Hold no more of them; the tournaments that there are stay. Idempotent."""
    Recurrence.objects.filter(pk=recurrence.pk).delete()


def hold_recurring(*, now: datetime) -> int:
    """Publish the next of every recurring tournament whose last one has opened; return how many.

    So there is always one to come. Those whose whole time went by meanwhile are left out.
    Idempotent, also between several directors: who moves the next date on, holds it. One that
    cannot be held is paused, with a line in the log; one whose deals the solver must look at waits
    for it, and one whose address was taken at that moment takes another one a little later.
    """
    last = Coalesce(Max("tournaments__opens_at"), F("template__opens_at"))
    active = Recurrence.objects.filter(is_active=True).order_by("next_on", "pk")
    due = active.annotate(last=last).filter(last__lte=now)
    made = 0
    for recurrence in due.select_related("club", "template__club", "template__season"):
        with Attempt(f"Recurring tournament {recurrence.pk} was not held"):
            made += _hold_or_pause(recurrence, now)
    return made


def _hold_or_pause(recurrence: Recurrence, now: datetime) -> bool:
    try:
        return _hold_next(recurrence, now)
    except ValidationError as error:
        # Codes alone: they say what it is without quoting what a director typed.
        codes = sorted({str(each.code) for each in _flat(error)})
    if len(codes) == 1 and codes[0] in _PASSING:
        what = _PASSING[codes[0]]
        logger.warning("Recurring tournament %s waits for %s.", recurrence.pk, what)
    else:
        logger.error("Recurring tournament %s is paused: %s", recurrence.pk, ", ".join(codes))
        pause_recurring(recurrence=recurrence)
    return False


#: What keeps a tournament from being held now, but not a little later: by then it has the solver,
#: or an address that nobody else took at the same moment.
_PASSING: Final = {"solver_away": "the solver", "unique": "another address"}


def _flat(error: ValidationError) -> list[ValidationError]:
    if hasattr(error, "error_dict"):
        return [each for errors in error.error_dict.values() for each in errors]
    return list(error.error_list)


def next_days(recurrence: Recurrence, *, days: int) -> list[date]:
    """Return the next days on which it will be held, if nothing changes."""
    found = [recurrence.next_on]
    while len(found) < days:
        found.append(_after(recurrence, found[-1]))
    return found


def _after(recurrence: Recurrence, day: date) -> date:
    return dates.following(day, Every(recurrence.every), anchor_day=recurrence.anchor_day)


@sensitive_variables()
def _hold_next(recurrence: Recurrence, now: datetime) -> bool:
    """Create and publish the next one that is not over, unless another director does."""
    day = recurrence.next_on
    while _closes_at(recurrence, day) <= now:
        day = _after(recurrence, day)
    plan = _plan_on(recurrence, day)
    # Here, since nobody may wait for the solver in a transaction.
    codes = draw_deals(rules=plan.rules, holes=plan.holes, difficulty=plan.difficulty)
    with transaction.atomic():
        row = Recurrence.objects.filter(
            pk=recurrence.pk, next_on=recurrence.next_on, is_active=True
        )
        if not row.update(next_on=_after(recurrence, day)):
            return False
        if Tournament.objects.filter(recurrence=recurrence, opens_at=plan.opens_at).exists():
            return False  # another one was moved to that time
        made = create_tournament(
            club=recurrence.club,
            plan=plan,
            codes=codes,
            recurrence=recurrence,
            copy_of=recurrence.template,
        )
        publish(tournament=made)
    return True


def _closes_at(recurrence: Recurrence, day: date) -> datetime:
    opens = datetime.combine(day, recurrence.opens_at)
    return dates.at(opens + timedelta(minutes=recurrence.open_minutes), recurrence.club.zone)


def _plan_on(recurrence: Recurrence, day: date) -> Plan:
    """Return the plan of the one on a day: like the template, but as long as usual.

    What the template was given more or less of, when it was held itself, is its own affair.
    """
    template, club = recurrence.template, recurrence.club
    plan = _opening(plan_of(template), club, datetime.combine(day, recurrence.opens_at))
    closes_at = _closes_at(recurrence, day)
    *others, last = plan.rounds
    earlier = [replace(each, closes_at=min(each.closes_at, closes_at)) for each in others]
    name = _DAY_OF_NAME.sub("", plan.name)[: _LONGEST_NAME - len(" 2026-01-01")].rstrip()
    slug = f"{_DAY_OF_SLUG.sub('', plan.slug)}-{day.isoformat()}"
    return replace(
        plan,
        name=f"{name} {day.isoformat()}",
        slug=free_slug(slug, otherwise=club.slug),
        rounds=(*earlier, replace(last, closes_at=closes_at)),
        season=_season_of(template, day),
        entries_close_at=plan.entries_close_at and min(plan.entries_close_at, closes_at),
    )
