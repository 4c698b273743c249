"""Positions and refusals as sentences."""

import pytest
from django.utils import translation

from games import prose
from games.engine import (
    CLASSIC,
    EASY,
    REFUSALS,
    STRICT,
    Play,
    Refusal,
    RuleSet,
    describe,
    english,
)

from .factories import PUBLISHED, PUBLISHED_LINE


def why(play: Play, action: str, row: int | None = None) -> str:
    with pytest.raises(Refusal) as refused:
        play.act(action, row)
    return prose.refusal_text(refused.value, play.rules)


@pytest.mark.parametrize("moves", range(len(PUBLISHED_LINE) + 1))
def test_a_position_is_told_as_the_engine_tells_it(moves: int) -> None:
    board = describe(Play.replay(PUBLISHED.deal(), EASY, PUBLISHED_LINE[:moves]))
    assert prose.board_text(board) == english(board)


def test_an_empty_waste_and_one_card() -> None:
    board = describe(Play.from_text("XLQA0E 8H/-/-/-/-/-/- - 5H"))
    assert prose.board_text(board) == english(board)
    assert "Stock: 1 card; waste: empty." in prose.board_text(board)


@pytest.mark.parametrize(
    ("text", "rules", "refused"),
    [
        ("7C/-/-/-/-/-/- QH -", EASY, "7 of clubs goes on a 6 or an 8"),
        ("AC/-/-/-/-/-/- QH 2H", EASY, "Ace of clubs goes on a 2 or a king"),
        ("AC/-/-/-/-/-/- QH 2H", CLASSIC, "Ace of clubs goes on a 2"),
        ("QC/-/-/-/-/-/- AH 2H", STRICT, "Queen of clubs goes on a jack"),
        (
            "7C/-/-/-/-/-/- QH 2H",
            RuleSet(jokers=1),
            "7 of clubs goes on a 6, an 8 or a joker",
        ),
    ],
)  # fmt: skip
def test_a_card_that_does_not_fit(text: str, rules: RuleSet, refused: str) -> None:
    assert why(Play.from_text(f"{rules.text} {text}"), "1").partition(";")[0] == refused


def test_a_covered_card_names_all_that_lies_on_it() -> None:
    play = Play(PUBLISHED.deal(), EASY)
    assert why(play, "1", 1) == (
        "6 of clubs is still covered by 5 of spades, queen of spades, 10 of spades and 6 of hearts."
    )


@pytest.mark.parametrize("kind", REFUSALS)
def test_every_refusal_has_words(kind: type[Refusal]) -> None:
    params = {
        "card": "6H", "column": 1, "row": 2, "by": ["7S"], "waste": "KC", "fits": [],
        "state": "won", "limit": 100, "plays": "1", "cards": ["6H"],
    }  # fmt: skip
    text = prose.refusal_text(kind(**params), EASY)
    assert text.endswith(".")
    assert "{" not in text
    with translation.override("fi"):
        assert "{" not in prose.refusal_text(kind(**params), EASY)
