"""What the board says."""

import json
import re

import pytest
from django.template import Context, Template

from games import words
from games.engine import CLASSIC, EASY, STRICT, RuleSet, card_text
from games.templatetags.golf import duration, hole_score, to_par


def test_every_card_has_a_name_of_its_own() -> None:
    assert list(words.CARD_NAMES) == [
        *(rank + suit for suit in "SHDC" for rank in "A23456789TJQK"),
        "*",
    ]
    assert set(words.CARD_NAMES) == {card_text(card) for card in range(53)}
    assert len({words.card_name(card) for card in words.CARD_NAMES}) == 53
    assert words.card_name("TH") == "10 of hearts"


def test_rule_sets_are_named() -> None:
    named = [words.rules_name(rules) for rules in (EASY, CLASSIC, STRICT, RuleSet(jokers=1))]
    assert named == ["Easy", "Classic", "Strict", "Custom rules"]


def test_a_number_chooses_the_form_of_a_sentence() -> None:
    cards = words.board_words()["counted"]["stock_cards"]
    assert cards["forms"] == ["{n} cards", "{n} card"]
    assert cards["of"] == "01" + "0" * 53


def test_the_forms_are_those_of_the_language() -> None:
    russian = words.plural(
        lambda n: (
            "one"
            if n % 10 == 1 and n % 100 != 11
            else "few"
            if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14)
            else "many"
        )
    )
    said = [russian["forms"][int(index)] for index in russian["of"]]
    assert [said[n] for n in (0, 1, 2, 5, 11, 21, 22, 54)] == [
        "many", "one", "few", "many", "many", "one", "few", "few",
    ]  # fmt: skip


def test_the_words_can_travel() -> None:
    assert json.loads(json.dumps(words.board_words())) == words.board_words()


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, '<bdi dir="ltr" class="to-par">E</bdi>'),
        (3, '<bdi dir="ltr" class="to-par">+3</bdi>'),
        (-2, '<bdi dir="ltr" class="to-par under">\N{MINUS SIGN}2</bdi>'),
        (None, '<span class="muted">\N{EN DASH}</span>'),
    ],
)
def test_strokes_against_par_are_written_as_golfers_do(number: int | None, written: str) -> None:
    assert to_par(number) == written


@pytest.mark.parametrize(("ms", "written"), [(0, "0:00"), (65_999, "1:05"), (3_600_000, "1:00:00")])
def test_a_time_is_written_in_minutes(ms: int, written: str) -> None:
    assert duration(ms) == f'<bdi dir="ltr">{written}</bdi>'


@pytest.mark.parametrize(
    ("strokes", "mark"),
    [(2, "under-2"), (3, "under-2"), (4, "under"), (5, ""), (6, "over"), (7, "over-2")],
)
def test_the_strokes_of_a_hole_are_marked(strokes: int, mark: str) -> None:
    assert hole_score(strokes, 5)["mark"] == mark


def test_a_hole_below_zero_has_a_minus_of_its_own() -> None:
    assert hole_score(-7, 5) == {
        "strokes": "\N{MINUS SIGN}7",
        "mark": "under-2",
        "spoken": "\N{MINUS SIGN}12",
    }
    assert hole_score(None, 5) == {"strokes": None}


def test_the_letter_of_a_card_is_the_languages_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # As in Russian, where a king has a К and a queen a Д.
    monkeypatch.setitem(words.RANK_INDEX, "K", "К")
    monkeypatch.setitem(words.RANK_INDEX, "Q", "Д")
    ranks = words.board_words()["ranks"]
    assert "".join(ranks[rank] for rank in "A9TJQK") == "A910JДК"
    drawn = Template(
        "{% load golf %}{% card 'KS' %}{% picture_card 'QH' row=1 column=1 free=True %}"
    )
    assert re.findall(r"<b>(.*?)</b>", drawn.render(Context())) == ["К", "Д"]
