"""The simulated server's page, kept up to date while people act on it."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import simcord
from simcord.preview import Preview

LOOK_EVERY = 0.4
"""Seconds between two looks at what changed by itself."""


class LivePage:
    """Lets time pass in the simulated server and publishes what changes there.

    simcord does one thing at a time and refuses what comes meanwhile, and it refuses a press on a page that is
    older than the newest one. Somebody who presses a button knows of neither: here they take turns, and a press
    counts for the page as it is. What was pressed is still looked up anew, so nothing stale can run.
    The bot's name after an @ becomes a mention, which in earnest Discord's own app makes of it.
    """

    def __init__(self, env: simcord.Env, preview: Preview) -> None:
        self._env = env
        self._preview = preview
        self._turn = asyncio.Lock()
        self._shown = 0
        bot = env.backend.bot_user
        self._name = re.compile(rf"@{re.escape(bot.name)}\b", re.IGNORECASE)
        self._mention = f"<@{bot.id}>"
        self._act = preview._action  # pyright: ignore[reportPrivateUsage]
        preview._action = self._take_turn  # pyright: ignore[reportPrivateUsage]

    async def serve(self) -> None:
        """Keep the page up to date until somebody ends its session there."""
        loop = asyncio.get_running_loop()
        looked = loop.time()
        while not await self._ended_within(LOOK_EVERY):
            async with self._turn:
                since, looked = loop.time() - looked, loop.time()
                await self._let_pass(since)

    async def _ended_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._preview.wait_closed()
        except TimeoutError:
            return False
        return True

    async def _let_pass(self, seconds: float) -> None:
        try:
            await self._env.advance_time(seconds)
            await self._show_changes()
        except TimeoutError:
            return  # the bot is still busy with something; the next look shows it

    async def _show_changes(self) -> None:
        happened = len(self._env.backend.transcript)
        if happened != self._shown:
            self._shown = happened
            await self._preview.refresh()

    async def _take_turn(self, context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        async with self._turn:
            if isinstance(body.get("published_revision"), int):
                page = self._preview._get_page(context_id)  # pyright: ignore[reportPrivateUsage]
                body = {**body, "published_revision": page.revision}
            if isinstance(content := body.get("content"), str):
                body = {**body, "content": self._name.sub(self._mention, content)}
            result = await self._act(context_id, body)
            if not self._preview._closed:  # pyright: ignore[reportPrivateUsage]
                await self._show_changes()
            return result
