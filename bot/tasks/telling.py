"""Telling askers what became of their tasks: words from the model, posted once."""

import asyncio
import json
from dataclasses import replace

from bot.clock import Clock
from bot.errors import is_expected
from bot.log import logger
from bot.mcp import CallToolResult
from bot.mcp.wire import read_call_result
from bot.outbound import Reply
from bot.speaker import Line, Where, addressed, nonce, where_of
from bot.tasks.narrator import STILL_WORKING, EndOutcome, Narrator
from bot.tasks.news import News
from storage.calls import Calls
from storage.commands import Commands
from storage.request_records import Request, TaskRow
from storage.requests import Requests
from storage.tasks import Tasks

BATCH = 10
LEASE_MS = 120_000
"""How long finding words and posting them may take; what was not posted by then is tried again."""

EDITABLE_MS = 50 * 60_000
"""How long a progress message is edited: Discord limits edits of messages older than an hour."""

GIVEN_UP_MS = 3_600_000
"""How long Kennel tries to post what Discord refuses."""

ENDED = "-# This has ended."
MAX_WORDED = 40
"""How many reports of one task the model words; a trick that reports for ever costs no more than that."""

_log = logger(__name__)


class Teller:
    """Words news and posts it."""

    def __init__(
        self,
        tasks: Tasks,
        requests: Requests,
        calls: Calls,
        commands: Commands,
        narrator: Narrator,
        line: Line,
        clock: Clock,
    ) -> None:
        self._tasks = tasks
        self._requests = requests
        self._calls = calls
        self._commands = commands
        self._narrator = narrator
        self._line = line
        self._clock = clock

    async def tell_due(self) -> int:
        """Tell up to a batch of what is untold; gives back how much that was.

        What fails is told again once its lease has lapsed. Raises `Restarting` before anything can speak.
        """
        _ = self._line.speaker
        now = self._clock.now_ms()
        rows = await self._tasks.untold(now, BATCH, now + LEASE_MS)
        await asyncio.gather(*(self._tell(row) for row in rows))
        return len(rows)

    async def _tell(self, row: TaskRow) -> None:
        try:
            await self._tell_or_raise(row)
        except Exception as error:  # noqa: BLE001 - the boundary: one task must not hold up the others
            log = _log.warning if is_expected(error) else _log.exception
            log("news of a task could not be told", call_id=row.id, failure=type(error).__name__)

    async def _tell_or_raise(self, row: TaskRow) -> None:
        request = await self._requests.get(row.request_id)
        if row.news is None or request is None or request.content is None:
            await self._tasks.told(row.id, row.news_number)
            return
        news = News.read(row.news)
        again = bool(news.parts)
        if not again:
            news = news.worded(await self._words(row, news))
            if not await self._tasks.worded(row.id, row.news_number, news.dump()):
                await self._tasks.told(row.id, row.news_number)  # newer news stays, and can be told at once
                return
        if news.kind == "progress":
            await self._show_progress(row, request, news, again=again)
        else:
            await self._post_end(row, request, news, again=again)

    async def _words(self, row: TaskRow, news: News) -> tuple[str, ...]:
        title = await self._commands.title_of(row.installation_id, row.tool)
        if news.kind == "progress":
            if row.news_number > MAX_WORDED:
                return (STILL_WORKING,)
            worded = await self._narrator.progress(row.request_id, title, news.text)
            return worded.parts[:1]
        result = await self._result_of(row) if news.kind == "completed" else None
        outcome = EndOutcome(news.kind, result, news.text)
        return (await self._narrator.end(row.request_id, title, outcome)).parts

    async def _result_of(self, row: TaskRow) -> CallToolResult | None:
        state = await self._calls.state_of(row.id)
        return read_call_result(json.loads(state.result)) if state and state.result else None

    async def _show_progress(self, row: TaskRow, request: Request, news: News, *, again: bool) -> None:
        now, reply = self._clock.now_ms(), Reply(content=news.parts[0])
        young = row.progress_at is not None and now - row.progress_at < EDITABLE_MS
        if young and row.progress_id is not None:
            edited = await self._line.speaker.edit(row.channel_id, row.progress_id, reply)
            if edited:
                await self._tasks.told(row.id, row.news_number)
                return
        where = replace(where_of(request, row.channel_id, notify=False), ping=None)
        message_id = await self._say(row, where, reply, part=0, again=again)
        if message_id is not None or self._given_up(row, news):
            await self._tasks.told(row.id, row.news_number, message_id, now if message_id else None)

    async def _post_end(self, row: TaskRow, request: Request, news: News, *, again: bool) -> None:
        where = where_of(request, row.channel_id, notify=True)
        for part, text in enumerate(news.parts):
            if part == 0:
                text = addressed(text, where)
            else:
                where = replace(where, reply_to=None, notify=False)
            posted = await self._say(row, where, Reply(content=text), part=part, again=again)
            if posted is None and not self._given_up(row, news):
                return
        if row.progress_id is not None:
            await self._line.speaker.edit(row.channel_id, row.progress_id, Reply(content=ENDED))
        await self._tasks.told(row.id, row.news_number)

    async def _say(self, row: TaskRow, where: Where, reply: Reply, *, part: int, again: bool) -> str | None:
        return await self._line.say_once(where, reply, nonce(row.id, row.news_number, part), again=again)

    def _given_up(self, row: TaskRow, news: News) -> bool:
        """Whether Discord has refused it for so long that it is told no more."""
        if self._clock.now_ms() - news.since < GIVEN_UP_MS:
            return False
        _log.warning("news of a task was never told", call_id=row.id)
        return True
