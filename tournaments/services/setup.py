"""Making, changing and publishing a tournament."""

import secrets
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from games.engine import GameCode, RuleSet
from games.models import Player
from tournaments.models import (
    ROUND,
    Club,
    Division,
    Entry,
    Hole,
    HoleResult,
    Round,
    StatusChange,
    Tournament,
)
from tournaments.services.errors import TournamentError
from tournaments.services.results import announce

HOLES = 9
MOST_HOLES = 36
#: What may no longer change once the first hole was started.
_FORMAT = ("slug", "rules", "rank_by", "opens_at", "closes_at")


@sensitive_variables()
def create_tournament(
    *,
    club: Club,
    name: str,
    slug: str,
    rules: RuleSet,
    rank_by: str,
    opens_at: datetime,
    closes_at: datetime,
    codes: list[GameCode] | None = None,
    day: date | None = None,
    **options: Any,
) -> Tournament:
    """Create a draft of a tournament and its holes, by default nine secret deals drawn for it.

    `day` is set for the nine holes of a day, of which there is one tournament only; `options` are
    further fields of `Tournament`.

    Raises `ValidationError`, by field, with the codes of the fields and of `Tournament.clean` and:
    ``closes_in_past``; for `codes` ``hole_count`` (1 to 36), ``rules_differ`` (a code of another
    rule set), ``open_deal`` (a GO1 code, which can be guessed), ``deal_twice`` and ``deal_used``
    (dealt in another tournament, under whichever rules).
    """
    codes = _draw(rules, HOLES) if codes is None else list(codes)
    _check_codes(codes, rules)
    tournament = Tournament(
        club=club,
        name=name,
        slug=slug,
        rules=rules.text,
        rank_by=rank_by,
        opens_at=opens_at,
        closes_at=closes_at,
        day=day,
        **options,
    )
    tournament.full_clean()
    check_closing(closes_at=closes_at)
    with transaction.atomic():
        tournament.save()
        rounds = Round.objects.bulk_create(
            Round(tournament=tournament, number=number, opens_at=opens_at, closes_at=closes_at)
            for number in range(1, -(-len(codes) // ROUND) + 1)
        )
        Hole.objects.bulk_create(
            Hole(
                tournament=tournament,
                round=rounds[(number - 1) // ROUND],
                number=number,
                deal_code=code.text,
            )
            for number, code in enumerate(codes, 1)
        )
    return tournament


def publish(*, tournament: Tournament, by: Player | None = None) -> Tournament:
    """Open a draft to the public; who may play is a matter of its window. Idempotent.

    Raises `ValidationError` ``closes_in_past``.
    """
    if tournament.status != Tournament.Status.DRAFT:
        return tournament
    check_closing(closes_at=tournament.closes_at)
    set_status(tournament=tournament, after=Tournament.Status.OPEN, by=by)
    return tournament


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
    club: Club,
    name: str,
    slug: str,
    rules: RuleSet,
    rank_by: str,
    opens_at: datetime,
    closes_at: datetime,
) -> Tournament:
    """Change a tournament; other rules draw other deals.

    Raises `ValidationError` as `create_tournament` does, and with the code ``frozen`` if
    anything but the name and the club would change after the first hole was started.
    """
    with transaction.atomic():
        # Whoever starts a hole at this moment is waited for, or finds the new format.
        list(Hole.objects.select_for_update().filter(tournament=tournament))
        stored = Tournament.objects.select_for_update().get(pk=tournament.pk)
        before = {field: getattr(stored, field) for field in _FORMAT}
        stored.club, stored.name, stored.slug = club, name, slug
        stored.rules, stored.rank_by = rules.text, rank_by
        stored.opens_at, stored.closes_at = opens_at, closes_at
        changed = {field for field in _FORMAT if getattr(stored, field) != before[field]}
        if changed and has_started(tournament=stored):
            raise ValidationError(
                _("The first hole has been started: only the name may change."), "frozen"
            )
        stored.full_clean()
        if "closes_at" in changed:
            check_closing(closes_at=closes_at)
        stored.save()
        Round.objects.filter(tournament=stored).update(opens_at=opens_at, closes_at=closes_at)
        if "rules" in changed:
            _deal_again(stored)
        if changed:
            announce(stored.pk)
    return stored


def has_started(*, tournament: Tournament) -> bool:
    """Return whether anybody has started a hole, which freezes the format."""
    return HoleResult.objects.filter(hole__tournament=tournament).exists()


def delete_tournament(*, tournament: Tournament) -> None:
    """Delete a tournament that nobody has played, with its holes and entries.

    Raises `TournamentError` ``has_results``.
    """
    try:
        with transaction.atomic():
            list(Hole.objects.select_for_update().filter(tournament=tournament))
            Entry.objects.filter(tournament=tournament).delete()
            Hole.objects.filter(tournament=tournament).delete()
            Round.objects.filter(tournament=tournament).delete()
            Division.objects.filter(tournament=tournament).delete()
            StatusChange.objects.filter(tournament=tournament).delete()
            Tournament.objects.filter(pk=tournament.pk).delete()
    except IntegrityError as error:  # the results protect what they belong to
        raise TournamentError("has_results") from error


def _draw(rules: RuleSet, count: int) -> list[GameCode]:
    return [GameCode.secret(rules, secrets.randbits(128)) for _ in range(count)]


def _check_codes(codes: Sequence[GameCode], rules: RuleSet) -> None:
    if not 1 <= len(codes) <= MOST_HOLES:
        raise ValidationError(_("A tournament has 1 to 36 holes."), "hole_count")
    if any(code.rules != rules for code in codes):
        raise ValidationError(_("A code belongs to another rule set."), "rules_differ")
    if any(code.version == 1 for code in codes):
        raise ValidationError(_("The deal of a GO1 code is no secret."), "open_deal")
    if len({code.number for code in codes}) < len(codes):
        raise ValidationError(_("Two holes have the same deal."), "deal_twice")
    # The cards depend on the last part of a code, not on the rules before it.
    for code in codes:
        if Hole.objects.filter(deal_code__endswith=code.text.rpartition("-")[2]).exists():
            raise ValidationError(_("A deal was used in another tournament."), "deal_used")


@sensitive_variables()
def _deal_again(tournament: Tournament) -> None:
    holes = list(Hole.objects.filter(tournament=tournament))
    for hole, code in zip(holes, _draw(tournament.rule_set, len(holes)), strict=True):
        hole.deal_code = code.text
    Hole.objects.bulk_update(holes, ["deal_code"])
