"""A headless Chromium, driven over its DevTools protocol.

The protocol is a handful of JSON messages over a WebSocket, which aiohttp speaks already; a browser driver
would be a large dependency for the six of them that are needed.
"""

import asyncio
import base64
import itertools
import json
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest

PATIENCE = 30.0
"""Seconds that anything may take before the test gives up."""
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
)

_MIDDLE_OF = """(async () => {
    const middle = element => {
        const box = element.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const first = ELEMENT;
    if (!first || first.disabled) return null;
    first.scrollIntoView({block: 'center', behavior: 'instant'});
    const before = middle(first);
    await new Promise(done => setTimeout(done, 100));
    const element = ELEMENT;
    if (element !== first || element.disabled) return null;
    const after = middle(element);
    const still = before[0] === after[0] && before[1] === after[1];
    return still && element.contains(document.elementFromPoint(...after)) ? after : null;
})()"""


@dataclass
class Tab:
    """One page of the browser."""

    socket: aiohttp.ClientWebSocketResponse
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol and its result; events that come in between are not needed."""
        number = next(self._ids)
        await self.socket.send_json({"id": number, "method": method, "params": params})
        async with asyncio.timeout(PATIENCE):
            while True:
                answer = await self.socket.receive_json()
                if answer.get("id") == number:
                    assert "error" not in answer, answer
                    return answer["result"]

    async def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        result = await self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    async def until(self, script: str, what: str) -> Any:
        """What the expression gives once it is true; looks again with every frame that the page draws."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not (found := await self.evaluate(script)):
                    await self.evaluate("new Promise(done => setTimeout(done, 50))")
                return found
        except TimeoutError:
            shown = await self.evaluate("document.body.innerText")
            raise AssertionError(f"waited {PATIENCE:g} s for {what}; the page shows:\n{shown}") from None

    async def open(self, url: str) -> None:
        """Go to `url` and wait for the page's own scripts."""
        await self.send("Page.enable")
        await self.send("Page.navigate", url=url)
        await self.until(
            f"location.href.startsWith({json.dumps(url)}) && document.readyState === 'complete'", url
        )

    async def click(self, element: str) -> None:
        """A real click in the middle of what the expression `element` gives, once it is there and holds still."""
        where = await self.until(_MIDDLE_OF.replace("ELEMENT", element), element)
        at = {"x": where[0], "y": where[1], "button": "left", "clickCount": 1}
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            await self.send("Input.dispatchMouseEvent", type=kind, **at)

    async def type(self, text: str) -> None:
        """Text at the cursor, as an input method gives it."""
        await self.send("Input.insertText", text=text)

    async def press(self, key: str, code: int) -> None:
        """One key, such as `Enter` (13)."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            await self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **(text if kind == "keyDown" else {}),
            )

    async def screenshot(self) -> bytes:
        """The visible page as PNG."""
        return base64.b64decode((await self.send("Page.captureScreenshot", format="png"))["data"])


def find_chromium() -> str | None:
    """The path of an installed Chromium."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


@asynccontextmanager
async def open_tab(chromium: str, width: int = 1200, height: int = 720) -> AsyncGenerator[Tab]:
    """A fresh browser with one empty page."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            chromium,
            *_FLAGS,
            f"--user-data-dir={profile}",
            f"--window-size={width},{height}",
            "about:blank",
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stderr is not None
        try:
            browser = await read_until(process.stderr, r"DevTools listening on ws://([\w.]+:\d+)/")
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://{browser}/json/list") as listed:
                    pages = [each for each in await listed.json() if each["type"] == "page"]
                async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    tab = Tab(socket)
                    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
                    await tab.send("Emulation.setDeviceMetricsOverride", **metrics)
                    yield tab
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            await process.communicate()


async def read_until(stream: asyncio.StreamReader, pattern: str, said: list[str] | None = None) -> str:
    """The pattern's group in the first line that has it."""
    lines = said if said is not None else []
    async with asyncio.timeout(PATIENCE):
        while line := (await stream.readline()).decode():
            lines.append(line)
            if found := re.search(pattern, line):
                return found.group(1)
    raise AssertionError("ended with:\n" + "".join(lines))


@pytest.fixture
def chromium() -> str:
    """The path of Chromium. Where there is none the test is skipped, which `CI=true` counts as failed."""
    found = find_chromium()
    if found is None:
        pytest.skip("no Chromium here: install the package chromium to run this")
    return found
