"""What holds for the files of the project as a whole."""

import ast
import re
import sys
import tomllib

import pytest

from tests.harness.processes import ROOT

#: Built, cached or stored; never part of the project.
_NOT_OURS = {
    ".git", ".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    ".venv", "__pycache__", "bench-results", "data", "screenshots", "staticfiles",
}  # fmt: skip
#: Hosts of package registries; in pieces, so that this file does not name one.
_REGISTRIES = re.compile(
    rb"py(?:pi)\.(?:org|io)|python(?:hosted)\.org|registry\.npm(?:js)|npm(?:js)\.(?:com|org)"
    rb"|deb\.(?:debian)\.org|--(?:extra-)?index-(?:url)[ =]|crates\.(?:io)\b",
    re.IGNORECASE,
)


def files():
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and _NOT_OURS.isdisjoint(path.relative_to(ROOT).parts):
            yield path


def pins(name):
    """Return the locked packages of a list with their versions and their hashes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    entries = re.split(r"\n(?=\S)", text.replace("\\\n", " "))
    found = {}
    for entry in entries:
        line = entry.split("    # ")[0].strip()
        if line and not line.startswith("#"):
            requirement, *hashes = line.split(" --hash=sha256:")
            found[requirement.strip()] = [each.split()[0] for each in hashes]
    return found


def test_no_file_names_a_package_registry():
    naming = [
        str(path.relative_to(ROOT)) for path in files() if _REGISTRIES.search(path.read_bytes())
    ]
    assert naming == []


def test_a_registry_would_be_found():
    for text in ("https://py" + "pi.org/simple", "--index-" + "url x", "deb." + "debian.org"):
        assert _REGISTRIES.search(text.encode())


def test_every_test_that_the_documents_name_exists():
    named = {
        (name, path)
        for page in ("docs/decisions/attacks.md", "docs/running.md")
        for name in re.findall(r"`((?:tests/)?\w+/test_\w+\.py)`", (ROOT / page).read_text())
        for path in [ROOT / "tests" / name.removeprefix("tests/")]
    }
    assert len(named) > 20
    assert [name for name, path in named if not path.exists()] == []


class TestRequirements:
    @pytest.mark.parametrize("name", ["base", "dev"])
    def test_everything_is_pinned_with_hashes(self, name):
        locked = pins(name)
        assert len(locked) > 30
        for requirement, hashes in locked.items():
            assert re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z,-]+\])?==\S+( ; .+)?", requirement)
            assert hashes
            assert all(re.fullmatch(r"[0-9a-f]{64}", each) for each in hashes)

    def test_development_has_all_that_serving_has_in_the_same_version(self):
        def versions(name):
            return {re.sub(r"\[.*?\]| ;.*", "", requirement) for requirement in pins(name)}

        assert versions("base") - versions("dev") == set()

    @pytest.mark.parametrize("name", ["base", "dev"])
    def test_what_is_asked_for_is_locked(self, name):
        def normal(requirement):
            return re.split(r"[\[=<>! ;]", requirement)[0].lower().replace("_", "-")

        lines = (ROOT / "requirements" / f"{name}.in").read_text().splitlines()
        asked = {normal(line) for line in lines if line and not line.startswith(("#", "-r"))}
        assert asked - {normal(requirement) for requirement in pins(name)} == set()


class TestPurity:
    """The engine could be published alone: it needs Python and nothing else."""

    @pytest.mark.parametrize(
        ("pattern", "own", "also"),
        [
            ("games/engine/*.py", "games.engine", {"numpy"}),
            ("tournaments/scorecard/*.py", "tournaments.scorecard", set()),
        ],
    )
    def test_it_imports_the_standard_library_only(self, pattern, own, also):
        paths = sorted(ROOT.glob(pattern))
        assert paths
        foreign = {
            f"{path.name}: {module}"
            for path in paths
            for module in imports(path)
            if module.split(".")[0] not in sys.stdlib_module_names
            and not f"{module}.".startswith(f"{own}.")
            and not (module.split(".")[0] in also and path.name == "solver.py")
        }
        assert foreign == set()


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield node.module


class TestDocuments:
    def test_every_variable_is_documented_and_every_documented_one_is_read(self):
        settings = (ROOT / "golfsite" / "settings.py").read_text()
        read = set(re.findall(r"""env\.\w+\(\s*["'](\w+)["']""", settings))
        table = (ROOT / "docs" / "running.md").read_text().split("## Every variable")[1]
        assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == read

    def test_every_command_of_the_readme_exists(self):
        targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        text = (ROOT / "README.md").read_text()
        named = set(re.findall(r"^    make (\w+)|`make (\w+)", text, re.MULTILINE))
        commands = {command for pair in named for command in pair if command}
        assert {"serve", "test", "check"} <= commands
        assert commands - targets == set()

    def test_every_file_that_the_readme_links_to_exists(self):
        text = (ROOT / "README.md").read_text()
        links = re.findall(r"\]\(([^)#]+)\)", text)
        assert [link for link in links if not (ROOT / link).exists()] == []

    def test_the_readme_opens_with_the_board(self):
        assert "](docs/board.png)" in (ROOT / "README.md").read_text().split("\n## ")[0]


def test_the_oldest_python_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["requires-python"] == ">=3.11"
    assert project["tool"]["ruff"]["target-version"] == "py311"
    assert "(3, 11)" in (ROOT / "requirements" / "setup.sh").read_text()
    assert "--python-version 3.11" in (ROOT / "Makefile").read_text()
