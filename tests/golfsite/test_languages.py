"""The reader's language, dates and digits: from the browser, by choice, with the player."""

import re
import zoneinfo
from datetime import UTC, date, datetime

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import formats, timezone, translation
from pytest_django import DjangoAssertNumQueries

from games import services
from games.models import Player
from golfsite.templatetags.site import zone_name
from tests.harness.processes import ROOT

NAMES = [
    ("en", "English"),
    ("bg", "Български"),
    ("fi", "Suomi"),
    ("ar", "العربية"),
    ("ru", "Русский"),
]
HOME = "/"


@pytest.fixture(autouse=True)
def _five_languages(settings: LazySettings) -> None:
    settings.LANGUAGES = NAMES


def language_of(client: Client, path: str = HOME, **headers: str) -> tuple[str, str]:
    """The language and direction of a page."""
    page = client.get(path, headers=headers).content.decode()
    found = re.search(r'<html lang="(\w+)" dir="(\w+)"', page)
    assert found is not None
    return found[1], found[2]


def choose(client: Client, **fields: str) -> str:
    response = client.post("/language/", fields)
    assert response.status_code == 302
    return str(response["Location"])


@pytest.fixture
def player(db: None) -> Player:
    return services.create_guest(name="Aino")


@pytest.mark.django_db
class TestTheBrowsersLanguage:
    @pytest.mark.parametrize(
        ("accepted", "spoken"),
        [
            ("fi", ("fi", "ltr")),
            ("ar-EG,ar;q=0.9,en;q=0.8", ("ar", "rtl")),
            ("de,ru;q=0.5", ("ru", "ltr")),
            ("de", ("en", "ltr")),
        ],
    )
    def test_is_spoken_first(self, client: Client, accepted: str, spoken: tuple[str, str]) -> None:
        assert language_of(client, accept_language=accepted) == spoken

    def test_counts_less_than_what_was_chosen(self, client: Client) -> None:
        choose(client, language="bg")
        assert language_of(client, accept_language="fi") == ("bg", "ltr")


@pytest.mark.django_db
class TestTheSwitch:
    def test_offers_each_language_in_its_own_words(self, client: Client) -> None:
        page = client.get("/rules/?a=1").content.decode()
        for code, name in NAMES:
            assert re.search(
                rf'<button name="language" value="{code}" lang="{code}"[^>]*><bdi>{name}</bdi>',
                page,
            )
        assert page.count('aria-current="true"') == 1
        assert '<input type="hidden" name="next" value="/rules/?a=1">' in page

    def test_is_not_there_where_there_is_nothing_to_choose(
        self, client: Client, settings: LazySettings
    ) -> None:
        settings.LANGUAGES = NAMES[:1]
        assert "/language/" not in client.get(HOME).content.decode()

    def test_keeps_the_page_and_is_remembered(self, client: Client) -> None:
        assert choose(client, language="ar", next="/rules/?a=1") == "/rules/?a=1"
        cookie = client.cookies["django_language"]
        assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("ar", True, "Lax")
        assert cookie["max-age"] == 60 * 60 * 24 * 365
        assert language_of(client) == ("ar", "rtl")

    @pytest.mark.parametrize("url", ["https://evil.example/", "//evil.example", ""])
    def test_leads_to_no_other_site(self, client: Client, url: str) -> None:
        assert choose(client, language="fi", next=url) == "/"

    @pytest.mark.parametrize("language", ["de", "", "../en", "FI"])
    def test_knows_its_own_languages_only(self, client: Client, language: str) -> None:
        choose(client, language=language)
        assert "django_language" not in client.cookies

    def test_needs_the_token_of_a_page(self) -> None:
        client = Client(enforce_csrf_checks=True)
        assert client.post("/language/", {"language": "fi"}).status_code == 403
        assert client.get("/language/").status_code == 405


