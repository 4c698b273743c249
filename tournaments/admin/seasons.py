"""Seasons, and what clubs hold again and again."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy as _

from games.admin import KeepsResults, ReadOnly, hold_unchanged
from games.models import Player
from tournaments import services
from tournaments.admin.decisions import do_each, text_of
from tournaments.admin.scope import ClubScoped, by
from tournaments.forms.seasons import PointsField
from tournaments.models import Recurrence, Season


class SeasonForm(forms.ModelForm):  # type: ignore[type-arg]
    """A season but for its tournaments."""

    points = PointsField(label=_("points"), max_length=1000)

    class Meta:
        model = Season
        fields: ClassVar[list[str]] = [
            "club", "name", "slug", "starts_on", "ends_on", "points", "best_of",
        ]  # fmt: skip


@admin.register(Season)
class SeasonAdmin(ClubScoped, KeepsResults):
    """Orders of merit. Which tournaments count is chosen on the season's own page."""

    form = SeasonForm
    list_display = ("name", "club", "starts_on", "ends_on", "best_of", "tournament_count")
    list_filter = (by("club"), "starts_on")
    list_select_related = ("club",)
    ordering = ("-starts_on", "-pk")  # also where rows are counted
    search_fields = ("name", "slug", "club__name")
    fields = ("club", "name", "slug", ("starts_on", "ends_on"), "points", "best_of")
    for_directors = frozenset({"view", "add", "change", "delete"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Season]:
        """Count the tournaments in the same query."""
        seasons: QuerySet[Season] = super().get_queryset(request)
        return seasons.annotate(tournament_count=Count("tournaments"))

    def get_readonly_fields(self, request: HttpRequest, obj: Season | None = None) -> Any:
        """A season stays with its club."""
        return () if obj is None else ("club",)

    def get_prepopulated_fields(self, request: HttpRequest, obj: Season | None = None) -> Any:
        """Make the address of the name, once."""
        return {"slug": ("name",)} if obj is None else {}

    def kept(self, rows: QuerySet[Season]) -> QuerySet[Season]:
        """Keep none: its tournaments stay without it."""
        return rows.none()

    def save_model(self, request: HttpRequest, obj: Season, form: Any, change: bool) -> None:
        """Let the services create or change it."""
        if change:
            hold_unchanged(obj, form)
        names = ("name", "slug", "starts_on", "ends_on", "best_of")
        plan = services.SeasonPlan(
            points=tuple(obj.points), **{name: getattr(obj, name) for name in names}
        )
        if change:
            services.update_season(season=obj, plan=plan)
        else:
            obj.pk = services.create_season(club=obj.club, plan=plan).pk

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Say what a service refuses."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except ValidationError as error:
            messages.error(request, text_of(error))
            return HttpResponseRedirect(request.get_full_path())

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """The season alone goes."""
        seasons = list(objs)
        counts = {Season._meta.verbose_name_plural: len(seasons)}
        return [str(season) for season in seasons], counts, set(), []

    def delete_model(self, request: HttpRequest, obj: Season) -> None:
        """Let the service delete it."""
        services.delete_season(season=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Season]) -> None:
        """Let the service delete them."""
        for season in queryset:
            services.delete_season(season=season)

    @admin.display(description=_("tournaments"), ordering="tournament_count")
    def tournament_count(self, season: Any) -> int:
        """How many tournaments it adds up."""
        count: int = season.tournament_count
        return count


@admin.register(Recurrence)
class RecurrenceAdmin(ReadOnly, ClubScoped):
    """Recurring tournaments, which are set up on the pages and can be paused here."""

    list_display = (
        "template",
        "club",
        "every",
        "next_on",
        "opens_at",
        "open_minutes",
        "is_active",
        "tournament_count",
    )
    list_filter = ("is_active", "every", by("club"))
    list_select_related = ("template", "club")
    ordering = ("next_on", "pk")  # also where rows are counted
    search_fields = ("template__name", "template__slug", "club__name")
    actions = ("pause", "resume")
    for_directors = frozenset({"view", "pause"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Recurrence]:
        """Count the tournaments in the same query."""
        recurrences: QuerySet[Recurrence] = super().get_queryset(request)
        return recurrences.annotate(tournament_count=Count("tournaments"))

    def has_pause_permission(self, request: HttpRequest) -> bool:
        """Let those pause who may change them."""
        may_change = request.user.has_perm("tournaments.change_recurrence")
        return may_change or self._is_for_director(request, "pause")

    @admin.action(description=_("Pause"), permissions=["pause"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Recurrence]) -> None:
        """Hold no more of them for now."""

        def stop(recurrence: Recurrence, by: Player) -> None:
            services.pause_recurring(recurrence=recurrence)

        do_each(self, request, queryset, stop)

    @admin.action(description=_("Go on"), permissions=["pause"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Recurrence]) -> None:
        """Hold them again."""

        def go_on(recurrence: Recurrence, by: Player) -> None:
            services.resume_recurring(recurrence=recurrence)

        do_each(self, request, queryset, go_on)

    @admin.display(description=_("tournaments"), ordering="tournament_count")
    def tournament_count(self, recurrence: Any) -> int:
        """How many of them there are."""
        count: int = recurrence.tournament_count
        return count
