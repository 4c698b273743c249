"""Catalogues: every way in which one can be wrong is caught, on a project of a few files."""

import gettext
import subprocess
import sys

import polib
import pytest
from django.core.management import CommandError, call_command

from golfsite.translations import Plurals, catalogue_path, check_catalogue, check_template, extract
from tests.harness.processes import ROOT

TEMPLATE = """{% load i18n %}
<h1>{% translate "Leaderboard" %}</h1>
<p>{% blocktranslate count n=strokes trimmed %}
  {{ n }} stroke
{% plural %}
  {{ n }} strokes
{% endblocktranslate %}</p>
<p>{% blocktranslate with name=player.name %}Well played, {{ name }}!{% endblocktranslate %}</p>
{# Translators: the card that lies face up #}
<p>{% translate "waste" context "cards" %}</p>
"""
CODE = """from django.utils.translation import gettext as _, gettext_lazy, ngettext
a = _("No card is left.")
b = gettext_lazy("Hole %(number)s of {count}")
c = ngettext("one hole", "%d holes", 9)
"""
RUSSIAN = {
    "Leaderboard": "Таблица",
    "Well played, %(name)s!": "Отлично, %(name)s!",
    "waste": "отбой",
    "No card is left.": "Карт больше нет.",
    "Hole %(number)s of {count}": "Лунка %(number)s из {count}",
}
RUSSIAN_PLURALS = {
    "%(n)s stroke": ["%(n)s удар", "%(n)s удара", "%(n)s ударов"],
    "one hole": ["%d лунка", "%d лунки", "%d лунок"],
}


