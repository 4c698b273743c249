"""Daphne serves; nothing may depend on it: the same site under another ASGI server."""

import sys
from pathlib import Path

from tests.harness.fixtures import Serve
from tests.harness.processes import Program, free_port
from tests.harness.site import answers
from tests.harness.visitor import Visitor


async def test_pages_and_sockets_work_under_uvicorn(serve: Serve, tmp_path: Path) -> None:
    site = serve(start=False)
    site.manage("migrate", "--verbosity", "0")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    uvicorn = Program(
        [sys.executable, "-m", "uvicorn", "golfsite.asgi:application", "--port", str(port)],
        log=tmp_path / "uvicorn.log",
        answers=lambda: answers(url),
        env=site.env,
    )
    uvicorn.start()
    try:
        async with Visitor(url) as anna, Visitor(url) as nobody:
            await anna.become_guest("Anna")
            path = f"/ws/games/{await anna.practise('GO1-E-AAAAAAB')}/"
            line = await anna.connect(path)
            assert (await line.hear())["position"]["waste"] == "AC"
            assert (await line.act(0, "d"))["position"]["waste"] == "8S"
            assert await (await nobody.connect(path)).closed_with() == 4401
            assert (await line.act(1, "1"))["code"] == "not_adjacent"
            await line.hang_up()
            again = await anna.connect(path)
            assert (await again.hear())["position"]["turn"] == 1
    finally:
        uvicorn.stop()
