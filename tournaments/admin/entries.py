"""Entries with their scorecards, and results of single holes."""

from typing import Any, Final

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from games.admin import KeepsResults, ReadOnly
from tournaments import services
from tournaments.admin.decisions import Asked
from tournaments.admin.scope import ClubScoped, ReadOnlyInline, by
from tournaments.admin.trace import CorrectionInline
from tournaments.models import Entry, HoleResult
from tournaments.scorecard import to_par_text
from tournaments.selectors.trace import Topic, seen_of


def _seen(entry: Entry) -> str:
    return seen_of(topic=Topic.STATUS, entry=entry)


DISQUALIFY: Final = Asked(
    title=_("Disqualify"),
    text=_("These entries stand last, without a place. They can be reinstated."),
    decide=lambda entry, **fields: services.disqualify(entry=entry, **fields),
    seen=_seen,
)
WITHDRAW: Final = Asked(
    title=_("Withdraw"),
    text=_("These players do not go on: they stand last, without a place."),
    decide=lambda entry, **fields: services.withdraw_entry(entry=entry, **fields),
    seen=_seen,
)
HIDE: Final = Asked(
    title=_("Remove from the board"),
    text=_("These entries are no longer shown. Games and results are kept."),
    decide=lambda entry, **fields: services.hide_entry(entry=entry, **fields),
    seen=_seen,
)
REINSTATE: Final = Asked(
    title=_("Reinstate"),
    text=_("These entries compete again, with all their results."),
    decide=lambda entry, **fields: services.reinstate(entry=entry, **fields),
    seen=_seen,
)


def _replay_link(result: HoleResult) -> SafeString | str:
    """Return a link to the moves of a hole as everybody may read them, once everybody may."""
    game = result.game
    if game is None or game.is_secret or game.finished_at is None:
        return "–"
    tournament = result.entry.tournament
    url = reverse("hole_replay", args=[tournament.slug, result.entry_id, result.hole.number])
    return format_html('<a href="{}">{}</a>', url, _("replay"))


def _game_link(result: HoleResult) -> SafeString | str:
    if result.game_id is None:
        return str(_("not played"))
    url = reverse("admin:games_game_change", args=[result.game_id])
    return format_html('<a href="{}">{}</a>', url, result.game)


