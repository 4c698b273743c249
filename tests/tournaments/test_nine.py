"""Today's nine: one tournament for each day, whoever makes it and however often."""

import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from unittest import mock

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, connection
from django.test import Client
from django.utils import timezone, translation

from games.engine import EASY
from tournaments import demo, director, selectors, services
from tournaments.models import Club, Tournament

from .factories import let_time_pass, new_club, new_entry, new_player, new_tournament, play_hole


@pytest.fixture(autouse=True)
def _daily_nine(settings: LazySettings) -> None:
    settings.DAILY_NINE = True


def nine(now: datetime | None = None) -> Tournament:
    made = services.todays_nine(now=now or timezone.now())
    assert made is not None
    return made


@pytest.mark.django_db
class TestItsDay:
    def test_nine_secret_easy_holes_ranked_by_strokes(self) -> None:
        made = nine()
        assert (made.rule_set, made.rank_by, made.holes.count()) == (EASY, "strokes", 9)
        codes = list(made.holes.values_list("deal_code", flat=True))
        assert len(set(codes)) == 9
        assert all(code.startswith("GO2-E-") for code in codes)
        assert (made.club.slug, made.club.name) == ("house", "Golf Solitaire")

    def test_it_lasts_from_midnight_to_midnight_where_the_site_is(
        self, settings: LazySettings
    ) -> None:
        settings.TIME_ZONE = "Europe/Sofia"
        made = nine(datetime(2031, 1, 5, 22, 30, tzinfo=UTC))  # half past midnight in Sofia
        assert made.day == date(2031, 1, 6)
        assert made.opens_at == datetime(2031, 1, 5, 22, tzinfo=UTC)
        assert made.closes_at == datetime(2031, 1, 6, 22, tzinfo=UTC)

    def test_a_day_of_twenty_five_hours(self, settings: LazySettings) -> None:
        settings.TIME_ZONE = "Europe/Sofia"
        made = nine(datetime(2031, 10, 26, 12, tzinfo=UTC))
        assert made.day == date(2031, 10, 26)
        assert made.closes_at - made.opens_at == timedelta(hours=25)

    def test_the_next_day_has_other_cards(self) -> None:
        now = timezone.now()
        first, second = nine(now), nine(now + timedelta(days=1))
        assert second.day == (now + timedelta(days=1)).date()
        codes = Tournament.objects.values_list("holes__deal_code", flat=True)
        assert len(set(codes)) == 18
        assert first.club == second.club

    def test_its_name_is_its_date_in_the_readers_language(self) -> None:
        made = nine(datetime(2031, 10, 6, 12, tzinfo=UTC))
        assert (made.name, made.slug) == ("2031-10-06", "nine-2031-10-06")
        assert made.title == str(made) == "Nine holes of Oct. 6, 2031"
        with translation.override("fi"):
            assert "6. lokakuuta 2031" in made.title

    def test_a_site_without_it(self, settings: LazySettings) -> None:
        settings.DAILY_NINE = False
        director.tick()
        assert services.todays_nine(now=timezone.now()) is None
        assert not Club.objects.exists()

    def test_the_club_has_the_name_of_the_settings(self, settings: LazySettings) -> None:
        settings.DAILY_NINE_CLUB = "Голф"
        assert nine().club.name == "Голф"


@pytest.mark.django_db
class TestOnlyOnce:
    def test_asked_again_it_is_the_same(self) -> None:
        made = nine()
        director.tick()
        assert nine() == made
        assert Tournament.objects.count() == 1

    def test_the_director_makes_it(self) -> None:
        director.tick()
        assert Tournament.objects.get().day == timezone.now().date()

    def test_the_database_knows_one_a_day(self) -> None:
        made = nine()
        other = new_tournament()
        with pytest.raises(IntegrityError):
            Tournament.objects.filter(pk=other.pk).update(day=made.day)

    def test_another_server_was_faster(self) -> None:
        made = nine()
        answers = iter([None, made])  # not there yet, and then it is
        with mock.patch.object(selectors, "nine_of", side_effect=lambda day: next(answers)):
            assert nine() == made
        assert Tournament.objects.count() == 1

    def test_an_address_that_a_club_has_taken_is_left_to_it(self) -> None:
        today = timezone.now().date().isoformat()
        taken = new_tournament(slug=f"nine-{today}")
        found = nine()
        assert found != taken
        assert found.slug.startswith(f"nine-{today}-")
        assert nine() == found


@pytest.mark.django_db(transaction=True)
def test_several_servers_at_once() -> None:
    together = threading.Barrier(4)
    made: list[Tournament | None] = []

    def make() -> None:
        try:
            together.wait()
            made.append(services.todays_nine(now=timezone.now()))
        finally:
            connection.close()

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert set(made) == {Tournament.objects.get()}
    assert Tournament.objects.get().holes.count() == 9


@pytest.mark.django_db
class TestOnThePages:
    def test_the_first_page_has_it_for_whoever_comes(self, client: Client) -> None:
        page = client.get("/").content.decode()
        made = Tournament.objects.get()
        assert f'href="/tournaments/{made.slug}/"' in page
        assert "Play today&#x27;s nine" in page or "Play today's nine" in page
        assert "No tournament is open right now" in page

    def test_a_player_goes_on_where_he_was(self, client: Client) -> None:
        made = nine()
        player = new_player()
        client.force_login(player)
        entry = services.enter(tournament=made, player=player)
        assert f'action="/tournaments/{made.slug}/holes/1/"' in client.get("/").content.decode()
        play_hole(entry, 1)
        page = client.get("/").content.decode()
        assert f'action="/tournaments/{made.slug}/holes/2/"' in page
        assert "Play hole 2" in page

    def test_clubs_tournaments_are_listed_without_it(self, client: Client) -> None:
        made, club = nine(), new_tournament()
        new_entry(made)
        yesterday = nine(timezone.now() + timedelta(days=1))
        Tournament.objects.filter(pk=yesterday.pk).update(day=made.day - timedelta(days=1))
        let_time_pass(yesterday)
        response = client.get("/tournaments/")
        assert list(response.context["open"]) == [club]
        assert list(response.context["upcoming"]) == []
        assert list(response.context["past"]) == []
        assert response.context["nine"].players == 1
        assert response.context["earlier"] == [yesterday]
        assert f'href="/tournaments/{yesterday.slug}/leaderboard/"' in response.content.decode()
        assert list(client.get("/").context["tournaments"]) == [club]

    def test_its_pages_are_named_by_its_date(self, client: Client) -> None:
        made = nine()
        for path in ("", "leaderboard/"):
            page = client.get(f"/tournaments/{made.slug}/{path}").content.decode()
            assert made.title in page
            assert f">{made.name}<" not in page


@pytest.mark.django_db
class TestBesideTheDemo:
    @pytest.fixture(autouse=True)
    def embedded(self, settings: LazySettings, tmp_path: Path) -> None:
        """As the embedded site, whatever database the tests run on."""
        settings.DATABASE_URL = ""
        settings.DATA_DIR = tmp_path

    def test_the_demo_is_made_all_the_same(self) -> None:
        nine()
        info = demo.create_demo()
        assert (info.created, info.slug) == (True, "demo-nine-holes")
        assert demo.create_demo().slug == "demo-nine-holes"

    def test_a_site_with_clubs_of_its_own_has_none(self) -> None:
        nine()
        new_club()
        assert demo.create_demo().slug is None

    def test_the_demo_is_for_the_embedded_site(self, settings: LazySettings) -> None:
        settings.HTTPS = True
        with pytest.raises(ImproperlyConfigured):
            demo.create_demo()
