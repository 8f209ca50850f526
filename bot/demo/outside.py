"""What is kept out of the simulated server's account of the bot's pending work.

An action of a simulated member ends when the bot has nothing more to do. Neither a kept-alive connection nor
a bot that only sleeps is a reason to wait.
"""

import asyncio
import contextvars
from collections.abc import Sequence

import httpx
from simcord._runtime import _BOT_SCOPE as BOT_SCOPE  # pyright: ignore[reportPrivateUsage]

from bot.clock import Clock
from bot.llm.model import MAX_SECONDS, Completion, Message, Model, ToolSpec
from bot.transport import Transport


class OutsideTransport(Transport):
    """Each exchange runs in a context of its own, so that its timers are none of the bot's pending work."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """As the base class, which raises the same."""
        outside = contextvars.copy_context()
        outside.run(BOT_SCOPE.set, None)
        exchange = super().handle_async_request(request)
        return await outside.run(asyncio.get_running_loop().create_task, exchange)


class OutsideModel:
    """Asks `inner` in a context of its own: its deadline and its connections go by real time."""

    def __init__(self, inner: Model) -> None:
        self._inner = inner

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        seconds: float = MAX_SECONDS,
        max_output_tokens: int = 4_096,
    ) -> Completion:
        """As `Model.complete`, which raises the same."""
        outside = contextvars.copy_context()
        outside.run(BOT_SCOPE.set, None)
        asking = self._inner.complete(
            system, messages, tools, seconds=seconds, max_output_tokens=max_output_tokens
        )
        return await outside.run(asyncio.get_running_loop().create_task, asking)

    async def aclose(self) -> None:
        """Give the connections back."""
        await self._inner.aclose()


class OutsideClock(Clock):
    """The bot sleeps by the simulated server's time, which nobody waits for."""

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` of the simulated server's time pass."""
        scope = BOT_SCOPE.get()
        if scope is None:
            await super().sleep(seconds)
        else:
            await scope[0].external_wait(super().sleep(seconds), reason="the bot sleeps")
