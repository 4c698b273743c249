"""What the bots read in the pages, and what they notice there."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.template.loader import render_to_string

from tournaments import scorecard
from tournaments.bots.crowd import MOST_PLAYERS, name_of
from tournaments.bots.pages import Page, number_in
from tournaments.bots.standings import (
    Record,
    board_differences,
    board_rows,
    card_differences,
)
from tournaments.models import Club, Entry, Tournament
from tournaments.selectors import BoardHole, BoardRow, Card, CardHole, HolePar, Leaderboard

PARS = tuple(HolePar(number, 5) for number in range(1, 4))
RECORDS = {
    7: Record("Ada", (0, 4, 6), (350, 270, 230)),
    8: Record("Boris <b>", (5, 5, 5), (250, 250, 250)),
    9: Record("Chiara", (2, 5, 3), (310, 250, 290)),
    10: Record("Dmitri", (9,), (170,)),
    11: Record("Eeva", (), ()),
}
TOURNAMENT = Tournament(name="Cup", slug="cup", club=Club(name="Club", slug="club"))


def totals(record: Record) -> scorecard.Totals:
    scores = zip(record.strokes, record.app_scores, strict=True)
    return scorecard.totals(
        scorecard.HoleScore(number, 5, strokes, app_score)
        for number, (strokes, app_score) in enumerate(scores, 1)
    )


def board(records: dict[int, Record], rank_by: str = "strokes") -> Page:
    """The leaderboard's own table of these records."""
    table = scorecard.rank(
        [(id_, totals(record)) for id_, record in records.items()],
        holes=3,
        rank_by=scorecard.RankBy(rank_by),
        closed=False,
    )
    rows = [
        BoardRow(
            entry_id=standing.key,
            player_id=standing.key,
            name=records[standing.key].name,
            standing=standing,
            holes=tuple(
                BoardHole(hole.number, hole.par, *figures)
                for hole, figures in zip(
                    PARS, [*played(records[standing.key]), *[()] * 3], strict=False
                )
            ),
        )
        for standing in table
    ]
    shown = Leaderboard(
        version=1, is_closed=False, holes=PARS, rows=tuple(rows), entries=len(rows), page=1,
        pages=1, mine=None, my_page=None,
    )  # fmt: skip
    TOURNAMENT.rank_by = rank_by
    html = render_to_string(
        "tournaments/leaderboard_table.html", {"board": shown, "tournament": TOURNAMENT}
    )
    return Page("http://127.0.0.1/", html)


def played(record: Record) -> list[tuple[int, int]]:
    return list(zip(record.strokes, record.app_scores, strict=True))


def card(record: Record, *, total: int = 0) -> Page:
    """The scorecard's own page; `total` is added to the strokes."""
    right = totals(record)
    holes = [
        CardHole(hole.number, hole.par, None, *figures)
        for hole, figures in zip(PARS, [*played(record), *[()] * 3], strict=False)
    ]
    shown = Card(
        entry=Entry(pk=7),
        holes=tuple(holes),
        totals=scorecard.Totals(
            right.thru, right.strokes + total, right.to_par + total, right.app_score
        ),
        par=15,
    )
    html = render_to_string(
        "tournaments/scorecard.html",
        {"card": shown, "entry": Entry(pk=7), "tournament": TOURNAMENT, "phase": "open"},
    )
    return Page("http://127.0.0.1/", html)


@pytest.mark.parametrize("rank_by", ["strokes", "app_score"])
def test_a_right_board_agrees(rank_by):
    rows = board_rows(board(RECORDS, rank_by))
    assert len(rows) == 5
    assert board_differences(rows, RECORDS) == []


@pytest.mark.parametrize(
    "wrong",
    [
        Record("Ada", (0, 5, 5), (350, 270, 230)),
        Record("Ada", (0, 4, 6), (350, 270, 240)),
        Record("Ada", (0, 4), (350, 270)),
        Record("Adam", (0, 4, 6), (350, 270, 230)),
    ],
)
def test_every_figure_of_a_row_is_compared(wrong):
    rows = board_rows(board(RECORDS | {7: wrong}))
    (found,) = board_differences(rows, RECORDS)
    assert re.match("Ada, leaderboard: the page says", found)


def test_who_is_missing_or_there_twice_is_noticed():
    rows = board_rows(board(RECORDS))
    assert board_differences(rows[1:], RECORDS) == [
        f"{RECORDS[int(rows[0].id.removeprefix('entry-'))].name} is not on the board"
    ]
    assert "an entry is on the board twice" in board_differences([*rows, rows[0]], RECORDS)


def test_a_wrong_place_and_a_wrong_order_are_noticed():
    rows = board_rows(board(RECORDS))
    assert [row.cells[0].text for row in rows] == ["T1", "T1", "3", "4", "\N{EN DASH}"]
    rows[2].cells[0].text = "2"
    assert board_differences(rows, RECORDS) == ["Boris <b>, place: the page says 2, counted 3"]
    rows = board_rows(board(RECORDS))
    assert "the leaderboard is not in order" in board_differences(rows[::-1], RECORDS)[0]


@pytest.mark.parametrize("id_", [7, 10])
def test_a_scorecard_is_compared_hole_by_hole(id_):
    assert card_differences(card(RECORDS[id_]), RECORDS[id_]) == []
    found = card_differences(card(RECORDS[id_], total=1), RECORDS[id_])
    assert [text.split(",")[1] for text in found] == [" scorecard"] * 2
    assert len(card_differences(card(RECORDS[9]), RECORDS[id_])) == 3


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
