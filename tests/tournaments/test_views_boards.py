"""The pages of boards: leaderboard, scorecard, match and screen, as different people see them."""

import gzip
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.models import Game, Player
from tournaments import selectors, services
from tournaments.models import Entry, Round, Tournament
from tournaments.services import RoundPlan
from tournaments.services.results import announce
from tournaments.views import boards, rendered

from .factories import (
    let_time_pass,
    new_account,
    new_club,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    play_hole,
    play_holes,
    record,
)

pytestmark = pytest.mark.django_db


def client_of(entry_or_player: Any) -> Client:
    client = Client()
    client.force_login(getattr(entry_or_player, "player", entry_or_player))
    return client


def body_of(
    tournament: Tournament, name: str = "leaderboard", *args: Any, who: Any = None, **query: Any
) -> str:
    client = Client() if who is None else client_of(who)
    response = client.get(reverse(name, args=[tournament.slug, *args]), query)
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


def text(body: str) -> str:
    """The words of a page, without its tags."""
    body = re.sub(r"<(script|style).*?</\1>", "", body, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


def rows(body: str) -> list[list[str]]:
    found = re.search(r"<tbody>(.*)</tbody>", body, re.DOTALL)
    assert found is not None
    table = re.findall(r"<tr.*?</tr>", found[1], re.DOTALL)
    cells = [re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL) for row in table]
    return [[text(cell) for cell in row] for row in cells]


def heads(body: str) -> list[str]:
    found = re.search(r"<thead>(.*)</thead>", body, re.DOTALL)
    assert found is not None
    return [text(head) for head in re.findall(r"<th.*?</th>", found[1], re.DOTALL)]


def close(tournament: Tournament) -> Tournament:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    tournament.refresh_from_db()
    return tournament


# --- the leaderboard ---------------------------------------------------------------------------


def test_the_board_shows_place_player_to_par_thru_strokes_score_and_holes() -> None:
    tournament = new_tournament(holes=2)
    play_hole(new_entry(tournament, "Ann"), 1, "g")
    play_holes(new_entry(tournament, "Bo"), last=2)
    new_entry(tournament, "Cy")
    first, second = (game.strokes for game in Game.objects.order_by("pk")[1:3])
    score = sum(Game.objects.order_by("pk")[1:3].values_list("app_score", flat=True))
    body = body_of(tournament)
    assert heads(body) == [
        "Pos", "Player", "To par", "Thru", "Strokes", "App score", "Hole 1", "Hole 2",
    ]  # fmt: skip
    ann, bo, cy = sorted(rows(body), key=lambda row: row[1])
    assert ann[:6] == [ann[0], "Ann", "+30", "1", "35", "0"]
    assert ann[6:] == ["35 (+30)", "·"]
    total = first + second
    to_par = {0: "E"}.get(total - 10, f"{total - 10:+}".replace("-", "−"))
    assert bo[1:6] == ["Bo", to_par, "F", str(total), str(score)]
    assert cy == ["–", "Cy", "–", "0", "–", "–", "·", "·"]
    assert {ann[0], bo[0]} == {"1", "2"}


def test_what_ranks_comes_first_and_is_named() -> None:
    tournament = new_tournament(holes=1, rank_by="app_score")
    record(new_entry(tournament, "Ann"), 5)
    body = body_of(tournament)
    assert heads(body)[2:6] == ["App score", "Thru", "To par", "Strokes"]
    assert rows(body) == [["1", "Ann", "250", "F", "E", "5", "5 (par)"]]
    assert "Ranked by app score." in text(body)


def test_figures_keep_their_direction(tournament: Tournament) -> None:
    record(new_entry(tournament), 2)
    assert '<bdi dir="ltr" class="to-par under">−3</bdi>' in body_of(tournament)
    below = new_tournament(strokes_kind="below_par")
    record(new_entry(below), -4)
    body = body_of(below)
    assert '<bdi dir="ltr" class="to-par under">−9</bdi>' in body
    assert rows(body)[0][4:7] == ["−4", "350", "−4 (−9)"]


