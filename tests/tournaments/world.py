"""A club with one of everything that there is, made with the real services."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from games import services as games_services
from games.models import AccountEvent, Player
from tournaments import dates, services
from tournaments.models import (
    ClubEvent,
    Correction,
    Entry,
    Flag,
    Membership,
    Recurrence,
    StatusChange,
    Tournament,
)
from tournaments.services import SeasonPlan

from .factories import first_legal, new_account, new_tournament, play, play_hole


class World:
    """A club called `name` and what hangs on it; everything in it is named so, too.

    `rows` has one row of each model that the admin shows, by the model's name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.owner = new_account(f"{name} Owner")
        self.club = services.found_club(
            by=self.owner,
            name=f"{name} Club",
            slug=f"{name}-club".lower(),
            joining="password",
            password=f"{name} opens it",
            guests_welcome=True,
        )
        self.season = self._season()
        self.tournament = new_tournament(
            club=self.club,
            name=f"{name} Nine",
            slug=f"{name}-nine".lower(),
            divisions=(f"{name} Division",),
            season=self.season,
            codes=None,
        )
        self.entry = self._play()
        self.recurrence = self._recurrence()
        self.flag = Flag.objects.create(
            entry=self.entry,
            kind="speed",
            key="hole-1",
            details={"hole": 1, "ms": 900, "cards": 12},
        )
        self._shut(self.entry.player)

    def _season(self) -> Any:
        today = timezone.now().date()
        plan = SeasonPlan(
            name=f"{self.name} Season",
            slug=f"{self.name}-season".lower(),
            starts_on=today - timedelta(days=30),
            ends_on=today + timedelta(days=30),
        )
        return services.create_season(club=self.club, plan=plan)

    def _play(self) -> Entry:
        """One hole finished and corrected, one in progress."""
        player = games_services.create_guest(name=f"{self.name} Player")
        entry = services.enter(
            tournament=self.tournament, player=player, division=self.tournament.divisions.get()
        )
        play_hole(entry, 1)
        game = services.start_hole(entry=entry, number=2).game
        play(game, first_legal(game)[:4])
        services.adjust_hole(
            entry=entry, number=1, strokes=4, app_score=310, by=self.owner,
            reason=f"{self.name} reason",
        )  # fmt: skip
        entry.refresh_from_db()
        return entry

    def _recurrence(self) -> Recurrence:
        return services.start_recurring(
            tournament=self.tournament,
            every=dates.Every.WEEK,
            first_on=timezone.now().date() + timedelta(days=7),
        )

    def _shut(self, player: Player) -> None:
        games_services.deactivate(player=player, by=self.owner)
        games_services.activate(player=player, by=self.owner)

    @property
    def rows(self) -> dict[str, Any]:
        """A row of each model."""
        result = self.entry.results.get(hole__number=1)
        return {
            "club": self.club,
            "membership": Membership.objects.get(club=self.club, player=self.owner),
            "clubevent": ClubEvent.objects.filter(club=self.club).first(),
            "season": self.season,
            "recurrence": self.recurrence,
            "tournament": Tournament.objects.get(pk=self.tournament.pk),
            "entry": self.entry,
            "holeresult": result,
            "correction": Correction.objects.get(entry=self.entry),
            "statuschange": StatusChange.objects.filter(tournament=self.tournament).first(),
            "flag": self.flag,
            "game": result.game,
            "player": self.entry.player,
            "accountevent": AccountEvent.objects.filter(player=self.entry.player).first(),
        }
