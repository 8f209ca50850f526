"""Posting an answer: each of its messages once."""

from collections.abc import Sequence

from bot.log import logger
from bot.outbound import Reply
from bot.speaker import Line, Where
from storage.request_records import Request

_log = logger(__name__)


class Delivery:
    """Says things to the asker of a request, where the request goes on."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def post(
        self, request: Request, parts: Sequence[str], *, again: bool, notify: bool = False, name: str = "r"
    ) -> None:
        """Post `parts` in their order. With `again` what stands there already is not posted a second time.

        `notify` pings the asker, who may not wait any more.
        `name` keeps the nonces of different things that are said for one request apart.
        """
        for number, part in enumerate(parts):
            where = where_of(request, first=number == 0, notify=notify and number == 0)
            reply = Reply(content=part)
            if again and await self._line.speaker.find(where, reply) is not None:
                continue
            if await self._line.speaker.say(where, reply, f"{name}{request.id[:20]}{number}"[:25]) is None:
                _log.warning("an answer could not be posted", message_id=request.message_id)
                return


def where_of(request: Request, *, first: bool = True, notify: bool = False) -> Where:
    """Where the asker of `request` is spoken to: a reply to their message where that stands."""
    refers = first and request.speaks_in == request.channel_id
    return Where(
        request.guild_id,
        request.speaks_in,
        reply_to=request.message_id if refers else None,
        ping=request.asker_id,
        notify=notify,
        after=request.message_id,
    )
