"""A real browser: the system's Chromium, driven by Playwright's synchronous interface."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect, sync_playwright

from tests.harness.environment import clean_environment
from tests.harness.processes import find_program

_ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]
#: So long, in ms, a page may take for what is expected of it: a busy computer takes its time.
_PATIENCE = 20_000


def find_chromium() -> str | None:
    """Return the system's Chromium, None where it is not installed."""
    return find_program("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium(program: str, folder: Path) -> Iterator[Browser]:
    """Run Chromium, with `folder` for what it writes outside of its profiles.

    Playwright's loop runs in this thread meanwhile: no async code and no ORM beside it.
    """
    arguments = [*_ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=program,
            args=arguments,
            # Nothing is written to, or read from, the profile of whoever runs the tests.
            env=dict(clean_environment(XDG_CONFIG_HOME=str(folder), XDG_CACHE_HOME=str(folder))),
        )
        try:
            yield running
        finally:
            running.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium, started once for a module of tests; skips where it is not installed.

    Such a module has neither async tests nor Django's ORM in its own process: the site under test
    is a process of its own.
    """
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed: no chromium, chromium-browser or google-chrome")
    with chromium(program, tmp_path_factory.mktemp("browser")) as running:
        yield running


class NewPage(Protocol):
    """Open a page in a browser profile of its own; see `tests/conftest.py`."""

    def __call__(
        self,
        *,
        width: int = 1440,
        height: int = 900,
        locale: str = "en",
        color_scheme: str = "light",
        allow_errors: Sequence[str] = (),
        **options: Any,
    ) -> Page: ...


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """A function that opens a page in a fresh profile: no cookies, its own size and language.

    The test fails if a page logs an error to its console, or a script of it throws, unless a
    pattern of `allow_errors` is found in the text.
    """
    contexts = []
    problems: list[str] = []

    def open_page(
        *,
        width: int = 1440,
        height: int = 900,
        locale: str = "en",
        color_scheme: str = "light",
        allow_errors: Sequence[str] = (),
        **options: Any,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            locale=locale,
            color_scheme=color_scheme,  # type: ignore[arg-type]
            **options,
        )
        contexts.append(context)
        page = context.new_page()

        def note(text: str) -> None:
            if not any(re.search(pattern, text) for pattern in allow_errors):
                problems.append(f"{page.url}: {text}")

        def heard(message: ConsoleMessage) -> None:
            if message.type == "error":
                note(message.text)

        def threw(error: Error) -> None:
            note(str(error))

        page.on("console", heard)
        page.on("pageerror", threw)
        return page

    try:
        yield open_page
    finally:
        for context in contexts:
            context.close()
    assert problems == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A page at 1440 by 900 in a fresh profile."""
    return new_page()
