"""Our messages as pydantic-ai's and back, kept apart from how they are sent."""

import json
from collections.abc import Collection, Iterable, Sequence

from pydantic import ValidationError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from bot.clock import Clock
from bot.errors import ModelNonsense
from bot.llm.model import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage


def to_library(system: str, messages: Sequence[Message], tag: str) -> list[ModelMessage]:
    """The conversation in pydantic-ai's form, in order and with nothing added.

    An answer that the adapter named `tag` gave before goes back in its native form.
    """
    result: list[ModelMessage] = []
    asked: list[ModelRequestPart] = [SystemPromptPart(system)] if system else []
    for message in messages:
        match message:
            case UserMessage():
                asked.append(UserPromptPart(message.text))
            case ToolMessage():
                asked.append(ToolReturnPart(message.name, message.content, message.call_id))
            case AssistantMessage():
                if asked:
                    result.append(ModelRequest(asked))
                asked = []
                result.append(_native(message, tag) or _rebuilt(message))
    return [*result, ModelRequest(asked)] if asked else result


def from_library(response: ModelResponse, taken: Collection[str], clock: Clock, tag: str) -> AssistantMessage:
    """What the model said. Ids of calls that are empty or `taken`, or come twice, are replaced.

    Raises `ModelNonsense` for a call without a name, and for an answer that says and calls nothing.
    """
    response.parts = _identified(response.parts, set(taken), clock)
    text, calls = _said(response)
    if any(not call.name.strip() for call in calls) or not (text.strip() or calls):
        raise ModelNonsense
    (dumped,) = json.loads(ModelMessagesTypeAdapter.dump_json([response]))
    native = json.dumps({"adapter": tag, "response": dumped}, ensure_ascii=False)
    return AssistantMessage(text=text, calls=calls, native=native)


def used_ids(messages: Iterable[Message]) -> set[str]:
    """The ids of all calls so far: some endpoints count from one in every answer."""
    return {
        call.id for message in messages if isinstance(message, AssistantMessage) for call in message.calls
    }


def _identified(parts: Sequence[ModelResponsePart], taken: set[str], clock: Clock) -> list[ModelResponsePart]:
    result: list[ModelResponsePart] = []
    for part in parts:
        if isinstance(part, ThinkingPart) and part.id in (None, "content") and part.signature is None:
            continue  # thoughts between tags would go back as words that the model said
        if isinstance(part, ToolCallPart):
            if not part.tool_call_id.strip() or part.tool_call_id in taken:
                part.tool_call_id = f"call_{clock.new_id()}"
            taken.add(part.tool_call_id)
        result.append(part)
    return result


def _said(response: ModelResponse) -> tuple[str, tuple[ToolCall, ...]]:
    text = "\n\n".join(part.content for part in response.parts if isinstance(part, TextPart) and part.content)
    calls = tuple(
        ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=_arguments(part))
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )
    return text, calls


def _arguments(part: ToolCallPart) -> str:
    """The model's own text; an object, which some providers send instead, is written out."""
    if isinstance(part.args, str):
        return part.args.strip() or "{}"
    return json.dumps(part.args or {}, ensure_ascii=False)


def _native(message: AssistantMessage, tag: str) -> ModelResponse | None:
    """The stored form, if this adapter made it and the message still says the same."""
    if message.native is None:
        return None
    try:
        stored = json.loads(message.native)
        if stored["adapter"] != tag:
            return None
        (response,) = ModelMessagesTypeAdapter.validate_python([stored["response"]])
    except (ValueError, KeyError, TypeError, ValidationError):
        return None
    if isinstance(response, ModelResponse) and _said(response) == (message.text, message.calls):
        return response
    return None


def _rebuilt(message: AssistantMessage) -> ModelResponse:
    parts: list[ModelResponsePart] = [TextPart(message.text)] if message.text else []
    parts += [ToolCallPart(call.name, call.arguments, call.id) for call in message.calls]
    return ModelResponse(parts)
