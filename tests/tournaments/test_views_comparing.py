"""Two lines of a hole side by side, and the ghosts of its games: to whom, and not too early."""

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from games import ghosts
from games import services as games_services
from games.engine import GameCode
from games.models import Game
from tournaments import services
from tournaments.models import Tournament

from .factories import (
    first_legal,
    new_account,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    play,
    play_hole,
)
from .racing import new_room, race_all, sit
from .test_views_figures import client_of, over, words

pytestmark = pytest.mark.django_db


def address(tournament: Tournament, number: int = 1, **chosen: int) -> str:
    query = "&".join(f"{name}={pk}" for name, pk in chosen.items())
    return reverse("hole_compare", args=[tournament.slug, number]) + (query and f"?{query}")


def played(*names: str, **fields: Any) -> tuple[Tournament, list[Any]]:
    """A tournament of one hole; the later a name, the earlier its player has given up."""
    tournament = new_tournament(holes=1, **fields)
    entries = [new_entry(tournament, name) for name in names]
    for at, entry in enumerate(entries):
        result = services.start_hole(entry=entry, number=1)
        actions = first_legal(result.game)
        play_to = len(actions) - 5 * at
        stop = "" if at == 0 else "g"
        play(result.game, actions[:play_to] + stop)
    return tournament, entries


def freeze(tournament: Tournament) -> None:
    """Let its standing be that of a minute ago."""
    frozen_at = timezone.now() - timedelta(minutes=1)
    Tournament.objects.filter(pk=tournament.pk).update(frozen_at=frozen_at)


def chosen_in(body: str) -> list[int]:
    """The entries whose lines a page compares."""
    return [int(pk) for pk in re.findall(r'<option value="(\d+)" selected>', body)]


def data_in(body: str) -> Any:
    found = re.search(r'<script id="compare-data" type="application/json">(.*?)</script>', body)
    return None if found is None else json.loads(unescape(found[1]))


class TestCompare:
    def test_two_lines_and_where_they_part(self) -> None:
        tournament, (ann, bo) = played("Ann", "Bo")
        over(tournament)
        body = Client().get(address(tournament, a=ann.pk, b=bo.pk)).content.decode()
        assert chosen_in(body) == [ann.pk, bo.pk]
        text = words(body)
        assert "Here the lines part" in text
        assert "given up" in text
        ann_moves = ann.results.get().game.moves.count()
        bo_moves = bo.results.get().game.moves.count()
        data = data_in(body)
        assert data["shared"] == bo_moves - 1
        assert [len(board["steps"]) for board in data["boards"]] == [ann_moves + 1, bo_moves + 1]
        # What both did is a row once, with one cell for both.
        assert body.count('class="shared"') == bo_moves - 1

    def test_one_way_to_the_end(self) -> None:
        tournament = new_tournament(holes=1)
        ann, bo = (new_entry(tournament, name) for name in ("Ann", "Bo"))
        for entry in (ann, bo):
            play_hole(entry, 1)
        over(tournament)
        text = words(Client().get(address(tournament)).content.decode())
        assert "Both went one way to the end" in text
        assert "Here the lines part" not in text
        assert "To the parting" not in text

    def test_who_is_not_chosen_is_the_reader_or_the_best(self) -> None:
        tournament, (ann, bo, cy) = played("Ann", "Bo", "Cy")
        over(tournament)

        def seen(who: Any = None, **chosen: int) -> list[int]:
            client = Client() if who is None else client_of(who)
            return chosen_in(client.get(address(tournament, **chosen)).content.decode())

        assert seen() == [ann.pk, bo.pk]
        assert seen(cy.player) == [cy.pk, ann.pk]
        assert seen(a=bo.pk) == [bo.pk, ann.pk]
        assert seen(a=ann.pk) == [ann.pk, bo.pk]
        assert seen(cy.player, b=bo.pk) == [cy.pk, bo.pk]
        assert seen(cy.player, b=cy.pk) == [ann.pk, cy.pk]
        assert seen(a=bo.pk, b=bo.pk) == [bo.pk, ann.pk]

    def test_before_the_reveal_there_is_no_page_for_anybody(self) -> None:
        tournament, (ann, bo) = played("Ann", "Bo")
        director = new_member(tournament.club, "Dora", role="director")
        for who in (None, ann.player, director):
            client = Client() if who is None else client_of(who)
            for chosen in ({}, {"a": ann.pk, "b": bo.pk}):
                assert client.get(address(tournament, **chosen)).status_code == 404
        over(tournament)
        assert Client().get(address(tournament)).status_code == 200

    def test_while_the_standing_is_kept_from_the_reader_there_is_none(self) -> None:
        tournament, (ann, bo) = played(
            "Ann", "Bo", visibility="frozen", frozen_at=timezone.now() + timedelta(hours=1)
        )
        over(tournament)
        freeze(tournament)
        assert Client().get(address(tournament)).status_code == 404
        assert client_of(ann.player).get(address(tournament, b=bo.pk)).status_code == 404
        services.reveal_standings(tournament=Tournament.objects.get(pk=tournament.pk))
        assert Client().get(address(tournament)).status_code == 200

    def test_what_is_not_there(self) -> None:
        tournament, (ann,) = played("Ann")
        late = new_entry(tournament, "Late")
        over(tournament)
        client = Client()
        assert client.get(address(tournament, number=2)).status_code == 404
        assert client.get(address(tournament, a=late.pk)).status_code == 404
        assert client.get(address(tournament, b=10**8)).status_code == 404
        body = client.get(address(tournament, a=ann.pk)).content.decode()
        assert "There are no two lines to compare" in body
        assert data_in(body) is None
        # What is no number asks for nobody.
        assert client.get(address(tournament) + "?a=x&b=-1").status_code == 200

    def test_who_was_removed_is_not_compared(self) -> None:
        tournament, (ann, bo, cy) = played("Ann", "Bo", "Cy")
        director = new_member(tournament.club, "Dora", role="director")
        services.hide_entry(entry=bo, by=director, reason="A test")
        over(tournament)
        assert Client().get(address(tournament, a=bo.pk)).status_code == 404
        assert chosen_in(Client().get(address(tournament)).content.decode()) == [ann.pk, cy.pk]

    def test_a_large_field_costs_no_more(self) -> None:
        counts = []
        for names in (("A1", "B1"), ("A2", "B2", "C2", "D2")):
            tournament, (first, second, *_others) = played(*names)
            over(tournament)
            page = address(tournament, a=first.pk, b=second.pk)
            client = Client()
            client.get(page)
            with CaptureQueriesContext(connection) as counted:
                client.get(page)
            counts.append(len(counted))
        assert counts[0] == counts[1]

    def test_the_pages_lead_there(self) -> None:
        tournament, (ann, bo) = played("Ann", "Bo")
        pages = [
            reverse("hole_figures", args=[tournament.slug, 1]),
            reverse("scorecard", args=[tournament.slug, bo.pk]),
        ]
        for page in pages:
            assert address(tournament) not in Client().get(page).content.decode()
        over(tournament)
        figures, card = (Client().get(page).content.decode() for page in pages)
        assert f'href="{address(tournament)}"' in figures
        assert f'href="{address(tournament, b=ann.pk)}"' in figures
        assert f'href="{address(tournament, a=bo.pk)}"' in card
        replay = Client().get(reverse("hole_replay", args=[tournament.slug, bo.pk, 1]))
        assert f'href="{address(tournament, a=bo.pk)}"' in replay.content.decode()

    def test_a_race_is_compared_with_its_winner(self) -> None:
        room = new_room()
        sit(room, "Bo")
        race = race_all(room)
        page = reverse("race", args=[room.code, race.slug])
        body = unescape(Client().get(page).content.decode())
        links = re.findall(r'href="([^"]*/compare/[^"]*)"', body)
        assert len(links) == 2
        winner = race.entries.order_by("time_ms", "pk").values_list("pk", flat=True)
        assert {f"a={pk}" for pk in winner} == {re.findall(r"a=\d+", link)[0] for link in links}
        for link in links:
            assert len(chosen_in(Client().get(link).content.decode())) == 2


