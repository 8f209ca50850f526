"""Photographs what one person sees in a simulated server: one message, or the form that is open before them.

simcord's page is opened in Chromium with the projection that simcord itself would give it, as its own captures
do; those need Playwright, which is a large thing to install for a picture.
"""

import base64
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import simcord

from tests.support.browser import Tab, open_tab

WIDTH, HEIGHT = 640, 2_400
"""The width is a desktop's column of messages; the height is more than any message takes."""
_GIVEN = """(() => {
    const given = PAYLOAD, real = window.fetch;
    window.fetch = (address, ...rest) => ['/api/pages', '/api/state'].includes(address)
        ? Promise.resolve(new Response(given, {headers: {'Content-Type': 'application/json'}}))
        : real(address, ...rest);
})()"""
_ALONE = """(() => {
    const rules = new CSSStyleSheet();
    rules.replaceSync(`[data-workbench] { display: none !important; }
        button:not(:disabled) { opacity: 1 !important; }
        .modal-dialog, .modal-body { max-height: none !important; overflow: visible !important; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, rules];
    document.activeElement?.blur();
})()"""
_WHERE = """(() => {
    const shown = document.querySelector('.modal-dialog') ?? document.getElementById('focused-content');
    const box = shown.getBoundingClientRect();
    return {x: box.x, y: box.y, width: box.width, height: Math.max(box.height, shown.scrollHeight) + 12};
})()"""

_DRAWN = "document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => done(1))))"


class Camera:
    """Writes PNG files of what is in `channel` into `folder`."""

    def __init__(self, env: simcord.Env, channel: simcord.ChannelHandle, tab: Tab, folder: Path) -> None:
        self._env = env
        self._channel = channel
        self._tab = tab
        self._folder = folder

    async def take(self, name: str, shown: Any, viewer: simcord.MemberActor, now: datetime) -> None:
        """`<name>.png` of a message or of the answer to an interaction, with its form if that opened one."""
        async with self._env.preview(
            self._channel,
            viewers=[viewer],
            width=WIDTH,
            height=HEIGHT,
            display="fixed",
            presentation_time=now,
        ) as preview:
            await preview.show(shown)
            await self._open(preview.url, json.dumps(await preview.snapshot()))
            where = await self._tab.evaluate(_WHERE)
            taken = await self._tab.send(
                "Page.captureScreenshot", format="png", clip={**where, "scale": 1}, captureBeyondViewport=True
            )
            (self._folder / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    async def _open(self, url: str, payload: str) -> None:
        """Load the page, which shows `payload` and asks for nothing else."""
        await self._tab.send("Page.enable")
        script = await self._tab.send(
            "Page.addScriptToEvaluateOnNewDocument", source=_GIVEN.replace("PAYLOAD", json.dumps(payload))
        )
        await self._tab.open(url)
        await self._tab.until("window.simcordPreview?.ready", "the message")
        await self._tab.evaluate(_ALONE)
        await self._tab.evaluate(_DRAWN)
        await self._tab.send("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])


@asynccontextmanager
async def open_camera(
    chromium: str, env: simcord.Env, channel: simcord.ChannelHandle, folder: Path
) -> AsyncGenerator[Camera]:
    """A camera in a browser of its own."""
    async with open_tab(chromium, WIDTH, HEIGHT) as tab:
        yield Camera(env, channel, tab, folder)
