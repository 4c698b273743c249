"""What links to a leaderboard and to scorecards show in other places."""

import re
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image
from pytest_django import DjangoAssertNumQueries

from tournaments import pictures, selectors, services, sharing
from tournaments.models import Entry, Tournament
from tournaments.pictures import CardPicture, draw_card

from .factories import let_time_pass, new_entry, new_tournament, play_hole, play_holes, secrets_of

INK, GREEN, SURFACE = (0x17, 0x20, 0x1B), (0x17, 0x69, 0x4A), (255, 255, 255)


def meta(response: Any) -> dict[str, str]:
    assert response.status_code == 200
    found = re.findall(
        r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"',
        response.content.decode(),
    )
    return {name: unescape(content) for name, content in found}


def card_page(entry: Entry) -> str:
    return reverse("scorecard", args=[entry.tournament.slug, entry.pk])


def card_picture(entry: Entry) -> str:
    return reverse("scorecard_picture", args=[entry.tournament.slug, entry.pk])


@pytest.mark.django_db
class TestScorecard:
    def test_the_link_shows_the_card(self, client: Client, tournament: Tournament) -> None:
        entry = play_holes(new_entry(tournament, "Aino"), last=2)
        shown = meta(client.get(card_page(entry)))
        totals = entry.totals
        text = (
            f"{'+' if totals.to_par > 0 else ''}{totals.to_par} against par after 2 holes; "
            f"strokes: {totals.strokes}, app score: {totals.app_score}."
        ).replace("-", "−")
        assert totals.to_par != 0
        assert shown["og:title"] == f"Aino · {tournament.name}"
        assert shown["og:description"] == text
        assert shown["og:image:alt"] == f"Scorecard. {text}"
        assert shown["og:url"] == f"http://testserver{card_page(entry)}"
        assert shown["twitter:card"] == "summary_large_image"
        path = shown["og:image"].removeprefix("http://testserver")
        assert path.partition("?")[0] == card_picture(entry)
        assert client.get(path)["Content-Type"] == "image/png"

    def test_another_card_has_another_address_for_its_picture(
        self, client: Client, tournament: Tournament
    ) -> None:
        entry = new_entry(tournament)
        empty = meta(client.get(card_page(entry)))
        assert empty["og:description"] == "No hole has been finished yet."
        play_hole(entry, 1)
        assert meta(client.get(card_page(entry)))["og:image"] != empty["og:image"]

    def test_the_picture_holds_the_figures(self, tournament: Tournament) -> None:
        entry = play_holes(new_entry(tournament), last=3)
        row = selectors.row_of(tournament=tournament, entry_id=entry.pk, view=selectors.WHOLE)
        picture = sharing.picture_of(tournament, row)
        strokes = list(entry.results.order_by("hole__number").values_list("strokes", flat=True))
        assert picture.holes == tuple((5, each) for each in [*strokes, *[None] * 6])
        assert (picture.strokes, picture.to_par, picture.par) == (
            entry.totals.strokes,
            entry.totals.to_par,
            45,
        )

    def test_is_kept_for_a_while_and_asked_again(
        self, client: Client, tournament: Tournament
    ) -> None:
        entry = new_entry(tournament)
        response = client.get(card_picture(entry))
        assert set(response["Cache-Control"].split(", ")) == {"public", "max-age=60"}
        again = client.get(card_picture(entry), headers={"if-none-match": response["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        play_hole(entry, 1)
        changed = client.get(card_picture(entry), headers={"if-none-match": response["ETag"]})
        assert changed.status_code == 200
        assert changed["ETag"] != response["ETag"]
        services.close_due(now=let_time_pass(tournament).closes_at)
        assert "max-age=3600" in client.get(card_picture(entry))["Cache-Control"]

    def test_tells_no_secret(self, client: Client, tournament: Tournament) -> None:
        entry = play_holes(new_entry(tournament), last=1)
        page = client.get(card_page(entry)).content.decode()
        assert [secret for secret in secrets_of(tournament) if secret in page] == []

    def test_takes_the_same_queries_for_any_card(
        self,
        client: Client,
        tournament: Tournament,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        for last in (0, 3):
            entry = new_entry(tournament)
            play_holes(entry, last=last)
            address = card_picture(entry)
            with django_assert_num_queries(4):  # tournament, entry, holes, entries
                client.get(address)

    def test_there_is_none_of_another_tournament(
        self, client: Client, tournament: Tournament
    ) -> None:
        other = new_tournament()
        entry = new_entry(tournament)
        for slug, pk in ((other.slug, entry.pk), (tournament.slug, 0), ("none", entry.pk)):
            address = reverse("scorecard_picture", args=[slug, pk])
            assert client.get(address).status_code == 404


@pytest.mark.django_db
class TestLeaderboard:
    def test_the_link_tells_the_head_of_the_board(
        self, client: Client, tournament: Tournament
    ) -> None:
        address = reverse("leaderboard", args=[tournament.slug])
        assert meta(client.get(address))["og:description"] == "0 players"
        first = play_holes(new_entry(tournament, "Aino"), last=1)
        play_holes(new_entry(tournament, "Boris"), last=1)
        new_entry(tournament, "Carmen")
        figure = f"{first.totals.to_par:+}".replace("-", "−").replace("+0", "E")
        shown = meta(client.get(address))
        assert shown == {
            "og:type": "website",
            "og:site_name": "Golf Solitaire",
            "og:title": f"{tournament.name}: leaderboard",
            "og:description": f"T1 Aino ({figure}) · T1 Boris ({figure}) · 3 players",
            "og:url": f"http://testserver{address}",
            "twitter:card": "summary",
        }

    def test_by_app_score(self, client: Client) -> None:
        tournament = new_tournament(rank_by=Tournament.RankBy.APP_SCORE)
        entry = play_holes(new_entry(tournament, "Aino"), last=1)
        shown = meta(client.get(reverse("leaderboard", args=[tournament.slug])))
        assert shown["og:description"] == f"1 Aino ({entry.totals.app_score}) · 1 player"


def drawn(*strokes: int | None) -> Image.Image:
    png = draw_card(CardPicture(tuple((5, each) for each in strokes)))
    found = Image.open(BytesIO(png))
    assert (found.format, found.size) == ("PNG", (1200, 630))
    return found.convert("RGB")


def colours(image: Image.Image, hole: int, *, holes: int = 9) -> set[Any]:
    """The colours of a hole's strokes and of the mark round them."""
    across = (1088 - 224) / holes
    x = 176 + (hole - 0.5) * across
    box = image.crop((round(x - across / 2 + 3), 474, round(x + across / 2 - 3), 551))
    return {box.getpixel((x, y)) for x in range(box.width) for y in range(box.height)}


def test_under_par_is_green_and_over_par_is_not() -> None:
    image = drawn(4, 5, 8, None, *[5] * 5)
    assert GREEN in colours(image, 1)
    assert GREEN not in colours(image, 2)
    assert INK in colours(image, 2)
    assert GREEN not in colours(image, 3)
    assert (0x8A, 0x95, 0x8D) in colours(image, 3)
    assert INK not in colours(image, 4)


def test_a_ring_is_round_and_a_square_is_not() -> None:
    image = drawn(4, 6, *[5] * 7)
    for hole, corner in ((1, SURFACE), (2, (0x8A, 0x95, 0x8D))):
        x = round(176 + (hole - 0.5) * 96 - 36 * 0.72)
        assert image.getpixel((x + 1, round(512 - 36 * 0.72) + 1)) == corner


@pytest.mark.parametrize("holes", [1, 9, 18, 19, 36])
def test_any_round_fits(holes: int) -> None:
    image = drawn(*[14] * holes)
    edge = {image.getpixel((x, 590)) for x in range(1200)}
    assert edge == {(0xF5, 0xF6, 0xF3)}
    assert image.getpixel((1160, 430)) == (0xF5, 0xF6, 0xF3)


def test_a_void_hole_is_left_out() -> None:
    picture = CardPicture(((5, 35), *[(5, 5)] * 8), void=(1,))
    assert (picture.strokes, picture.to_par, picture.par, len(picture.final)) == (40, 0, 40, 8)
    png = pictures.draw_card(picture)
    image = Image.open(BytesIO(png)).convert("RGB")
    assert INK not in colours(image, 1)
    assert INK in colours(image, 2)


def test_nothing_was_played() -> None:
    picture = CardPicture(tuple((5, None) for _ in range(9)))
    assert (picture.strokes, picture.to_par, picture.par, picture.final) == (0, 0, 45, [])
    assert pictures.draw_card(picture) != pictures.draw_card(CardPicture(((5, 5),) * 9))
