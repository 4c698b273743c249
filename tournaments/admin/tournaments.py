"""Tournaments: created with nine secret deals, taken through their life, corrected."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from games import words
from games.admin import KeepsResults, hold_unchanged
from games.locks import hold_in_order
from games.models import Player
from tournaments import services
from tournaments.admin.decisions import Asked, do_each
from tournaments.admin.scope import ClubScoped, ReadOnlyInline, by, player_of
from tournaments.forms import RULE_FIELDS, StartedTournamentForm, TournamentForm, describe_rules
from tournaments.forms.directing import DecisionForm
from tournaments.models import (
    Correction,
    DealOpening,
    Division,
    Entry,
    Hole,
    Round,
    StatusChange,
    Tournament,
)
from tournaments.selectors.trace import UNDECIDED, seen_of_holes
from tournaments.services import Step


class RoundInline(ReadOnlyInline):
    """The rounds of a tournament."""

    model = Round
    fields = readonly_fields = ("number", "opens_at", "closes_at", "cut_to", "cut_at")
    ordering = ("number",)


class DivisionInline(ReadOnlyInline):
    """The divisions of a tournament."""

    model = Division
    fields = readonly_fields = ("name",)
    ordering = ("pk",)


class StatusChangeInline(ReadOnlyInline):
    """The life of a tournament so far."""

    model = StatusChange
    fields = readonly_fields = ("at", "before", "after", "by", "reason")
    ordering = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[StatusChange]:
        """Fetch along who took the steps."""
        return super().get_queryset(request).select_related("by", "tournament")


class DealOpeningInline(ReadOnlyInline):
    """Which directors have looked at the deals."""

    model = DealOpening
    fields = readonly_fields = ("at", "player")
    ordering = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[DealOpening]:
        """Fetch the players along."""
        return super().get_queryset(request).select_related("player", "tournament")


class HoleInline(ReadOnlyInline):
    """The holes of a tournament, with their codes once the cards are no secret."""

    model = Hole
    fields = readonly_fields = ("number", "par", "is_void", "code")
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
        is_on = {"closed_at": None, "status": Tournament.Status.OPEN}
        conditions: dict[str, dict[str, Any]] = {
            "draft": {"status": Tournament.Status.DRAFT},
            "upcoming": {**is_on, "opens_at__gt": now},
            "open": {**is_on, "opens_at__lte": now, "closes_at__gt": now},
            "closing": {**is_on, "closes_at__lte": now},
            "closed": {"closed_at__isnull": False},
        }
        return queryset.filter(**conditions.get(self.value() or "", {}))


#: What is shown of where in its life a tournament is.
_STATE: Final = ("status", "phase", "closed_at", "address")


class VoidForm(DecisionForm):
    """Which hole is to count for nobody, and why."""

    first = ("number",)

    number = forms.IntegerField(label=_("Hole"), min_value=1, max_value=99)


def _seen(tournament: Tournament) -> str:
    """Return what somebody sees of the holes that were decided about, such as ``3:17 7:20``."""
    seen = seen_of_holes(tournament=tournament)
    return " ".join(f"{number}:{text}" for number, text in seen.items())


def _about_hole(decide: Callable[..., Correction]) -> Callable[..., Correction]:
    """Return a service about a hole that is told what was seen of that hole."""

    def decided(tournament: Tournament, seen: str, number: int, **fields: Any) -> Correction:
        parts = (part.partition(":") for part in seen.split())
        of_hole = {hole: text for hole, _colon, text in parts}.get(f"{number}", UNDECIDED)
        return decide(tournament=tournament, number=number, seen=of_hole, **fields)

    return decided


VOID: Final = Asked(
    title=_("Void a hole for all"),
    text=_("The hole counts for nobody, and its par neither. Its results are kept."),
    decide=_about_hole(services.void_hole),
    seen=_seen,
    form=VoidForm,
)
UNVOID: Final = Asked(
    title=_("Let a hole count again"),
    text=_("The hole counts for everybody, and so does its par."),
    decide=_about_hole(services.unvoid_hole),
    seen=_seen,
    form=VoidForm,
)
CLOSE: Final = Asked(
    title=_("Close now"),
    text=_("Nobody plays any more, and the cards are shown to all. This cannot be taken back."),
    decide=lambda tournament, seen, **fields: services.close_now(tournament=tournament, **fields),
)
REOPEN: Final = Asked(
    title=_("Reopen for corrections"),
    text=_("Results can be corrected again. Nobody plays again."),
    decide=lambda tournament, seen, **fields: services.reopen(tournament=tournament, **fields),
)


@admin.register(Tournament)
class TournamentAdmin(ClubScoped, KeepsResults):
    """Tournaments: created with nine secret deals, frozen once the first hole was started."""

    form = TournamentForm
    list_display = (
        "name",
        "club",
        "status",
        "phase",
        "rule_set_name",
        "rank_by",
        "opens_at",
        "closes_at",
        "entry_count",
    )
    list_filter = ("status", PhaseFilter, by("club"), by("season"), "rank_by", "opens_at")
    list_select_related = ("club",)
    ordering = ("-opens_at", "-pk")  # also where rows are counted
    search_fields = ("name", "slug", "club__name")
    date_hierarchy = "opens_at"
    actions = (
        "publish",
        "close_now",
        "start_review",
        "finalise",
        "reopen",
        "void_hole",
        "unvoid_hole",
        "recompute",
    )
    for_directors = frozenset({"view", "add", "change", "delete"})
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
        state = (_("State"), {"fields": _STATE})
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
        state = ("club", *_STATE)
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
        if obj is None:
            return []
        return [HoleInline, RoundInline, DivisionInline, StatusChangeInline, DealOpeningInline]

    def save_model(self, request: HttpRequest, obj: Tournament, form: Any, change: bool) -> None:
        """Let the services create or change it."""
        asked, director = form.cleaned_data.get("rules"), player_of(request)
        if change:
            rules_before = obj.rule_set
            # In the order of everybody else: holes, then the tournament.
            hold_in_order(Hole.objects.filter(tournament=obj))
            # A form has no microseconds either: what was not touched stays as it was.
            hold_unchanged(obj, form)
            plan = services.plan_of(obj).between(obj.opens_at, obj.closes_at)
            if asked is not None and asked != rules_before:
                plan = replace(plan, rules=asked)
            saved = services.update_tournament(tournament=obj, plan=plan, by=director)
        else:
            plan = services.Plan(
                name=obj.name,
                slug=obj.slug,
                rank_by=obj.rank_by,
                rules=asked or obj.rule_set,
                rounds=services.whole_window(opens_at=obj.opens_at, closes_at=obj.closes_at),
            )
            made = services.create_tournament(club=obj.club, plan=plan)
            saved = services.publish(tournament=made, by=director)
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

    @admin.action(description=_("Publish"), permissions=["change"])
    def publish(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> None:
        """Open drafts to the public."""
        self._step(request, queryset, Step.PUBLISH)

    @admin.action(description=_("Start the review"), permissions=["change"])
    def start_review(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> None:
        """Look at what is closed before it is final."""
        self._step(request, queryset, Step.REVIEW)

    @admin.action(description=_("Make final"), permissions=["change"])
    def finalise(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> None:
        """Let the results stand."""
        self._step(request, queryset, Step.FINALISE)

    def _step(self, request: HttpRequest, rows: QuerySet[Tournament], step: Step) -> None:
        def take(tournament: Tournament, by: Player) -> Tournament:
            return services.take_step(tournament=tournament, step=step, by=by)

        do_each(self, request, rows.select_related("club"), take)

    @admin.action(description=CLOSE.title, permissions=["change"])
    def close_now(
        self, request: HttpRequest, queryset: QuerySet[Tournament]
    ) -> HttpResponse | None:
        """Close tournaments before their time."""
        return CLOSE(self, request, queryset)

    @admin.action(description=REOPEN.title, permissions=["change"])
    def reopen(self, request: HttpRequest, queryset: QuerySet[Tournament]) -> HttpResponse | None:
        """Open what is final to corrections."""
        return REOPEN(self, request, queryset)

    @admin.action(description=VOID.title, permissions=["change"])
    def void_hole(
        self, request: HttpRequest, queryset: QuerySet[Tournament]
    ) -> HttpResponse | None:
        """Let a hole count for nobody."""
        return VOID(self, request, queryset)

    @admin.action(description=UNVOID.title, permissions=["change"])
    def unvoid_hole(
        self, request: HttpRequest, queryset: QuerySet[Tournament]
    ) -> HttpResponse | None:
        """Let a voided hole count again."""
        return UNVOID(self, request, queryset)

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

    @admin.display(description=_("pages"))
    def address(self, tournament: Tournament) -> SafeString:
        """Where its leaderboard and its director's page are."""
        board = reverse("leaderboard", args=[tournament.slug])
        page = reverse("tournament_direct", args=[tournament.slug])
        return format_html('<a href="{}">{}</a><br><a href="{}">{}</a>', board, board, page, page)
