import pytest

from games.engine import (
    JOKER,
    RANKS,
    SUITS,
    CardError,
    card_text,
    cards_text,
    parse_card,
    parse_cards,
    rank,
    suit,
)


def test_every_card_has_its_text_its_rank_and_its_suit():
    texts = [card_text(card) for card in range(52)]
    assert texts == [r + s for r in "A23456789TJQK" for s in "SHDC"]
    assert [parse_card(text) for text in texts] == list(range(52))
    assert [RANKS[rank(card)] + SUITS[suit(card)] for card in range(52)] == texts


def test_the_joker():
    assert (JOKER, card_text(JOKER), parse_card("*"), rank(JOKER)) == (52, "*", 52, 13)
    with pytest.raises(CardError):
        suit(JOKER)


@pytest.mark.parametrize("text", ["", "A", "1S", "10H", "as", "AS ", "SA", "**", "A\u017f", "XX"])
def test_other_texts_are_refused(text):
    with pytest.raises(CardError):
        parse_card(text)


@pytest.mark.parametrize("card", [-1, 53, 56])
def test_other_integers_have_no_text(card):
    with pytest.raises(CardError):
        card_text(card)


def test_piles():
    assert parse_cards(" 6C  5S\t* ") == (parse_card("6C"), parse_card("5S"), JOKER)
    assert parse_cards("") == ()
    assert cards_text(parse_cards("TH * KC")) == "TH * KC"
