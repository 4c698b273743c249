"""Which names a list can show, and which are one name to whoever reads it."""

import doctest
import subprocess
import sys
import unicodedata
from functools import cache

import pytest

from games import names
from games.names import BadName, check, readings, skeleton
from tests.harness.processes import ROOT

PEOPLE = [
    "Zoë", "Aino Mäkinen", "Борис Иванов", "محمد الفاسي", "李明", "Σοφία Παππά", "Հայկ", "გიორგი",
    "이준호", "さくら", "हिन्दी", "Анна-Мария", "О'Нил", "O'Neil-Σ", "Ali 2", "Дарья2", "ليلى ٣",
    "🏌 Иван", "Нурсұлтан", "Ђорђе", "Їжак", "Müller", "Đặng", "José María", "ǅemal", "Иван (Ivan)",
    "A",
]  # fmt: skip


@cache
def characters() -> list[str]:
    """Every character that Unicode has given out."""
    return [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(character) not in {"Cs", "Cn", "Co"}
    ]


def test_the_examples_of_the_docstrings() -> None:
    tried = doctest.testmod(names)
    assert (tried.failed, tried.attempted > 0) == (0, True)


class TestCheck:
    @pytest.mark.parametrize("name", PEOPLE)
    def test_lets_people_have_their_names(self, name: str) -> None:
        check(name)

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("Bоris", "mixed_scripts"),  # a Cyrillic о
            ("Iванов", "mixed_scripts"),  # a Latin I
            ("Aino Mäkinеn", "mixed_scripts"),  # a Cyrillic е in the second word
            ("Αino", "mixed_scripts"),  # a Greek Α
            ("Σофия", "mixed_scripts"),
            ("Ｂоris", "mixed_scripts"),  # full-width does not hide it
            ("Maрio9", "mixed_scripts"),
            ("e\u0301\u0435", "mixed_scripts"),
            ("A\u202eb", "characters"),
            ("A\u200bb", "characters"),
            ("\u3164", "characters"),
            ("A\nb", "characters"),
            ("\u200d", "empty"),
            ("\u0301", "empty"),
            ("", "empty"),
        ],
    )
    def test_says_what_is_wrong(self, name: str, code: str) -> None:
        with pytest.raises(BadName) as refused:
            check(name)
        assert refused.value.code == code


