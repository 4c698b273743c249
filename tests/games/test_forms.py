"""Names, codes and rule sets as people type them."""

import pytest

from games.engine import CodeError, GameCode, RuleSet
from games.forms import CODE_ERRORS, GuestForm, PracticeForm


def name_errors(name: str) -> list[str]:
    form = GuestForm({"name": name})
    form.is_valid()
    return [str(error) for error in form.errors.get("name", [])]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Aino", "Aino"),
        ("  Aino  ", "Aino"),
        ("A", "A"),
        ("x" * 30, "x" * 30),
        ("Élodie O'Neil-Σ", "Élodie O'Neil-Σ"),
        ("محمد", "محمد"),
        ("🏌 Иван", "🏌 Иван"),
        ("<b>&", "<b>&"),
        ("E\u0301va", "\u00c9va"),  # one spelling of one name
    ],
)
def test_a_name_is_trimmed_and_otherwise_kept(typed: str, kept: str) -> None:
    form = GuestForm({"name": typed})
    assert form.is_valid()
    assert form.cleaned_data == {"name": kept}


@pytest.mark.parametrize("name", ["", "   ", "\u3000"])
def test_a_name_is_needed(name: str) -> None:
    assert name_errors(name) == ["Please choose a name."]


def test_a_name_has_at_most_thirty_characters() -> None:
    assert name_errors("x" * 31) == ["A name has at most 30 characters."]


@pytest.mark.parametrize(
    "mark",
    [
        *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
        *"\x07\x1b\x7f\x85\n\u2028\ue000",
        *"\u200b\u2060\ufeff\u3164\u2800",
    ],
)
def test_a_name_disguises_nothing(mark: str) -> None:
    assert name_errors(f"A{mark}b") == [
        "Please leave out control characters and marks that turn the direction of text."
    ]


def test_a_word_of_a_name_is_of_one_alphabet() -> None:
    form = GuestForm({"name": "Bоris"})  # a Cyrillic о
    assert not form.is_valid()
    (error,) = form.errors.as_data()["name"]
    assert error.code == "mixed_scripts"
    assert error.messages == ["Please write each word with the letters of one alphabet."]


@pytest.mark.parametrize("name", ["\u200d", "\u0301", "\u200c\u200d"])
def test_a_name_can_be_seen(name: str) -> None:
    assert name_errors(name) == ["A name needs a letter or a digit."]


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("", "empty"),
        ("GO1-E-ÄAAAAAB", "character"),
        ("GO3-E-AAAAAAB", "prefix"),
        ("GO1-E-AAA-AAAB", "hyphen"),
        ("GO1-Q-AAAAAAB", "rules"),
        ("GO1-E-AAAB", "length"),
        ("GO1-E-AAAAAA1", "number"),
        ("GO2-E-8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "first"),
    ],
)
def test_a_wrong_code_is_told_why(typed: str, code: str) -> None:
    with pytest.raises(CodeError) as raised:
        GameCode.parse(typed)
    assert raised.value.code == code
    form = PracticeForm({"rule_set": "code", "code": typed})
    assert not form.is_valid()
    assert form.errors == {"code": [str(CODE_ERRORS[code])]}
    assert form.errors.as_data()["code"][0].code == code


def test_every_spelling_of_a_code_is_taken() -> None:
    form = PracticeForm({"rule_set": "code", "code": " go1 e aaaaaab "})
    assert form.is_valid()
    assert form.cleaned_data["deal_code"] == GameCode.parse("GO1-E-AAAAAAB")


@pytest.mark.parametrize("letter", ["E", "C", "S"])
def test_a_named_rule_set(letter: str) -> None:
    form = PracticeForm({"rule_set": letter, "code": "ignored"})
    assert form.is_valid()
    assert form.cleaned_data["rules"] == RuleSet.parse(letter)
    assert "deal_code" not in form.cleaned_data


def test_rules_of_ones_own() -> None:
    form = PracticeForm(
        {
            "rule_set": "custom",
            "king_ace": "linked",
            "on_king": "ace",
            "draw": "when_stuck",
            "jokers": "2",
            "waste": "empty",
        }
    )
    assert form.is_valid()
    assert form.cleaned_data["rules"] == RuleSet("linked", "ace", "when_stuck", 2, "empty")


def test_rules_of_ones_own_are_easy_where_nothing_is_chosen() -> None:
    form = PracticeForm({"rule_set": "custom", "jokers": "1"})
    assert form.is_valid()
    assert form.cleaned_data["rules"] == RuleSet(jokers=1)


@pytest.mark.parametrize("fields", [{}, {"rule_set": "X"}, {"rule_set": "custom", "jokers": "3"}])
def test_what_no_form_offers_is_refused(fields: dict[str, str]) -> None:
    assert not PracticeForm(fields).is_valid()
