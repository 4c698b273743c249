import json
from hashlib import shake_256
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import (
    EASY,
    JOKER,
    CodeError,
    Deal,
    DealError,
    GameCode,
    RuleSet,
    card_text,
    cards_text,
    parse_card,
    parse_cards,
)
from games.engine.deals import CHOSEN, START, _shuffle, _stream

VECTORS = Path(__file__).parent / "vectors"
PUBLISHED = json.loads((VECTORS / "published_deal.json").read_text())
PINNED = [json.loads(line) for line in (VECTORS / "pinned_codes.jsonl").read_text().splitlines()]

codes = st.builds(
    GameCode,
    st.just(1),
    st.sampled_from(["E", "C", "S", "XLQA1D", "XANW2E"]).map(RuleSet.parse),
    st.integers(0, 26**7 - 1),
) | st.builds(
    GameCode.secret,
    st.sampled_from(["E", "C", "S", "XLQA1D", "XANW2E"]).map(RuleSet.parse),
    st.integers(0, 2**128 - 1),
)


def laid_out(deal):
    """A deal as the vectors write it."""
    return {
        "columns": [cards_text(column) for column in deal.columns],
        "waste": None if deal.waste is None else card_text(deal.waste),
        "stock": cards_text(deal.stock),
    }


def test_the_published_deal():
    assert laid_out(GameCode.parse("GO1-E-AAAAAAB").deal()) == {
        key: PUBLISHED[key] for key in ("columns", "waste", "stock")
    }


@pytest.mark.parametrize("pinned", PINNED, ids=lambda pinned: pinned["code"])
def test_pinned_codes_deal_their_cards(pinned):
    code = GameCode.parse(pinned["code"])
    assert {"code": code.text, **laid_out(code.deal())} == pinned


def test_the_pinned_table_holds_twenty_codes_of_both_versions_and_with_jokers():
    assert len({pinned["code"] for pinned in PINNED}) == 20
    kinds = {
        (code.version, code.rules.jokers, code.rules.waste)
        for code in (GameCode.parse(pinned["code"]) for pinned in PINNED)
    }
    assert {kind[:2] for kind in kinds} == {(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)}
    assert {kind[2] for kind in kinds} == {"dealt", "empty"}


def ported(seed, jokers):
    """The shuffle once more, from its description alone."""
    cards = [card_text(card) for card in START] + ["*"] * jokers
    stream = list(shake_256(seed.encode("ascii")).digest(4096))
    for i in reversed(range(1, len(cards))):
        while stream[0] >= 256 - 256 % (i + 1):
            del stream[0]
        j = stream.pop(0) % (i + 1)
        cards[j], cards[i] = cards[i], cards[j]
    return cards


@given(codes)
def test_a_port_of_the_documented_shuffle_deals_the_same_cards(code):
    version, _, number = code.text.split("-")
    cards = ported(f"{version}-{number}-{code.rules.jokers}", code.rules.jokers)
    assert [card_text(card) for card in code.deal().cards()] == cards


def test_the_starting_order_is_a_deck_and_says_what_is_chosen():
    assert sorted(START) == list(range(52))
    drawn = PUBLISHED["stock"].split()
    assert [card_text(card) for card in CHOSEN] == drawn[1:]


@given(codes)
def test_codes_are_read_back_in_every_spelling(code):
    text = code.text
    for spelling in (
        text,
        text.lower(),
        text.replace("-", ""),
        f"  {text}\n",
        " ".join(text.replace("-", "")),
        text.replace("-", " \u00a0-\t"),
        text.replace("-", "", 1),
    ):
        assert GameCode.parse(spelling) == code


@given(codes)
def test_a_code_deals_a_whole_deck_under_its_rules(code):
    deal = code.deal()
    deal.check(code.rules)
    assert deal.jokers == code.rules.jokers
    assert len(deal.stock) == 16 + code.rules.jokers + (code.rules.waste == "empty")


