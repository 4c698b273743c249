"""What was decided, by whom and why, and what directors should look at: to be read."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from games.admin import ReadOnly
from games.models import Player
from tournaments import services
from tournaments.admin.decisions import do_each
from tournaments.admin.scope import ClubScoped, ReadOnlyInline, by
from tournaments.models import Correction, Flag, StatusChange


def _figures(data: dict[str, Any]) -> str:
    """Return how something was or is, in one line."""
    return ", ".join(f"{name}: {value}" for name, value in data.items()) or "–"


class CorrectionInline(ReadOnlyInline):
    """What was decided about an entry."""

    model = Correction
    fields = readonly_fields = ("at", "kind", "hole", "was", "becomes", "reason", "by")
    ordering = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Correction]:
        """Fetch along what a row names."""
        return super().get_queryset(request).select_related("hole", "by", "entry", "tournament")

    @admin.display(description=_("before"))
    def was(self, correction: Correction) -> str:
        """How it was."""
        return _figures(correction.before)

    @admin.display(description=_("after"))
    def becomes(self, correction: Correction) -> str:
        """How it is since."""
        return _figures(correction.after)


@admin.register(Correction)
class CorrectionAdmin(ReadOnly, ClubScoped):
    """Corrections: rows that are written once."""

    list_display = (
        "at",
        "tournament",
        "kind",
        "entry",
        "hole",
        "was",
        "becomes",
        "reason",
        "by",
    )
    list_filter = ("kind", by("tournament"), by("tournament__club"), "at")
    list_select_related = ("tournament", "entry", "hole", "by")
    search_fields = ("entry__name", "reason", "by__name", "by__username", "tournament__name")
    date_hierarchy = "at"
    ordering = ("-pk",)
    fields = (
        "tournament",
        ("entry", "hole"),
        "kind",
        ("was", "becomes"),
        "reason",
        ("by", "at"),
    )
    readonly_fields = ("was", "becomes")

    @admin.display(description=_("before"))
    def was(self, correction: Correction) -> str:
        """How it was."""
        return _figures(correction.before)

    @admin.display(description=_("after"))
    def becomes(self, correction: Correction) -> str:
        """How it is since."""
        return _figures(correction.after)


@admin.register(StatusChange)
class StatusChangeAdmin(ReadOnly, ClubScoped):
    """The steps of tournaments' lives."""

    list_display = ("at", "tournament", "before", "after", "by", "reason")
    list_filter = ("after", by("tournament__club"), "at")
    list_select_related = ("tournament", "by")
    search_fields = ("tournament__name", "tournament__slug", "by__name", "by__username", "reason")
    date_hierarchy = "at"
    ordering = ("-pk",)


@admin.register(Flag)
class FlagAdmin(ReadOnly, ClubScoped):
    """What looks odd; it decides nothing by itself."""

    list_display = ("at", "tournament", "entry", "kind", "figures", "seen_by", "seen_at", "note")
    list_filter = (
        "kind",
        ("seen_at", admin.EmptyFieldListFilter),
        by("entry__tournament"),
        by("entry__tournament__club"),
    )
    list_select_related = ("entry__tournament", "seen_by")
    search_fields = ("entry__name", "entry__tournament__name", "note")
    ordering = ("-pk",)
    fields = ("tournament", "entry", "kind", "figures", "at", ("seen_by", "seen_at"), "note")
    readonly_fields = ("tournament", "figures", "at")
    actions = ("seen",)
    for_directors = frozenset({"view", "look"})

    def has_look_permission(self, request: HttpRequest) -> bool:
        """Let those note that they have looked who may change flags, in a manner of speaking."""
        may_change = request.user.has_perm("tournaments.change_flag")
        return may_change or self._is_for_director(request, "look")

    @admin.action(description=_("I have looked at it"), permissions=["look"])
    def seen(self, request: HttpRequest, queryset: QuerySet[Flag]) -> None:
        """Note who has looked; what was noted stays."""

        def look(flag: Flag, by: Player) -> Flag:
            return services.mark_seen(flag=flag, by=by)

        do_each(self, request, queryset.select_related("entry__tournament__club"), look)

    @admin.display(description=_("tournament"), ordering="entry__tournament")
    def tournament(self, flag: Flag) -> str:
        """Whose entry it is."""
        return str(flag.entry.tournament)

    @admin.display(description=_("details"))
    def figures(self, flag: Flag) -> str:
        """The figures behind it."""
        return _figures(flag.details)