class TestGhost:
    def addresses(self, tournament: Tournament, entry: Any) -> tuple[str, str]:
        args = [tournament.slug, entry.pk, 1]
        return reverse("hole_ghost", args=args), reverse("hole_replay", args=args)

    def test_a_hole_is_raced_after_the_reveal(self) -> None:
        tournament, (ann, _bo) = played("Ann", "Bo")
        race, replay = self.addresses(tournament, ann)
        other = new_player("Other")
        assert client_of(other).post(race).status_code == 404
        assert client_of(ann.player).post(race).status_code == 404
        assert not Game.objects.filter(player=other).exists()
        over(tournament)
        assert Client().post(race)["Location"].startswith(reverse("login"))
        assert Client().get(race)["Location"] == replay
        assert f'action="{race}"' in Client().get(replay).content.decode()
        place = client_of(other).post(race)["Location"]
        made = Game.objects.get(player=other)
        ghost = ann.results.get().game
        assert (made.deal_code, made.is_secret, made.closes_at, made.given) == (
            ghost.deal_code, False, None, 0,
        )  # fmt: skip
        assert not hasattr(made, "hole_result")
        assert place == reverse("ghost_race", args=[tournament.slug, ann.pk, 1, made.public_id])
        response = client_of(other).get(place)
        found = re.search(
            r'<script id="ghost" type="application/json">(.*?)</script>', response.content.decode()
        )
        assert found is not None
        told = json.loads(unescape(found[1]))
        assert told == ghosts.of(ghost, name="Ann").data()
        assert f'action="{race}"' in response.content.decode()
        # It is nobody else's game.
        assert client_of(ann.player).get(place).status_code == 404
        assert Client().get(place)["Location"].startswith(reverse("login"))

    def test_a_game_of_other_cards_has_no_ghost_there(self) -> None:
        tournament, (ann,) = played("Ann")
        over(tournament)
        other = new_player()
        code = GameCode.parse("GO1-E-AAAAAAB")
        game = games_services.new_practice_game(player=other, code=code)
        place = reverse("ghost_race", args=[tournament.slug, ann.pk, 1, game.public_id])
        body = client_of(other).get(place).content.decode()
        assert 'id="ghost"' not in body
        assert "can no longer be seen" in body

    def test_a_frozen_standing_keeps_its_ghosts(self) -> None:
        tournament, (ann, _bo) = played(
            "Ann", "Bo", visibility="frozen", frozen_at=timezone.now() + timedelta(hours=1)
        )
        over(tournament)
        freeze(tournament)
        race, _replay = self.addresses(tournament, ann)
        assert client_of(new_account()).post(race).status_code == 404
        # His own card is his.
        assert client_of(ann.player).post(race).status_code == 302
