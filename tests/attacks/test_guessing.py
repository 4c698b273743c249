"""Whether there is a player of some name cannot be told from how long an answer takes."""

import asyncio
import statistics
import time

from tests.harness.fixtures import Serve
from tests.harness.site import Site
from tests.harness.visitor import Visitor

PASSWORD = "seven-columns-of-5"
#: Log-ins with each name; the medians of so many do not depend on a pause here or there.
TRIES = 7
#: By how much the medians may differ. Without the hash for nobody it would be a factor of ten.
MARGIN = 0.25


async def time_of(visitor: Visitor, token: str, name: str, address: str) -> float:
    """Try to log in from an address; return how long the answer took."""
    fields = {"csrfmiddlewaretoken": token, "username": name, "password": "wrong-columns-of-5"}
    headers = {"Referer": f"{visitor.url}/log-in/", "X-Forwarded-For": address}
    began = time.perf_counter()
    async with visitor.http.post(
        f"{visitor.url}/log-in/", data=fields, headers=headers, allow_redirects=False
    ) as response:
        body = await response.read()
        took = time.perf_counter() - began
    assert response.status == 200
    assert b"user name" in body
    return took


async def measure(site: Site, names: dict[str, str]) -> dict[str, float]:
    """Return the median time of a log-in with each name, all tried in turns."""
    times: dict[str, list[float]] = {what: [] for what in names}
    async with Visitor(site.url) as visitor:
        page = await visitor.open_form("/log-in/")
        token = page.fields["csrfmiddlewaretoken"]
        for round_ in range(TRIES + 1):
            for number, (what, name) in enumerate(names.items()):
                address = f"203.0.113.{(round_ * len(names) + number) % 250 + 1}"
                took = await time_of(visitor, token, name, address)
                if round_:  # the first ones warm up
                    times[what].append(took)
    return {what: statistics.median(each) for what, each in times.items()}


async def test_log_ins_take_as_long_whoever_there_is(serve: Serve) -> None:
    """With the real hashes; from many addresses, so that none of them has to wait."""
    site = serve(GOLF_PROXIES="1", GOLF_LOG_IN_FAILURES="5")
    async with Visitor(site.url) as anna, Visitor(site.url) as boris:
        await anna.fill("/sign-up/", username="anna", name="Anna", password=PASSWORD)
        await boris.fill("/sign-up/", username="boris", name="Boris", password=PASSWORD)
    await asyncio.to_thread(
        site.manage,
        "shell",
        "-c",
        "from games.models import Player;"
        "Player.objects.filter(username='boris').update(is_active=False)",
    )
    names = {
        "an account": "anna",
        "nobody": "nobody-here",
        "a look-alike of the account": "аnnа",
        "somebody shut out": "boris",
        "an impossible name": "no such name!",
    }
    medians = await measure(site, names)
    print({what: f"{1000 * median:.1f} ms" for what, median in medians.items()})
    usual = statistics.median(medians.values())
    assert {
        what: round(median / usual, 2)
        for what, median in medians.items()
        if abs(median / usual - 1) > MARGIN
    } == {}
    assert usual > 0.02, "the hash is the real one"