class TestSkeleton:
    @pytest.mark.parametrize(
        ("name", "other"),
        [
            ("AINO", "aino"),
            ("Straße", "STRASSE"),
            ("İpek", "ipek"),
            ("ΣΟΦΙΑΣ", "σοφιας"),
            ("БОРИС", "Борис"),
            # Letters of another alphabet, alone and by the word.
            ("pаypаl", "paypal"),
            ("раура1", "paypal"),
            ("сосо", "coco"),
            ("ΑΝΝΑ\N{GREEK CAPITAL LETTER ALPHA}", "ΑΝΝΑΑ"),
            ("αlice", "alice"),
            ("ραρα", "papa"),
            # In capitals they have one shape, in small letters they do not.
            ("ВОВ", "BOB"),
            ("НАТА", "HATA"),
            ("ТОМ", "TOM"),
            ("ΤΟΜ", "TOM"),
            ("КАТЯ", "катя"),
            # Digits and letters.
            ("c00l", "cool"),
            ("pete1", "petel"),
            ("علي ٣", "علي 3"),
            ("علي ۳", "علي 3"),
            ("rnax", "max"),
            # Arabic letters of one shape, and a word that was drawn out.
            ("علی", "علي"),
            ("کريم", "كريم"),
            ("محـــمد", "محمد"),
            # Width, composition, what nobody sees, and spaces.
            ("Ａｉｎｏ", "aino"),
            ("Zoe\u0308", "Zoë"),
            ("a\u0323\u0307", "a\u0307\u0323"),
            ("Ai\u00adno", "Aino"),
            ("Ai\u200d\u200cno\ufe0f", "Aino"),
            ("ﬁona", "fiona"),
            ("  Aino\u00a0 Mäkinen ", "aino mäkinen"),
            ("O’Neil", "O'Neil"),
            ("Anna‐Maria", "Anna-Maria"),
        ],
    )
    def test_is_one_for_what_looks_alike(self, name: str, other: str) -> None:
        assert skeleton(name) == skeleton(other)

    @pytest.mark.parametrize(
        ("name", "other"),
        [
            ("Zoë", "Zoe"),
            ("Mäkinen", "Makinen"),
            ("Eila", "Ella"),
            ("Mila", "Miia"),
            ("Anna", "Avva"),
            ("Анна", "Инна"),
            ("Дарья", "Марья"),
            ("Семён", "Семен"),
            ("علي", "عالي"),
            ("محمد", "محمود"),
            ("李明", "李朋"),
            ("Aino M", "AinoM"),
            ("ann1", "ann2"),
        ],
    )
    def test_is_another_for_another_name(self, name: str, other: str) -> None:
        assert skeleton(name) != skeleton(other)

    def test_tells_people_apart(self) -> None:
        assert len({skeleton(name) for name in PEOPLE}) == len(PEOPLE)

    def test_knows_no_case_whatever_the_letter(self) -> None:
        differs = [
            letter
            for letter in characters()
            for form in {letter.upper(), letter.lower(), letter.casefold()} - {letter}
            if skeleton(form) != skeleton(letter)
        ]
        assert differs == []

    def test_is_its_own_skeleton(self) -> None:
        keys = {skeleton(character) for character in characters()}
        assert {skeleton(key) for key in keys} == keys

    def test_covers_unicodes_table(self) -> None:
        """Every small letter or sign that the table has counts as what it looks like there."""
        table = names._prototypes()
        assert len(table) > 2500
        by_capital = {"η", "ƞ", "β", "ꞵ", "ϐ"}  # rather as Η and Β
        missed = {
            shape
            for shape, prototype in ((chr(code), text) for code, text in table.items())
            if unicodedata.normalize("NFKD", shape) == shape.casefold() == shape
            and prototype == prototype.casefold() == unicodedata.normalize("NFKD", prototype)
            and not any(character.isdecimal() for character in shape + prototype)
            and skeleton(shape) != skeleton(prototype)
        }
        assert {shape for shape in missed if shape.isalpha()} - by_capital == set()


class TestReadings:
    @pytest.mark.parametrize(
        ("name", "victim"),
        [
            ("paypaI", "paypal"),  # a capital I for a small L
            ("AIice", "alice"),
            ("ΝΙΝΑ", "Nina"),  # in Greek capitals
            ("ΥΥΕΤΤΕ", "yyette"),
            ("AINO", "aino"),
        ],
    )
    def test_hold_what_a_name_pretends_to_be(self, name: str, victim: str) -> None:
        assert skeleton(victim) in readings(name)

    @pytest.mark.parametrize(
        ("name", "other"), [("Ella", "Eila"), ("Ilia", "Lilia"), ("Miia", "Mila"), ("Ida", "Ada")]
    )
    def test_hold_no_other_name(self, name: str, other: str) -> None:
        assert skeleton(other) not in readings(name)

    def test_of_a_name_in_small_letters_there_is_one(self) -> None:
        assert readings("aino mäkinen") == {skeleton("aino mäkinen")}


def test_the_table_waits_until_names_are_compared() -> None:
    """A server starts without it, and it costs less than 10 MB."""
    code = (
        "import tracemalloc; tracemalloc.start(); from games import names;"
        "before = tracemalloc.get_traced_memory()[0]; names.check('Aino');"
        "assert names._tables.cache_info().currsize == 0;"
        "names.skeleton('Aino'); kept, peak = tracemalloc.get_traced_memory();"
        "assert kept - before < 3_000_000 and peak - before < 10_000_000, (before, kept, peak)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