@pytest.mark.django_db
class TestThePlayersLanguage:
    def test_goes_with_the_player_to_another_device(self, client: Client, player: Player) -> None:
        client.force_login(player)
        choose(client, language="fi")
        player.refresh_from_db()
        assert player.preferences["language"] == "fi"
        other = Client()
        other.cookies["django_language"] = "ru"
        other.force_login(player)
        assert language_of(other, accept_language="bg") == ("fi", "ltr")
        assert other.cookies["django_language"].value == "fi"

    def test_chosen_before_the_log_in_is_kept(self, client: Client) -> None:
        choose(client, language="bg")
        client.post("/guest/", {"name": "Boris"})
        assert Player.objects.get().preferences == {"language": "bg"}

    def test_is_not_changed_by_logging_in(self, client: Client) -> None:
        player = services.sign_up(username="aino", name="Aino", password="a pass for the tests")
        services.set_preferences(player=player, language="fi")
        choose(client, language="ru")
        client.post("/log-in/", {"username": "aino", "password": "a pass for the tests"})
        player.refresh_from_db()
        assert player.preferences["language"] == "fi"
        assert language_of(client) == ("fi", "ltr")

    def test_that_the_site_no_longer_speaks_is_passed_over(
        self, client: Client, player: Player
    ) -> None:
        services.set_preferences(player=player, language="de")
        client.force_login(player)
        assert language_of(client, accept_language="fi") == ("fi", "ltr")

    def test_costs_a_visitor_no_query(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(0):
            assert language_of(client, "/rules/", accept_language="fi") == ("fi", "ltr")


@pytest.mark.django_db
class TestDigits:
    def test_are_latin_unless_chosen(self, client: Client, player: Player) -> None:
        client.force_login(player)
        choose(client, language="ar")
        assert "js/digits.js" not in client.get(HOME).content.decode()
        choose(client, digits="arab")
        assert "js/digits.js" in client.get(HOME).content.decode()
        player.refresh_from_db()
        assert player.preferences == {"language": "ar", "digits": "arab"}
        other = Client()
        other.force_login(player)
        assert "js/digits.js" in other.get(HOME).content.decode()
        choose(client, digits="latn")
        assert "js/digits.js" not in client.get(HOME).content.decode()

    def test_are_offered_to_who_reads_arabic_and_to_visitors_too(self, client: Client) -> None:
        assert 'name="digits"' not in client.get(HOME).content.decode()
        choose(client, language="ar")
        assert 'name="digits"' in client.get(HOME).content.decode()
        choose(client, digits="arab")
        assert "js/digits.js" in client.get(HOME).content.decode()
        choose(client, language="en")
        assert "js/digits.js" not in client.get(HOME).content.decode()

    def test_unknown_ones_are_passed_over(self, client: Client) -> None:
        choose(client, digits="thai")
        assert "digits" not in client.cookies


SOFIA = zoneinfo.ZoneInfo("Europe/Sofia")
TIME = datetime(2026, 2, 3, 15, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ["Feb. 3, 2026", "Feb. 3, 2026, 5:04 p.m.", "02/03/2026 5:04 p.m.", "12,345.5",
                "Eastern European Standard Time"]),
        ("bg", ["3.02.2026 г.", "3.02.2026 г., 17:04 ч.", "03.02.2026 г., 17:04 ч.",
                "12\xa0345,5", "Източноевропейско стандартно време"]),
        ("fi", ["3. helmikuuta 2026", "3. helmikuuta 2026 kello 17.04", "3.2.2026 17.04",
                "12\xa0345,5", "Itä-Euroopan normaaliaika"]),
        ("ar", ["3 فبراير 2026", "3 فبراير 2026، 5:04 م", "3/2/2026، 5:04 م", "12,345.5",
                "توقيت شرق أوروبا الرسمي"]),
        ("ru", ["3 февраля 2026 г.", "3 февраля 2026 г. 17:04", "03.02.2026 17:04",
                "12\xa0345,5", "Восточная Европа, стандартное время"]),
    ],
)  # fmt: skip
def test_dates_numbers_and_zones(language: str, written: list[str]) -> None:
    with translation.override(language), timezone.override(SOFIA):
        local = timezone.localtime(TIME)
        assert [
            formats.date_format(date(2026, 2, 3), "DATE_FORMAT"),
            formats.date_format(local, "DATETIME_FORMAT"),
            formats.date_format(local, "SHORT_DATETIME_FORMAT"),
            formats.number_format(12345.5, 1, force_grouping=True),
            zone_name(TIME),
        ] == written


def test_summer_time_has_its_own_name_and_utc_stays_what_it_is() -> None:
    with timezone.override(SOFIA):
        assert zone_name(datetime(2026, 7, 1, tzinfo=UTC)) == "Eastern European Summer Time"
    with translation.override("ar"):
        assert zone_name(TIME) == "UTC"


#: What keeps its own order among right-to-left text.
CODES = re.compile(r"\{\{\s*[\w.]*(?:deal_code|place_text|transcript\.code)\b[^}]*\}\}")


def test_codes_and_places_stand_in_isolation() -> None:
    found = 0
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = path.read_text()
        for code in CODES.finditer(text):
            before = text[: code.start()]
            if before.rfind("<") > before.rfind(">"):
                continue  # within an attribute
            found += 1
            assert re.search(r'<bdi dir="ltr"[^>]*>$', before), f"{path.name}: {code[0]}"
    assert found >= 5
