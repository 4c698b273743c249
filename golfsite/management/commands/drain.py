"""`manage.py drain`: take processes out of service, before they are ended."""

import asyncio
import contextlib
import socket
from argparse import ArgumentParser
from typing import Any, Final

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.live import EVERY_PROCESS
from golfsite import draining

#: Seconds in which a process that is meant says so.
ANSWER_TIMEOUT: Final = 3.0
#: Seconds beyond the time that was given, after which a process is waited for no longer.
_GRACE: Final = 5.0


class Command(BaseCommand):
    """Let web processes go out of service; each says when nobody is left."""

    help = (
        "Let a web process take no more visitors and send its players elsewhere; end it with "
        "SIGTERM afterwards. Processes hear of it over Redis."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who is meant, and in which time."""
        meant = parser.add_mutually_exclusive_group(required=True)
        meant.add_argument("--port", type=int, help="the process that listens on this port")
        meant.add_argument("--all", action="store_true", help="every process, on all hosts")
        parser.add_argument(
            "--host", default=socket.gethostname(), help="with --port; default: this host's name"
        )
        parser.add_argument(
            "--over", type=float, default=5.0, help="seconds to spread the sockets over; default: 5"
        )

    def handle(self, *args: Any, port: int | None, host: str, over: float, **options: Any) -> None:
        """Ask, then wait until all who are meant are done."""
        if not settings.REDIS_URL:
            raise CommandError("Without REDIS_URL there is one process only: end it with SIGTERM.")
        if not 0 <= over <= 600:
            raise CommandError("--over is a number of seconds from 0 to 600.")
        meant = {"host": None, "port": None} if port is None else {"host": host, "port": port}
        message = {"type": draining.KIND, "over": over, **meant}
        async_to_sync(self._drain)(message, settings.PROCESSES if port is None else 1)

    async def _drain(self, message: dict[str, Any], processes: int) -> None:
        layer = get_channel_layer()
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT):
                channel = await layer.new_channel()
                await layer.group_send(EVERY_PROCESS, {**message, "answer": channel})
        except Exception as error:
            raise CommandError(f"Redis does not answer: {type(error).__name__}.") from error
        begun: dict[str, int] = {}
        done: set[str] = set()

        async def hear() -> None:
            self._hear(await layer.receive(channel), begun, done)

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_TIMEOUT):
                while len(begun) < processes:
                    await hear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(message["over"] + _GRACE):
                while len(done) < len(begun):
                    await hear()
        if len(done) < processes:
            raise CommandError(
                f"Of {processes} processes {len(begun)} answered; {len(done)} were done in time."
            )

    def _hear(self, message: dict[str, Any], begun: dict[str, int], done: set[str]) -> None:
        who = message["who"]
        if message["type"] == "drain.begun":
            begun[who] = message["sockets"]
        elif message["type"] == "drain.done":
            done.add(who)
            self.stdout.write(f"{who} has sent {begun.get(who, 0)} sockets elsewhere.")
            self.stdout.flush()
