"""Who of the staff sees what: superusers everything, directors what belongs to their clubs.

A director who is staff may do here what he may do on the pages, without further permissions; what
he is given besides counts for his clubs only. Rows of other clubs are not there for him: not in
lists, filters and choices, and not by their address.
"""

from typing import TYPE_CHECKING, Any, ClassVar, Final

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from games.admin import GuardsSecrets
from games.models import Game, Player
from tournaments import models, selectors

if TYPE_CHECKING:
    _Base = admin.ModelAdmin[Any]
    _Inline = admin.TabularInline[Any, Any]
else:
    _Base, _Inline = admin.ModelAdmin, admin.TabularInline

#: How a row leads to its club.
CLUBS: Final[dict[type[Model], str]] = {
    models.Club: "pk",
    models.ClubEvent: "club",
    models.Correction: "tournament__club",
    models.DealOpening: "tournament__club",
    models.Division: "tournament__club",
    models.Entry: "tournament__club",
    models.Flag: "entry__tournament__club",
    models.Hole: "tournament__club",
    models.HoleResult: "entry__tournament__club",
    models.Membership: "club",
    models.Recurrence: "club",
    models.Round: "tournament__club",
    models.Season: "club",
    models.StatusChange: "tournament__club",
    models.Tournament: "club",
    Game: "hole_result__entry__tournament__club",
}


#: Columns that nobody reads here: no list can be asked about them.
SECRETS: Final = frozenset(
    {"codes", "deal_code", "invitation", "join_password", "key", "password", "salt", "share_token"}
)
#: Where a request keeps whether who asks directs a club; no header has such a name.
_DIRECTS: Final = "golf.directs_any"


def player_of(request: HttpRequest) -> Player:
    """Return who works in the admin."""
    if not isinstance(request.user, Player):
        raise TypeError("the admin lets nobody in who is no player")
    return request.user


def directs_any(request: HttpRequest) -> bool:
    """Return whether who asks directs a club; asked once a request."""
    known: bool | None = request.META.get(_DIRECTS)
    if known is None:
        user = request.user
        clubs = selectors.clubs.clubs_directed_by
        known = isinstance(user, Player) and clubs(player=user).exists()
        request.META[_DIRECTS] = known
    return known


def within(rows: QuerySet[Any], request: HttpRequest) -> QuerySet[Any]:
    """Return those of the rows that belong to the clubs of who asks."""
    player = player_of(request)
    if player.is_superuser:
        return rows
    clubs = selectors.clubs.clubs_directed_by(player=player).order_by().values("pk")
    if rows.model is Player:
        of_clubs = models.Membership.objects.filter(club__in=clubs).values("player")
        entered = models.Entry.objects.filter(tournament__club__in=clubs).values("player")
        return rows.filter(pk__in=of_clubs) | rows.filter(pk__in=entered)
    return rows.filter(**{f"{CLUBS[rows.model]}__in": clubs})


class ClubScoped(GuardsSecrets):
    """An admin of rows that belong to a club.

    `for_directors` is what directors may do with those of their clubs without a permission for it:
    ``view``, ``add``, ``change``, ``delete``.
    """

    for_directors: ClassVar[frozenset[str]] = frozenset({"view"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave out what belongs to the clubs of others."""
        return within(super().get_queryset(request), request)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Refuse to filter by what is secret: it could be guessed letter by letter."""
        if SECRETS & set(lookup.split("__")):
            return False
        return super().lookup_allowed(lookup, value, request)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer what belongs to one's own clubs."""
        model = db_field.remote_field.model
        if "queryset" not in kwargs and (model in CLUBS or model is Player):
            kwargs["queryset"] = within(model.objects.all(), request)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def _is_for_director(self, request: HttpRequest, what: str) -> bool:
        return what in self.for_directors and directs_any(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show directors the part of the site that has their clubs."""
        return super().has_module_permission(request) or directs_any(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Let directors look."""
        return super().has_view_permission(request, obj) or self._is_for_director(request, "view")

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Let directors add what they may add on the pages."""
        return super().has_add_permission(request, *args) or self._is_for_director(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Let directors change what they may change on the pages."""
        is_permitted = super().has_change_permission(request, obj)
        return is_permitted or self._is_for_director(request, "change")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Let directors delete what they may delete on the pages."""
        is_permitted = super().has_delete_permission(request, obj)
        return is_permitted or self._is_for_director(request, "delete")


class ReadOnlyInline(_Inline):
    """Rows below another row, to be read by whoever may read that one."""

    extra = 0
    max_num = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Show what belongs to a row that is shown."""
        return True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is added by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is changed by hand."""
        return False


class ScopedFilter(admin.RelatedOnlyFieldListFilter):
    """A filter by something related, of which those are offered that the list has any rows of."""


def by(field: str) -> tuple[str, type[admin.FieldListFilter]]:
    """Return a filter by something that has rows in the list."""
    return field, ScopedFilter
