"""The admin's view of players and games. Nothing here can change how a game was played."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.core.exceptions import PermissionDenied
from django.db.models import PROTECT, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games import live, log_in, services, transcript, words
from games.forms import validate_name
from games.locks import held
from games.models import AccountEvent, Game, Player, username_key_of

_ACCOUNT_ERRORS = {
    "guest": _("A guest has no password."),
    "inactive": _("This player is shut out: let him in again first."),
    "staff": _("Only a superuser may do this to somebody of the staff."),
    "itself": _("You cannot shut yourself out."),
}
#: What decides over others, and so is a superuser's to give.
_POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")

#: Lookups that would let a secret code be guessed letter by letter from a list's address.
SECRET_FIELDS = frozenset({"deal_code", "codes"})

if TYPE_CHECKING:
    _Base = admin.ModelAdmin[Any]
    _UserBase = UserAdmin[Any]
    _PasswordForm = AdminPasswordChangeForm[Any]
else:
    _Base, _UserBase, _PasswordForm = admin.ModelAdmin, UserAdmin, AdminPasswordChangeForm


def hold_unchanged(row: Model, form: Any, *names: str) -> None:
    """Hold a row, and read again what its form has not changed, and the fields `names`.

    Somebody else may have changed those since the row was read for the form: whoever saves all of
    the row would write the older values back.
    """
    changed = set(form.changed_data) - set(names)
    fields = [each.name for each in row._meta.concrete_fields if each.name not in changed]
    row.refresh_from_db(fields=fields, from_queryset=held(QuerySet(type(row))))


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


class PasswordForm(_PasswordForm):
    """Another password for a player, whose row may be changed by others meanwhile."""

    def save(self, commit: bool = True) -> Player:
        """Save the password and nothing else of the row."""
        player: Player = super().save(commit=False)
        if commit:
            player.save(update_fields=["password"])
        return player


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
    search_help_text = _("User name, also one that looks alike, name, or address.")
    change_password_form = PasswordForm
    actions = ("issue_password_link", "shut_out", "let_in", "let_try_again")
    change_form_template = "admin/games/player/change_form.html"
    kept_reason = _("This player has games, entries or a history, and those are kept.")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Player], search_term: str
    ) -> tuple[QuerySet[Player], bool]:
        """Find user names that look like the term, too."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        key = username_key_of(search_term)
        if key:
            found |= queryset.filter(username_key__contains=key)
        return found, may_repeat

    def has_change_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        """Leave the staff to superusers: whoever sets a password has the account.

        Who is deleted stays under the pseudonym, also when a page from before is sent.
        """
        if obj is not None and obj.deleted_at is not None:
            return False
        if obj is not None and (obj.is_staff or obj.is_superuser):
            return bool(request.user.is_superuser)
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        """Leave the staff to superusers."""
        if obj is not None and (obj.is_staff or obj.is_superuser):
            return bool(request.user.is_superuser)
        return super().has_delete_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Player | None = None) -> Any:
        """Let superusers alone give power over others."""
        fields = tuple(super().get_readonly_fields(request, obj))
        return fields if request.user.is_superuser else (*fields, *_POWERS)

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002 (the name that Django calls it by)
        form_url: str = "",
    ) -> HttpResponse:
        """Log it, and end the sockets that were opened with the old password."""
        response = super().user_change_password(request, id, form_url)
        player = self.get_object(request, unquote(id))
        is_done = request.method == "POST" and isinstance(response, HttpResponseRedirect)
        if is_done and player is not None:
            services.note_password_change(player=player, by=_staff(request))
            live.close_sockets(player_id=player.pk)
        return response

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:
        """Log when a player is shut out or let in, and end the sockets of whoever is out."""
        is_active = obj.is_active
        if change:
            hold_unchanged(obj, form, "is_active")
            if obj.deleted_at is not None:  # since the permission was looked at
                raise PermissionDenied
        super().save_model(request, obj, form, change)
        if change and "is_active" in form.changed_data:
            self._set_active(request, obj, is_active=is_active)

    def _set_active(self, request: HttpRequest, player: Player, *, is_active: bool) -> bool:
        """Shut a player out or let him in; say why not, and return whether it was done."""
        try:
            if is_active:
                services.activate(player=player, by=_staff(request))
            else:
                services.deactivate(player=player, by=_staff(request))
                live.close_sockets(player_id=player.pk)
        except services.AccountError as error:
            self.message_user(request, f"{player}: {_ACCOUNT_ERRORS[error.code]}", messages.ERROR)
            return False
        return True

    @admin.action(description=_("Shut out"), permissions=["change"])
    def shut_out(self, request: HttpRequest, players: QuerySet[Player]) -> None:
        """Let players neither log in nor go on; their games and entries stay."""
        done = sum([self._set_active(request, player, is_active=False) for player in players])
        text = ngettext("%(count)s player is shut out.", "%(count)s players are shut out.", done)
        self.message_user(request, text % {"count": done})

    @admin.action(description=_("Let in again"), permissions=["change"])
    def let_in(self, request: HttpRequest, players: QuerySet[Player]) -> None:
        """Undo `shut_out`."""
        done = sum([self._set_active(request, player, is_active=True) for player in players])
        text = ngettext("%(count)s player is let in.", "%(count)s players are let in.", done)
        self.message_user(request, text % {"count": done})

    @admin.action(description=_("Forget wrong passwords: may try again"), permissions=["change"])
    def let_try_again(self, request: HttpRequest, players: QuerySet[Player]) -> None:
        """Let players who tried too many passwords try again at once."""
        for player in players:
            log_in.forget_failures(player=player)
        self.message_user(request, _("They can log in again at once."))

    @admin.action(description=_("Make a one-time password link"), permissions=["change"])
    def issue_password_link(
        self, request: HttpRequest, players: QuerySet[Player]
    ) -> HttpResponse | None:
        """Go to the page that makes the link of one player."""
        chosen = list(players[:2])
        if len(chosen) > 1:
            self.message_user(request, _("Choose one player: a link is for one."), messages.ERROR)
            return None
        return redirect("admin:games_player_password_link", chosen[0].pk)

    def get_urls(self) -> list[URLPattern]:
        """Add the page that makes a link."""
        page = self.admin_site.admin_view(self.password_link)
        return [
            path("<int:player_id>/password-link/", page, name="games_player_password_link"),
            *super().get_urls(),
        ]

    @method_decorator(never_cache)
    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def password_link(self, request: HttpRequest, player_id: int) -> HttpResponse:
        """Ask (GET), then make a one-time link to a new password and show it once (POST)."""
        player = self.get_object(request, str(player_id))
        if player is None:
            return redirect("admin:games_player_changelist")
        if not self.has_change_permission(request, player):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "player": player,
            "title": _("One-time password link"),
        }
        if request.method == "POST":
            try:
                link = services.issue_password_link(player=player, by=_staff(request))
            except services.AccountError as error:
                self.message_user(request, _ACCOUNT_ERRORS[error.code], messages.ERROR)
                return redirect("admin:games_player_change", player.pk)
            context["url"] = request.build_absolute_uri(link.path)
            context["ends_at"] = link.ends_at
        return TemplateResponse(request, "admin/games/player/password_link.html", context)


def _staff(request: HttpRequest) -> Player:
    """Return who works in the admin."""
    assert isinstance(request.user, Player)  # noqa: S101 (the admin lets nobody else in)
    return request.user


@admin.register(AccountEvent)
class AccountEventAdmin(ReadOnly):
    """What was done to accounts: a log that nobody changes."""

    list_display = ("at", "kind", "player", "by", "note")
    list_filter = ("kind", "at")
    list_select_related = ("player", "by")
    search_fields = ("player__username", "player__name", "by__username", "by__name", "note")
    date_hierarchy = "at"


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
