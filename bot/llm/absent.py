"""The model where none is configured: what an earlier configuration left unfinished ends with a sentence."""

from collections.abc import Sequence
from typing import NoReturn

from bot.errors import ModelUnavailable
from bot.llm.model import MAX_SECONDS, Message, ToolSpec


class AbsentModel:
    """`bot.llm.model.Model` that has no answer."""

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        seconds: float = MAX_SECONDS,
        max_output_tokens: int = 4_096,
    ) -> NoReturn:
        """Raises `ModelUnavailable`."""
        raise ModelUnavailable

    async def aclose(self) -> None:
        """Nothing is open."""
