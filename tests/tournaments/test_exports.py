"""Tables to take away: complete, as much as the reader may see, and safe in a spreadsheet."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.test import AsyncClient, Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tests.harness.forms import without_tokens
from tests.harness.processes import ROOT
from tournaments import selectors, services
from tournaments.models import Entry, Tournament
from tournaments.selectors.exports import EXPORTS

from .factories import (
    let_time_pass,
    new_draft,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    play_hole,
    play_holes,
)

pytestmark = pytest.mark.django_db
Rows = list[dict[str, Any]]


def address(tournament: Tournament, name: str, kind: str) -> str:
    return reverse(f"tournament_{name}_{kind}", args=[tournament.slug])


def browser(player: Player | None = None) -> Client:
    client = Client()
    if player is not None:
        client.force_login(player)
    return client


def as_json(tournament: Tournament, name: str, player: Player | None = None) -> Rows:
    response = browser(player).get(address(tournament, name, "json"))
    assert response["Content-Type"] == "application/json"
    rows: Rows = json.loads(response.getvalue())[name]
    return rows


def as_csv(tournament: Tournament, name: str, player: Player | None = None) -> Rows:
    response = browser(player).get(address(tournament, name, "csv"))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    text = response.getvalue().decode()
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text[1:], newline="")))


@pytest.fixture
def director(tournament: Tournament) -> Player:
    return new_member(tournament.club, "Dora", role="director")


@pytest.fixture
def played(tournament: Tournament, director: Player) -> Tournament:
    """Nine holes, two holes, none; one adjusted, one disqualified."""
    play_holes(new_entry(tournament, "Ann"))
    bo = play_holes(new_entry(tournament, "Bo"), last=2)
    new_entry(tournament, "Cy")
    services.adjust_hole(
        entry=bo, number=1, strokes=2, app_score=330, by=director, reason="Miscounted"
    )
    services.disqualify(entry=new_entry(tournament, "Di"), by=director, reason="Late")
    services.void_hole(tournament=tournament, number=9, by=director, reason="Misdealt")
    tournament.refresh_from_db()
    return tournament


def test_the_board_is_that_of_the_page(played: Tournament) -> None:
    board = selectors.leaderboard(tournament=played)
    rows = as_json(played, "board")
    assert [(row["place"], row["name"], row["reason"]) for row in rows] == [
        (row.standing.place, row.name, row.standing.reason and row.standing.reason.value)
        for row in board.rows
    ]
    ann, bo = board.rows[0], board.rows[1]
    assert {row["name"]: row["corrections"] for row in rows} == {
        "Ann": 0, "Bo": 1, "Cy": 0, "Di": 1,
    }  # fmt: skip
    for row, shown in zip(rows, (ann, bo), strict=False):
        totals = shown.totals
        assert (row["thru"], row["strokes"], row["to_par"], row["app_score"]) == (
            totals.thru, totals.strokes, totals.to_par, totals.app_score,
        )  # fmt: skip
    assert rows[0]["tied"] is False
    assert rows[-1]["reason"] == "dq"


def test_scorecards_have_every_hole_of_every_entry(played: Tournament) -> None:
    rows = {row["name"]: row for row in as_json(played, "scorecards")}
    for entry in Entry.objects.filter(tournament=played):
        results = {result.hole.number: result for result in entry.results.select_related("hole")}
        for number in range(1, 10):
            result = results.get(number)
            figures = (None, None) if result is None else (result.strokes, result.app_score)
            row = rows[entry.name]
            assert (row[f"hole_{number}"], row[f"score_{number}"]) == figures
    assert rows["Bo"]["hole_1"] == 2
    assert len(rows) == 4


def test_results_have_a_line_for_each_hole_that_is_final(played: Tournament) -> None:
    rows = as_json(played, "results")
    assert len(rows) == 9 + 2
    assert sorted((row["name"], row["hole"]) for row in rows) == [
        *(("Ann", number) for number in range(1, 10)), ("Bo", 1), ("Bo", 2),
    ]  # fmt: skip
    corrected = [row for row in rows if row["corrected"]]
    (row,) = corrected
    game = Entry.objects.get(name="Bo").results.get(hole__number=1).game
    assert row == {
        "entry": Entry.objects.get(name="Bo").pk, "name": "Bo", "division": None, "round": 1,
        "hole": 1, "par": 5, "void": False, "strokes": 2, "to_par": -3, "app_score": 330,
        "corrected": True, "time_ms": game.time_ms, "moves": game.moves_made, "undos": 0,
        "hints": 0,
    }  # fmt: skip
    assert [row["hole"] for row in rows if row["void"]] == [9]


def test_a_result_without_a_game_has_no_time(played: Tournament, director: Player) -> None:
    services.adjust_hole(
        entry=Entry.objects.get(name="Cy"), number=1, strokes=9, app_score=0, by=director,
        reason="Played on paper",
    )  # fmt: skip
    (row,) = [row for row in as_json(played, "results") if row["name"] == "Cy"]
    assert (row["strokes"], row["time_ms"], row["moves"]) == (9, None, None)
    (cell,) = [row for row in as_csv(played, "results") if row["name"] == "Cy"]
    assert (cell["strokes"], cell["time_ms"], cell["to_par"]) == ("9", "", "4")


def test_corrections_are_exported_in_their_order(played: Tournament, director: Player) -> None:
    until = played.closes_at + timedelta(hours=1)
    services.extend_window(
        entry=Entry.objects.get(name="Cy"), until=until, by=director, reason="Power cut"
    )
    rows = as_json(played, "corrections")
    shown = [(row["kind"], row["name"], row["hole"], row["before"], row["after"]) for row in rows]
    closes, later = (
        time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        for time in (played.closes_at, until)
    )
    assert shown == [
        ("adjust", "Bo", 1, None, None),
        ("disqualify", "Di", None, "active", "disqualified"),
        ("void", None, 9, False, True),
        ("extend", "Cy", None, closes, later),
    ]
    assert (rows[0]["after_strokes"], rows[0]["after_app_score"]) == (2, 330)
    assert (rows[0]["reason"], rows[0]["by"]) == ("Miscounted", "Dora")


@pytest.mark.parametrize("name", EXPORTS)
def test_both_kinds_hold_the_same(played: Tournament, name: str) -> None:
    def cell(value: Any) -> str:
        if value is None:
            return ""
        return str(int(value)) if isinstance(value, bool) else str(value)

    rows = as_json(played, name)
    assert rows != []
    assert as_csv(played, name) == [
        {column: cell(value) for column, value in row.items()} for row in rows
    ]


def test_the_head_says_what_it_is(played: Tournament) -> None:
    response = browser().get(address(played, "board", "json"))
    head = json.loads(response.getvalue())["tournament"]
    assert (head["slug"], head["club"], head["status"]) == (played.slug, played.club.name, "open")
    assert head["holes"][8] == {"hole": 9, "round": 1, "par": 5, "void": True}
    assert response["Content-Disposition"] == (f'attachment; filename="{played.slug}-board.json"')


# --- in a spreadsheet ----------------------------------------------------------------------------

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "－1")


@pytest.mark.parametrize("name", FORMULAS)
def test_a_name_is_no_formula(tournament: Tournament, name: str) -> None:
    play_hole(new_entry(tournament, name), 1)
    for table in ("board", "scorecards", "results"):
        assert as_csv(tournament, table)[0]["name"] == f"'{name}"
        assert as_json(tournament, table)[0]["name"] == name


def test_neither_is_a_reason(tournament: Tournament, director: Player) -> None:
    services.disqualify(
        entry=new_entry(tournament), by=director, reason='=HYPERLINK("http://x"), he said'
    )
    (row,) = as_csv(tournament, "corrections")
    assert row["reason"] == '\'=HYPERLINK("http://x"), he said'


def test_figures_under_par_stay_numbers(tournament: Tournament, director: Player) -> None:
    entry = new_entry(tournament)
    services.adjust_hole(
        entry=entry, number=1, strokes=0, app_score=350, by=director, reason="Cleared"
    )
    text = browser().get(address(tournament, "results", "csv")).getvalue().decode()
    assert ",0,-5,350,1," in text
    assert as_json(tournament, "board")[0]["to_par"] == -5


def test_names_of_every_script_are_as_they_are(tournament: Tournament) -> None:
    names = ["محمد الفاسي", "Борис Иванов", 'Aino, "Ai" Mäkinen', "王小明", "Zoë 🏌️"]
    for name in names:
        new_entry(tournament, name)
    for rows in (as_csv(tournament, "board"), as_json(tournament, "board")):
        assert sorted(row["name"] for row in rows) == sorted(names)


# --- who sees what -------------------------------------------------------------------------------


def test_a_blind_tournament_shows_what_the_reader_has_finished(director: Player) -> None:
    club = Tournament.objects.get().club
    blind = new_tournament(club=club, visibility="blind")
    ann = play_holes(new_entry(blind, "Ann"), last=3)
    bo = play_holes(new_entry(blind, "Bo"), last=1)
    services.adjust_hole(
        entry=ann, number=3, strokes=2, app_score=330, by=director, reason="Miscounted"
    )

    def holes(player: Player | None) -> list[int]:
        return [row["hole"] for row in as_json(blind, "results", player) if row["name"] == "Ann"]

    assert holes(None) == []
    assert holes(new_player()) == []
    assert holes(bo.player) == [1]
    assert holes(director) == [1, 2, 3]
    for reader, strokes in ((None, None), (bo.player, None), (director, 2)):
        (row,) = as_json(blind, "corrections", reader)
        assert (row["after_strokes"], row["reason"]) == (strokes, "Miscounted")
    page = browser(bo.player).get(reverse("tournament_corrections", args=[blind.slug]))
    body = without_tokens(page.content.decode())
    assert "330" not in body
    assert "figures are shown at the end" in body
    services.close_tournament(tournament=let_time_pass(blind), now=timezone.now())
    assert holes(None) == [1, 2, 3]


def test_a_frozen_standing_is_that_of_its_time(director: Player) -> None:
    club = Tournament.objects.get().club
    frozen = new_tournament(club=club, visibility="frozen", frozen_at=timezone.now())
    Tournament.objects.filter(pk=frozen.pk).update(frozen_at=timezone.now())
    frozen.refresh_from_db()
    ann = new_entry(frozen, "Ann")
    Entry.objects.filter(pk=ann.pk).update(created_at=frozen.frozen_at - timedelta(minutes=1))
    play_hole(ann, 1)
    services.disqualify(entry=ann, by=director, reason="Late")
    for table in ("results", "corrections"):
        assert as_json(frozen, table) == []
        assert len(as_json(frozen, table, director)) == 1
    trace = reverse("tournament_corrections", args=[frozen.slug])
    assert "Late" not in without_tokens(browser().get(trace).content.decode())
    assert "Late" in browser(director).get(trace).content.decode()


def test_a_draft_is_for_its_directors(director: Player) -> None:
    draft = new_draft(club=Tournament.objects.get().club)
    for url in (address(draft, "board", "csv"), reverse("tournament_exports", args=[draft.slug])):
        assert browser().get(url).status_code == 404
        assert browser(director).get(url).status_code == 200


def test_who_was_removed_is_not_in_it(played: Tournament, director: Player) -> None:
    services.hide_entry(entry=Entry.objects.get(name="Ann"), by=director, reason="Twice")
    for name in ("board", "scorecards", "results"):
        assert "Ann" not in {row["name"] for row in as_json(played, name)}


# --- large ones ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPORTS)
def test_a_table_takes_the_same_queries_however_long(
    tournament: Tournament, director: Player, name: str, django_assert_max_num_queries: Any
) -> None:
    def something() -> None:
        entry = play_hole(new_entry(tournament), 1).entry
        services.withdraw_entry(entry=entry, by=director, reason=f"{entry.pk}")

    def queries() -> int:
        with django_assert_max_num_queries(30) as captured:
            assert browser().get(address(tournament, name, "csv")).getvalue()
        return len(captured)

    something()
    queries()
    something()  # the board in memory is brought up to date alike
    one = queries()
    something()
    something()
    assert queries() == one


def test_a_table_is_written_piece_by_piece(tournament: Tournament) -> None:
    for number in range(150):
        new_entry(tournament, f"Player {number}")
    response = browser().get(address(tournament, "board", "csv"))
    pieces = list(response.streaming_content)
    assert len(pieces) == 3
    assert sum(piece.count(b"\r\n") for piece in pieces) == 151


@pytest.mark.django_db(transaction=True)
async def test_under_asgi_it_is_streamed_without_a_warning() -> None:
    from asgiref.sync import sync_to_async

    tournament = await sync_to_async(new_tournament)()
    await sync_to_async(new_entry)(tournament, "Ann")
    response: Any = await AsyncClient().get(address(tournament, "board", "json"))
    assert isinstance(response.asgi_request, ASGIRequest)
    assert response.is_async
    text = b"".join([piece async for piece in response.streaming_content]).decode()
    assert [row["name"] for row in json.loads(text)["board"]] == ["Ann"]


# --- what is in them -----------------------------------------------------------------------------


def test_the_page_leads_to_the_whole_file_once_there_is_one(tournament: Tournament) -> None:
    url = reverse("tournament_exports", args=[tournament.slug])
    proof = f'href="{reverse("tournament_proof", args=[tournament.slug])}#results"'
    assert proof not in browser().get(url).content.decode()
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    assert proof in browser().get(url).content.decode()


def test_the_page_links_and_explains_every_table(tournament: Tournament) -> None:
    body = browser().get(reverse("tournament_exports", args=[tournament.slug])).content.decode()
    for name, export in EXPORTS.items():
        for kind in ("csv", "json"):
            assert f'href="{address(tournament, name, kind)}"' in body
        for column in export.columns:
            assert f">{column.name}<" in body


def test_every_column_is_documented(played: Tournament, director: Player) -> None:
    long = new_tournament(club=played.club, holes=18)
    services.disqualify(entry=new_entry(long), by=director, reason="Late")
    text = Path(ROOT / "docs" / "exports.md").read_text()
    for name, export in EXPORTS.items():
        known = [column.name for column in export.columns]
        (row, *_) = as_json(long, name) or as_json(played, name)
        numbered = {"hole_", "score_", "round_"}
        written = [
            column for column in row
            if not any(column[: len(each)] == each and not column.endswith("_1")
                       for each in numbered)
        ]  # fmt: skip
        assert written == known
        for column in known:
            assert f"| `{column}` |" in text.split(f"## {name}")[1].split("\n## ")[0]
