"""Posting an answer: each of its messages once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from bot.log import logger
from bot.outbound import Reply
from bot.speaker import Line, nonce, where_of
from storage.request_records import Request

_log = logger(__name__)


class Delivery:
    """Says things to the asker of a request, where the request goes on."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def post(
        self,
        request: Request,
        parts: Sequence[str],
        *,
        again: bool,
        notify: bool = False,
        what: Literal["answer", "failure"] = "answer",
    ) -> None:
        """Post `parts` in their order. With `again` what stands there already is not posted a second time.

        `notify` pings the asker, who may not wait any more.
        """
        where = where_of(request, request.speaks_in, notify=notify)
        for number, part in enumerate(parts):
            if number > 0:
                where = replace(where, reply_to=None, notify=False)
            own_nonce = nonce(request.id, what, number)
            if await self._line.say_once(where, Reply(content=part), own_nonce, again=again) is None:
                _log.warning("an answer could not be posted", message_id=request.message_id)
                return