@pytest.fixture
def project(tmp_path, settings):
    """A project with a template and a module, and a complete Russian catalogue."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "board.html").write_text(TEMPLATE)
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "texts.py").write_text(CODE)
    settings.BASE_DIR = tmp_path
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    settings.LANGUAGES = [("en", "English"), ("ru", "Russian")]
    call_command("translations", "--update")
    catalogue = polib.pofile(str(po(tmp_path)))
    for entry in catalogue:
        if entry.msgid_plural:
            entry.msgstr_plural = dict(enumerate(RUSSIAN_PLURALS[entry.msgid]))
        else:
            entry.msgstr = RUSSIAN[entry.msgid]
    catalogue.save()
    call_command("translations", "--compile")
    return tmp_path


def po(project):
    return catalogue_path(project / "locale", "ru")


def problems(project):
    return list(check_catalogue(po(project), "ru", extract(project, ["templates", "games"])))


def change(project, msgid, **attributes):
    """Change one entry of the catalogue by hand and compile it."""
    catalogue = polib.pofile(str(po(project)))
    entry = catalogue.find(msgid)
    for name, value in attributes.items():
        setattr(entry, name, value)
    catalogue.save()
    call_command("translations", "--compile")


class TestExtract:
    def test_texts_of_templates_and_code(self, project):
        texts = extract(project, ["templates", "games"])
        assert {(text.context, text.singular, text.plural) for text in texts.values()} == {
            (None, "Leaderboard", None),
            (None, "%(n)s stroke", "%(n)s strokes"),
            (None, "Well played, %(name)s!", None),
            ("cards", "waste", None),
            (None, "No card is left.", None),
            (None, "Hole %(number)s of {count}", None),
            (None, "one hole", "%d holes"),
        }
        waste = texts["cards", "waste"]
        assert waste.comments == ["Translators: the card that lies face up"]
        assert waste.files == {"templates/board.html"}

    def test_migrations_hold_no_texts(self, project):
        (project / "games" / "migrations").mkdir()
        (project / "games" / "migrations" / "one.py").write_text("_('old')")
        assert ("", "old") not in extract(project, ["games"])


class TestUpdate:
    def test_a_complete_catalogue_is_left_as_it_is(self, project):
        before = po(project).read_bytes()
        call_command("translations", "--update")
        assert po(project).read_bytes() == before

    def test_new_texts_are_added_empty_and_old_ones_dropped(self, project):
        (project / "games" / "texts.py").write_text("a = _('A new hole')")
        call_command("translations", "--update")
        catalogue = polib.pofile(str(po(project)))
        assert [entry.msgid for entry in catalogue] == [
            "%(n)s stroke",
            "A new hole",
            "Leaderboard",
            "Well played, %(name)s!",
            "waste",
        ]
        assert catalogue.find("A new hole").msgstr == ""
        assert catalogue.find("Leaderboard").msgstr == "Таблица"
        assert catalogue.obsolete_entries() == []

    def test_translators_comments_are_kept(self, project):
        change(project, "Leaderboard", tcomment="A table of places.")
        call_command("translations", "--update")
        assert polib.pofile(str(po(project))).find("Leaderboard").tcomment == "A table of places."

    def test_a_line_more_above_a_text_changes_nothing(self, project):
        before = po(project).read_bytes()
        (project / "games" / "texts.py").write_text("\n\n" + CODE)
        call_command("translations", "--update")
        assert po(project).read_bytes() == before

    @pytest.mark.parametrize(("language", "forms"), [("bg", 2), ("fi", 2), ("ar", 6), ("ru", 3)])
    def test_each_language_gets_its_plural_forms(self, project, settings, language, forms):
        settings.LANGUAGES = [("en", "English"), (language, language)]
        call_command("translations", "--update")
        catalogue = polib.pofile(str(catalogue_path(project / "locale", language)))
        assert catalogue.metadata["Plural-Forms"] == Plurals.of(language).header
        assert sorted(catalogue.find("one hole").msgstr_plural) == list(range(forms))


class TestCheck:
    def test_a_complete_catalogue_passes(self, project):
        assert problems(project) == []
        call_command("translations", "--check")

    def test_a_text_that_is_missing(self, project):
        (project / "games" / "texts.py").write_text(CODE + "d = _('A new hole')")
        assert problems(project) == ["missing: 'A new hole'"]

    def test_a_text_that_is_gone(self, project):
        (project / "games" / "texts.py").write_text(CODE.replace("No card is left.", ""))
        assert problems(project) == ["obsolete: 'No card is left.'"]

    def test_an_entry_marked_obsolete(self, project):
        change(project, "Leaderboard", obsolete=True)
        assert problems(project) == ["missing: 'Leaderboard'", "obsolete: 'Leaderboard'"]

    def test_an_empty_translation(self, project):
        change(project, "Leaderboard", msgstr=" ")
        assert problems(project) == ["empty: 'Leaderboard'"]

    def test_a_fuzzy_translation(self, project):
        change(project, "Leaderboard", flags=["fuzzy"])
        assert problems(project) == ["fuzzy: 'Leaderboard'"]

    @pytest.mark.parametrize(
        ("msgid", "msgstr"),
        [
            ("Well played, %(name)s!", "Отлично!"),
            ("Well played, %(name)s!", "Отлично, %(имя)s!"),
            ("Hole %(number)s of {count}", "Лунка %(number)s из count"),
            ("Hole %(number)s of {count}", "Лунка %s из {count}"),
            ("No card is left.", "Карт больше нет, %s."),
        ],
    )
    def test_other_placeholders(self, project, msgid, msgstr):
        change(project, msgid, msgstr=msgstr)
        assert problems(project) == [f"other placeholders than the source: {msgid!r}"]

    def test_a_named_placeholder_may_stand_twice(self, project):
        change(project, "Well played, %(name)s!", msgstr="%(name)s, отлично, %(name)s!")
        assert problems(project) == []

    def test_two_plural_forms_where_there_are_three(self, project):
        change(project, "one hole", msgstr_plural={0: "%d лунка", 1: "%d лунки"})
        assert problems(project) == ["2 plural forms instead of 3: 'one hole'"]

    def test_an_empty_plural_form(self, project):
        change(project, "one hole", msgstr_plural={0: "%d лунка", 1: "%d лунки", 2: ""})
        assert problems(project) == ["plural form 2 empty: 'one hole'"]

    def test_a_form_for_many_numbers_names_the_number(self, project):
        # In Russian the first form is also that of 21 and 31.
        change(project, "one hole", msgstr_plural={0: "лунка", 1: "%d лунки", 2: "%d лунок"})
        assert problems(project) == [
            "plural form 0 with other placeholders than the source: 'one hole'"
        ]

    def test_a_form_for_one_number_may_leave_it_out(self):
        singles = {
            language: [
                form
                for form in range(Plurals.of(language).forms)
                if Plurals.of(language).stands_for_one_number(form)
            ]
            for language in ("bg", "fi", "ar", "ru")
        }
        assert singles == {"bg": [0], "fi": [0], "ar": [0, 1, 2], "ru": []}

    def test_another_plural_than_the_source(self, project):
        change(project, "one hole", msgid_plural="%d deals")
        assert problems(project) == ["another plural in the source: 'one hole'"]

    def test_a_wrong_header(self, project):
        catalogue = polib.pofile(str(po(project)))
        catalogue.metadata["Plural-Forms"] = "nplurals=2; plural=(n != 1);"
        catalogue.save()
        call_command("translations", "--compile")
        assert problems(project) == [f"the header must say Plural-Forms: {Plurals.of('ru').header}"]

    def test_a_compiled_catalogue_that_is_out_of_date(self, project):
        catalogue = polib.pofile(str(po(project)))
        catalogue.find("Leaderboard").msgstr = "Места"
        catalogue.save()
        assert problems(project) == ["django.mo is out of date"]
        po(project).with_suffix(".mo").unlink()
        assert problems(project) == ["django.mo is out of date"]

    def test_a_language_without_a_catalogue(self, project, settings):
        settings.LANGUAGES = [("en", "English"), ("fi", "Finnish")]
        with pytest.raises(CommandError, match=r"^1 texts"):
            call_command("translations", "--check")

    def test_the_command_names_the_files(self, project, capsys):
        (project / "templates" / "bare.html").write_text("<p>Your card</p>")
        change(project, "Leaderboard", msgstr="")
        with pytest.raises(CommandError, match=r"^2 texts"):
            call_command("translations", "--check")
        assert capsys.readouterr().err.splitlines() == [
            "templates/bare.html: line 1: not translated: 'Your card'",
            "locale/ru/LC_MESSAGES/django.po: empty: 'Leaderboard'",
        ]

    def test_without_the_tools_it_says_what_to_do(self, project, monkeypatch):
        monkeypatch.setitem(sys.modules, "polib", None)
        with pytest.raises(CommandError, match=r"make setup$"):
            call_command("translations", "--check")


def test_what_is_compiled_is_what_gettext_reads(project):
    with po(project).with_suffix(".mo").open("rb") as compiled:
        catalogue = gettext.GNUTranslations(compiled)
    assert catalogue.gettext("Leaderboard") == "Таблица"
    assert [catalogue.ngettext("one hole", "%d holes", n) % n for n in (1, 2, 5, 21)] == [
        "1 лунка",
        "2 лунки",
        "5 лунок",
        "21 лунка",
    ]


class TestTemplates:
    def found(self, tmp_path, source):
        path = tmp_path / "page.html"
        path.write_text(source)
        return list(check_template(path))

    @pytest.mark.parametrize(
        ("source", "text"),
        [
            ("<p>Your card</p>", "Your card"),
            ("<p>{% translate 'Hole' %} of nine</p>", "of nine"),
            ("<title>{% block title %}Golf{% endblock %}</title>", "Golf"),
            ('<a title="Next hole" href="/">{{ name }}</a>', "Next hole"),
            ('<img src="a.svg" alt="A card">', "A card"),
            ('<input placeholder="Your name">', "Your name"),
            ('<input type="submit" value="Play">', "Play"),
            ('<meta name="description" content="A game">', "A game"),
            ('<div aria-label="Column {{ n }}"></div>', "Column"),
            ("{% if a %}yes{% endif %}", "yes"),
            ("<p>Карты</p>", "Карты"),
        ],
    )
    def test_visible_text_outside_of_a_translation(self, tmp_path, source, text):
        assert self.found(tmp_path, source) == [f"line 1: not translated: {text!r}"]

    @pytest.mark.parametrize(
        "source",
        [
            "<p>{% translate 'Your card' %}</p>",
            "{% blocktranslate %}Your {{ card }} here{% endblocktranslate %}",
            "{% blocktranslate count n=n %}a{% plural %}b{% endblocktranslate %}",
            '<div class="{% if a %}wide{% endif %}" data-state="x">{{ n }} · 7 / 9</div>',
            '<p aria-label="{% translate "Main" %}"></p>',
            "{% comment %}What this is for{% endcomment %}{# and this #}<!-- and this -->",
            "<script>let a = 1</script><style>a { color: red }</style>",
            '<kbd>u</kbd><span translate="no">GO1 <b>code</b></span>',
            "{% block body_class %}playing{% endblock %}",
            '<input type="hidden" value="next">',
            "&nbsp;&middot;&times;",
        ],
    )
    def test_what_needs_no_translation(self, tmp_path, source):
        assert self.found(tmp_path, source) == []

    def test_the_line_is_named(self, tmp_path):
        source = "{% comment %}\nlong\n{% endcomment %}\n<p\n>\n{% if a %}\n</p>\n<b>here</b>"
        assert self.found(tmp_path, source) == ["line 8: not translated: 'here'"]

    def test_text_after_a_marked_element_counts_again(self, tmp_path):
        source = '<p translate="no">GO1</p><p>code</p>'
        assert self.found(tmp_path, source) == ["line 1: not translated: 'code'"]


def test_the_tools_are_asked_for_only_when_needed():
    # Serving needs neither, so importing the module must not.
    code = "import sys; sys.modules.update(babel=None, polib=None); import golfsite.translations"
    outcome = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert outcome.returncode == 0
