"""Clubs, who belongs to them, and what was done in them."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy as _

from games.admin import KeepsResults, ReadOnly
from games.models import Player
from tournaments import services
from tournaments.admin.decisions import do_each, text_of
from tournaments.admin.scope import ClubScoped, by, player_of
from tournaments.models import Club, ClubEvent, Membership


class ClubForm(forms.ModelForm):  # type: ignore[type-arg]
    """A club's settings, and the password that members join with, which is never shown."""

    password = forms.CharField(
        label=_("password"),
        required=False,
        max_length=100,
        help_text=_("Where members join by one. Left empty: as it is."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    class Meta:
        model = Club
        fields = services.CHANGEABLE


@admin.register(Club)
class ClubAdmin(ClubScoped, KeepsResults):
    """Clubs. Whoever adds one owns it."""

    form = ClubForm
    list_display = (
        "name",
        "slug",
        "time_zone",
        "joining",
        "guests_welcome",
        "is_hidden",
        "tournament_count",
        "member_count",
    )
    list_filter = ("joining", "guests_welcome", "is_hidden", "time_zone")
    ordering = ("name",)  # also where rows are counted
    search_fields = ("name", "slug")
    kept_reason = _("This club has members or tournaments, and those are kept.")
    for_directors = frozenset({"view", "change"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Club]:
        """Count tournaments and members in the same query."""
        clubs: QuerySet[Club] = super().get_queryset(request)
        is_active = Q(memberships__status=Membership.Status.ACTIVE)
        return clubs.annotate(
            tournament_count=Count("tournaments", distinct=True),
            member_count=Count("memberships", filter=is_active, distinct=True),
        )

    def get_fields(self, request: HttpRequest, obj: Club | None = None) -> Any:
        """Ask for the address once: printed codes and calendars hold it."""
        return ("name", "slug", *services.CHANGEABLE[1:], "password")

    def get_readonly_fields(self, request: HttpRequest, obj: Club | None = None) -> Any:
        """Keep the address of what exists."""
        return () if obj is None else ("slug",)

    def get_prepopulated_fields(self, request: HttpRequest, obj: Club | None = None) -> Any:
        """Make the address of the name, once."""
        return {"slug": ("name",)} if obj is None else {}

    def save_model(self, request: HttpRequest, obj: Club, form: Any, change: bool) -> None:
        """Let the services found or change it."""
        fields = {name: form.cleaned_data[name] for name in services.CHANGEABLE}
        password = form.cleaned_data["password"]
        director = player_of(request)
        if change:
            # The rest is as others may have changed it meanwhile.
            fields = {name: fields[name] for name in fields if name in form.changed_data}
            services.update_club(club=obj, by=director, password=password, **fields)
        else:
            slug = form.cleaned_data["slug"]
            saved = services.found_club(by=director, password=password, slug=slug, **fields)
            obj.pk = saved.pk

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Say what a service refuses."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except (ValidationError, services.TournamentError) as error:
            messages.error(request, text_of(error))
            return HttpResponseRedirect(request.get_full_path())

    @admin.display(description=_("tournaments"), ordering="tournament_count")
    def tournament_count(self, club: Any) -> int:
        """How many tournaments the club has."""
        count: int = club.tournament_count
        return count

    @admin.display(description=_("members"), ordering="member_count")
    def member_count(self, club: Any) -> int:
        """How many belong to the club now."""
        count: int = club.member_count
        return count


@admin.register(Membership)
class MembershipAdmin(ClubScoped):
    """Who belongs to which club, kept after it ended. Only the role is changed in the form."""

    list_display = ("name", "player", "club", "role", "status", "joined_at")
    list_filter = ("role", "status", by("club"), "joined_at")
    list_select_related = ("player", "club")
    search_fields = ("name", "player__name", "player__username", "club__name", "club__slug")
    fields = ("club", "player", "name", "role", "status", "joined_at")
    readonly_fields = ("club", "player", "name", "status", "joined_at")
    actions = ("remove", "ban", "restore")
    for_directors = frozenset({"view", "change"})

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Membership is the player's own act."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Memberships end; they are not deleted."""
        return False

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        """Let the service give the role."""
        services.set_role(membership=obj, role=obj.role, by=player_of(request))

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Say what a service refuses."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except services.TournamentError as error:
            messages.error(request, text_of(error))
            return HttpResponseRedirect(request.get_full_path())

    @admin.action(description=_("Remove from the club"), permissions=["change"])
    def remove(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        """End memberships; the players may come back."""

        def end(membership: Membership, by: Player) -> Membership:
            return services.remove_member(membership=membership, by=by)

        do_each(self, request, queryset, end)

    @admin.action(description=_("Ban from the club"), permissions=["change"])
    def ban(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        """End memberships; the players may not come back."""

        def end(membership: Membership, by: Player) -> Membership:
            return services.ban_member(membership=membership, by=by)

        do_each(self, request, queryset, end)

    @admin.action(description=_("Bring back into the club"), permissions=["change"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        """Take removals and bans back."""

        def bring_back(membership: Membership, by: Player) -> Membership:
            return services.restore_member(membership=membership, by=by)

        do_each(self, request, queryset, bring_back)


@admin.register(ClubEvent)
class ClubEventAdmin(ReadOnly, ClubScoped):
    """What was done in clubs: a log that nobody changes."""

    list_display = ("at", "club", "kind", "player", "by", "note")
    list_filter = ("kind", by("club"), "at")
    list_select_related = ("club", "player", "by")
    search_fields = ("club__name", "player__name", "player__username", "by__name", "note")
    date_hierarchy = "at"
