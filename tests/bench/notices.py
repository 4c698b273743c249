"""Notices a second into a room of 200 sockets, through the hub and by a plain `group_send`.

As `python -m tests.bench.notices PORT PATH SOCKETS SECONDS` it listens, and prints how many notices
a second came in. Each socket must hear of every version.
"""

import asyncio
import struct
import sys
import time
from statistics import median

from tests.bench.lines import Line, ratio
from tests.bench.servers import Bench

SOCKETS = 200
REQUIRED = 4.0


def measure(bench: Bench) -> list[Line]:
    """Listen to both ways in turn, each on a server of its own."""
    rates: dict[str, list[float]] = {"hub": [], "group": []}
    seconds = str(bench.options.seconds)
    with (
        bench.serving("hub", "tests.bench.notices_app:application") as hub,
        bench.serving("group", "tests.bench.notices_app:application") as group,
    ):
        for number, server in bench.rounds([hub, group]):
            heard = server.run(
                "tests.bench.notices", str(server.ports[0]), f"/{server.name}/", str(SOCKETS),
                seconds,
            )  # fmt: skip
            rates[server.name].append(float(heard))
            sys.stderr.write(f"  {number + 1} {server.name:30}{float(heard):9,.0f} /s\n")
    times = ratio(rates["hub"], rates["group"])
    return [
        Line(
            f"notices: deliveries/s into a room of {SOCKETS}",
            f"{REQUIRED:.0f} times a plain group_send",
            f"{times:.1f} times ({median(rates['hub']):,.0f} against"
            f" {median(rates['group']):,.0f}/s), none lost",
            times >= REQUIRED,
            dict(rates),
        )
    ]


class _Heard:
    count = 0


async def listen(port: int, path: str, sockets: int, seconds: float) -> float:
    """Open the sockets, start the telling, and return how many notices came a second."""
    heard = _Heard()
    lines = [await _open(port, path) for _ in range(sockets)]
    work = [asyncio.create_task(_hear(reader, heard)) for reader, _ in lines]
    frame = b'{"type":"state"}'
    lines[0][1].write(bytes((0x81, 0x80 | len(frame))) + b"\0\0\0\0" + frame)
    await asyncio.sleep(0.5)
    before, began = heard.count, time.perf_counter()
    await asyncio.wait(work, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    rate = (heard.count - before) / (time.perf_counter() - began)
    for task in work:
        if task.done():
            task.result()  # a version was lost, or the socket closed
        task.cancel()
    for _, writer in lines:
        writer.close()
    return rate


async def _open(port: int, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    host = f"127.0.0.1:{port}"
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 101"):
        raise RuntimeError(head)
    return reader, writer


async def _hear(reader: asyncio.StreamReader, heard: _Heard) -> None:
    """Count notices; raise if one does not follow the one before."""
    last = 0
    buffer = b""
    while data := await reader.read(65_536):
        buffer += data
        while len(buffer) >= 2:
            length, start = buffer[1], 2
            if length == 126:
                if len(buffer) < 4:
                    break
                length, start = struct.unpack_from("!H", buffer, 2)[0], 4
            if len(buffer) < start + length:
                break
            text, buffer = buffer[start : start + length], buffer[start + length :]
            version = int(text.rpartition(b":")[2].rstrip(b"}"))
            if version != last + 1:
                raise RuntimeError(f"{text!r} came after version {last}")
            last = version
            heard.count += 1
    raise RuntimeError("the socket was closed")


if __name__ == "__main__":
    port_, path_, sockets_, seconds_ = sys.argv[1:]
    sys.stdout.write(str(asyncio.run(listen(int(port_), path_, int(sockets_), float(seconds_)))))
