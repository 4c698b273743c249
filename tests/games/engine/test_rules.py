import pickle
from itertools import product

import pytest

from games.engine import CLASSIC, EASY, NAMED, STRICT, RuleError, RuleSet, parse_card
from games.engine.rules import FIELDS
from tests.games.engine import reference

MIXES = [dict(zip(FIELDS, values, strict=True)) for values in product(*FIELDS.values())]
RANKS = "A23456789TJQK*"


def card(rank):
    return parse_card(rank if rank == "*" else rank + "H")


@pytest.mark.parametrize("fields", MIXES, ids=lambda fields: "-".join(map(str, fields.values())))
def test_all_pairs_of_ranks(fields):
    rules = RuleSet.from_fields(fields)
    table = rules.table()
    assert list(table) == [*RANKS, ""]
    for on in [*RANKS, None]:
        waste = None if on is None else card(on)
        wanted = [
            rank
            for rank in RANKS
            if reference.fits(rank, on, king_ace=fields["king_ace"], on_king=fields["on_king"])
        ]
        assert [rank for rank in RANKS if rules.fits(card(rank), waste)] == wanted
        assert table[on or ""] == "".join(wanted)
        named = [rank for rank in wanted if fields["jokers"] or rank != "*"]
        assert rules.ranks_on(waste) == "".join(named)


def test_the_rules_in_words():
    """Single statements of the rules page, so that the reference is not the only witness."""
    ace, two, seven, queen, king, joker = map(card, "A27QK*")
    assert (EASY.fits(ace, king), EASY.fits(king, ace)) == (True, True)
    assert (CLASSIC.fits(ace, king), CLASSIC.fits(king, ace)) == (False, False)
    assert (CLASSIC.fits(queen, king), CLASSIC.fits(two, ace)) == (True, True)
    assert CLASSIC.table()["K"] == "Q*"
    assert CLASSIC.table()["A"] == "2*"
    assert STRICT.table()["K"] == ""
    assert STRICT.fits(king, queen)
    linked_ace = RuleSet(on_king="ace", jokers=1)
    assert linked_ace.table()["K"] == "A"
    assert linked_ace.fits(king, ace)
    assert RuleSet(king_ace="apart", on_king="ace").table()["K"] == ""
    assert EASY.fits(joker, king)
    assert not STRICT.fits(joker, king)
    assert EASY.fits(seven, joker)
    assert STRICT.fits(king, joker)
    assert EASY.fits(seven, None)
    assert not EASY.fits(seven, seven)


def test_the_seventy_two_rule_sets_have_texts_of_their_own():
    texts = {}
    for fields in MIXES:
        rules = RuleSet.from_fields(fields)
        assert rules.fields() == fields
        assert RuleSet.parse(rules.text) == rules
        assert RuleSet.parse(rules.text.lower()) == rules
        texts[rules.text] = rules
    assert len(texts) == 72
    assert {text: rules for text, rules in texts.items() if len(text) == 1} == NAMED


def test_named_rule_sets_are_written_by_their_letter():
    assert NAMED == {"E": EASY, "C": CLASSIC, "S": STRICT}
    assert RuleSet.parse("N") == EASY
    assert RuleSet.parse("n").text == "E"
    spelled = {"XLQA0D": "E", "XAQA0D": "C", "XANW0D": "S", "XLQA1D": "XLQA1D"}
    assert {text: RuleSet.parse(text).text for text in spelled} == spelled
    assert RuleSet.from_fields({}) == EASY == RuleSet()


@pytest.mark.parametrize(
    "text",
    ["", "Q", "EE", "X", "XLQA1", "XLQA1DD", "XQQA1D", "XLQA3D", "ALQA1D", "XLQA1\u0130", "\u017f"],
)
def test_other_texts_are_refused(text):
    with pytest.raises(RuleError):
        RuleSet.parse(text)


@pytest.mark.parametrize(
    "fields",
    [
        {"jokers": 3},
        {"jokers": -1},
        {"jokers": True},
        {"jokers": 1.0},
        {"jokers": "1"},
        {"jokers": None},
        {"king_ace": "queen"},
        {"king_ace": []},
        {"draw": ""},
        {"kings": "queen"},
        {"masks": ()},
    ],
)
def test_other_fields_are_refused(fields):
    with pytest.raises(RuleError):
        RuleSet.from_fields(fields)


def test_a_rule_set_is_a_value():
    assert len({RuleSet(), EASY, RuleSet.parse("N")}) == 1
    assert pickle.loads(pickle.dumps(STRICT)) == STRICT
    with pytest.raises(AttributeError):
        EASY.jokers = 1
