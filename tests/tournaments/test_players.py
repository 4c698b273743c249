"""Players' pages, and what becomes of results when a player goes."""

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games import deletion
from games import services as games_services
from games.models import Game, Player
from games.services import AccountError
from tournaments import selectors, services, verification
from tournaments.models import (
    AllowedName,
    BundleChange,
    ClubEvent,
    Entry,
    HoleResult,
    Membership,
    Tournament,
)
from tournaments.selectors import players

from .factories import (
    let_time_pass,
    new_account,
    new_club,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    play,
    play_hole,
    record,
)
from .finished import bundle, finished
from .racing import new_room, race_all

pytestmark = pytest.mark.django_db


def client_of(player: Player) -> Client:
    client = Client()
    client.force_login(player)
    return client


def words(response: Any) -> str:
    body = re.sub(r"<(script|style).*?</\1>", "", response.content.decode(), flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


def over(tournament: Tournament) -> Tournament:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    tournament.refresh_from_db()
    return tournament


def played(player: Player, *strokes: int, **fields: Any) -> Tournament:
    """A tournament that is over, in which the player had these strokes."""
    tournament = new_tournament(**fields)
    record(services.enter(tournament=tournament, player=player), *strokes)
    return over(tournament)


def of(player: Player, *, for_all: bool = False) -> players.PlayerFigures:
    return players.figures_of(player=player, for_all=for_all)


class TestFigures:
    def test_rounds_are_complete_nines_of_tournaments_that_are_over(self) -> None:
        player = new_player()
        played(player, *[4] * 9)
        played(player, *[6] * 9)
        played(player, *[6] * 8)  # not complete
        played(player, *[0] * 9, strokes_kind="below_par")
        record(services.enter(tournament=new_tournament(), player=player), *[0] * 9)
        found = of(player)
        assert [nine.to_par for nine in found.records.nines] == [-9, 9]
        assert found.records.average == 0
        assert found.records.best == found.records.nines[0]
        assert [nine.to_par for nine, _tournament in found.form] == [9, -9]

    def test_two_rounds_of_one_tournament_are_two(self) -> None:
        player = new_player()
        tournament = played(player, *[5] * 9, *[4] * 9, holes=18)
        services.void_hole(tournament=tournament, number=12, by=new_account(), reason="a test")
        assert [(nine.number, nine.to_par) for nine in of(player).records.nines] == [(1, 0)]

    @pytest.mark.parametrize(
        ("mine", "others", "fields", "won"),
        [
            ([5, 5], [[6, 5]], {}, True),
            ([5, 5], [[4, 5]], {}, False),
            ([5, 5], [[5, 5]], {}, True),
            ([5, 5], [[4]], {}, True),
            ([5], [[6, 6]], {}, False),
            ([5], [[35, 35]], {"unplayed": "worst"}, True),
            ([6], [[5, 5]], {"unplayed": "worst"}, False),
            ([6, 4], [[4, 6]], {"tie_break": "countback"}, True),
            ([4, 6], [[6, 4]], {"tie_break": "countback"}, False),
            ([9, 9], [[5, 5]], {"rank_by": "app_score", "scores": True}, True),
        ],
    )
    def test_a_win_is_a_first_place(
        self, mine: list[int], others: list[list[int]], fields: dict[str, Any], won: bool
    ) -> None:
        fields = dict(fields)
        by_scores = fields.pop("scores", False)
        player, tournament = new_player(), new_tournament(holes=2, **fields)
        for strokes, who in [(mine, player), *((each, new_player()) for each in others)]:
            scores = [300 if who == player else 200] * len(strokes) if by_scores else ()
            entry = services.enter(tournament=tournament, player=who)
            record(entry, *strokes, app_scores=scores)
        over(tournament)
        assert (of(player).wins == (tournament,)) is won
        row = selectors.leaderboard(tournament=tournament, player=player).mine
        assert row is not None
        assert (row.standing.place == 1) is won

    def test_who_was_disqualified_has_won_nothing_and_leaves_the_win_to_others(self) -> None:
        player, tournament = new_player(), new_tournament(holes=1)
        record(services.enter(tournament=tournament, player=player), 5)
        best = record(new_entry(tournament), 0)
        services.disqualify(entry=best, by=new_account(), reason="a test")
        over(tournament)
        assert of(player).wins == (tournament,)
        assert of(best.player).wins == ()

    def test_days_are_counted_by_the_clock_of_the_club(self) -> None:
        player = new_player()
        late = timezone.now().replace(hour=23, minute=30) - timedelta(days=2)
        for days, zone in ((0, "UTC"), (1, "Pacific/Auckland")):
            club = new_club(time_zone=zone)
            tournament = new_tournament(club=club, holes=1)
            entry = services.enter(tournament=tournament, player=player)
            record(entry, 5, at=late - timedelta(days=days))
            over(tournament)
        Game.objects.filter(player=player).update(started_at=late - timedelta(days=9))
        ends = sorted(Game.objects.filter(player=player).values_list("pk", flat=True))
        for at, pk in enumerate(ends):
            Game.objects.filter(pk=pk).update(finished_at=late - timedelta(days=at))
        found = of(player)
        assert found.club is not None
        assert found.club.time_zone == "Pacific/Auckland"
        assert found.days.longest == 2
        assert found.days.longest_ended == late.date() + timedelta(days=1)

    def test_what_began_from_a_position_counts_nowhere(self) -> None:
        from tests.games.factories import PUBLISHED, PUBLISHED_LINE

        player = new_player()
        game = games_services.practise_from(
            player=player, code=PUBLISHED, actions=PUBLISHED_LINE[:-1]
        )
        play(game, PUBLISHED_LINE[-1])
        found = of(player)
        assert (found.streak, found.days.longest) == (None, 0)
        whole = games_services.new_practice_game(player=player, code=PUBLISHED)
        play(whole, PUBLISHED_LINE)
        found = of(player)
        assert found.streak is not None
        assert (found.streak.pk, found.days.current) == (whole.pk, 1)

    def test_the_handicap_is_that_of_the_club(self) -> None:
        player, club = new_player(), new_club()
        for strokes in (4, 5, 6):
            tournament = played(player, *[strokes] * 9, club=club)
            Tournament.objects.filter(pk=tournament.pk).update(
                closed_at=timezone.now(), closes_at=timezone.now() - timedelta(minutes=1)
            )
        assert of(player).handicap == -45

    def test_a_frozen_result_is_not_told_before_its_time(self) -> None:
        player = new_player()
        now = timezone.now()
        tournament = new_tournament(
            visibility="frozen", frozen_at=now + timedelta(seconds=1), holes=9
        )
        record(services.enter(tournament=tournament, player=player), *[5] * 9)
        over(tournament)
        assert of(player).records.nines == ()
        services.reveal_standings(tournament=tournament)
        assert len(of(player).records.nines) == 1

    def test_a_race_is_neither_a_win_nor_a_round_and_tells_no_code_of_a_room(self) -> None:
        room = new_room(holes=9)
        race = race_all(room)  # alone, on cards that nobody else had
        ann = Player.objects.get(name="Ann")
        figures = of(ann)
        assert (race.status, race.entries.get().thru) == ("final", 9)
        assert (figures.wins, figures.form, figures.club) == ((), [], None)
        games_services.show_figures(player=ann, is_public=True)
        ann.refresh_from_db()
        page = Client().get(reverse("player", args=[ann.page_id])).content.decode()
        assert room.code not in page
        assert race.slug not in page

    def test_takes_the_same_queries_however_much_was_played(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        once, often = new_player(), new_player()
        played(once, *[5] * 9)
        for _ in range(4):
            played(often, *[5] * 9)
        for player in (once, often):
            with django_assert_num_queries(8):
                of(player)


class TestPage:
    def test_is_private_until_its_player_shows_it(self) -> None:
        player = new_player()
        played(player, *[4] * 9, name="Spring Nine")
        client = client_of(player)
        mine = reverse("my_figures")
        assert "Spring Nine" in words(client.get(mine))
        client.post(reverse("show_figures"), {"public": "yes"})
        player.refresh_from_db()
        page = reverse("player", args=[player.page_id])
        shown = Client().get(page)
        assert shown.status_code == 200
        assert "Spring Nine" in words(shown)
        assert "Who sees this page" not in words(shown)
        client.post(reverse("show_figures"), {"public": "no"})
        private = Client().get(page)
        unknown = Client().get(reverse("player", args=["abcdefghjkmn"]))
        assert private.status_code == unknown.status_code == 404
        assert words(private) == words(unknown)
        client.post(reverse("show_figures"), {"public": "yes"})
        assert Client().get(page).status_code == 200

    def test_has_a_chart_of_the_form_and_its_numbers(self) -> None:
        player = new_player()
        for strokes in (4, 6, 5):
            played(player, *[strokes] * 9)
        body = client_of(player).get(reverse("my_figures")).content.decode()
        chart = re.search(r'<figure class="chart".*?</figure>', body, re.DOTALL)
        assert chart is not None
        assert chart[0].count("<circle") == 3
        assert re.findall(r'class="said"[^>]*>(.*?)</text>', chart[0]) == ["+9", "−9"]
        assert 'points="14.0,136.0 160.0,14.0 306.0,75.0"' in chart[0]

    def test_tells_others_nothing_of_hidden_clubs(self) -> None:
        player = new_player()
        played(player, *[4] * 9, name="Whispered Nine", club=new_club(is_hidden=True, name="Shh"))
        games_services.show_figures(player=player, is_public=True)
        own = words(client_of(player).get(reverse("my_figures")))
        shown = words(Client().get(reverse("player", args=[player.page_id])))
        for name in ("Whispered Nine", "Shh"):
            assert name in own
            assert name not in shown

    def test_is_linked_from_cards_while_it_is_shown(self) -> None:
        tournament = new_tournament(holes=1)
        entry = record(new_entry(tournament), 5)
        card = reverse("scorecard", args=[tournament.slug, entry.pk])
        assert "Player's page" not in words(Client().get(card))
        games_services.show_figures(player=entry.player, is_public=True)
        assert reverse("player", args=[entry.player.page_id]) in (
            Client().get(card).content.decode()
        )

    def test_of_who_has_played_nothing(self) -> None:
        text = words(client_of(new_player()).get(reverse("my_figures")))
        assert "There is no complete round yet." in text
        assert "Days in a row 0" in text

    def test_is_a_players(self) -> None:
        assert Client().get(reverse("my_figures"))["Location"].startswith(reverse("login"))
        response = Client().post(reverse("show_figures"), {"public": "yes"})
        assert response["Location"].startswith(reverse("login"))


class TestGoing:
    def test_results_stay_under_a_pseudonym_and_the_file_still_proves_them(self) -> None:
        tournament = finished()
        entry = tournament.entries.get(name="Ann")
        before, version = json.loads(bundle(tournament)), tournament.board_version
        other = new_tournament(holes=1)
        record(services.enter(tournament=other, player=entry.player), 3)
        games = HoleResult.objects.filter(entry=entry).exclude(game=None).count()
        name = deletion.delete_player(player=entry.player)
        tournament.refresh_from_db()
        data = bundle(tournament)
        after = json.loads(data)
        assert "Ann" not in data.decode()
        mine = next(e for e in after["entries"] if e["name"] == name)
        was = next(e for e in before["entries"] if e["name"] == "Ann")
        same = ("thru", "strokes", "to_par", "place", "holes", "status")
        assert {key: mine[key] for key in same} == {key: was[key] for key in same}
        assert verification.verify(data).problems == []
        assert tournament.board_version > version
        (change,) = BundleChange.objects.all()
        assert (change.tournament, change.name) == (tournament, name)
        assert HoleResult.objects.filter(entry=entry).exclude(game=None).count() == games
        proof = words(Client().get(reverse("tournament_proof", args=[tournament.slug])))
        assert f"nothing else changed: {name}" in proof
        board = words(Client().get(reverse("leaderboard", args=[tournament.slug])))
        assert name in board
        assert "Ann" not in board
        left = other.entries.get(player=entry.player)
        assert (left.name, left.status) == (name, Entry.Status.WITHDRAWN)

    def test_an_entry_that_was_not_played_is_taken_back(self) -> None:
        tournament = new_tournament(holes=1)
        entry = new_entry(tournament)
        deletion.delete_player(player=entry.player)
        assert not tournament.entries.exists()

    def test_a_hole_in_progress_is_a_result(self) -> None:
        tournament = new_tournament(holes=1)
        entry = new_entry(tournament, "Ann")
        result = services.start_hole(entry=entry, number=1)
        play(result.game, "d")
        deletion.delete_player(player=entry.player)
        over(tournament)
        result.refresh_from_db()
        assert result.is_final
        assert tournament.entries.get().name.startswith("Player ")

    def test_clubs_forget_the_name(self) -> None:
        club = new_club()
        player = new_account("Ann Smith")
        owner = new_member(club, "Olga", role="owner")
        services.allow_name(club=club, by=owner, username=player.username, name="Ann S")
        services.join_club(club=club, player=player)
        services.rename_member(
            membership=Membership.objects.get(player=player), name="Annie", by=player
        )
        name = deletion.delete_player(player=player)
        membership = Membership.objects.get(player=player)
        assert (membership.name, membership.status) == (name, Membership.Status.LEFT)
        assert not AllowedName.objects.exists()
        notes = " ".join(ClubEvent.objects.values_list("note", flat=True))
        assert "Ann" not in notes
        assert Membership.objects.get(player=owner).name == "Olga"

    def test_the_last_owner_hands_the_club_over_first(self) -> None:
        club = new_club()
        owner = new_member(club, "Olga", role="owner")
        member = new_member(club, "Mo")
        with pytest.raises(AccountError) as refused:
            deletion.delete_player(player=owner)
        assert refused.value.code == "last_owner"
        assert Player.objects.get(pk=owner.pk).name == "Olga"
        deletion.delete_player(player=member)
        assert deletion.delete_player(player=owner).startswith("Player ")

    def test_data_of_a_player_has_all_of_it(self) -> None:
        tournament = finished()
        cyrus = tournament.entries.get(name="Cyrus")
        data = deletion.data_of(player=cyrus.player)
        assert [entry["name"] for entry in data["entries"]] == ["Cyrus"]
        assert len(data["results"]) == 9
        assert len(data["games"]) == 9
        assert [row["kind"] for row in data["corrections"]] == [
            "disqualify", "reinstate", "adjust", "adjust", "restore",
        ]  # fmt: skip
        assert json.loads(json.dumps(data, default=str))


def test_players_keep_what_they_play_after_somebody_else_went() -> None:
    tournament = new_tournament(holes=1)
    ann, bo = new_entry(tournament, "Ann"), new_entry(tournament, "Bo")
    play_hole(ann, 1)
    play_hole(bo, 1)
    deletion.delete_player(player=ann.player)
    bo.refresh_from_db()
    assert (bo.name, bo.thru) == ("Bo", 1)