def test_the_rules_of_the_board_are_printed_on_it() -> None:
    tournament = new_tournament(tie_break="countback", unplayed="worst")
    record(new_entry(tournament), 5)
    page = text(body_of(tournament))
    for words in (
        "the last 6 holes, then the last 3 holes, then the last hole. Who is still equal shares",
        "A tie is parted once everybody in it has finished.",
        "Places are provisional until the tournament is closed.",
        "counts as 35 strokes and 0 points",
    ):
        assert words in page
    close(tournament)
    page = text(body_of(tournament))
    assert "once everybody in it" not in page
    assert "may still be corrected" in page
    services.finalise(tournament=tournament)
    assert "Final." in text(body_of(tournament))
    by_time = new_tournament(tie_break="time", holes=18)
    record(new_entry(by_time), 5)
    page = text(body_of(by_time))
    assert "the last 9 holes, then the last 6 holes" in page
    assert "then by the time played" in page


@pytest.mark.parametrize(
    ("ann", "bo", "words"),
    [
        ([6, *[5] * 7, 4], [5] * 9, ("won on the last 6 holes", "behind on the last 6 holes")),
        (
            [5, 5, 5, 6, 5, 5, 5, 5, 4], [5] * 9,
            ("won on the last 3 holes", "behind on the last 3 holes"),
        ),
        (
            [*[5] * 6, 6, 5, 4], [5] * 9, ("won on the last hole", "behind on the last hole"),
        ),
    ],
)  # fmt: skip
def test_a_tie_is_explained(ann: list[int], bo: list[int], words: tuple[str, str]) -> None:
    tournament = new_tournament(tie_break="countback")
    record(new_entry(tournament, "Leader"), *[1] * 9)
    first, second = (record(new_entry(tournament, n), *s) for n, s in (("Ann", ann), ("Bo", bo)))
    ahead = words[0].replace("won", "ahead")
    assert [row[1] for row in rows(body_of(tournament))] == [
        "Leader", f"Ann {ahead}", f"Bo {words[1]}",
    ]  # fmt: skip
    leader = tournament.entries.get(name="Leader")
    services.withdraw_entry(entry=leader, by=new_account(), reason="a test")
    assert [row[:2] for row in rows(body_of(tournament))[:2]] == [
        ["1", f"Ann {words[0]}"],
        ["2", f"Bo {words[1]}"],
    ]
    assert words[0] in text(body_of(tournament, "scorecard", first.pk))
    assert words[1] in text(body_of(tournament, "scorecard", second.pk))


def test_a_tie_that_time_has_parted_says_so() -> None:
    tournament = new_tournament(tie_break="time")
    record(new_entry(tournament, "Ann"), *[5] * 9, time_ms=9)
    record(new_entry(tournament, "Bo"), *[5] * 9, time_ms=8)
    assert [row[1] for row in rows(body_of(tournament))] == ["Bo won on time", "Ann behind on time"]


def test_who_has_no_place_is_told_why() -> None:
    tournament = new_tournament(holes=1, unplayed="worst")
    names = ("Ann", "Bo", "Cy")
    ann, bo, _cy = (record(new_entry(tournament, name), 5) for name in names)
    new_entry(tournament, "Di")
    services.disqualify(entry=ann, by=new_account(), reason="a test")
    services.withdraw_entry(entry=bo, by=new_account(), reason="a test")
    close(tournament)
    body = body_of(tournament)
    assert [row[0] for row in rows(body)] == ["1", "WD", "DQ", "DNS"]
    assert '<abbr title="disqualified">DQ</abbr>' in body
    page = text(body)
    for words in ("WD withdrew", "DQ disqualified", "DNS did not start"):
        assert words in page
    assert "MC missed the cut" not in page
    assert "disqualified" in text(body_of(tournament, "scorecard", ann.pk))


def test_a_board_leads_to_what_it_was_made_from(tournament: Tournament) -> None:
    body = body_of(tournament)
    for name in ("tournament_corrections", "tournament_proof", "tournament_exports"):
        assert f'<a class="button small" href="{reverse(name, args=[tournament.slug])}">' in body


def test_what_was_corrected_is_marked_and_leads_to_the_list() -> None:
    tournament = new_tournament(holes=1)
    entry = record(new_entry(tournament, "Ann"), 5)
    assert "corrected" not in body_of(tournament)
    services.adjust_hole(
        entry=entry, number=1, strokes=4, app_score=270, by=new_account(), reason="a power cut"
    )
    corrections = reverse("tournament_corrections", args=[tournament.slug])
    for page in (body_of(tournament), body_of(tournament, "scorecard", entry.pk)):
        assert f'<a class="was-corrected" href="{corrections}">corrected</a>' in page
        assert "(−1, corrected)" in text(page)