@given(st.integers(0, 26**7 - 1))
def test_the_rules_change_no_card_but_jokers_do(number):
    deals = {
        text: GameCode(1, RuleSet.parse(text), number).deal()
        for text in ("E", "C", "S", "XLQA0E", "XLQA1D", "XANW1D")
    }
    assert deals["E"] == deals["C"] == deals["S"]
    assert deals["XLQA1D"] == deals["XANW1D"]
    assert deals["E"].columns != deals["XLQA1D"].columns
    empty = deals["XLQA0E"]
    assert (empty.columns, empty.waste) == (deals["E"].columns, None)
    assert empty.stock == (deals["E"].waste, *deals["E"].stock)
    assert empty.under(EASY) == deals["E"]
    assert deals["E"].under(EASY) is deals["E"]


GO2 = "GO2-E-" + "0" * 26


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("GO1", "length"),
        ("GO1-E", "length"),
        ("GO1-E-AAAAAA", "length"),
        ("GO1-E-AAAAAABB", "length"),
        ("GO1EAAAAAABB", "length"),
        ("GO1AAAAAAB", "length"),
        (GO2 + "0", "length"),
        (GO2[:-1], "length"),
        ("AAAAAAB", "prefix"),
        ("GO3-E-AAAAAAB", "prefix"),
        ("G01-E-AAAAAAB", "prefix"),
        ("GOLF", "prefix"),
        ("GO1--E-AAAAAAB", "hyphen"),
        ("GO1-E--AAAAAAB", "hyphen"),
        ("GO1-E-AAAAAAB-", "hyphen"),
        ("GO1-E-AAA-AAAB", "hyphen"),
        ("-GO1-E-AAAAAAB", "prefix"),
        ("GO-1-E-AAAAAAB", "prefix"),
        ("GO1-Q-AAAAAAB", "rules"),
        ("GO1-XLQA3D-AAAAAAB", "rules"),
        ("GO1-XLQA1-AAAAAAB", "rules"),
        ("GO1-E-AAAAAA0", "number"),
        ("GO2-E-8" + "0" * 25, "first"),
        ("GO2-E-" + "Z" * 26, "first"),
        ("GO2-E-" + "0" * 25 + "I", "number"),
        ("GO2-E-" + "0" * 25 + "l", "number"),
        ("GO2-E-" + "0" * 25 + "O", "number"),
        ("GO2-E-" + "0" * 25 + "u", "number"),
        ("GO1-\u017f-AAAAAAB", "character"),  # long s, which upper() turns into S
        ("GO1-E-AAAAAA\u0131", "character"),  # dotless i, which upper() turns into I
        ("GO1-\u0415-AAAAAAB", "character"),  # Cyrillic
        ("\uff27O1-E-AAAAAAB", "character"),  # full width
        ("GO\u0661-E-AAAAAAB", "character"),  # Arabic digit
        ("GO1\u2013E\u2013AAAAAAB", "character"),  # dash
        ("GO1-E-AAAAAAB\u200b", "character"),  # zero width space
        ("GO1_E_AAAAAAB", "character"),
        ("GO1-E-AAAAAA\u00df", "character"),
        ("\ud800", "character"),
    ],
)
def test_other_texts_are_refused_with_the_reason(text, reason):
    with pytest.raises(CodeError) as caught:
        GameCode.parse(text)
    assert caught.value.code == reason
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrong", ["I", "L", "O", "U"])
def test_look_alikes_in_a_secret_code_are_explained(wrong):
    with pytest.raises(CodeError, match="I and L may be a 1, O a 0, U a V"):
        GameCode.parse("GO2-E-" + "0" * 25 + wrong)


@given(st.text())
def test_any_text_is_a_code_or_a_code_error(text):
    try:
        code = GameCode.parse(text)
    except CodeError:
        return
    assert GameCode.parse(code.text) == code


def test_neither_messages_nor_representations_tell_a_secret():
    number = "7ZYXWVTSRQPNMKJHGFEDCBA987"
    code = GameCode.parse(f"GO2-E-{number}")
    assert repr(code) == "<GameCode GO2-E>"
    assert repr(code.deal()) == "<Deal: 35 cards in columns, 16 in the stock>"
    for typed in (f"GO2-{number}", f"GO2{number}", f"GO2-{number}-E", f"GO2-E-{number}0"):
        with pytest.raises(CodeError) as caught:
            GameCode.parse(typed)
        assert number[:5] not in str(caught.value)


