"""Rooms, seats and ratings: the site's own, to be read by its superusers."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from games.admin import ReadOnly
from games.models import Player
from tournaments.admin.scope import ReadOnlyInline, by
from tournaments.models import Rating, RatingChange, Room, Seat


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, Player) and request.user.is_superuser


class OfTheSite(ReadOnly):
    """An admin of rows that belong to no club: no director has anything to do with them."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show it to superusers."""
        return _is_superuser(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Let superusers look."""
        return _is_superuser(request)


class SeatInline(ReadOnlyInline):
    """Who sits in a room."""

    model = Seat
    fields = readonly_fields = ("name", "player", "is_ready", "is_removed", "joined_at", "left_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        """Fetch along what a row names."""
        return super().get_queryset(request).select_related("player", "room")


@admin.register(Room)
class RoomAdmin(OfTheSite):
    """Rooms, those that live and those that were."""

    list_display = ("code", "host", "is_public", "seated", "raced", "used_at", "closed_at")
    list_filter = ("is_public", ("closed_at", admin.EmptyFieldListFilter), "ranking", "created_at")
    list_select_related = ("host",)
    search_fields = ("code", "host__name", "host__username", "seats__name")
    ordering = ("-pk",)
    fields = (
        ("code", "host", "is_public"),
        ("rules", "ranking", "strokes_kind"),
        ("holes", "hole_minutes", "grace_seconds"),
        ("undo_allowed", "hints_allowed"),
        ("created_at", "used_at", "closed_at"),
    )
    inlines = (SeatInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Count along."""
        taken = Q(seats__left_at=None, seats__is_removed=False)
        counted: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(
                seated=Count("seats", filter=taken, distinct=True),
                raced=Count("races", distinct=True),
            )
        )
        return counted

    @admin.display(description=_("seats"), ordering="seated")
    def seated(self, room: Room) -> int:
        """How many seats are taken."""
        count: int = room.seated  # type: ignore[attr-defined]
        return count

    @admin.display(description=_("races"), ordering="raced")
    def raced(self, room: Room) -> int:
        """How many races were started there."""
        count: int = room.raced  # type: ignore[attr-defined]
        return count


@admin.register(Seat)
class SeatAdmin(OfTheSite):
    """Seats, also those that were left."""

    list_display = ("room", "name", "player", "is_ready", "is_removed", "joined_at", "left_at")
    list_filter = ("is_removed", ("left_at", admin.EmptyFieldListFilter), "joined_at")
    list_select_related = ("room", "player")
    search_fields = ("room__code", "name", "player__name", "player__username")
    ordering = ("-pk",)


@admin.register(Rating)
class RatingAdmin(OfTheSite):
    """How strong players are, as their races say."""

    list_display = ("player", "mu", "sigma", "races")
    list_select_related = ("player",)
    search_fields = ("player__name", "player__username")
    ordering = ("-mu",)


@admin.register(RatingChange)
class RatingChangeAdmin(OfTheSite):
    """What each race made of a rating."""

    list_display = ("at", "tournament", "player", "place", "mu_before", "mu_after")
    list_filter = ("at", by("player"))
    list_select_related = ("tournament", "player")
    search_fields = ("player__name", "player__username", "tournament__name", "tournament__slug")
    date_hierarchy = "at"
    ordering = ("-pk",)
