"""What the bots read in the pages, and what they notice there."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from tournaments import scorecard, services
from tournaments.bots.crowd import MOST_PLAYERS, name_of
from tournaments.bots.pages import Page, number_in
from tournaments.bots.standings import (
    Record,
    board_differences,
    board_rows,
    card_differences,
    tie_break_of,
)
from tournaments.models import Tournament

from .factories import new_account, new_entry, new_tournament, record

pytestmark = pytest.mark.django_db

PLAYED = (
    Record("Ada", (0, 4, 6, 5), (350, 270, 230, 250)),
    Record("Boris <b>", (5, 5, 5, 5), (250, 250, 250, 250)),
    Record("Chiara", (2, 5, 3, 5), (310, 250, 290, 250)),
    Record("Dmitri", (9,), (170,)),
    Record("Eeva", (), ()),
)


class Played:
    """A tournament in which `PLAYED` is what happened, and its pages."""

    def __init__(self, **fields: Any) -> None:
        self.tournament: Tournament = new_tournament(holes=4, **fields)
        self.records: dict[int, Record] = {}
        for each in PLAYED:
            entry = new_entry(self.tournament, each.name)
            record(entry, *each.strokes, app_scores=each.app_scores)
            self.records[entry.pk] = each

    def page(self, name: str, *args: Any) -> Page:
        address = reverse(name, args=[self.tournament.slug, *args])
        return Page(f"http://127.0.0.1{address}", Client().get(address).content.decode())

    def id_of(self, name: str) -> int:
        return next(id_ for id_, each in self.records.items() if each.name == name)

    def board(self) -> Page:
        return self.page("leaderboard")

    def void(self, number: int) -> None:
        services.void_hole(
            tournament=self.tournament, number=number, by=new_account(), reason="a broken deal"
        )


@pytest.fixture
def played() -> Played:
    return Played()


@pytest.mark.parametrize("rank_by", ["strokes", "app_score"])
@pytest.mark.parametrize("tie_break", ["shared", "countback", "time"])
def test_a_right_board_agrees(rank_by: str, tie_break: str) -> None:
    played = Played(rank_by=rank_by, tie_break=tie_break)
    page = played.board()
    assert tie_break_of(page) == tie_break
    assert len(board_rows(page)) == 5
    assert board_differences(board_rows(page), played.records, tie_break) == []


def test_a_right_board_with_a_void_hole_agrees(played: Played) -> None:
    played.void(2)
    rows = board_rows(played.board())
    assert board_differences(rows, played.records) == []
    spoiled = played.records | {
        id_: replace(each, strokes=(each.strokes[0] + 1, *each.strokes[1:]))
        for id_, each in played.records.items()
        if each.strokes
    }
    assert len(board_differences(rows, spoiled)) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        Record("Ada", (0, 5, 5, 5), (350, 270, 230, 250)),
        Record("Ada", (0, 4, 6, 5), (350, 270, 240, 250)),
        Record("Ada", (0, 4), (350, 270)),
        Record("Adam", (0, 4, 6, 5), (350, 270, 230, 250)),
    ],
)
def test_every_figure_of_a_row_is_compared(played: Played, wrong: Record) -> None:
    rows = board_rows(played.board())
    (found,) = board_differences(rows, played.records | {played.id_of("Ada"): wrong})
    assert re.match("Adam?, leaderboard: the page says", found)


def test_who_is_missing_or_there_twice_is_noticed(played: Played) -> None:
    rows = board_rows(played.board())
    missing = played.records[int(rows[0].id.removeprefix("entry-"))].name
    assert board_differences(rows[1:], played.records) == [f"{missing} is not on the board"]
    assert "an entry is on the board twice" in board_differences([*rows, rows[0]], played.records)


def test_a_wrong_place_and_a_wrong_order_are_noticed(played: Played) -> None:
    rows = board_rows(played.board())
    assert [row.cells[0].text for row in rows] == ["T1", "T1", "3", "4", "\N{EN DASH}"]
    rows[2].cells[0].text = "2"
    assert board_differences(rows, played.records) == [
        "Boris <b>, place: the page says 2, counted 3"
    ]
    rows = board_rows(played.board())
    assert "the leaderboard is not in order" in board_differences(rows[::-1], played.records)[0]


def test_a_tie_is_parted_as_the_page_says() -> None:
    # Ada and Chiara took 15 strokes each; on the last three holes 15 and 13.
    played = Played(tie_break="countback")
    rows = board_rows(played.board())
    assert [(row.cells[0].text, row.cells[1].text) for row in rows[:2]] == [
        ("1", "Chiara"),
        ("2", "Ada"),
    ]
    assert rows[0].cells[1].note == "won on the last 3 holes"
    assert board_differences(rows, played.records) == [
        "Chiara, place: the page says 1, counted T1",
        "Ada, place: the page says 2, counted T1",
    ]
    rows[0].cells[0].text, rows[1].cells[0].text = "2", "1"
    assert len(board_differences(rows, played.records, "countback")) == 2


def test_a_scorecard_is_compared_hole_by_hole(played: Played) -> None:
    for name in ("Ada", "Dmitri"):
        id_ = played.id_of(name)
        card = played.page("scorecard", id_)
        right = played.records[id_]
        assert card_differences(card, right) == []
        wrong = card_differences(card, replace(right, strokes=(34, *right.strokes[1:])))
        assert [text.split(",")[1:2] for text in wrong] == [[" scorecard"]] * 2
    nobodys = played.page("scorecard", played.id_of("Eeva"))
    assert card_differences(nobodys, Record("Eeva", (), ())) == []
    assert len(card_differences(nobodys, PLAYED[0])) == 3
    assert card_differences(played.board(), PLAYED[0]) == ["Ada: the page has no scorecard"]


def test_a_scorecard_of_two_rounds_with_a_void_hole_agrees() -> None:
    tournament = new_tournament(holes=11)
    entry = new_entry(tournament, "Ada")
    strokes = tuple(range(11))
    record(entry, *strokes)
    services.void_hole(tournament=tournament, number=10, by=new_account(), reason="broken")
    address = reverse("scorecard", args=[tournament.slug, entry.pk])
    card = Page(f"http://127.0.0.1{address}", Client().get(address).content.decode())
    scores = tuple(max(0, 350 - 20 * each) for each in strokes)
    assert card_differences(card, Record("Ada", strokes, scores)) == []
    spoiled = Record("Ada", (*strokes[:9], 35, 10), scores)
    assert len(card_differences(card, spoiled)) == 2


@pytest.mark.parametrize(
    ("text", "number"), [("E", 0), ("+3", 3), (f"{scorecard.MINUS}12", -12), ("45", 45)]
)
def test_figures_are_read_as_golfers_write_them(text, number):
    assert number_in(text) == number
    assert number_in("\N{EN DASH}") is number_in("\N{MIDDLE DOT}") is None


def test_a_page_gives_the_form_that_posts_to_an_address():
    page = Page(
        "http://127.0.0.1/a/",
        '<form method="post" action="/b/"><input type="hidden" name="t" value="1"></form>'
        '<form method="post"><input type="hidden" name="t" value="2"><input name="x"></form>'
        '<form action="/c/"></form>',
    )
    assert page.form("/b/") == {"t": "1"}
    assert page.form("/a/") == {"t": "2"}
    assert page.form("/c/") is None


def test_no_two_bots_share_a_name():
    assert len({name_of(index) for index in range(MOST_PLAYERS)}) == MOST_PLAYERS
    assert (name_of(0), name_of(26)) == ("Ada", "Ada 2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": ["http://golf.example"]}, "golf.example is not this computer"),
        ({"url": ["http://192.0.2.7:8000"]}, "192.0.2.7 is not this computer"),
        ({"url": ["http://127.0.0.1:8000", "http://golf.example"]}, "golf.example is not"),
        ({"url": ["ftp://127.0.0.1"]}, "ftp://127.0.0.1 is not an address"),
        ({"players": 501}, "--players is 1 to 500"),
        ({"players": 0}, "--players is 1 to 500"),
        ({"holes": 0}, "--holes is 1 or more"),
        ({"pace": -1}, "--pace is not negative"),
    ],
)
def test_the_command_refuses_what_bots_must_not_do(options, message):
    with pytest.raises(CommandError, match=message):
        call_command("bots", tournament="cup", **options)


def test_a_site_that_does_not_answer_is_a_problem(unused_tcp_port, capsys):
    with pytest.raises(CommandError) as caught:
        call_command(
            "bots",
            tournament="cup",
            players=2,
            timeout=0.6,
            url=[f"http://localhost:{unused_tcp_port}", f"http://[::1]:{unused_tcp_port}"],
        )
    assert str(caught.value) == "0 differences, 1 problems"
    assert "the bots were not done after 0.6 seconds" in capsys.readouterr().err
