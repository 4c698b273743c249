"""Games and players as directors see them: those of their clubs, which games know nothing of."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.forms import ReadOnlyPasswordHashWidget
from django.contrib.auth.hashers import is_password_usable
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from games.admin import AccountEventAdmin, GameAdmin, PlayerAdmin
from games.models import AccountEvent, Game, Player
from tournaments.admin.scope import ClubScoped, by, directs_any, within

admin.site.unregister([AccountEvent, Game, Player])


@admin.register(Game)
class ClubGameAdmin(GameAdmin, ClubScoped):
    """Games; directors see those of their tournaments."""

    def get_list_display(self, request: HttpRequest) -> Any:
        """Add the entry that a game is of."""
        return (*super().get_list_display(request), "entry")

    def get_list_select_related(self, request: HttpRequest) -> Any:
        """Fetch along what a row names."""
        return ("player", "hole_result__entry__tournament", "hole_result__hole")

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Add the tournament."""
        return (*super().get_list_filter(request), by("hole_result__entry__tournament"))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Add the entry."""
        return (*super().get_readonly_fields(request, obj), "entry")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Add the entry to what a game is known by."""
        (title, known_by), *others = super().get_fieldsets(request, obj)
        return [(title, {**known_by, "fields": (*known_by["fields"], "entry")}), *others]

    @admin.display(description=_("entry"))
    def entry(self, game: Game) -> SafeString | str:
        """The scorecard that it is on, and its replay once everybody may see it."""
        result = getattr(game, "hole_result", None)
        if result is None:
            return "–"
        card = reverse("admin:tournaments_entry_change", args=[result.entry_id])
        return format_html(
            '<a href="{}"><bdi>{}</bdi> · {}</a>', card, result.entry.tournament, result.hole
        )


class KeptPassword(ReadOnlyPasswordHashWidget):
    """Whether a player has a password, and nothing of how it is kept."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        """Leave out the parts of the hash."""
        context: dict[str, Any] = super().get_context(name, value, attrs)
        is_set = bool(value) and is_password_usable(value)
        context["summary"] = [{"label": _("A password is set.") if is_set else _("None is set.")}]
        return context


@admin.register(Player)
class ClubPlayerAdmin(PlayerAdmin):
    """Players. A director sees those of his clubs; whoever looks after accounts sees all."""

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """Show nothing of the password's hash."""
        form = super().get_form(request, obj, change=change, **kwargs)
        if "password" in form.base_fields:
            form.base_fields["password"].widget = KeptPassword()
        return form

    def get_queryset(self, request: HttpRequest) -> QuerySet[Player]:
        """Leave out who never was in a club of a director who asks."""
        players: QuerySet[Player] = super().get_queryset(request)
        return within(players, request) if directs_any(request) else players

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show directors the part of the site that has their players."""
        return super().has_module_permission(request) or directs_any(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let directors look at their players."""
        return super().has_view_permission(request, obj) or directs_any(request)


@admin.register(AccountEvent)
class ClubAccountEventAdmin(AccountEventAdmin):
    """What was done to accounts, for whoever may see it; a director sees his players' alone."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[AccountEvent]:
        """Leave out other players."""
        events: QuerySet[AccountEvent] = super().get_queryset(request)
        if not directs_any(request):
            return events
        return events.filter(player__in=within(Player.objects.all(), request))
