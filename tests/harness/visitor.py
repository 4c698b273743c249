"""A browser's worth of the site for tests: cookies, forms and websockets over real connections."""

import json
import re
from types import TracebackType
from typing import Any, Self

import aiohttp

from tests.harness.forms import Form, forms_of

_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Visitor:
    """Somebody who visits the site at `url`, with cookies of his own.

    Use as an asynchronous context manager.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    async def __aenter__(self) -> Self:
        self.http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.http.close()

    async def get(self, path: str) -> str:
        """Return the page at `path`; raises on a status of 400 and above."""
        async with self.http.get(self.url + path) as response:
            response.raise_for_status()
            return await response.text()

    async def post(self, path: str, *, on: str = "/", **fields: str) -> tuple[str, str]:
        """Send a form to `path` with the token of the page `on`; return the final path and page."""
        token = _TOKEN.search(await self.get(on))
        assert token is not None, f"{on} has no form"
        data = {"csrfmiddlewaretoken": token[1], **fields}
        async with self.http.post(
            self.url + path, data=data, headers={"Referer": self.url + on}
        ) as response:
            response.raise_for_status()
            return response.url.path, await response.text()

    async def open_form(self, page: str, *, path: str | None = None) -> Form:
        """Return the form on a page that is sent to `path`, by default to the page itself."""
        async with self.http.get(self.url + page) as response:
            response.raise_for_status()
            at, html = response.url.path, await response.text()
        return form_in(at, html, path=path)

    async def send(self, form: Form, *, press: str = "", **fields: str) -> tuple[str, str]:
        """Send a form, changed in these fields, with a button that has a name.

        Return the final path and page.
        """
        data = form.fields | fields | ({press: "1"} if press else {})
        async with self.http.post(
            self.url + form.path, data=data, headers={"Referer": self.url + form.page}
        ) as response:
            response.raise_for_status()
            return response.url.path, await response.text()

    async def fill(
        self, page: str, *, path: str | None = None, press: str = "", **fields: str
    ) -> tuple[str, str]:
        """Open the form of a page and send it: both at once."""
        return await self.send(await self.open_form(page, path=path), press=press, **fields)

    async def become_guest(self, name: str) -> None:
        """Play as a guest from now on."""
        await self.post("/guest/", name=name)

    async def practise(self, code: str) -> str:
        """Start a practice game of the deal of `code`; return its public id."""
        path, _ = await self.post("/practice/", on="/practice/", rule_set="code", code=code)
        return path.strip("/").split("/")[-1]

    async def connect(self, path: str, *, origin: str | None = "") -> "Line":
        """Open the websocket at `path`; `origin` defaults to the site itself, None sends none."""
        headers = {} if origin is None else {"Origin": origin or self.url}
        return Line(await self.http.ws_connect(self.url + path, headers=headers))


def form_in(page: str, html: str, *, path: str | None = None) -> Form:
    """Return the form in a page's HTML that is posted to `path`, by default to the page itself."""
    wanted = page if path is None else path
    found = [form for form in forms_of(page, html) if (form.method, form.path) == ("post", wanted)]
    assert len(found) == 1, f"{page} has {len(found)} forms for {wanted}"
    return found[0]


class Line:
    """An open websocket that speaks JSON."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self.socket.send_str(json.dumps(message))

    async def hear(self, seconds: float = 30) -> dict[str, Any]:
        """Return the next message; raises `EOFError` when the server has closed the socket."""
        message = await self.socket.receive(timeout=seconds)
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise EOFError(message.type.name)
        heard: dict[str, Any] = json.loads(message.data)
        return heard

    async def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message and return the answer."""
        await self.say(**message)
        return await self.hear()

    async def act(self, turn: int, action: str, row: int | None = None) -> dict[str, Any]:
        """Answer the position of `turn` with `action`."""
        return await self.ask(type="act", turn=turn, action=action, row=row)

    async def closed_with(self, seconds: float = 30) -> int | None:
        """Return the code with which the server closes the socket, once it does."""
        message = await self.socket.receive(timeout=seconds)
        assert message.type is aiohttp.WSMsgType.CLOSE, message
        # Not the socket's own, which is another one when the connection is gone by now.
        return int(message.data) if message.data else None

    async def hang_up(self) -> None:
        """Close the socket."""
        await self.socket.close()
