"""requirements/setup.sh: .venv is built when it must be, and only then.

The lists here ask for nothing, so that no registry is needed.
"""

import os
import shutil
import subprocess
import sys

import pytest

from tests.harness.environment import clean_environment
from tests.harness.processes import ROOT

BUILDING = f"Building .venv with Python {sys.version_info[0]}.{sys.version_info[1]}"


def new_project(folder):
    lists = folder / "requirements"
    lists.mkdir()
    for name in ("setup.sh", "build_venv.py"):
        shutil.copy(ROOT / "requirements" / name, lists)
    (lists / "base.txt").write_text("# nothing to serve\n")
    (lists / "dev.txt").write_text("# nothing to develop\n")
    return folder


@pytest.fixture
def project(tmp_path):
    """A folder with the two scripts and two empty lists, but no .venv."""
    return new_project(tmp_path)


@pytest.fixture(scope="module")
def once_built(tmp_path_factory):
    folder = new_project(tmp_path_factory.mktemp("built"))
    assert builds(folder, "base")
    return folder


@pytest.fixture
def built(once_built, tmp_path):
    """A copy of a folder in which the base list has been installed."""
    return shutil.copytree(once_built, tmp_path / "copy", symlinks=True)


def setup(project, wanted, **variables):
    """Run it with the Python of this run (or PYTHON); return status, output and errors."""
    outcome = subprocess.run(
        ["requirements/setup.sh", wanted],
        cwd=project,
        env=clean_environment(**({"PYTHON": sys.executable} | variables)),
        capture_output=True,
        text=True,
        check=False,
    )
    return outcome.returncode, outcome.stdout, outcome.stderr


def builds(project, wanted):
    """Return whether it had to build."""
    status, output, errors = setup(project, wanted)
    assert (status, errors) == (0, "")
    assert output in {"", f"{BUILDING}; this takes a minute, once.\n"}
    return output != ""


def kept(project):
    """Return whether a file put into .venv by `mark` is still there: it was not built anew."""
    return (project / ".venv" / "mark").exists()


def mark(project):
    (project / ".venv" / "mark").touch()


class TestBuild:
    def test_it_is_built_once(self, built):
        assert (built / ".venv" / "bin" / "python").exists()
        assert not builds(built, "base")

    def test_development_comes_on_top_and_serving_needs_no_more(self, built):
        mark(built)
        assert builds(built, "dev")
        assert kept(built)
        assert not builds(built, "base")
        assert not builds(built, "dev")

    def test_a_changed_list_builds_anew(self, built):
        mark(built)
        (built / "requirements" / "base.txt").write_text("# still nothing\n")
        assert builds(built, "base")
        assert not kept(built)

    def test_a_newer_date_alone_does_not(self, built):
        os.utime(built / "requirements" / "base.txt")
        assert not builds(built, "base")

    def test_an_interrupted_build_counts_as_none(self, built):
        mark(built)
        (built / ".venv" / "installed-base.txt").unlink()
        assert builds(built, "base")
        assert not kept(built)

    def test_a_python_that_is_gone_is_replaced(self, built):
        for python in (built / ".venv" / "bin").glob("python*"):
            python.unlink()
        assert builds(built, "base")
        assert not builds(built, "base")

    def test_two_at_once_build_one(self, project):
        both = [
            subprocess.Popen(
                ["requirements/setup.sh", "base"],
                cwd=project,
                env=clean_environment(PYTHON=sys.executable),
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        said = [process.communicate()[0] for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert sorted(map(bool, said)) == [False, True]
        assert not builds(project, "base")

    def test_packages_that_cannot_be_had_are_reported_and_not_taken_for_installed(self, built):
        (built / "requirements" / "dev.txt").write_text("./no-such-package\n")
        status, _, errors = setup(built, "dev")
        assert status == 1
        assert errors.splitlines()[-1].startswith("The packages could not be installed: ")
        assert list((built / ".venv").glob("installed-*")) == []


class TestPython:
    def fake(self, project, name, said, status=1):
        path = project / name
        path.write_text(f"#!/bin/sh\nprintf '{said}' >&2\nexit {status}\n")
        path.chmod(0o755)
        return str(path)

    def test_one_that_is_not_there(self, project):
        assert setup(project, "base", PYTHON="python9.9") == (
            1,
            "",
            "Golf needs Python 3.11 or newer with venv: there is no python9.9.\n",
        )

    def test_one_that_is_too_old_or_lacks_venv_says_so_in_one_line(self, project):
        for said in ("is Python 3.8", "has no venv module (Debian: install python3-venv)"):
            python = self.fake(project, "python", said)
            assert setup(project, "base", PYTHON=python) == (
                1,
                "",
                f"Golf needs Python 3.11 or newer with venv: {python} {said}.\n",
            )

    def test_what_a_version_manager_says_at_length_is_cut_to_a_line(self, project):
        python = self.fake(project, "python", "no such command\\n\\nIt exists in\\n  3.13.0\\n")
        assert setup(project, "base", PYTHON=python) == (
            1,
            "",
            f"Golf needs Python 3.11 or newer with venv: {python} no such command.\n",
        )

    def test_the_first_that_will_do_is_found(self, project):
        found = project / "bin"
        found.mkdir()
        self.fake(project, "bin/python3.13", "no such command")
        self.fake(project, "bin/python3.12", "has no venv module")
        (found / "python3.11").symlink_to(sys.executable)
        status, output, _ = setup(
            project, "base", PYTHON="", PATH=f"{found}:/usr/bin:/bin", PYTHONHOME=sys.base_prefix
        )
        assert status == 0
        assert output.startswith(BUILDING)

    def test_a_venv_that_is_there_does_not_hide_what_was_asked_for(self, built):
        python = self.fake(built, "python", "is Python 3.10")
        assert setup(built, "base", PYTHON=python)[0] == 1
