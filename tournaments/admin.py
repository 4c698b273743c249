"""The admin's view of clubs and their tournaments. Each change goes through the services."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from games import words
from games.admin import KeepsResults, ReadOnly
from tournaments import services
from tournaments.forms import RULE_FIELDS, StartedTournamentForm, TournamentForm, describe_rules
from tournaments.models import Club, Entry, Hole, HoleResult, Tournament
from tournaments.scorecard import to_par_text

if TYPE_CHECKING:
    _Inline = admin.TabularInline[Any, Any]
else:
    _Inline = admin.TabularInline


class ReadOnlyInline(_Inline):
    """Rows below another row, to be read."""

    extra = 0
    max_num = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is added by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is changed by hand."""
        return False


def _game_link(result: HoleResult) -> SafeString:
    url = reverse("admin:games_game_change", args=[result.game_id])
    return format_html('<a href="{}">{}</a>', url, result.game)


@admin.register(Club)
class ClubAdmin(KeepsResults):
    """Clubs."""

    list_display = ("name", "slug", "tournament_count")
    search_fields = ("name", "slug")
    prepopulated_fields = {"slug": ("name",)}  # noqa: RUF012 - Django's own way
    kept_reason = _("This club has tournaments, and those are kept.")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Club]:
        """Count the tournaments in the same query."""
        clubs: QuerySet[Club] = super().get_queryset(request)
        return clubs.annotate(tournament_count=Count("tournaments"))

    @admin.display(description=_("tournaments"), ordering="tournament_count")
    def tournament_count(self, club: Any) -> int:
        """How many tournaments the club has."""
        count: int = club.tournament_count
        return count


class HoleInline(ReadOnlyInline):
    """The holes of a tournament, with their codes once the cards are no secret."""

    model = Hole
    fields = readonly_fields = ("number", "par", "code")
    ordering = ("number",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hole]:
        """Fetch the tournament along."""
        return super().get_queryset(request).select_related("tournament")

    @admin.display(description=_("game code"))
    def code(self, hole: Hole) -> str:
        """The code once it is no secret."""
        if hole.tournament.is_revealed:
            return hole.deal_code
        return str(_("secret until the tournament is over"))


class PhaseFilter(admin.SimpleListFilter):
    """Tournaments by where in their life they are."""

    title = _("state")
    parameter_name = "phase"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, Any]]:
        """Offer every phase."""
        return Tournament.Phase.choices

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Tournament]
    ) -> QuerySet[Tournament]:
        """Keep those of the chosen phase."""
        now = timezone.now()
        conditions: dict[str, dict[str, Any]] = {
            "upcoming": {"closed_at": None, "opens_at__gt": now},
            "open": {"closed_at": None, "opens_at__lte": now, "closes_at__gt": now},
            "closing": {"closed_at": None, "closes_at__lte": now},
            "closed": {"closed_at__isnull": False},
        }
        return queryset.filter(**conditions.get(self.value() or "", {}))