class ResultInline(ReadOnlyInline):
    """The scorecard of an entry."""

    model = HoleResult
    fields = readonly_fields = (
        "hole",
        "is_final",
        "is_corrected",
        "strokes",
        "app_score",
        "played_as",
        "replay",
    )
    ordering = ("hole__number",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[HoleResult]:
        """Fetch along what a row names."""
        return super().get_queryset(request).select_related("hole", "game", "entry__tournament")

    @admin.display(description=_("game"))
    def played_as(self, result: HoleResult) -> SafeString | str:
        """The attempt."""
        return _game_link(result)

    @admin.display(description=_("replay"))
    def replay(self, result: HoleResult) -> SafeString | str:
        """Its moves, once everybody may see them."""
        return _replay_link(result)


class CorrectedFilter(admin.SimpleListFilter):
    """Entries about which something was decided, or nothing."""

    title = _("corrected")
    parameter_name = "corrected"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer both."""
        return [("yes", _("yes")), ("no", _("no"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Entry]) -> QuerySet[Entry]:
        """Keep those that were chosen."""
        if self.value() == "yes":
            return queryset.filter(corrections__gt=0)
        return queryset.filter(corrections=0) if self.value() == "no" else queryset


@admin.register(Entry)
class EntryAdmin(ClubScoped, KeepsResults):
    """Entries with their scorecards; one without a started hole can be taken back."""

    list_display = (
        "name",
        "player",
        "tournament",
        "division",
        "status",
        "thru",
        "strokes",
        "versus_par",
        "app_score",
        "corrections",
    )
    list_filter = (
        "status",
        by("tournament"),
        by("tournament__club"),
        by("division"),
        CorrectedFilter,
        "created_at",
    )
    list_select_related = ("player", "tournament", "division")
    search_fields = (
        "name",
        "player__name",
        "player__username",
        "tournament__name",
        "tournament__slug",
    )
    fields = (
        "tournament",
        ("name", "player"),
        ("status", "division"),
        ("created_at", "started_at", "extended_to"),
        ("thru", "strokes", "versus_par", "app_score"),
        "page",
    )
    readonly_fields = ("created_at", "versus_par", "page")
    inlines = (ResultInline, CorrectionInline)
    actions = ("disqualify", "withdraw", "hide", "reinstate")
    for_directors = frozenset({"view", "correct", "delete"})
    kept_reason = _("This player has started a hole, and results are kept.")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Players enter by themselves."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Totals are made from the games."""
        return False

    def has_correct_permission(self, request: HttpRequest) -> bool:
        """Let those correct who may change entries, in a manner of speaking."""
        may_change = request.user.has_perm("tournaments.change_entry")
        return may_change or self._is_for_director(request, "correct")

    @admin.action(description=DISQUALIFY.title, permissions=["correct"])
    def disqualify(self, request: HttpRequest, queryset: QuerySet[Entry]) -> HttpResponse | None:
        """Take entries out of the competition."""
        return DISQUALIFY(self, request, queryset)

    @admin.action(description=WITHDRAW.title, permissions=["correct"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Entry]) -> HttpResponse | None:
        """Note that players do not go on."""
        return WITHDRAW(self, request, queryset)

    @admin.action(description=HIDE.title, permissions=["correct"])
    def hide(self, request: HttpRequest, queryset: QuerySet[Entry]) -> HttpResponse | None:
        """Take entries from the board."""
        return HIDE(self, request, queryset)

    @admin.action(description=REINSTATE.title, permissions=["correct"])
    def reinstate(self, request: HttpRequest, queryset: QuerySet[Entry]) -> HttpResponse | None:
        """Let entries compete again."""
        return REINSTATE(self, request, queryset)

    def delete_model(self, request: HttpRequest, obj: Entry) -> None:
        """Let the service take it back."""
        services.remove_entry(entry=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Entry]) -> None:
        """Let the service take them back."""
        for entry in queryset:
            services.remove_entry(entry=entry)

    @admin.display(description=_("to par"), ordering="to_par")
    def versus_par(self, entry: Entry) -> SafeString:
        """Strokes against par."""
        return format_html('<bdi dir="ltr">{}</bdi>', to_par_text(entry.to_par))

    @admin.display(description=_("page"))
    def page(self, entry: Entry) -> SafeString:
        """Where directors adjust its holes."""
        url = reverse("tournament_direct_entry", args=[entry.tournament.slug, entry.pk])
        return format_html('<a href="{}">{}</a>', url, url)


@admin.register(HoleResult)
class HoleResultAdmin(ReadOnly, ClubScoped):
    """Results of single holes."""

    list_display = (
        "entry",
        "tournament",
        "hole",
        "is_final",
        "is_corrected",
        "strokes",
        "app_score",
        "played_as",
        "replay",
    )
    list_filter = (
        "is_final",
        "is_corrected",
        by("entry__tournament"),
        by("entry__tournament__club"),
    )
    list_select_related = ("entry__tournament", "hole", "game")
    search_fields = (
        "entry__name",
        "entry__player__name",
        "entry__player__username",
        "entry__tournament__name",
    )
    ordering = ("-pk",)
    fields = (
        "tournament",
        "entry",
        "hole",
        ("is_final", "is_corrected"),
        ("strokes", "app_score"),
        ("played_as", "replay"),
    )
    readonly_fields = ("tournament", "played_as", "replay")

    @admin.display(description=_("tournament"), ordering="entry__tournament")
    def tournament(self, result: HoleResult) -> str:
        """Whose hole it is."""
        return str(result.entry.tournament)

    @admin.display(description=_("game"))
    def played_as(self, result: HoleResult) -> SafeString | str:
        """The attempt."""
        return _game_link(result)

    @admin.display(description=_("replay"))
    def replay(self, result: HoleResult) -> SafeString | str:
        """Its moves, once everybody may see them."""
        return _replay_link(result)
