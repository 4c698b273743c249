"""The pages of figures: what they say, to whom, and how often they ask the database."""

import json
import re
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games import analysis, solving
from games.engine import GameCode
from games.engine.scoring import standing
from tests.harness.forms import without_tokens
from tournaments import figures as pure
from tournaments import selectors, services
from tournaments.models import Tournament
from tournaments.templatetags.figures import decimal_text

from .factories import (
    let_time_pass,
    new_account,
    new_entry,
    new_tournament,
    play_hole,
    record,
)
from .finished import bundle, finished

pytestmark = pytest.mark.django_db


def client_of(player: Any) -> Client:
    client = Client()
    client.force_login(player)
    return client


def words(body: str) -> str:
    body = re.sub(r"<(script|style).*?</\1>", "", body, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


def page(tournament: Tournament, number: int | None = None, who: Any = None, **query: Any) -> str:
    client = Client() if who is None else client_of(who)
    name, args = ("tournament_figures", []) if number is None else ("hole_figures", [number])
    response = client.get(reverse(name, args=[tournament.slug, *args]), query)
    assert response.status_code == 200
    return response.content.decode()


def over(tournament: Tournament) -> Tournament:
    services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    return Tournament.objects.select_related("club").get(pk=tournament.pk)


def of(tournament: Tournament) -> selectors.figures.Figures:
    found = Tournament.objects.select_related("club").get(pk=tournament.pk)
    view = selectors.view_for(tournament=found, player=None)
    return selectors.figures.figures_of(tournament=found, view=view)


def best_strokes(code: str, *, below_par: bool = False) -> int:
    best = analysis.best_of(code=GameCode.parse(code)).best
    return best.strokes_below_par if below_par else best.strokes


def test_a_hole_says_what_the_field_made_of_it() -> None:
    tournament = new_tournament(holes=2)
    ann, bo, cy, di = (new_entry(tournament, name) for name in ("Ann", "Bo", "Cy", "Di"))
    for entry, strokes in ((ann, (0, 9)), (bo, (4, 4)), (cy, (4, 1)), (di, (9,))):
        record(entry, *strokes)
    text = words(page(tournament, 1, who=bo.player))
    assert "Field average 4.3" in text
    assert "Cleared by 25.0 %" in text
    assert "Stroke index 2" in text
    assert "Ann 0 100.0 % 100.0 %" in text
    assert "Bo you 4 33.3 % 50.0 %" in text
    assert "Di 9 0.0 % 0.0 %" in text
    assert "Best possible" not in text
    text = words(page(tournament))
    assert "Hardest hole 2 −0.3" in text
    assert "Easiest hole 1 −0.8" in text
    assert "Cy 1 +4.3" not in text  # he gained on the second hole
    assert "Ann 1 +4.3" in text
    assert "Cy 2 +3.7" in text


def test_what_is_possible_is_told_after_the_reveal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = new_tournament(holes=1)
    entry = new_entry(tournament, "Ann")
    result = play_hole(entry, 1)

    def nobody_asks(*_: Any) -> None:
        raise AssertionError("the solver was asked")

    with monkeypatch.context() as patch:
        patch.setattr(solving, "solve", nobody_asks)
        for who in (None, entry.player):
            for number in (None, 1):
                body = without_tokens(page(tournament, number, who=who))
                assert "Best" not in body
                assert "The lines of the field" not in body
    best = best_strokes(result.game.deal_code)
    body = page(over(tournament), 1)
    assert f"Best possible {best}" in words(body)
    assert "The lines of the field" in body
    text = words(page(tournament))
    assert f"Best possible, all holes {best}" in text
    assert f"Ann 1 – 0.0 {result.strokes - best}" in text


def test_below_par_the_best_is_below_par() -> None:
    tournament = new_tournament(holes=1, strokes_kind="below_par")
    record(new_entry(tournament, "Ann"), -2)
    code = tournament.holes.get().deal_code
    found = of(over(tournament))
    assert found.best_total == best_strokes(code, below_par=True) < 0
    assert found.over_best(tournament.entries.get().pk) == -2 - found.best_total


def test_without_the_solver_the_rest_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise solving.Unavailable

    monkeypatch.setattr(solving, "solve", away)
    tournament = new_tournament(holes=1)
    play_hole(new_entry(tournament, "Ann"), 1)
    over(tournament)
    for number in (None, 1):
        body = without_tokens(page(tournament, number))
        assert "cannot be worked out just now" in body
        assert "Best" not in body
        assert "Ann" in body
    assert "The lines of the field" in page(tournament, 1)


def test_the_lines_part_where_the_players_did() -> None:
    tournament = new_tournament(holes=1, undo_allowed=True)
    ann, bo, cy = (new_entry(tournament, name) for name in ("Ann", "Bo", "Cy"))
    play_hole(ann, 1, "dddg")
    play_hole(bo, 1, "dduddg")
    play_hole(cy, 1, "ddg")
    over(tournament)
    body = page(tournament, 1)
    found = re.search(r'<ul class="lines">(.*?)</ul>\s*</div>', body, re.DOTALL)
    assert found is not None
    text = words(found[1])
    assert text.startswith("3 players")
    assert "Cy" in text
    assert re.search(r"2 players .*Ann .*Bo", text)
    for entry in (ann, bo, cy):
        address = reverse("hole_replay", args=[tournament.slug, entry.pk, 1])
        assert found[1].count(f'href="{address}"') == 1
    assert page(tournament, 1).count("Play on from here") == 0


def test_who_is_not_of_the_field_leaves_no_trace() -> None:
    tournament = new_tournament(holes=1)
    record(new_entry(tournament, "Ann"), 4)
    bo, cy = (record(new_entry(tournament, name), 0) for name in ("Bo", "Cy"))
    services.disqualify(entry=bo, by=new_account(), reason="a test")
    services.withdraw_entry(entry=cy, by=new_account(), reason="a test")
    tournament.refresh_from_db()
    found = of(tournament)
    assert {found.names[key] for key in found.field.entries} == {"Ann", "Cy"}
    assert found.field.holes[0].average == 2
    assert "Bo" not in words(page(tournament, 1))


def test_a_void_hole_counts_for_nobody() -> None:
    tournament = new_tournament(holes=2)
    entry = record(new_entry(tournament, "Ann"), 4, 9)
    services.void_hole(tournament=tournament, number=2, by=new_account(), reason="a test")
    found = of(tournament)
    assert [hole.index for hole in found.field.holes] == [1, None]
    assert found.field.entries[entry.pk].thru == 1
    assert "This hole is void" in page(tournament, 2)


def test_app_score_ranks_where_it_should() -> None:
    tournament = new_tournament(holes=1, rank_by="app_score")
    record(new_entry(tournament, "Ann"), 9, app_scores=[300])
    record(new_entry(tournament, "Bo"), 4, app_scores=[100])
    assert "Ann 9 100.0 % 100.0 %" in words(page(tournament, 1))


class TestSight:
    def test_a_blind_tournament_tells_nothing_of_holes_not_finished(self) -> None:
        tournament = new_tournament(holes=2, visibility="blind")
        ann = record(new_entry(tournament, "Ann"), 4)
        record(new_entry(tournament, "Bo"), 7, 3)
        response = Client().get(reverse("hole_figures", args=[tournament.slug, 1]))
        assert response.status_code == 404
        assert "Bo" not in words(page(tournament))
        assert "Bo 7" in words(page(tournament, 1, who=ann.player))
        response = client_of(ann.player).get(reverse("hole_figures", args=[tournament.slug, 2]))
        assert response.status_code == 404
        text = words(page(tournament, who=ann.player))
        assert "Hardest hole 1" in text
        assert "Bo 1 0.0 %" in text

    def test_a_frozen_tournament_tells_what_was(self) -> None:
        from datetime import timedelta

        now = timezone.now()
        tournament = new_tournament(holes=1, visibility="frozen", frozen_at=now)
        Tournament.objects.filter(pk=tournament.pk).update(frozen_at=now - timedelta(minutes=5))
        tournament.refresh_from_db()
        ann, bo = (new_entry(tournament, name) for name in ("Ann", "Bo"))
        for entry in (ann, bo):
            type(entry).objects.filter(pk=entry.pk).update(created_at=now - timedelta(minutes=50))
        record(ann, 4, at=now - timedelta(minutes=9))
        record(bo, 0, at=now)
        over(tournament)
        text = words(page(tournament, 1))
        assert "Ann 4 – –" in text
        assert "Bo" not in text
        assert "Best possible" not in text
        services.reveal_standings(tournament=tournament)
        text = words(page(tournament, 1))
        assert "Bo 0 100.0 % 100.0 %" in text
        assert "Best possible" in text


def test_the_figures_are_those_of_the_bundle() -> None:
    """Everything is reckoned again from the file that anybody can take away."""
    tournament = finished()
    found = of(tournament)
    data = json.loads(bundle(tournament))
    out = {"disqualified", "removed", "unranked"}
    entries = [entry for entry in data["entries"] if entry["status"] not in out]
    ids = {entry.name: entry.pk for entry in tournament.entries.all()}
    pars = {hole["number"]: hole for hole in data["holes"]}
    strokes: dict[int, dict[str, int]] = {number: {} for number in pars}
    for entry in entries:
        for result in entry["holes"]:
            if result["counts_strokes"] is not None:
                strokes[result["hole"]][entry["name"]] = result["counts_strokes"]
    assert len(entries) > 5
    averages = {}
    for number, results in strokes.items():
        hole = found.hole(number)
        assert hole is not None
        assert {found.names[key] for key in hole.compared} == set(results)
        if results:
            averages[number] = Fraction(sum(results.values()), len(results)) - pars[number]["par"]
        assert hole.to_par == averages.get(number)
        for name, mine in results.items():
            others = [each for other, each in results.items() if other != name]
            points = sum((each > mine) * 2 + (each == mine) for each in others)
            assert hole.compared[ids[name]].points == points
        assert found.possible is not None
        assert found.possible.strokes(number) == best_strokes(
            pars[number]["code"], below_par=data["tournament"]["strokes_kind"] == "below_par"
        )
    known = [n for n in averages if not pars[n]["is_void"]]
    assert 0 < len(known) < len(pars)
    ordered = sorted(known, key=lambda n: (-averages[n], n))
    assert [hole.index for hole in found.field.holes] == [
        ordered.index(n) + 1 if n in ordered else None for n in sorted(pars)
    ]
    for entry in entries:
        mine = {r["hole"]: r["counts_strokes"] for r in entry["holes"] if r["hole"] in known}
        mine = {number: each for number, each in mine.items() if each is not None}
        gained = sum(averages[n] + pars[n]["par"] - each for n, each in mine.items())
        each = found.field.entries[ids[entry["name"]]]
        assert (each.thru, each.gained) == (len(mine), gained)
        over_best = sum(s - found.possible.strokes(n) for n, s in mine.items())
        assert found.over_best(ids[entry["name"]]) == over_best
    for number in pars:
        lines = {
            ids[entry["name"]]: "".join(standing(result["actions"]))
            for entry in entries
            for result in entry["holes"]
            if result["hole"] == number and result["actions"] is not None
        }
        tree = selectors.figures.lines_of(tournament=tournament, number=number, found=found)
        assert (set() if tree is None else set(tree.keys)) == set(lines)


def test_pages_take_the_same_queries_however_large_the_field(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    small, large = new_tournament(holes=3), new_tournament(holes=3)
    for tournament, entries in ((small, 1), (large, 12)):
        for number in range(entries):
            entry = new_entry(tournament, f"P{number}")
            play_hole(entry, 1)
            record(entry, 5, 6, first=2)
        over(tournament)
        page(tournament)  # the best results are computed once
    client = Client()
    client.get(reverse("tournament_figures", args=[small.slug]))
    for tournament in (small, large):
        fresh = Tournament.objects.get(pk=tournament.pk)
        with django_assert_num_queries(3):
            client.get(reverse("tournament_figures", args=[fresh.slug]))
        with django_assert_num_queries(5):
            client.get(reverse("hole_figures", args=[fresh.slug, 1]))
        with django_assert_num_queries(3):
            client.get(reverse("hole_figures", args=[fresh.slug, 1]))


def test_there_are_pages_of_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    from tournaments.views import figures

    monkeypatch.setattr(figures, "_ROWS", 2)
    tournament = new_tournament(holes=1)
    for number in range(5):
        record(new_entry(tournament, f"Player {number}"), number)
    text = words(page(tournament, 1, page=2))
    assert "Page 2 of 3" in text
    assert "Player 2 2" in text
    assert "Player 0 0" not in text


def test_no_such_page() -> None:
    tournament = new_tournament(holes=1)
    assert Client().get(reverse("hole_figures", args=[tournament.slug, 2])).status_code == 404
    text = words(page(tournament))
    assert "No hole has been finished yet." in text
    draft = services.unpublish(tournament=tournament)
    assert draft is not None
    response = Client().get(reverse("tournament_figures", args=[tournament.slug]))
    assert response.status_code == 404


def test_a_chart_has_few_rows_and_all_results() -> None:
    from tournaments.views.figures import distribution

    cards = {n: {1: pure.Result(n, n)} for n in range(-3, 36)}
    (hole,) = pure.field_figures([pure.Course(1, 5)], cards).holes
    chart = distribution(hole, None, None)
    assert len(chart.bars) <= 12
    assert sum(bar.row.value for bar in chart.bars) == 39
    assert chart.bars[0].row.label == "−3–0"
    assert chart.bars[-1].row.label.endswith("–35")


@pytest.mark.parametrize(
    ("value", "plain", "signed"),
    [
        (Fraction(1, 4), "0.3", "+0.3"),
        (Fraction(-1, 4), "−0.3", "−0.3"),
        (Fraction(-1, 100), "0.0", "0.0"),
        (Fraction(20, 3), "6.7", "+6.7"),
    ],
)
def test_decimals(value: Fraction, plain: str, signed: str) -> None:
    assert decimal_text(value) == plain
    assert decimal_text(value, is_signed=True) == signed