def test_void_and_unplayed_holes_are_told_apart() -> None:
    tournament = new_tournament(holes=3, unplayed="worst")
    record(new_entry(tournament, "Ann"), 5, 6)
    services.void_hole(tournament=tournament, number=1, by=new_account(), reason="broken")
    body = body_of(close(tournament))
    assert heads(body)[-3:] == ["Hole 1 (void)", "Hole 2", "Hole 3"]
    assert rows(body)[0][1:] == [
        "Ann 1 hole not played", "+31", "F", "41", "230", "5 (par)", "6 (+1)", "35 (not played)",
    ]  # fmt: skip
    assert body.count('<td class="center void">') == 1
    assert "Hole 1 is void and counts for nobody." in text(body)


def test_undos_and_hints_stand_beside_the_result_where_they_are_allowed() -> None:
    tournament = new_tournament(holes=1, undo_allowed=True, hints_allowed=True)
    entry = record(new_entry(tournament, "Ann"), 5, undos=3, hints=1)
    body = body_of(tournament)
    assert heads(body)[6:8] == ["Undos", "Hints"]
    assert rows(body)[0][6:8] == ["3", "1"]
    assert "Undos 3 Hints 1" in text(body_of(tournament, "scorecard", entry.pk))
    assert "Undos" not in text(body_of(new_tournament()))


def test_several_rounds_have_today_and_their_totals() -> None:
    now = timezone.now()
    day = timedelta(days=1)
    tournament = new_tournament(
        rounds=(
            RoundPlan(opens_at=now - day, closes_at=now - day / 2),
            RoundPlan(opens_at=now - day / 4, closes_at=now + day / 4, holes=2),
        )
    )
    entry = record(new_entry(tournament, "Ann"), 6, *[5] * 8, 3)
    body = body_of(tournament)
    assert heads(body)[2:9] == ["To par", "Thru", "Strokes", "App score", "Today", "R1", "R2"]
    assert rows(body)[0][2:9] == ["−1", "1", "49", "2520", "−2", "46", "3"]
    card = text(body_of(tournament, "scorecard", entry.pk))
    for words in (
        "Round 1 Scorecard Hole 1 2 3",
        "Round 2 Scorecard Hole 10 11 Total Par 5 5 10",
        "All rounds: 49 · −1",
    ):
        assert words in card


def test_my_row_is_marked_and_told_apart_from_the_table(tournament: Tournament) -> None:
    mine, other = record(new_entry(tournament, "Ann"), 4), new_entry(tournament, "Bo")
    body = body_of(tournament, who=mine)
    assert re.findall(r'<tr id="entry-(\d+)" class="me', body) == [str(mine.pk)]
    assert f'id="entry-{other.pk}"' in body
    assert rows(body)[0][1] == "Ann you"
    address = f"/tournaments/{tournament.slug}/leaderboard/mine/?"
    assert f'data-mine="{address}" data-row="entry-{mine.pk}"' in body
    part = body_of(tournament, "leaderboard_mine", who=mine)
    assert text(part) == "Your place: 1 Ann To par −1 Thru 1 Strokes 4 App score 270"
    assert part.strip() in body
    # What all others see is not marked.
    assert "me" not in re.findall(r'<tr id="entry-\d+" class="([^"]*)', body_of(tournament))
    assert body_of(tournament, "leaderboard_mine").strip() == ""
    assert body_of(tournament, "leaderboard_mine", who=new_player()).strip() == ""


def test_the_table_alone_is_what_the_page_shows(tournament: Tournament) -> None:
    mine = new_entry(tournament)
    play_hole(mine, 1)
    table = body_of(tournament, "leaderboard_table")
    assert re.match(r'<div class="board-page stack" data-version="2" data-phase="open-', table)
    assert table.strip() in body_of(tournament)
    assert body_of(tournament, "leaderboard_table", who=mine) == table  # the same to everybody
    tournament.refresh_from_db()
    assert tournament.board_version == 2


def test_the_page_says_where_its_room_and_its_table_are(tournament: Tournament) -> None:
    body = body_of(tournament)
    assert f'data-socket="/ws/tournaments/{tournament.slug}/"' in body
    assert f'data-table="/tournaments/{tournament.slug}/leaderboard/table/?"' in body
    assert re.search(r'<script type="module" src="[^"]*js/leaderboard.js"></script>', body)