@admin.register(Tournament)
class TournamentAdmin(KeepsResults):
    """Tournaments: created with nine secret deals, frozen once the first hole was started."""

    form = TournamentForm
    list_display = (
        "name",
        "club",
        "phase",
        "rule_set_name",
        "rank_by",
        "opens_at",
        "closes_at",
        "entry_count",
    )
    list_filter = (PhaseFilter, "club", "rank_by", "opens_at")
    list_select_related = ("club",)
    search_fields = ("name", "slug", "club__name")
    date_hierarchy = "opens_at"
    actions = ("recompute",)
    kept_reason = _("Holes of this tournament have been played, and results are kept.")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        """Count the entries in the same query."""
        tournaments: QuerySet[Tournament] = super().get_queryset(request)
        return tournaments.annotate(entry_count=Count("entries"))

    def kept(self, rows: QuerySet[Tournament]) -> QuerySet[Tournament]:
        """Keep what has been played; holes and entries alone go with their tournament."""
        return rows.filter(holes__results__isnull=False).distinct()

    # --- the form ----------------------------------------------------------------------------

    def get_form(
        self,
        request: HttpRequest,
        obj: Tournament | None = None,
        change: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Offer only what may change."""
        if obj is not None and services.has_started(tournament=obj):
            kwargs["form"] = StartedTournamentForm
        return super().get_form(request, obj, change, **kwargs)

    def get_fieldsets(self, request: HttpRequest, obj: Tournament | None = None) -> Any:
        """Show the rest as text once the first hole was started."""
        state = (_("State"), {"fields": ("phase", "closed_at", "address")})
        if obj is not None and services.has_started(tournament=obj):
            stands = ("slug", "rule_set_name", "rule_text", "rank_by", "opens_at", "closes_at")
            about = _("The first hole has been started, so this stands.")
            return [
                (None, {"fields": ("club", "name")}),
                (_("Format"), {"fields": stands, "description": about}),
                state,
            ]
        new = [
            (None, {"fields": ("club", "name", "slug")}),
            (_("Rules"), {"fields": ("rule_set", *RULE_FIELDS)}),
            (_("Ranking and window"), {"fields": ("rank_by", "opens_at", "closes_at")}),
        ]
        return new if obj is None else [*new, state]

    def get_readonly_fields(self, request: HttpRequest, obj: Tournament | None = None) -> Any:
        """Show as text what the form does not have."""
        if obj is None:
            return ()
        state = ("phase", "closed_at", "address")
        if services.has_started(tournament=obj):
            return (
                *state,
                "slug",
                "rule_set_name",
                "rule_text",
                "rank_by",
                "opens_at",
                "closes_at",
            )
        return state

    def get_prepopulated_fields(self, request: HttpRequest, obj: Tournament | None = None) -> Any:
        """Make the address of the name, once."""
        return {"slug": ("name",)} if obj is None else {}

    def get_inlines(self, request: HttpRequest, obj: Tournament | None) -> Any:
        """Show the holes of what exists."""
        return [] if obj is None else [HoleInline]

    def save_model(self, request: HttpRequest, obj: Tournament, form: Any, change: bool) -> None:
        """Let the services create or change it."""

        def unless_changed(name: str) -> Any:
            # A form has no microseconds: what was not touched stays as it was.
            is_changed = not change or name in form.changed_data
            return getattr(obj, name) if is_changed else form.initial.get(name, getattr(obj, name))

        fields = {
            "club": obj.club,
            "name": obj.name,
            "slug": obj.slug,
            "rules": form.cleaned_data.get("rules") or obj.rule_set,
            "rank_by": obj.rank_by,
            "opens_at": unless_changed("opens_at"),
            "closes_at": unless_changed("closes_at"),
        }
        if change:
            saved = services.update_tournament(tournament=obj, **fields)
        else:
            saved = services.create_tournament(**fields)
        obj.pk, obj.rules = saved.pk, saved.rules

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Say what a service refuses, such as a change when a hole has just been started."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except ValidationError as error:
            for text in error.messages:
                messages.error(request, text)
            return HttpResponseRedirect(request.get_full_path())

    # --- deleting ----------------------------------------------------------------------------

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Holes and entries go with a tournament that nobody has played."""
        tournaments = list(objs)
        holes = Hole.objects.filter(tournament__in=tournaments).count()
        entries = Entry.objects.filter(tournament__in=tournaments).count()
        counts = {
            Tournament._meta.verbose_name_plural: len(tournaments),
            Hole._meta.verbose_name_plural: holes,
            Entry._meta.verbose_name_plural: entries,
        }
        return [str(tournament) for tournament in tournaments], counts, set(), []

    def delete_model(self, request: HttpRequest, obj: Tournament) -> None:
        """Let the service delete it."""
        services.delete_tournament(tournament=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> None:
        """Let the service delete them."""
        for tournament in queryset:
            services.delete_tournament(tournament=tournament)

    # --- actions and columns -----------------------------------------------------------------

    @admin.action(description=_("Recompute the board from the moves"), permissions=["change"])
    def recompute(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> None:
        """Make figures, results and totals anew from the journal."""
        for tournament in queryset:
            done = services.recompute(tournament=tournament)
            text = ngettext(
                "%(name)s: %(count)d game replayed, %(corrected)d figures corrected.",
                "%(name)s: %(count)d games replayed, %(corrected)d figures corrected.",
                done.games,
            )
            self.message_user(
                request,
                text % {"name": tournament, "count": done.games, "corrected": done.corrected},
            )

    @admin.display(description=_("state"))
    def phase(self, tournament: Tournament) -> str:
        """Where in its life the tournament is."""
        return str(tournament.phase(timezone.now()).label)

    @admin.display(description=_("rule set"), ordering="rules")
    def rule_set_name(self, tournament: Tournament) -> str:
        """The name of the rule set."""
        return words.rules_name(tournament.rule_set)

    @admin.display(description=_("rules"))
    def rule_text(self, tournament: Tournament) -> str:
        """The rule set field by field."""
        lines = describe_rules(tournament.rule_set)
        return "; ".join(f"{label}: {value}" for label, value in lines)

    @admin.display(description=_("entries"), ordering="entry_count")
    def entry_count(self, tournament: Any) -> SafeString:
        """How many have entered, with a link to them."""
        url = reverse("admin:tournaments_entry_changelist")
        return format_html(
            '<a href="{}?tournament__id__exact={}">{}</a>',
            url,
            tournament.pk,
            tournament.entry_count,
        )

    @admin.display(description=_("leaderboard"))
    def address(self, tournament: Tournament) -> SafeString:
        """Where its leaderboard is."""
        url = reverse("leaderboard", args=[tournament.slug])
        return format_html('<a href="{}">{}</a>', url, url)


class ResultInline(ReadOnlyInline):
    """The scorecard of an entry."""

    model = HoleResult
    fields = readonly_fields = ("hole", "is_final", "strokes", "app_score", "played_as")
    ordering = ("hole__number",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[HoleResult]:
        """Fetch along what a row names."""
        return super().get_queryset(request).select_related("hole", "game", "entry__player")

    @admin.display(description=_("game"))
    def played_as(self, result: HoleResult) -> SafeString:
        """The attempt."""
        return _game_link(result)


@admin.register(Entry)
class EntryAdmin(KeepsResults):
    """Entries with their scorecards; one without a started hole can be taken back."""

    list_display = ("player", "tournament", "thru", "strokes", "versus_par", "app_score")
    list_filter = ("tournament", "tournament__club", "created_at")
    list_select_related = ("player", "tournament")
    search_fields = ("player__name", "player__username", "tournament__name", "tournament__slug")
    fields = (
        "tournament",
        "player",
        "created_at",
        ("thru", "strokes", "versus_par", "app_score"),
    )
    readonly_fields = ("created_at", "versus_par")
    inlines = (ResultInline,)
    kept_reason = _("This player has started a hole, and results are kept.")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Players enter by themselves."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Totals are made from the games."""
        return False

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


@admin.register(HoleResult)
class HoleResultAdmin(ReadOnly):
    """Results of single holes."""

    list_display = ("entry", "tournament", "hole", "is_final", "strokes", "app_score", "played_as")
    list_filter = ("is_final", "entry__tournament")
    list_select_related = ("entry__player", "entry__tournament", "hole", "game")
    search_fields = ("entry__player__name", "entry__player__username", "entry__tournament__name")
    ordering = ("-pk",)
    fields = ("tournament", "entry", "hole", "is_final", "strokes", "app_score", "played_as")
    readonly_fields = ("tournament", "played_as")

    @admin.display(description=_("tournament"), ordering="entry__tournament")
    def tournament(self, result: HoleResult) -> str:
        """Whose hole it is."""
        return str(result.entry.tournament)

    @admin.display(description=_("game"))
    def played_as(self, result: HoleResult) -> SafeString:
        """The attempt."""
        return _game_link(result)