def test_secret_codes():
    assert GameCode.secret(EASY, 0).text == GO2
    assert GameCode.secret(EASY, 2**128 - 1).text == "GO2-E-7" + "Z" * 25
    assert GameCode.secret(EASY, 2**128 - 1) == GameCode.parse("go2e7" + "z" * 25)
    for bits in (-1, 2**128):
        with pytest.raises(ValueError, match="out of range"):
            GameCode.secret(EASY, bits)
    with pytest.raises(ValueError, match="1 or 2"):
        GameCode(3, EASY, 0)


def test_no_card_is_favoured_at_any_place():
    """A chi-square of cards by places over fixed codes; five standard deviations are allowed."""
    deals = 4000
    table = [[0] * 52 for _ in range(52)]
    for number in range(deals):
        for place, card in enumerate(GameCode(1, EASY, number).deal().cards()):
            table[place][card] += 1
    expected = deals / 52
    chi = sum((seen - expected) ** 2 / expected for row in table for seen in row)
    degrees = 51 * 51
    assert abs(chi - degrees) < 5 * (2 * degrees) ** 0.5


def test_neighbours_in_the_starting_order_are_parted():
    """Consecutive places hold consecutive cards of the starting order once a deal, on average."""
    deals = 4000
    follows = {START[i]: START[i + 1] for i in range(51)}
    pairs = 0
    for number in range(deals):
        cards = GameCode(1, EASY, number).deal().cards()
        pairs += sum(follows.get(a) == b for a, b in pairwise(cards))
    assert abs(pairs - deals * 51 / 52) < 5 * deals**0.5


def test_bytes_that_would_favour_a_card_are_thrown_away(monkeypatch):
    """With three cards 255 is thrown away: it would make place 0 likelier."""
    monkeypatch.setattr("games.engine.deals._stream", lambda seed: iter([255, 1, 255, 0]))
    cards = [0, 1, 2]
    _shuffle(cards, b"")
    # 1 swaps places 2 and 1; 255 is odd and below 256, so places 1 and 1 are swapped.
    assert cards == [0, 2, 1]


def test_the_stream_has_no_end():
    stream = _stream(b"seed")
    assert bytes(next(stream) for _ in range(1000)) == shake_256(b"seed").digest(1000)


ACE = "AS/-/-/-/-/-/-"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AS/-/-/-/-/- AC -", "7 columns"),
        ("ASASASASASAS/-/-/-/-/-/- AC -", "more than 5"),
        (f"{ACE} AS -", "AS is there twice"),
        (f"{ACE} * **", "3 jokers"),
        (f"{ACE} AC", "single spaces"),
        (f"{ACE}  AC -", "single spaces"),
        (f"{ACE} AC 8", "not a card"),
        (f"{ACE} ACAD -", "not a card"),
        (f"{ACE} as -", "not a card"),
        ("//////" + " AC -", "written -"),
        ("", "single spaces"),
    ],
)
def test_other_deals_are_refused(text, message):
    with pytest.raises(DealError, match=message):
        Deal.parse(text)


def test_integers_that_are_no_cards_make_no_deal():
    with pytest.raises(DealError, match="0 to 52"):
        Deal(((53,), (), (), (), (), (), ()), None, ())


@given(codes)
def test_a_deal_is_read_back_from_its_text(code):
    assert Deal.parse(code.deal().text) == code.deal()


def test_check_wants_the_whole_start_of_a_game():
    deal = GameCode.parse("GO1-E-AAAAAAB").deal()
    deal.check(EASY)
    short = Deal((deal.columns[0][:4], *deal.columns[1:]), deal.waste, deal.stock)
    cases = [
        (short, EASY, "column 1 has 4 cards"),
        (Deal(deal.columns, None, deal.stock), EASY, "waste card is missing"),
        (deal, RuleSet(waste="empty"), "waste starts empty"),
        (Deal(deal.columns, deal.waste, deal.stock[1:]), EASY, "8S is missing"),
        (Deal(deal.columns, deal.waste, deal.stock[2:]), EASY, "missing and 1 more"),
        (deal, RuleSet(jokers=1), "0 jokers, not 1"),
        (Deal(deal.columns, deal.waste, (*deal.stock, JOKER)), EASY, "1 jokers, not 0"),
    ]
    for wrong, rules, message in cases:
        with pytest.raises(DealError, match=message):
            wrong.check(rules)
    with pytest.raises(DealError, match="missing"):
        Deal(deal.columns, None, ()).under(EASY)
    assert parse_cards("AS") == (parse_card("AS"),)