def test_the_board_has_pages(tournament: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "PAGE", 2)
    entries = [new_entry(tournament, f"P{number}") for number in range(5)]
    body = body_of(tournament, page=2)
    assert [row[1] for row in rows(body)] == ["P2", "P3"]
    assert (re.findall(r'rel="(?:prev|next)" href="([^"]*)"', body)) == ["?", "?page=3"]
    mine = body_of(tournament, who=entries[4], page=2)
    assert "Page 2 of 3" in text(mine)
    assert f'<a class="my-place" href="?page=3#entry-{entries[4].pk}"' in mine
    assert [row[1] for row in rows(body_of(tournament, all=1))] == [f"P{n}" for n in range(5)]
    for odd in ("0", "x", "-1", "9" * 30, "٣"):
        assert body_of(tournament, page=odd)


def test_names_are_found_and_kept_over_pages(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "PAGE", 1)
    for name in ("Анна", "Йоанна", "Bo <b>"):
        new_entry(tournament, name)
    body = body_of(tournament, q="анна")
    assert "2 of 3 players found." in text(body)
    assert "?q=%D0%B0%D0%BD%D0%BD%D0%B0&amp;page=2" in body
    assert 'value="анна"' in body
    assert [row[1] for row in rows(body_of(tournament, q="анна", page=2))] == ["Йоанна"]
    nobody = body_of(tournament, q="<script>x")
    assert "No name on this board holds “<script>x”." in text(nobody.replace("&lt;", "&#60;"))
    assert "<script>x" not in nobody


def test_a_search_for_what_no_name_holds_finds_nobody(tournament: Tournament) -> None:
    """The NUL is of use inside (`rendered`), and PostgreSQL refuses it."""
    record(new_entry(tournament, "Ann"), 5)
    for name in ("leaderboard", "leaderboard_table", "match"):
        assert "Ann" in text(body_of(tournament, name, q="\0"))
        assert "Ann" not in text(body_of(tournament, name, q="\0\u202e\ufeff"))


def test_a_division_has_a_board_of_its_own() -> None:
    tournament = new_tournament(divisions=("Men", "Women"))
    men, women = selectors.divisions_of(tournament=tournament)
    for name, division in (("Ann", women), ("Bo", men)):
        entry = new_entry_in(tournament, name, division)
        record(entry, 5)
    body = body_of(tournament, division=women.pk)
    assert [row[:2] for row in rows(body)] == [["1", "Ann"]]
    assert f'href="?division={men.pk}"' in body
    assert f'href="?division={women.pk}" aria-current="page"' in body
    assert len(rows(body_of(tournament))) == 2
    client, url = Client(), reverse("leaderboard", args=[tournament.slug])
    other = selectors.divisions_of(tournament=new_tournament(divisions=("Men", "Women")))[0]
    for wrong in (other.pk, 0, "x"):
        assert client.get(url, {"division": wrong}).status_code == 404


def new_entry_in(tournament: Tournament, name: str, division: Any) -> Entry:
    return services.enter(tournament=tournament, player=new_player(name), division=division)


def test_other_formats_say_how_they_are_reckoned() -> None:
    club = new_club()
    tournament = new_tournament(club=club, holes=2)
    record(new_entry(tournament, "Ann"), 4, 8)
    body = body_of(tournament, format="stableford")
    assert heads(body)[2:6] == ["Points", "Thru", "To par", "Strokes"]
    assert rows(body) == [["1", "Ann", "3", "F", "+2", "12", "3 (−1)", "0 (+3)"]]
    assert "2 for par, 1 for one over" in text(body)
    assert "the tournament goes by strokes against par" in text(body)
    body = body_of(tournament, format="net")
    assert heads(body)[2:6] == ["Net", "Thru", "Handicap", "To par"]
    assert rows(body)[0][:6] == ["NH", "Ann", "–", "F", "–", "+2"]
    assert "of the last 20 complete rounds of nine holes the best 8" in text(body)
    url = reverse("leaderboard", args=[tournament.slug])
    assert Client().get(url, {"format": "skins"}).status_code == 404


def test_a_net_board_shows_the_handicap() -> None:
    club = new_club()
    ann = new_member(club, "Ann")
    for strokes in (25, 17, 20):
        earlier = new_tournament(club=club)
        record(services.enter(tournament=earlier, player=ann), strokes, *[5] * 8)
        let_time_pass(close(earlier), by=timedelta(hours=3))
        Tournament.objects.filter(pk=earlier.pk).update(
            closed_at=timezone.now() - timedelta(hours=2)
        )
    tournament = new_tournament(club=club)
    record(services.enter(tournament=tournament, player=ann), 25, *[5] * 8)
    assert rows(body_of(tournament, format="net"))[0][:7] == [
        "1", "Ann", "+6", "F", "13.5", "+20", "65",
    ]  # fmt: skip


