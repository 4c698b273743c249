"""What a tournament has promised of its deals, the deals themselves, and who has seen them."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.views.decorators.debug import sensitive_variables

from games.engine import GameCode, card_text
from games.models import Player
from tournaments import fairness
from tournaments.models import BundleChange, DealOpening, Hole, StatusChange, Tournament


@dataclass(frozen=True, slots=True, repr=False)
class Dealt:
    """The deal of a hole: its code, and its cards as text.

    `columns` are seven rows from top to bottom, `stock` is in the order of drawing.
    """

    number: int
    par: int
    code: str
    columns: tuple[tuple[str, ...], ...]
    waste: str | None
    stock: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Proof:
    """What was promised of the deals, and once it is over what was promised.

    `made_at` is since when everybody could read the commitment, None while nobody can. `salt`,
    `codes` and `text`, which is what was hashed, are None until the tournament is over.
    """

    commitment: str
    made_at: datetime | None
    salt: str | None = None
    codes: tuple[str, ...] | None = None
    text: str | None = None


@sensitive_variables()
def proof_of(*, tournament: Tournament) -> Proof | None:
    """Return the promise of a tournament; None where there is none."""
    if not tournament.commitment:
        return None
    changes = StatusChange.objects.filter(
        tournament=tournament, before=Tournament.Status.DRAFT, after=Tournament.Status.OPEN
    )
    made_at = changes.order_by("pk").values_list("at", flat=True).last()
    if not tournament.is_revealed:
        return Proof(tournament.commitment, made_at)
    holes = Hole.objects.filter(tournament=tournament).order_by("number")
    codes = tuple(holes.values_list("deal_code", flat=True))
    text = fairness.committed_text(salt=tournament.salt, rules=tournament.rules, codes=codes)
    return Proof(tournament.commitment, made_at, tournament.salt, codes, text)


def openings_of(*, tournament: Tournament) -> QuerySet[DealOpening]:
    """Return who has seen the deals before the end, in the order in which they did."""
    return DealOpening.objects.filter(tournament=tournament).select_related("player").order_by("pk")


def opening_of(*, tournament: Tournament, player: Player) -> DealOpening | None:
    """Return that the player has seen the deals before the end, None if he has not."""
    return DealOpening.objects.filter(tournament=tournament, player=player).first()


@sensitive_variables()
def deals_of(*, tournament: Tournament, player: Player | None = None) -> list[Dealt]:
    """Return the deals in order.

    Raises `DealOpening.DoesNotExist` before the tournament is over, unless the player has opened
    them (`services.open_deals`).
    """
    if not tournament.is_revealed:
        DealOpening.objects.get(tournament=tournament, player=player)
    holes = Hole.objects.filter(tournament=tournament).order_by("number")
    return [_dealt(hole) for hole in holes]


@sensitive_variables()
def _dealt(hole: Hole) -> Dealt:
    deal = GameCode.parse(hole.deal_code).deal()
    return Dealt(
        number=hole.number,
        par=hole.par,
        code=hole.deal_code,
        columns=tuple(tuple(map(card_text, column)) for column in deal.columns),
        waste=None if deal.waste is None else card_text(deal.waste),
        stock=tuple(map(card_text, deal.stock)),
    )


def bundle_changes_of(*, tournament: Tournament) -> list[BundleChange]:
    """Return when the file of results was made anew after the end, the earliest first."""
    return list(BundleChange.objects.filter(tournament=tournament).order_by("pk"))
