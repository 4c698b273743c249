"""The admin's view of players and games. Nothing here can change how a game was played."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.db.models import PROTECT, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from games import live, transcript, words
from games.forms import validate_name
from games.models import Game, Player

#: Lookups that would let a secret code be guessed letter by letter from a list's address.
SECRET_FIELDS = frozenset({"deal_code"})

if TYPE_CHECKING:
    _Base = admin.ModelAdmin[Any]
    _UserBase = UserAdmin[Any]
else:
    _Base, _UserBase = admin.ModelAdmin, UserAdmin


class GuardsSecrets(_Base):
    """An admin whose lists cannot be asked about what is secret."""

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Refuse to filter by what is secret: it could be guessed letter by letter."""
        if SECRET_FIELDS & set(lookup.split("__")):
            return False
        return super().lookup_allowed(lookup, value, request)


class KeepsResults(GuardsSecrets):
    """An admin of what has a name and cannot be deleted while something kept hangs on it.

    `kept_reason` tells a person why.
    """

    kept_reason = _("It has results, and results are kept.")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Refuse names that could disguise a line of a list."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "name" and field is not None:
            field.validators.append(validate_name)
        return field

    def kept(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return those of `rows` that must stay: those that the database would protect."""
        hangs_on = Q()
        for relation in self.opts.related_objects:
            if relation.on_delete is PROTECT:
                hangs_on |= Q(**{f"{relation.name}__isnull": False})
        return rows.filter(hangs_on).distinct()

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Say why a row stays, instead of a page that could not delete it."""
        row = self.get_object(request, unquote(object_id))
        if (
            row is not None
            and self.has_delete_permission(request, row)
            and self.kept(self.get_queryset(request).filter(pk=row.pk)).exists()
        ):
            messages.error(request, self.kept_reason)
            opts = self.opts
            return HttpResponseRedirect(
                reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[row.pk])
            )
        return super().delete_view(request, object_id, extra_context)

    def get_actions(self, request: HttpRequest) -> Any:
        """Put a check before the bulk deletion."""
        actions: Any = super().get_actions(request)
        if "delete_selected" in actions:
            delete, *described = actions["delete_selected"]
            actions["delete_selected"] = (_unless_kept(delete), *described)
        return actions


def _unless_kept(delete: Callable[..., Any]) -> Callable[..., Any]:
    """Return the action `delete`, which refuses as a whole when one of its rows must stay."""

    def action(modeladmin: KeepsResults, request: HttpRequest, rows: QuerySet[Any]) -> Any:
        kept = list(modeladmin.kept(rows)[:20])
        if not kept:
            return delete(modeladmin, request, rows)
        names = ", ".join(map(str, kept))
        text = ngettext(
            "%(names)s has results and is kept. Nothing was deleted.",
            "%(names)s have results and are kept. Nothing was deleted.",
            len(kept),
        )
        modeladmin.message_user(request, text % {"names": names}, messages.ERROR)
        return None

    return action


class ReadOnly(GuardsSecrets):
    """An admin that shows rows and changes nothing."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Nothing is added by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is changed by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is deleted by hand."""
        return False


@admin.register(Player)
class PlayerAdmin(KeepsResults, _UserBase):
    """Players: accounts as Django knows them, and guests."""

    list_display = ("username", "name", "is_guest", "is_staff", "is_active", "date_joined")
    list_filter = ("is_guest", "is_staff", "is_superuser", "is_active", "date_joined")
    search_fields = ("username", "name", "first_name", "last_name", "email")
    fieldsets = (
        (None, {"fields": ("username", "name", "is_guest", "password")}),
        *(UserAdmin.fieldsets or ())[1:],
        (_("Preferences"), {"fields": ("preferences",), "classes": ("collapse",)}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("username", "name", "usable_password", "password1", "password2"),
            },
        ),
    )
    readonly_fields = ("is_guest", "preferences", "last_login", "date_joined")
    kept_reason = _("This player has games or entries, and those are kept.")

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002 (the name that Django calls it by)
        form_url: str = "",
    ) -> HttpResponse:
        """End the sockets that were opened with the old password."""
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and isinstance(response, HttpResponseRedirect):
            live.close_sockets(player_id=int(id))
        return response

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:
        """End the sockets of a player who was shut out."""
        super().save_model(request, obj, form, change)
        if not obj.is_active:
            live.close_sockets(player_id=obj.pk)


@admin.register(Game)
class GameAdmin(ReadOnly):
    """Games, with their moves as text once the cards are no secret."""

    list_display = (
        "public_id",
        "player",
        "rule_set",
        "is_secret",
        "state",
        "strokes",
        "app_score",
        "moves_made",
        "created_at",
        "finished_at",
    )
    list_filter = ("state", "is_secret", "undo_allowed", "hints_allowed", "created_at")
    list_select_related = ("player",)
    search_fields = ("public_id", "player__username", "player__name")
    search_help_text = _("Address, player, or the whole code of a deal that is no secret.")
    date_hierarchy = "created_at"
    readonly_fields = ("public_id", "rule_set", "game_code", "created_at", "moves")
    fieldsets = (
        (None, {"fields": ("public_id", "player", "rule_set", "game_code")}),
        (
            _("Settings"),
            {"fields": (("undo_allowed", "hints_allowed"), "is_secret", "closes_at")},
        ),
        (_("Times"), {"fields": (("created_at", "started_at", "finished_at"),)}),
        (
            _("Figures"),
            {
                "fields": (
                    "state",
                    ("strokes", "strokes_below_par", "app_score"),
                    ("streak_score", "longest_streak"),
                    ("cleared", "left", "stock_left"),
                    ("turn", "moves_made", "undos", "hints", "time_ms"),
                )
            },
        ),
        (_("Moves"), {"fields": ("moves",)}),
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Game], search_term: str
    ) -> tuple[QuerySet[Game], bool]:
        """Find an open deal by its whole code, too."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        if search_term.strip():
            code = search_term.strip().upper()
            found |= queryset.filter(is_secret=False, deal_code=code)
        return found, may_repeat

    @admin.display(description=_("rule set"))
    def rule_set(self, game: Game) -> str:
        """The name of the rule set."""
        return words.rules_name(game.rules)

    @admin.display(description=_("game code"))
    def game_code(self, game: Game) -> str:
        """The code once it is no secret."""
        return str(_("secret until the tournament is over")) if game.is_secret else game.deal_code

    @admin.display(description=_("moves"))
    def moves(self, game: Game) -> SafeString | str:
        """The deal and every action as text, once the cards are no secret."""
        if game.is_secret:
            return str(_("secret until the tournament is over"))
        told = transcript.of(game)
        return format_html(
            '<p dir="ltr">{}<br>{} | {}</p><ol>{}</ol>',
            " / ".join(" ".join(column) for column in told.columns),
            told.waste or "-",
            " ".join(told.stock),
            format_html_join("\n", "<li>{}</li>", ((step.text,) for step in told.steps)),
        )