# --- how often anything is made ----------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3])
def test_a_board_page_takes_the_same_queries_however_long(
    tournament: Tournament, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(count):
        entry = record(new_entry(tournament), 5)
    url, table = (
        reverse(name, args=[tournament.slug]) for name in ("leaderboard", "leaderboard_table")
    )
    client = Client()
    # The tournament, and whether anything is due there.
    with django_assert_num_queries(2 + 3):  # holes, entries, divisions
        client.get(url)
    with django_assert_num_queries(2 + 1):
        client.get(url)
    with django_assert_num_queries(2):
        client.get(table)
    record(entry, 5, first=2)
    with django_assert_num_queries(2 + 2):
        client.get(table)


def test_many_watchers_cost_one(tournament: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    record(new_entry(tournament), 5)
    made: list[rendered.Asked] = []
    real = rendered._make

    def make(*args: Any) -> rendered.Rendered:
        made.append(args[1])
        return real(*args)

    monkeypatch.setattr(rendered, "_make", make)
    for _ in range(5):
        body_of(tournament, "leaderboard_table")
        body_of(tournament, who=new_player())
    assert len(made) == 1
    body_of(tournament, "leaderboard_table", page=2)
    body_of(tournament, "leaderboard_table", format="stableford")
    client = Client(headers={"accept-language": "fi"})
    client.get(reverse("leaderboard_table", args=[tournament.slug]))
    body_of(tournament, "screen_rows")
    assert len(made) == 5
    announce(tournament.pk)
    body_of(tournament, "leaderboard_table")
    assert len(made) == 6


def test_few_pages_are_kept(tournament: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendered, "MOST_PAGES", 3)
    monkeypatch.setattr(rendered, "_kept", rendered._Kept())
    new_entry(tournament)
    for page in range(6):
        body_of(tournament, "leaderboard_table", page=page)
    assert len(rendered._kept._pages) == 3


def test_what_is_fetched_is_compressed_once(tournament: Tournament) -> None:
    record(new_entry(tournament), 5)
    url = reverse("leaderboard_table", args=[tournament.slug])
    packed = Client().get(url, headers={"accept-encoding": "gzip, br"})
    assert (packed["Content-Encoding"], "Accept-Encoding" in packed["Vary"]) == ("gzip", True)
    assert gzip.decompress(packed.content).decode() == body_of(tournament, "leaderboard_table")
    again = Client().get(url, headers={"accept-encoding": "gzip, br"})
    assert again.content == packed.content


def test_a_page_is_made_anew_when_the_next_round_opens() -> None:
    now = timezone.now()
    day = timedelta(days=1)
    tournament = new_tournament(
        rounds=(
            RoundPlan(opens_at=now - day, closes_at=now - day / 2),
            RoundPlan(opens_at=now + day, closes_at=now + 2 * day, holes=2),
        )
    )
    record(new_entry(tournament, "Ann"), *[6] * 9)
    assert rows(body_of(tournament))[0][3] == "F"
    second = Round.objects.filter(tournament=tournament, number=2)
    second.update(opens_at=now + timedelta(milliseconds=200))
    announce(tournament.pk)
    while timezone.now() < now + timedelta(milliseconds=250):
        body_of(tournament)
    assert rows(body_of(tournament))[0][3] == "0"


# --- the scorecard -----------------------------------------------------------------------------


def test_a_scorecard_is_laid_out_as_on_paper(tournament: Tournament) -> None:
    entry = new_entry(tournament, "Ann")
    play_hole(entry, 1, "g")
    play_hole(entry, 2)
    second = Game.objects.latest("pk")
    body = body_of(tournament, "scorecard", entry.pk)
    assert heads(body) == ["Hole", *map(str, range(1, 10)), "Total"]
    par, strokes, to_par, score = rows(body)
    assert par == ["Par", *["5"] * 9, "45"]
    assert strokes[:2] == ["Strokes", "35 (+30)"]
    assert strokes[3:] == ["·"] * 7 + [str(35 + second.strokes)]
    assert to_par[1] == "+30"
    assert score == ["App score", "0", str(second.app_score), *["·"] * 7, str(second.app_score)]
    assert "Place 1 To par" in text(body)


def test_void_holes_leave_the_totals_of_a_card() -> None:
    tournament = new_tournament(holes=3)
    entry = record(new_entry(tournament), 9, 5, 4)
    services.void_hole(tournament=tournament, number=1, by=new_account(), reason="broken")
    body = body_of(tournament, "scorecard", entry.pk)
    par, strokes, to_par, score = rows(body)
    assert (par[-1], strokes[-1], to_par[-1], score[-1]) == ("10", "9", "−1", "520")
    assert heads(body)[1] == "1 (void)"


def test_a_scorecard_that_is_not_to_be_seen(tournament: Tournament) -> None:
    other = new_entry(new_tournament())
    gone = record(new_entry(tournament), 5)
    services.hide_entry(entry=gone, by=new_account(), reason="a test")
    for pk in (other.pk, gone.pk, 0):
        url = reverse("scorecard", args=[tournament.slug, pk])
        assert Client().get(url).status_code == 404
        url = reverse("scorecard_picture", args=[tournament.slug, pk])
        assert Client().get(url).status_code == 404


def test_moves_are_told_once_the_tournament_is_over(client: Client, tournament: Tournament) -> None:
    entry = new_entry(tournament)
    play_hole(entry, 1)
    card = reverse("scorecard", args=[tournament.slug, entry.pk])
    url = reverse("hole_replay", args=[tournament.slug, entry.pk, 1])
    assert client.get(url).status_code == 404
    assert url not in client.get(card).content.decode()
    let_time_pass(tournament)
    assert url in client.get(card).content.decode()
    page = text(client.get(url).content.decode())
    assert Game.objects.get().deal_code in page
    assert "Moves of hole 1" in page
    assert (
        client.get(reverse("hole_replay", args=[tournament.slug, entry.pk, 2])).status_code == 404
    )


# --- a match -----------------------------------------------------------------------------------


def test_a_match_is_chosen_and_told_hole_by_hole() -> None:
    tournament = new_tournament(holes=3)
    ann = record(new_entry(tournament, "Ann"), 4, 5, 4)
    bo = record(new_entry(tournament, "Bo <b>"), 5, 5, 6)
    url = reverse("match", args=[tournament.slug])
    choice = body_of(tournament, "match")
    assert f'href="?a={ann.pk}"' in choice
    choice = body_of(tournament, "match", a=ann.pk)
    assert "Who plays against Ann?" in text(choice)
    assert f'href="?a={ann.pk}&amp;b={bo.pk}"' in choice
    assert f"b={ann.pk}" not in choice
    body = body_of(tournament, "match", a=ann.pk, b=bo.pk)
    assert "Ann won 2 up." in text(body)
    assert rows(body) == [
        ["1", "4 (−1) wins the hole", "Ann 1 up", "5 (par)"],
        ["2", "5 (par)", "Ann 1 up", "5 (par)"],
        ["3", "4 (−1) wins the hole", "Ann 2 up", "6 (+1)"],
    ]
    assert "Bo <b> –" in text(body_of(tournament, "match", a=bo.pk, b=ann.pk))
    assert f'href="{url}?a={ann.pk}"' in body
    for wrong in ({"a": ann.pk, "b": 0}, {"a": 0}):
        assert Client().get(url, wrong).status_code == 404
    assert "Who plays against Ann?" in text(body_of(tournament, "match", a=ann.pk, b=ann.pk))


@pytest.mark.parametrize(
    ("ann", "bo", "words"),
    [
        ([4, 4, 4, 5, 5, 5, 5], [5] * 7, "Ann won 3 & 2"),
        ([5] * 3, [5] * 3, "All square with 6 holes to play."),
        ([5] * 3, [5, 5, 4], "Bo is 1 up with 6 holes to play."),
        ([4, 4, 5, 5, 5, 5, 5], [5] * 7, "Ann is dormie: 2 up with 2 holes to play."),
        ([5] * 9, [5] * 9, "The match is halved."),
        ([5] * 9, [], "Both have to finish a hole before the match begins."),
    ],
)
def test_how_a_match_stands_is_said(
    tournament: Tournament, ann: list[int], bo: list[int], words: str
) -> None:
    first = record(new_entry(tournament, "Ann"), *ann)
    second = record(new_entry(tournament, "Bo"), *bo)
    assert words in text(body_of(tournament, "match", a=first.pk, b=second.pk))


def test_a_match_by_app_score_shows_the_scores() -> None:
    tournament = new_tournament(holes=1, rank_by="app_score")
    ann = record(new_entry(tournament, "Ann"), 9, app_scores=(300,))
    bo = record(new_entry(tournament, "Bo"), 5, app_scores=(200,))
    assert rows(body_of(tournament, "match", a=ann.pk, b=bo.pk)) == [
        ["1", "300 wins the hole", "Ann 1 up", "200"]
    ]


# --- the screen --------------------------------------------------------------------------------


def test_the_screen_shows_ten_rows_and_turns_without_javascript(tournament: Tournament) -> None:
    for number in range(12):
        record(new_entry(tournament, f"P{number:02}"), 5)
    body = body_of(tournament, "screen")
    assert len(rows(body)) == boards.SCREEN_ROWS
    assert rows(body)[0] == ["T1", "P00", "E", "1", "5", "250"]
    assert f'data-rows="/tournaments/{tournament.slug}/screen/rows/?"' in body
    assert 'content="12;url=?page=2&amp;seconds=12"' in body
    assert 'content="5;url=?seconds=5"' in body_of(tournament, "screen", page=2, seconds=5)
    assert 'data-seconds="120"' in body_of(tournament, "screen", seconds=9999)
    part = body_of(tournament, "screen_rows", page=2)
    assert [row[1] for row in rows(part)] == ["P10", "P11"]
    assert 'data-page="2" data-pages="2"' in part


def test_the_screen_shows_a_director_what_everybody_sees() -> None:
    tournament = new_tournament(visibility="blind")
    record(new_entry(tournament, "Ann"), 3)
    director = new_account(is_superuser=True)
    assert rows(body_of(tournament, "screen", who=director)) == [["Ann", "1"]]
    assert rows(body_of(tournament, "screen_rows", who=director)) == [["Ann", "1"]]


# --- what is kept back -------------------------------------------------------------------------


def pages_with_figures(tournament: Tournament, who: Any = None) -> str:
    """Everything of a tournament that shows figures, in one text."""
    client = Client() if who is None else client_of(who)
    entries = list(tournament.entries.order_by("pk"))
    found = ""
    for format_ in ("stroke", "stableford", "net"):
        for name in ("leaderboard", "leaderboard_table", "screen", "screen_rows"):
            url = reverse(name, args=[tournament.slug])
            found += client.get(url, {"format": format_}).content.decode()
    for name in ("leaderboard_mine", "tournament"):
        found += client.get(reverse(name, args=[tournament.slug])).content.decode()
    found += client.get(
        reverse("leaderboard", args=[tournament.slug]), {"q": "a", "all": 1}
    ).content.decode()
    for entry in entries:
        found += client.get(reverse("scorecard", args=[tournament.slug, entry.pk])).content.decode()
    found += client.get(
        reverse("match", args=[tournament.slug]), {"a": entries[0].pk, "b": entries[1].pk}
    ).content.decode()
    return found


#: A figure that no page has for any other reason.
SECRET, OTHER = 29, 31


@pytest.fixture
def blind() -> Tournament:
    tournament = new_tournament(visibility="blind")
    record(new_entry(tournament, "Ann"), 5, SECRET)
    record(new_entry(tournament, "Bo"), 6)
    return tournament


def test_nobody_sees_a_figure_of_a_blind_tournament_before_its_time(blind: Tournament) -> None:
    marks = (f">{SECRET}<", f"+{SECRET - 5}", f">{SECRET + 5}<")

    def seen(who: Any = None) -> bool:
        page = pages_with_figures(blind, who)
        return any(mark in page for mark in marks)

    ann, bo = blind.entries.order_by("pk")
    assert not seen()
    assert not seen(new_player())
    assert not seen(bo)
    assert seen(new_member(blind.club, role="director"))
    assert f">{SECRET}<" in body_of(blind, "scorecard", ann.pk, who=ann)
    record(bo, 5, first=2)
    assert seen(bo)
    close(blind)
    assert seen()


def test_a_blind_board_tells_who_is_in_and_how_far(blind: Tournament) -> None:
    body = body_of(blind)
    assert heads(body) == ["Player", "Thru"]
    assert rows(body) == [["Ann", "2"], ["Bo", "1"]]
    assert "The figures are kept back" in text(body)
    assert 'class="tabs"' not in body
    bo = blind.entries.get(name="Bo")
    body = body_of(blind, who=bo)
    assert "You see the figures of hole 1, which you have finished" in text(body)
    assert [row[:5] for row in rows(body)] == [
        ["1", "Ann", "E", "2", "5"],
        ["2", "Bo you", "+1", "1", "6"],
    ]


def test_a_players_own_card_does_not_say_where_it_stands(blind: Tournament) -> None:
    ann, bo = blind.entries.order_by("pk")
    page = text(body_of(blind, "scorecard", ann.pk, who=ann))
    assert "Place" not in page
    assert "To par +24" in page
    assert "Place 1" in text(body_of(blind, "scorecard", bo.pk, who=ann))
    assert "The figures are kept back" in text(body_of(blind, "scorecard", bo.pk))


@pytest.fixture
def frozen() -> Tournament:
    """Ann's second hole was finished after the freeze, Cy has entered after it."""
    frozen_at = timezone.now() - timedelta(minutes=5)
    tournament = new_tournament(visibility="frozen", frozen_at=frozen_at)
    for name in ("Ann", "Bo"):
        entry = new_entry(tournament, name)
        Entry.objects.filter(pk=entry.pk).update(created_at=frozen_at - timedelta(hours=1))
        record(entry, 5, at=frozen_at - timedelta(minutes=1))
    record(tournament.entries.get(name="Ann"), SECRET, first=2)
    new_entry(tournament, "Cy")
    announce(tournament.pk)
    return tournament


def test_nobody_sees_what_has_happened_since_the_freeze(frozen: Tournament) -> None:
    def seen(who: Any = None) -> bool:
        return f">{SECRET}<" in pages_with_figures(frozen, who)

    ann, bo, cy = frozen.entries.order_by("pk")
    director = new_member(frozen.club, role="director")
    assert not seen()
    assert not seen(bo)
    assert seen(director)
    assert f">{SECRET}<" in body_of(frozen, "scorecard", ann.pk, who=ann)
    assert "Cy" not in text(body_of(frozen))
    assert "The standing is frozen" in text(body_of(frozen, "scorecard", cy.pk))
    close(frozen)
    assert not seen()
    url = reverse("reveal_standings", args=[frozen.slug])
    assert url not in body_of(frozen)
    assert url in body_of(frozen, who=director)
    assert client_of(director).post(url).status_code == 302
    assert seen()
    assert url not in body_of(frozen, who=director)


def test_replays_of_a_frozen_tournament_stay_closed_until_the_reveal(frozen: Tournament) -> None:
    entry = new_entry(frozen, "Di")
    play_hole(entry, 1)
    close(frozen)
    url = reverse("hole_replay", args=[frozen.slug, entry.pk, 1])
    director = new_member(frozen.club, role="director")
    assert Client().get(url).status_code == 404
    assert client_of(entry).get(url).status_code == 200
    assert client_of(director).get(url).status_code == 200
    card = reverse("scorecard", args=[frozen.slug, entry.pk])
    assert url not in Client().get(card).content.decode()
    services.reveal_standings(tournament=selectors.tournament_of(slug=frozen.slug))
    assert Client().get(url).status_code == 200


def test_only_directors_reveal(frozen: Tournament, tournament: Tournament) -> None:
    url = reverse("reveal_standings", args=[frozen.slug])
    for who in (None, new_player(), new_member(frozen.club), frozen.entries.first()):
        client = Client() if who is None else client_of(who)
        assert client.post(url).status_code == 403
    frozen.refresh_from_db()
    assert frozen.unfrozen_at is None
    director = Player.objects.create_superuser("boss", password="x", name="Boss")
    assert client_of(director).get(url).status_code == 405
    other = reverse("reveal_standings", args=[tournament.slug])
    response = client_of(director).post(other, follow=True)
    assert [str(message) for message in response.context["messages"]] == [
        "This standing is not frozen."
    ]


def test_links_and_pictures_show_what_everybody_may_see(blind: Tournament) -> None:
    ann = blind.entries.get(name="Ann")
    director = new_member(blind.club, role="director")
    card = body_of(blind, "scorecard", ann.pk, who=director)
    assert 'content="The figures are not shown yet."' in card
    picture = reverse("scorecard_picture", args=[blind.slug, ann.pk])
    before = client_of(director).get(picture).content
    nothing = new_tournament()
    empty = reverse("scorecard_picture", args=[nothing.slug, new_entry(nothing).pk])
    assert before == Client().get(empty).content
    board = body_of(blind, who=director)
    assert '<meta property="og:description" content="2 players">' in board
    close(blind)
    assert client_of(director).get(picture).content != before


def test_a_picture_of_who_entered_after_the_freeze_is_empty(frozen: Tournament) -> None:
    cy = frozen.entries.get(name="Cy")
    response = Client().get(reverse("scorecard_picture", args=[frozen.slug, cy.pk]))
    assert (response.status_code, response["Content-Type"]) == (200, "image/png")
