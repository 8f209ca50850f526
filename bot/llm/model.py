"""What Kennel says to a model and hears from it. Stored conversations are made of these messages."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from bot.strict_json import Json

MAX_SECONDS = 60.0
"""The deadline of one model request, its repeats included."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class UserMessage(_Part):
    """What a person said, or what Kennel tells the model in the place of one."""

    role: Literal["user"] = "user"
    text: str = Field(repr=False)


class ToolCall(_Part):
    """A tool that the model wants called; `arguments` is the JSON text exactly as the model wrote it."""

    id: str
    name: str
    arguments: str = Field(repr=False)


class AssistantMessage(_Part):
    """What the model said. `native` is the provider adapter's own form of it, which it may need again."""

    role: Literal["assistant"] = "assistant"
    text: str = Field(default="", repr=False)
    calls: tuple[ToolCall, ...] = ()
    native: str | None = Field(default=None, repr=False)


class ToolMessage(_Part):
    """What became of one call of the message before."""

    role: Literal["tool"] = "tool"
    call_id: str
    name: str
    content: str = Field(repr=False)


Message = Annotated[UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is its input schema, verbatim."""

    name: str
    description: str = field(repr=False)
    parameters: dict[str, Json] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of the model, and what it cost in tokens (0 where the endpoint does not say).

    `cut_off`: the model had more to say than it was allowed.
    """

    message: AssistantMessage
    input_tokens: int = 0
    output_tokens: int = 0
    cut_off: bool = False


class Model(Protocol):
    """A chat model that may call tools."""

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        seconds: float = MAX_SECONDS,
        max_output_tokens: int = 4_096,
    ) -> Completion:
        """One request, repeated within `seconds` while the endpoint is busy (429, 5xx, Retry-After).

        Raises `ModelUnavailable`, `ModelRefused` or `ModelNonsense`. Arguments of calls are not checked here.
        """
        ...

    async def aclose(self) -> None:
        """Give the connections back."""
        ...
