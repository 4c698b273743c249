"""Pictures of the pages as people see them: `python -m tests.screenshots [NAME …]`.

Written to screenshots/ (ignored): each page in light, dark and Arabic, on a phone and a desktop.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.furnish import Furnished, furnish
from tests.harness.browsers import chromium, find_chromium
from tests.harness.processes import ROOT
from tests.harness.site import running

FOLDER = ROOT / "screenshots"
SIZES = {"phone": (390, 844), "desktop": (1440, 900)}
LOOKS = {"light": ("light", "en"), "dark": ("dark", "en"), "arabic": ("light", "ar")}
#: Pages that only a site in debug shows.
DEBUG_ONLY = "styleguide"


def take(browser: Browser, url: str, furnished: Furnished, names: list[str]) -> None:
    """Take all pictures of the pages."""
    for look, (scheme, locale) in LOOKS.items():
        for size, (width, height) in SIZES.items():
            for name in names:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    locale=locale,
                    color_scheme="dark" if scheme == "dark" else "light",
                    has_touch=size == "phone",
                    reduced_motion="reduce",
                )
                cookie = furnished.cookie(name)
                if cookie is not None:
                    context.add_cookies([{"name": "sessionid", "value": cookie, "url": url}])
                page = context.new_page()
                page.goto(url + furnished.pages[name])
                if page.locator("golf-board:visible").count():
                    page.locator("golf-board[data-ready]").wait_for()
                page.screenshot(path=FOLDER / f"{name}-{look}-{size}.png", full_page=True)
                context.close()


def main() -> int:
    """Take the pictures and say where they are."""
    parser = argparse.ArgumentParser(prog="tests.screenshots", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="pages; default: all")
    wanted = set(parser.parse_args().names)
    program = find_chromium()
    if program is None:
        raise SystemExit("Chromium is not installed.")
    FOLDER.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="golf-screenshots-"))
    try:
        with chromium(program, folder) as browser:
            with running(folder / "site") as site:
                furnished = furnish(site)
                names = [name for name in furnished.pages if not wanted or name in wanted]
                take(browser, site.url, furnished, names)
            if not wanted or DEBUG_ONLY in wanted:
                guide = Furnished({DEBUG_ONLY: f"/{DEBUG_ONLY}/"}, "", "")
                with running(folder / "debug", GOLF_DEBUG="1") as site:
                    take(browser, site.url, guide, [DEBUG_ONLY])
                names.append(DEBUG_ONLY)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.write(f"{len(names) * len(LOOKS) * len(SIZES)} pictures in {FOLDER}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
