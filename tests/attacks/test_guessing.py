"""Whether there is a player of some name cannot be told from how long an answer takes."""

import asyncio
import statistics
import time

from tests.harness.fixtures import Serve
from tests.harness.visitor import Visitor

PASSWORD = "seven-columns-of-5"
#: Log-ins with each name at a time.
TRIES = 7
#: By how much the shortest times may differ. Without the hash for nobody it is a factor of ten.
MARGIN = 0.25
#: How often so many are tried, on a machine where none with some name goes undisturbed. Failures
#: with the account and its look-alike count as one name's, which is guarded from sixty on.
TIMES = 4


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


async def measure(visitor: Visitor, names: dict[str, str], times: dict[str, list[float]]) -> None:
    """Add the times of so many log-ins with each name, all tried in turns."""
    page = await visitor.open_form("/log-in/")
    token = page.fields["csrfmiddlewaretoken"]
    for _ in range(TRIES):
        for number, (what, name) in enumerate(names.items()):
            address = f"203.0.113.{len(times[what]) * len(names) + number + 1}"
            times[what].append(await time_of(visitor, token, name, address))


def differing(times: dict[str, list[float]]) -> dict[str, float]:
    """Return whose shortest time is another than that of most, in parts of that."""
    shortest = {what: min(each) for what, each in times.items()}
    usual = statistics.median(shortest.values())
    return {
        what: round(each / usual, 2)
        for what, each in shortest.items()
        if abs(each / usual - 1) > MARGIN
    }


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
    times: dict[str, list[float]] = {what: [] for what in names}
    async with Visitor(site.url) as visitor:
        for _ in range(TIMES):
            await measure(visitor, names, times)
            if not differing(times):
                break
    shortest = {what: min(each) for what, each in times.items()}
    print({what: f"{1000 * each:.1f} ms" for what, each in shortest.items()})
    assert differing(times) == {}
    assert min(shortest.values()) > 0.02, "the hash is the real one"
