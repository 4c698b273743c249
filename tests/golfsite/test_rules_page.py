"""The rules page against the published deal and arithmetic of the tests' own."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from golfsite.rules_page import LINE, RulesPage
from tournaments.scorecard import RACE_MARGIN_MS
from tournaments.selectors.rooms import SETTLED_RACES

VECTOR: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "games/engine/vectors/published_deal.json").read_text()
)
RANKS = "A23456789TJQK"
COLUMNS = [column.split() for column in VECTOR["columns"]]
STOCK = VECTOR["stock"].split()

Board = tuple[list[list[str]], str, int]


@pytest.fixture
def page(client: Client) -> str:
    response = client.get(reverse("rules"))
    assert response.status_code == 200
    return response.content.decode()


def words(html: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html).split()))


def section(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    assert found is not None
    return found[0]


def rows(html: str) -> list[list[str]]:
    bodies = re.findall(r"<tbody>(.*?)</tbody>", html, re.DOTALL)
    return [
        [words(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for body in bodies
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    ]


def pictures(html: str) -> list[Board]:
    """The boards that are drawn: columns, waste and stock."""
    boards = []
    for picture in re.findall(r'<div class="deal-picture">(.*?)</div>', html, re.DOTALL):
        cards = re.findall(r'class="card r(\d) c(\d)" data-card="([^"]+)"', picture)
        columns: list[list[str]] = [[] for _ in range(7)]
        waste = ""
        for row, column, card in cards:
            if row == "6":
                waste = card
            else:
                columns[int(column) - 1].append(card)
                assert len(columns[int(column) - 1]) == int(row)
        count = re.search(r'class="count">(\d+)<', picture)
        boards.append((columns, waste, int(count[1]) if count else 0))
    return boards


def after(moves: int) -> Board:
    """The position after so many moves of the published line, worked out by hand."""
    columns, stock, waste = [list(column) for column in COLUMNS], list(STOCK), VECTOR["waste"]
    for action in VECTOR["line"].split()[:moves]:
        waste = stock.pop(0) if action == "d" else columns[int(action) - 1].pop()
    return columns, waste, len(stock)


@pytest.mark.django_db
def test_needs_neither_player_nor_database(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        assert client.get("/rules/").status_code == 200


def test_the_line_is_the_published_one() -> None:
    assert " ".join(LINE) == VECTOR["line"]


@pytest.mark.django_db
def test_the_contents_lead_to_every_chapter(page: str) -> None:
    contents = re.search(r'<nav class="toc".*?</nav>', page, re.DOTALL)
    assert contents is not None
    links = re.findall(r'href="#([^"]+)"', contents[0])
    assert links == re.findall(r'<section id="([^"]+)"', page)
    assert len(links) == 14
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


@pytest.mark.django_db
def test_the_pictures_are_positions_of_the_deal(page: str) -> None:
    whole = len(VECTOR["line"].split())
    assert pictures(page) == [after(0), after(3), after(0), after(34), after(whole)]
    assert after(whole)[0] == [[]] * 7
    assert re.findall(r'data-card="(..)"[^>]* data-marked', page) == ["6H", "AH"]


@pytest.mark.django_db
def test_the_deal_is_counted(page: str) -> None:
    counts = re.findall(r"<dt>([^<]+)</dt><dd>(\d+)</dd>", section(page, "deal"))
    assert counts == [
        ("Cards", "52"),
        ("Columns", "7"),
        ("Cards in each column", "5"),
        ("Cards to clear", "35"),
        ("On the waste", "1"),
        ("In the stock", "16"),
    ]


@pytest.mark.django_db
def test_the_first_moves(page: str) -> None:
    moves = section(page, "moves")
    assert re.findall(r"<li>([^<]+)</li>", moves) == [
        "Draw: 8 of spades.",
        "Column 5: 9 of clubs fits and is played.",
        "Column 2: 8 of clubs fits and is played.",
    ]
    assert (
        "After these moves the waste shows 8 of clubs, and 15 cards are left in the stock." in moves
    )


@pytest.mark.django_db
def test_every_refusal_is_the_boards_own(page: str) -> None:
    answers = re.findall(r"<dd>([^<]+)</dd>", section(page, "refusals"))
    assert answers == [
        "6 of hearts goes on a 5 or a 7; the waste shows ace of clubs.",
        "10 of spades is still covered by 6 of hearts.",
        "Under these rules nothing goes on a king: draw a card instead of ace of hearts.",
        "Under these rules only an ace goes on a king, and this is 2 of spades.",
        "A card still fits: it has to be played before the next draw.",
        "The stock is empty.",
        "Column 4 is empty.",
    ]
    assert [refused.code for refused in RulesPage().refusals] == [
        "not_adjacent",
        "covered",
        "king_blocks",
        "king_blocks",
        "must_play",
        "stock_empty",
        "empty_column",
    ]


@pytest.mark.django_db
def test_what_fits_on_what(page: str) -> None:
    shown = dict.fromkeys(RANKS)
    index = {**{rank: rank for rank in RANKS}, "T": "10"}
    table = [row for row in rows(section(page, "rule-sets")) if len(row) == 4]
    expected = []
    for at, rank in enumerate(RANKS):
        inner = [RANKS[i] for i in (at - 1, at + 1) if 0 <= i < 13]
        ends = {"A": ["2", "K"], "K": ["A", "Q"]}.get(rank, inner)
        strict = ["– nothing"] if rank == "K" else inner
        expected.append(
            [index[rank]]
            + [" ".join(index.get(r, r) for r in fits) for fits in (ends, inner, strict)]
        )
    assert table == expected
    assert len(shown) == len(table)


@pytest.mark.django_db
def test_where_the_rule_sets_part(page: str) -> None:
    assert "Before move 35, cards cleared: 24. Does ace of hearts go on king of clubs?" in section(
        page, "rule-sets"
    )
    assert [(verdict.rules, verdict.refused) for verdict in RulesPage().verdicts] == [
        ("Easy", None),
        ("Classic", "Ace of hearts goes on a 2; the waste shows king of clubs."),
        (
            "Strict",
            "Under these rules nothing goes on a king: draw a card instead of ace of hearts.",
        ),
    ]


@pytest.mark.django_db
def test_scores_and_strokes(page: str) -> None:
    def signed(number: int) -> str:
        return "E" if number == 0 else f"{number:+}".replace("-", "−")

    scores, two = rows(section(page, "score"))[:6], rows(section(page, "score"))[6:]
    assert scores == [
        [
            str(cleared),
            str(35 - cleared),
            signed(35 - cleared - 5),
            str(max(0, 10 * cleared - (10 * (35 - cleared) if cleared < 35 else 0))),
        ]
        for cleared in (35, 31, 30, 25, 18, 17)
    ]
    assert two == [["21 + 0", "21", "0 + 350", "350"], ["17 + 3", "20", "10 + 290", "300"]]
    text = words(section(page, "score"))
    assert "Par is 5 strokes for a deal and 45 for a round of 9." in text
    assert "gains 10 for each card" in text
    left = after(48)[2]
    assert f"which leaves {left} there, counts −{left} that way" in text


@pytest.mark.django_db
def test_the_streak_is_counted_move_by_move(page: str) -> None:
    expected, length, total, longest = [], 0, 0, 0
    for number, action in enumerate(VECTOR["line"].split()[:12], 1):
        length = 0 if action == "d" else length + 1
        total, longest = total + 10 * length, max(longest, length)
        expected.append([str(number), str(length), str(10 * length), str(total)])
    streak = section(page, "streak")
    assert [[row[0], *row[2:]] for row in rows(streak)] == expected
    assert f"Streak score: {total}; longest streak: {longest} cards." in words(streak)


@pytest.mark.django_db
def test_codes_are_read_as_they_are_typed(page: str) -> None:
    text = words(section(page, "codes"))
    assert "GO1-E-AAAAAAB GO1-C-AAAAAAB GO1-S-AAAAAAB" in text
    assert text.count("→ GO1-E-AAAAAAB") == 3


@pytest.mark.django_db
def test_equal_results_share_a_place(page: str) -> None:
    places = [[row[0], row[2]] for row in rows(section(page, "tournaments"))[:6]]
    assert places == [
        ["1", "−6"],
        ["T2", "−2"],
        ["T2", "−2"],
        ["4", "+4"],
        ["DNF", "−8"],
        ["DNS", "–"],
    ]


@pytest.mark.django_db
def test_other_formats_are_reckoned_in_examples(page: str) -> None:
    part = section(page, "tournaments")
    assert rows(part)[6:] == [["Points", "7", "6", "5", "4", "3", "2", "1", "0", "0"]]
    text = " ".join(words(part).split())
    assert "Rounds of +20 , +12 , +15 make a handicap of 13.5 , which takes 14 strokes off" in text


@pytest.mark.django_db
def test_the_board_is_told_in_words(page: str) -> None:
    columns, _, _ = after(3)
    text = words(section(page, "by-ear"))
    assert "Stock: 15 cards; waste: 8 of clubs. Column 1: 6 of clubs, 5 of spades" in text
    assert text.count("(free: ") == sum(1 for column in columns if column)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["home", "tournaments", "signup"])
def test_every_page_leads_there(client: Client, name: str) -> None:
    page = client.get(reverse(name)).content.decode()
    assert page.count('href="/rules/"') == 2


@pytest.mark.django_db
def test_a_race_is_ranked_by_time_with_its_margin(page: str) -> None:
    races = section(page, "races")
    assert f"at most {RACE_MARGIN_MS} milliseconds behind" in races
    assert f"provisional before {SETTLED_RACES} races" in races
    rows = re.findall(
        r'<bdi dir="ltr">([^<]+)</bdi></td><th scope="row">([^<]+)</th>'
        r'<td class="number">(\d+)</td><td class="number"><bdi dir="ltr">([^<]+)</bdi>',
        races,
    )
    assert rows == [
        ("T1", "Aino", "4", "61.200"),
        ("T1", "Boris", "4", "61.250"),
        ("3", "Carmen", "4", "61.251"),
        ("4", "Davit", "6", "48.000"),
    ]
