"""What a director is told to look at when a tournament is over."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.engine import GameCode, RuleSet
from games.engine.solver import solve
from games.models import Game
from tournaments import services
from tournaments.models import Device, Entry, Flag, HoleResult, Tournament
from tournaments.selectors.flags import count_unseen_flags, flags_of
from tournaments.services import flags

from .factories import (
    let_time_pass,
    new_account,
    new_entry,
    new_member,
    new_tournament,
    play,
    play_hole,
    play_holes,
)

pytestmark = pytest.mark.django_db


def over(tournament: Tournament) -> Tournament:
    let_time_pass(tournament)
    services.close_due(now=timezone.now())
    return Tournament.objects.select_related("club").get(pk=tournament.pk)


def at_pace(result: HoleResult, *, ms_a_card: int) -> None:
    """Let a hole that was played have taken so long for each card, from the first look on."""
    game = result.game
    assert game is not None
    lasted = timedelta(milliseconds=game.cleared * ms_a_card)
    Game.objects.filter(pk=game.pk).update(finished_at=game.started_at + lasted)


def found(tournament: Tournament, kind: str) -> list[tuple[str, str, dict[str, Any]]]:
    rows = Flag.objects.filter(entry__tournament=tournament, kind=kind).order_by("pk")
    return [(flag.entry.name, flag.key, flag.details) for flag in rows]


class TestSpeed:
    def test_who_is_faster_than_people_is_flagged(self) -> None:
        tournament = new_tournament(holes=2)
        ann, bo = new_entry(tournament, "Ann"), new_entry(tournament, "Bo")
        results = [play_hole(ann, 1), play_hole(ann, 2), play_hole(bo, 1)]
        cards = results[1].game.cleared
        assert cards >= flags.FEWEST_CARDS
        for result, pace in zip(results, (200, 199, 900), strict=True):
            at_pace(result, ms_a_card=pace)
        tournament = over(tournament)
        assert services.raise_flags(tournament=tournament) == 1
        assert found(tournament, "speed") == [
            ("Ann", "hole 2", {"hole": 2, "cards": cards, "ms": cards * 199})
        ]

    def test_a_few_cards_say_nothing(self) -> None:
        tournament = new_tournament(holes=1)
        play_hole(new_entry(tournament), 1, "dg")
        assert services.raise_flags(tournament=over(tournament)) == 0

    def test_moves_that_were_held_up_are_no_haste(self) -> None:
        """They arrive all at once, long after the cards were seen."""
        tournament = new_tournament(holes=1)
        result = play_hole(new_entry(tournament), 1)
        at_pace(result, ms_a_card=500)
        result.game.moves.update(ms=result.game.cleared * 500)
        assert services.raise_flags(tournament=over(tournament)) == 0


class TestDevices:
    def two_on_one(self, tournament: Tournament, device: Device) -> tuple[Entry, Entry]:
        ann, bo = new_entry(tournament, "Ann"), new_entry(tournament, "Bo")
        for entry in (ann, bo):
            for number in (1, 2):
                at_pace(play_hole(entry, number), ms_a_card=1000)
            HoleResult.objects.filter(entry=entry).update(device=device)
        return ann, bo

    def test_both_accounts_of_one_browser_are_flagged_once(self) -> None:
        tournament = new_tournament(holes=2)
        ann, bo = self.two_on_one(tournament, Device.objects.create(key="a"))
        tournament = over(tournament)
        assert services.raise_flags(tournament=tournament) == 2
        assert found(tournament, "device") == [
            ("Ann", f"entry {bo.pk}", {"other": bo.pk, "holes": [1, 2]}),
            ("Bo", f"entry {ann.pk}", {"other": ann.pk, "holes": [1, 2]}),
        ]

    def test_a_tablet_of_the_club_is_no_reason(self) -> None:
        tournament = new_tournament(holes=2)
        device = Device.objects.create(key="a", tablet_of=tournament.club)
        self.two_on_one(tournament, device)
        assert services.raise_flags(tournament=over(tournament)) == 0

    def test_a_tablet_of_another_club_is_one(self) -> None:
        tournament = new_tournament(holes=2)
        device = Device.objects.create(key="a", tablet_of=new_tournament().club)
        self.two_on_one(tournament, device)
        assert services.raise_flags(tournament=over(tournament)) == 2

    def test_one_browser_on_different_holes_is_no_reason(self) -> None:
        tournament = new_tournament(holes=2)
        ann, bo = self.two_on_one(tournament, Device.objects.create(key="a"))
        HoleResult.objects.filter(entry=ann, hole__number=2).update(device=None)
        HoleResult.objects.filter(entry=bo, hole__number=1).update(device=None)
        assert services.raise_flags(tournament=over(tournament)) == 0

    def test_one_browser_in_two_tournaments_is_no_reason(self) -> None:
        device = Device.objects.create(key="a")
        for name in ("Ann", "Bo"):
            tournament = new_tournament(holes=1)
            result = play_hole(new_entry(tournament, name), 1)
            at_pace(result, ms_a_card=1000)
            HoleResult.objects.filter(pk=result.pk).update(device=device)
            assert services.raise_flags(tournament=over(tournament)) == 0


class TestForesight:
    def test_who_knows_the_stock_is_flagged_and_who_does_not_is_not(self) -> None:
        tournament = new_tournament(rules=RuleSet.parse("S"), holes=9)
        reader, honest = new_entry(tournament, "Rea"), new_entry(tournament, "Hon")
        for number in range(1, 10):
            hole = tournament.holes.get(number=number)
            result = services.start_hole(entry=reader, number=number)
            deal = GameCode.parse(hole.deal_code)
            play(result.game, solve(deal.deal(), deal.rules).line)
        play_holes(honest)
        for result in HoleResult.objects.filter(entry__tournament=tournament):
            at_pace(result, ms_a_card=1000)
        tournament = over(tournament)
        assert services.raise_flags(tournament=tournament) == 1
        ((name, key, details),) = found(tournament, "foresight")
        assert (name, key) == ("Rea", "round 1")
        assert details["costly"] == 0
        assert details["chance"] < 1e-3
        assert services.raise_flags(tournament=tournament) == 0
        assert found(tournament, "foresight") == [(name, key, details)]


def test_nothing_is_looked_at_before_the_end() -> None:
    tournament = new_tournament(holes=1)
    at_pace(play_hole(new_entry(tournament), 1), ms_a_card=1)
    assert services.raise_flags(tournament=tournament) == 0
    tournament = over(tournament)
    assert flags.tournament_to_look_at() == tournament
    assert services.raise_flags(tournament=tournament) == 1
    assert flags.tournament_to_look_at() is None
    tournament.refresh_from_db()
    assert tournament.flags_raised_at is not None


@pytest.fixture
def flagged() -> Flag:
    tournament = new_tournament(holes=1)
    at_pace(play_hole(new_entry(tournament, "Ann"), 1), ms_a_card=1)
    services.raise_flags(tournament=over(tournament))
    return Flag.objects.get()


class TestMarkSeen:
    def test_the_first_one_stays_and_the_note_can_change(self, flagged: Flag) -> None:
        club = flagged.entry.tournament.club
        first, second = (new_member(club, role="director") for _ in range(2))
        services.mark_seen(flag=flagged, by=first, note="  I asked her  ")
        seen_at = flagged.seen_at
        assert (flagged.seen_by, flagged.note) == (first, "I asked her")
        services.mark_seen(flag=flagged, by=second, note="All is well")
        stored = Flag.objects.get()
        assert (stored.seen_by, stored.seen_at, stored.note) == (first, seen_at, "All is well")
        assert count_unseen_flags(tournament=flagged.entry.tournament) == 0
        assert services.raise_flags(tournament=flagged.entry.tournament) == 0

    def test_only_directors_may(self, flagged: Flag) -> None:
        with pytest.raises(services.TournamentError, match="not_allowed"):
            services.mark_seen(flag=flagged, by=new_account())
        flagged.refresh_from_db()
        assert flagged.seen_by is None

    def test_a_note_that_is_too_long_changes_nothing(self, flagged: Flag) -> None:
        director = new_member(flagged.entry.tournament.club, role="director")
        with pytest.raises(ValidationError) as refused:
            services.mark_seen(flag=flagged, by=director, note="x" * 301)
        assert refused.value.error_dict["note"][0].code == "note_long"
        flagged.refresh_from_db()
        assert flagged.seen_at is None


class TestThePage:
    def url(self, tournament: Tournament) -> str:
        return reverse("tournament_flags", args=[tournament.slug])

    def test_directors_read_what_is_odd(self, client: Client, flagged: Flag) -> None:
        tournament = flagged.entry.tournament
        client.force_login(new_member(tournament.club, role="director"))
        page = client.get(self.url(tournament)).content.decode()
        cards = flagged.details["cards"]
        seconds = f"{flagged.details['ms'] / 1000:.1f}"
        assert f"Hole 1: {cards} cards were cleared within {seconds} seconds" in page
        replay = reverse("hole_replay", args=[tournament.slug, flagged.entry_id, 1])
        assert f'href="{replay}"' in page

    def test_every_kind_has_its_words(self, client: Client, flagged: Flag) -> None:
        tournament = flagged.entry.tournament
        other = Entry.objects.create(
            tournament=tournament, player=new_account(), name="Bo", name_key="bo"
        )
        Flag.objects.create(
            entry=flagged.entry,
            kind="device",
            key="a",
            details={"other": other.pk, "holes": [3, 4]},
        )
        Flag.objects.create(
            entry=flagged.entry,
            kind="foresight",
            key="b",
            details={
                "round": 2, "holes": 9, "choices": 118, "counts_stock": False,
                "costly": 0, "expected": 17.4,
                "chance": 1 / 250_000,
            },
        )  # fmt: skip
        client.force_login(new_member(tournament.club, role="director"))
        page = client.get(self.url(tournament)).content.decode()
        assert "Holes 3, 4 were played in the same browser as by another account:" in page
        assert "<bdi>Bo</bdi>" in page
        assert "to choose 118 times on 9 holes" in page
        assert "0 of these choices turned out to cost something" in page
        assert "about 17 would have" in page
        assert "By chance that happens about once in 250,000 such rounds" in page
        assert len(flags_of(tournament=tournament)) == 3
        row = Flag.objects.get(kind="foresight")
        Flag.objects.filter(pk=row.pk).update(details=row.details | {"chance": 1e-30})
        page = client.get(self.url(tournament)).content.decode()
        assert "By chance that happens less than once in a million such rounds." in page

    def test_many_flags_need_no_more_queries(
        self, flagged: Flag, django_assert_num_queries: Any
    ) -> None:
        tournament = flagged.entry.tournament
        for key in range(5):
            Flag.objects.create(
                entry=flagged.entry,
                kind="device",
                key=f"{key}",
                details={"other": flagged.entry_id, "holes": [1]},
            )
        with django_assert_num_queries(2):
            assert len(flags_of(tournament=tournament)) == 6

    def test_a_director_notes_what_came_of_it(self, client: Client, flagged: Flag) -> None:
        tournament = flagged.entry.tournament
        director = new_member(tournament.club, role="director")
        client.force_login(director)
        post = reverse("tournament_flag_seen", args=[tournament.slug, flagged.pk])
        note = f"flag-{flagged.pk}-note"
        refused = client.post(post, {note: "y" * 301}).content.decode()
        assert "A note has at most 300 characters." in refused
        assert "y" * 301 in refused
        flagged.refresh_from_db()
        assert flagged.seen_at is None
        answer = client.post(post, {note: "Asked her"}, follow=True)
        assert answer.redirect_chain == [(self.url(tournament), 302)]
        assert 'value="Asked her"' in answer.content.decode()
        flagged.refresh_from_db()
        assert (flagged.seen_by, flagged.note) == (director, "Asked her")

    def test_players_never_hear_of_it(self, client: Client, flagged: Flag) -> None:
        tournament = flagged.entry.tournament
        url = self.url(tournament)
        post = reverse("tournament_flag_seen", args=[tournament.slug, flagged.pk])
        assert client.get(url)["Location"] == f"{reverse('login')}?next={url}"
        client.force_login(flagged.entry.player)
        assert client.get(url).status_code == 403
        assert client.post(post).status_code == 403
        for name, arguments in (
            ("tournament", ()), ("leaderboard", ()), ("tournament_proof", ()),
            ("tournament_bundle", ()), ("scorecard", (flagged.entry_id,)),
        ):  # fmt: skip
            page = client.get(reverse(name, args=[tournament.slug, *arguments])).content.decode()
            assert "faster than people" not in page
            assert url not in page

    def test_a_flag_of_another_tournament_is_not_there(self, client: Client, flagged: Flag) -> None:
        other = new_tournament()
        client.force_login(new_member(other.club, role="director"))
        post = reverse("tournament_flag_seen", args=[other.slug, flagged.pk])
        assert client.post(post).status_code == 404

    @pytest.mark.parametrize(
        ("state", "said"),
        [
            ("running", "Cards are looked at when the tournament is over."),
            ("looking", "The cards are still being looked at."),
            ("done", "All cards were looked at, and none looked odd."),
        ],
    )
    def test_an_empty_list_says_why(self, client: Client, state: str, said: str) -> None:
        tournament = new_tournament()
        if state != "running":
            tournament = over(tournament)
        if state == "done":
            services.raise_flags(tournament=tournament)
        client.force_login(new_member(tournament.club, role="director"))
        assert said in client.get(self.url(tournament)).content.decode()
