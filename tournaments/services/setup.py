"""Making, changing and deleting a tournament."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import date, datetime

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_variables

from games.engine import GameCode, RuleSet
from games.locks import held, hold_in_order
from games.models import Player
from tournaments import fairness
from tournaments.models import (
    ROUND,
    Club,
    Division,
    Entry,
    Hole,
    HoleResult,
    Recurrence,
    Room,
    Round,
    Season,
    StatusChange,
    Tournament,
)
from tournaments.services.deadlines import refresh_deadlines
from tournaments.services.errors import TournamentError
from tournaments.services.plan import Plan, Refusals, RoundPlan, check_plan, plan_of
from tournaments.services.results import announce
from tournaments.services.screening import draw_deals
from tournaments.services.seen import changed_meanwhile, fingerprint

_SLUG_LENGTH = 80
#: What may still change once the first hole was started, `rounds` only as to times to come.
_LOOSE = frozenset(
    {"name", "about", "season", "most_entries", "entries_close_at", "rounds"},
)
#: What may still change once nobody plays any more.
_ABOUT = frozenset({"name", "about", "season"})


@sensitive_variables()
def create_tournament(
    *,
    club: Club,
    plan: Plan,
    codes: Sequence[GameCode] | None = None,
    is_friendly: bool = False,
    day: date | None = None,
    recurrence: Recurrence | None = None,
    copy_of: Tournament | None = None,
    room: Room | None = None,
) -> Tournament:
    """Create a draft of a tournament and its holes, by default on secret deals drawn for it.

    Where the plan has a difficulty, drawing them waits for the solver: then this is not for within
    a transaction (`screening.draw_deals`). `day` is set for the nine holes of a day, of which there
    is one tournament only, `room` for a race. With codes that the players may know it
    `is_friendly`.

    Raises `ValidationError`, by field, with the codes of the fields, of `Tournament.clean`, of
    `check_plan` and of `screening.draw_deals`, and: ``closes_in_past``; ``entries_past``; for
    `codes` ``codes_count`` (not as many as holes), ``rules_differ`` (a code of another rule set),
    ``open_deal`` (a GO1 code, which can be guessed, in a tournament that is not friendly),
    ``deal_twice`` and ``deal_used`` (dealt in another tournament, under whichever rules; in a
    friendly one only while that is secret).
    """
    tournament = Tournament(
        club=club,
        day=day,
        recurrence=recurrence,
        copy_of=copy_of,
        room=room,
        is_friendly=is_friendly,
        **plan.columns(),
    )
    refusals = Refusals()
    with refusals.gather():
        tournament.full_clean()
    check_plan(plan, club=club, refusals=refusals)
    _check_coming(plan, refusals)
    if codes is not None:
        check_codes(
            codes,
            rules=plan.rules,
            holes=plan.holes,
            refusals=refusals,
            is_friendly=is_friendly,
        )
    refusals.raise_if_any()
    drawn = _draw(plan) if codes is None else codes
    try:
        with transaction.atomic():
            _seal(tournament, drawn, plan)
            _set_divisions(tournament, plan, refusals)
    except IntegrityError:
        tournament.pk = None
        tournament.full_clean()  # says it, where another director took the address just now
        raise
    return tournament


def _check_coming(plan: Plan, refusals: Refusals) -> None:
    if not refusals.has("closes_at"):
        with refusals.gather():
            check_closing(closes_at=plan.closes_at)
    if plan.entries_close_at is not None and plan.entries_close_at <= timezone.now():
        refusals.add("entries_close_at", "entries_past", _("This time has already passed."))


def check_closing(*, closes_at: datetime) -> None:
    """Raise `ValidationError` with the code ``closes_in_past`` for a time that has passed."""
    if closes_at <= timezone.now():
        raise ValidationError(
            {"closes_at": ValidationError(_("This time has already passed."), "closes_in_past")}
        )


@sensitive_variables()
def update_tournament(
    *,
    tournament: Tournament,
    plan: Plan,
    codes: Sequence[GameCode] | None = None,
    is_friendly: bool | None = None,
    by: Player | None = None,
    seen: str | None = None,
) -> Tournament:
    """Change a tournament; other rules or holes of a draft draw other deals.

    What may change depends on how far it is. Of a draft everything. What is published has promised
    its deals: rules and holes stand (``published``). Once the first hole was started the format
    stands (``frozen``), all but times to come, the number of places and what it is called; then a
    time that has passed stands too (``time_over``). When nobody plays any more it can be called
    otherwise (``over``), and what is final stands as it is (``final``).

    `codes` are other deals, `is_friendly` says whose they are; None leaves both as they are.
    Closing times of what is published change with a trace. `seen` is what the director saw of it
    (`seen_of_tournament`), None whatever there was.

    Raises `ValidationError` as `create_tournament` does, with those codes and with ``places_taken``
    (more have entered), ``cut_whole_field``, ``division_used`` (somebody plays in it) and
    ``changed`` (by somebody else meanwhile).
    """
    refusals = Refusals()
    drawn = _drawn_before(tournament, plan, codes, is_friendly)
    with transaction.atomic():
        # Whoever starts a hole at this moment is waited for, or finds the new format.
        hold_in_order(Hole.objects.filter(tournament=tournament))
        stored = held(Tournament.objects).get(pk=tournament.pk)
        before = plan_of(stored)
        changed = {
            field.name
            for field in fields(Plan)
            if getattr(plan, field.name) != getattr(before, field.name)
        }
        dealt = _other_deals(stored, before, plan, codes, is_friendly)
        if changed or dealt:
            if seen not in (None, seen_of_tournament(tournament=stored, plan=before)):
                raise changed_meanwhile()
            _check_allowed(stored, before, plan, changed, dealt=dealt, refusals=refusals)
        for name, value in plan.columns().items():
            setattr(stored, name, value)
        if dealt:
            codes, stored.is_friendly = _new_deals(stored, codes, is_friendly)
        with refusals.gather():
            stored.full_clean()
        check_plan(plan, club=stored.club, refusals=refusals)
        if codes is not None:
            check_codes(
                codes,
                rules=plan.rules,
                holes=plan.holes,
                refusals=refusals,
                is_friendly=stored.is_friendly,
            )
        _check_entries(stored, before, plan, refusals)
        refusals.raise_if_any()
        if dealt:
            if codes is None and drawn is None:
                raise changed_meanwhile()
            _seal(stored, codes or drawn or [], plan)
        else:
            stored.save()
            _set_rounds(stored, before, plan, by)
        _set_divisions(stored, plan, refusals)
        if changed - _ABOUT and stored.status != Tournament.Status.DRAFT:
            announce(stored.pk)
    return stored


def seen_of_tournament(*, tournament: Tournament, plan: Plan | None = None) -> str:
    """Return what is to be seen of a tournament's plan and of its deals: `update_tournament`.

    Nothing that changes by itself in time is part of it. `plan` is the tournament's, where it has
    been read.
    """
    plan = plan or plan_of(tournament)
    columns = plan.columns() | {"season": plan.season and plan.season.pk}  # not its name alone
    rounds = [asdict(each) for each in plan.rounds]
    # Others that were drawn, or typed, differ in what was promised of them.
    deals = [tournament.is_friendly, tournament.commitment]
    return fingerprint([columns, rounds, plan.divisions, deals])


def _other_deals(
    stored: Tournament,
    before: Plan,
    plan: Plan,
    codes: Sequence[GameCode] | None,
    is_friendly: bool | None,
) -> bool:
    """Return whether a change asks for other deals than those that are there."""
    holes = [each.holes for each in plan.rounds] != [each.holes for each in before.rounds]
    holes |= plan.difficulty != before.difficulty
    friendly = is_friendly is not None and is_friendly != stored.is_friendly
    return codes is not None or plan.rules != before.rules or holes or friendly


@sensitive_variables()
def _new_deals(
    stored: Tournament, codes: Sequence[GameCode] | None, is_friendly: bool | None
) -> tuple[Sequence[GameCode] | None, bool]:
    """Return the codes to be dealt, None for drawn ones, and whether they are friendly."""
    friendly = stored.is_friendly if is_friendly is None else is_friendly
    if codes is None and friendly:
        kept = Hole.objects.filter(tournament=stored).order_by("number")
        codes = [GameCode.parse(text) for text in kept.values_list("deal_code", flat=True)]
    return codes, friendly


def _check_allowed(
    stored: Tournament,
    before: Plan,
    plan: Plan,
    changed: set[str],
    *,
    dealt: bool,
    refusals: Refusals,
) -> None:
    """Refuse what is too late to change."""
    if stored.status == Tournament.Status.FINAL:
        text = _("This tournament is final. Open it again to change anything.")
        refusals.add(None, "final", text)
    elif stored.closed_at is not None:
        if dealt or changed - _ABOUT:
            text = _("This tournament is over: only what it is called may change.")
            refusals.add(None, "over", text)
    elif has_started(tournament=stored):
        if dealt or changed - _LOOSE or _shapes(plan) != _shapes(before):
            text = _(
                "The first hole has been started: the format, the holes and the scoring stand."
            )
            refusals.add(None, "frozen", text)
        else:
            _check_times_to_come(before, plan, refusals)
    else:
        if dealt and stored.status != Tournament.Status.DRAFT:
            text = _(
                "The deals of a published tournament are promised: its rules and holes stand. "
                "As long as nobody has entered, you can take it back to a draft first."
            )
            refusals.add(None, "published", text)
        if plan.closes_at != before.closes_at:
            with refusals.gather():
                check_closing(closes_at=plan.closes_at)


def _shapes(plan: Plan) -> list[tuple[int, int | None]]:
    return [(each.holes, each.cut_to) for each in plan.rounds]


def _check_times_to_come(before: Plan, plan: Plan, refusals: Refusals) -> None:
    now, last = timezone.now(), len(plan.rounds)
    for number, (old, new) in enumerate(zip(before.rounds, plan.rounds, strict=True), 1):
        for name, field in (
            ("opens_at", "opens_at" if number == 1 else f"round_{number}_opens_at"),
            ("closes_at", "closes_at" if number == last else f"round_{number}_closes_at"),
        ):
            was, becomes = getattr(old, name), getattr(new, name)
            if was == becomes:
                continue
            if was <= now:
                refusals.add(field, "time_over", _("The time was reached, and stands."))
            elif becomes <= now:
                refusals.add(field, "closes_in_past", _("This time has already passed."))


def _check_entries(stored: Tournament, before: Plan, plan: Plan, refusals: Refusals) -> None:
    """Refuse what does not go with those who have entered."""
    entries = Entry.objects.filter(tournament=stored).exclude(status=Entry.Status.REMOVED).count()
    if plan.most_entries != before.most_entries and entries > (plan.most_entries or entries):
        text = ngettext(
            "%(count)d player has entered already.",
            "%(count)d players have entered already.",
            entries,
        )
        refusals.add("most_entries", "places_taken", text % {"count": entries})
    for number, each in enumerate(plan.rounds, 1):
        if each.cut_to is None or not 0 < entries <= each.cut_to:
            continue
        if number > len(before.rounds) or before.rounds[number - 1].cut_to != each.cut_to:
            text = ngettext(
                "%(count)d player has entered so far: that cut leaves nobody behind.",
                "%(count)d players have entered so far: that cut leaves nobody behind.",
                entries,
            )
            refusals.add(f"round_{number}_cut_to", "cut_whole_field", text % {"count": entries})


def _set_rounds(stored: Tournament, before: Plan, plan: Plan, by: Player | None) -> None:
    """Give the rounds their times and cuts; what has been published leaves a trace of it."""
    for number, (old, new) in enumerate(zip(before.rounds, plan.rounds, strict=True), 1):
        if old == new:
            continue
        Round.objects.filter(tournament=stored, number=number).update(
            opens_at=new.opens_at, closes_at=new.closes_at, cut_to=new.cut_to
        )
        if old.closes_at != new.closes_at and stored.status == Tournament.Status.OPEN:
            trace_closing(tournament=stored, number=number, closes_at=new.closes_at, by=by)
    if before.rounds != plan.rounds:
        refresh_deadlines(tournament=stored)


def trace_closing(
    *,
    tournament: Tournament,
    number: int,
    closes_at: datetime,
    by: Player | None,
    reason: str = "",
) -> None:
    """Write down who has moved the closing time of a round."""
    StatusChange.objects.create(
        tournament=tournament,
        before=tournament.status,
        after=tournament.status,
        by=by,
        at=timezone.now(),
        reason=reason,
        round=number,
        closes_at=closes_at,
    )


def _set_divisions(stored: Tournament, plan: Plan, refusals: Refusals) -> None:
    """Let there be exactly the divisions of the plan; one that somebody plays in stays."""
    rows = Division.objects.filter(tournament=stored)
    gone = rows.exclude(name__in=plan.divisions)
    if Entry.objects.filter(division__in=gone).exists():
        text = _("Somebody has entered in a division that is missing here.")
        refusals.add("divisions", "division_used", text)
        refusals.raise_if_any()
    gone.delete()
    there = set(rows.values_list("name", flat=True))
    Division.objects.bulk_create(
        Division(tournament=stored, name=name) for name in plan.divisions if name not in there
    )


def set_status(
    *, tournament: Tournament, after: str, by: Player | None = None, reason: str = ""
) -> bool:
    """Take one step in a tournament's life, with its trace; return whether this call took it.

    Which steps there are is for the caller to know; who comes second finds the step taken.
    """
    before = tournament.status
    with transaction.atomic():
        row = Tournament.objects.filter(pk=tournament.pk, status=before)
        if not row.update(status=after):
            return False
        StatusChange.objects.create(
            tournament=tournament,
            before=before,
            after=after,
            by=by,
            at=timezone.now(),
            reason=reason,
        )
        if before != Tournament.Status.DRAFT:  # which nobody could watch
            announce(tournament.pk)
    tournament.status = after
    return True


def has_started(*, tournament: Tournament) -> bool:
    """Return whether anybody has started a hole, which freezes the format."""
    return HoleResult.objects.filter(hole__tournament=tournament).exists()


def delete_tournament(*, tournament: Tournament) -> None:
    """Delete a tournament that nobody has played, with its holes and entries.

    Raises `TournamentError` ``has_results``, and ``is_template`` for what a recurring tournament
    is a copy of.
    """
    if Recurrence.objects.filter(template=tournament).exists():
        raise TournamentError("is_template")
    try:
        with transaction.atomic():
            hold_in_order(Hole.objects.filter(tournament=tournament))
            Entry.objects.filter(tournament=tournament).delete()
            Hole.objects.filter(tournament=tournament).delete()
            Round.objects.filter(tournament=tournament).delete()
            Division.objects.filter(tournament=tournament).delete()
            StatusChange.objects.filter(tournament=tournament).delete()
            Tournament.objects.filter(pk=tournament.pk).delete()
    except IntegrityError as error:  # the results protect what they belong to
        raise TournamentError("has_results") from error


def free_slug(text: str, *, otherwise: str, among: type[Tournament | Season] = Tournament) -> str:
    """Return an address made of a text, or of `otherwise` where the text has no Latin letters.

    It is free now; who saves it finds out whether it still is.
    """
    slug = (slugify(text) or slugify(otherwise))[: _SLUG_LENGTH - 8].strip("-_")
    found, number = slug, 1
    while among.objects.filter(slug=found).exists():
        number += 1
        tail = str(number) if number < 100 else get_random_string(6, "abcdefghjkmnpqrstuvwxyz")
        found = f"{slug}-{tail}"
    return found


@sensitive_variables()
def _draw(plan: Plan) -> list[GameCode]:
    return draw_deals(rules=plan.rules, holes=plan.holes, difficulty=plan.difficulty)


@sensitive_variables()
def _drawn_before(
    tournament: Tournament, plan: Plan, codes: Sequence[GameCode] | None, is_friendly: bool | None
) -> list[GameCode] | None:
    """Return the deals that a change will need: nobody may wait for them in a transaction."""
    stored = Tournament.objects.get(pk=tournament.pk)
    if codes is not None or stored.status != Tournament.Status.DRAFT:
        return None
    friendly = stored.is_friendly if is_friendly is None else is_friendly
    if friendly or not _other_deals(stored, plan_of(stored), plan, codes, is_friendly):
        return None
    return _draw(plan)


@sensitive_variables()
def check_codes(
    codes: Sequence[GameCode],
    *,
    rules: RuleSet,
    holes: int,
    refusals: Refusals,
    is_friendly: bool,
) -> None:
    """Refuse deals as `create_tournament` says."""
    if len(codes) != holes:
        text = ngettext(
            "There is %(count)d code, which is not the number of holes.",
            "There are %(count)d codes, which is not the number of holes.",
            len(codes),
        )
        refusals.add("codes", "codes_count", text % {"count": len(codes)})
    if any(code.rules != rules for code in codes):
        refusals.add("codes", "rules_differ", _("A code belongs to another rule set."))
    if not is_friendly and any(code.version == 1 for code in codes):
        refusals.add("codes", "open_deal", _("The deal of a GO1 code is no secret."))
    # The cards depend on the last part of a code, not on the rules before it.
    ends = {code.text.rpartition("-")[2] for code in codes}
    if len(ends) < len(codes):
        refusals.add("codes", "deal_twice", _("Two holes have the same deal."))
    used = Q()
    for end in ends:
        used |= Q(deal_code__endswith=f"-{end}")
    dealt = Hole.objects.filter(used)
    if is_friendly:
        dealt = dealt.filter(tournament__is_friendly=False, tournament__closed_at=None)
    if ends and dealt.exists():
        refusals.add("codes", "deal_used", _("A deal was used in another tournament."))


@sensitive_variables()
def _seal(tournament: Tournament, codes: Sequence[GameCode], plan: Plan) -> None:
    """Save a tournament with its rounds, its deals and the commitment to them, all of it new."""
    texts = [code.text for code in codes]
    tournament.salt = fairness.new_salt()
    tournament.commitment = fairness.commitment(
        salt=tournament.salt, rules=tournament.rules, codes=texts
    )
    tournament.save()
    Hole.objects.filter(tournament=tournament).delete()
    Round.objects.filter(tournament=tournament).delete()
    rounds = Round.objects.bulk_create(
        _round(tournament, number, each) for number, each in enumerate(plan.rounds, 1)
    )
    Hole.objects.bulk_create(
        Hole(
            tournament=tournament,
            round=rounds[(number - 1) // ROUND],
            number=number,
            deal_code=text,
        )
        for number, text in enumerate(texts, 1)
    )


def _round(tournament: Tournament, number: int, plan: RoundPlan) -> Round:
    return Round(
        tournament=tournament,
        number=number,
        opens_at=plan.opens_at,
        closes_at=plan.closes_at,
        cut_to=plan.cut_to,
    )
