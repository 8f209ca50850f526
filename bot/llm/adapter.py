"""The one adapter to model providers, over `pydantic_ai.direct`. Imported only where a model is configured.

pydantic-ai translates messages and errors; sending once, repeating, deadlines and what is kept are ours.
"""

import asyncio
from collections.abc import Sequence

import httpx2
import pydantic_ai.models
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UserError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from bot.clock import Clock
from bot.errors import ModelFault, ModelNonsense, ModelNotSetUp, ModelRefused, ModelUnavailable
from bot.llm.history import from_library, to_library, used_ids
from bot.llm.model import MAX_SECONDS, Completion, Message, ToolSpec
from bot.llm.retries import BUSY_STATUSES, Busy, repeated, retry_after
from bot.log import logger

NOT_SET_UP = frozenset({401, 403, 404})
"""Statuses by which an endpoint says that it does not know the key or the model."""

_log = logger(__name__)


class ProviderModel:
    """A `Model` over one of pydantic-ai's, which sends through `http` and never repeats on its own.

    `tag` names provider and model: stored answers of the same tag go back in their native form.
    """

    def __init__(
        self, inner: pydantic_ai.models.Model, http: httpx2.AsyncClient, clock: Clock, tag: str
    ) -> None:
        self._inner = inner
        self._http = http
        self._clock = clock
        self._tag = tag

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        seconds: float = MAX_SECONDS,
        max_output_tokens: int = 4_096,
    ) -> Completion:
        """As `Model.complete` says, which raises the same."""
        history = to_library(system, messages, self._tag)
        settings = ModelSettings(max_tokens=max_output_tokens)
        parameters = ModelRequestParameters(function_tools=[_definition(tool) for tool in tools])
        deadline = self._clock.monotonic() + seconds
        try:
            async with asyncio.timeout(seconds):
                response = await repeated(
                    lambda: self._attempt(history, settings, parameters), self._clock, deadline
                )
        except Busy as busy:
            _log.warning("the model did not answer", kind=busy.kind, status=busy.status)
            raise ModelUnavailable from None
        except TimeoutError:
            _log.warning("the model did not answer in time", seconds=seconds)
            raise ModelUnavailable from None
        message = from_library(response, used_ids(messages), self._clock, self._tag)
        usage = response.usage
        cut_off = response.finish_reason == "length"
        return Completion(message, usage.input_tokens, usage.output_tokens, cut_off)

    async def aclose(self) -> None:
        """Give the connections back."""
        await self._http.aclose()

    async def _attempt(
        self, history: list[ModelMessage], settings: ModelSettings, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """One request. Raises `Busy`, `ModelRefused` or `ModelNonsense`, none of which holds the endpoint's words."""
        try:
            response = await model_request(
                self._inner, history, model_settings=settings, model_request_parameters=parameters
            )
        except Exception as error:  # noqa: BLE001 - SDKs meet a strange answer with whatever exception they have
            fault = self._fault(error)
        else:
            if response.finish_reason != "content_filter":
                return response
            _log.warning("the model refused a request", kind="content_filter")
            fault = ModelRefused()
        raise fault  # outside the handler, so that it does not carry what the SDK raised

    def _fault(self, error: Exception) -> ModelFault | Busy:
        kind = type(error).__name__
        match error:
            case ModelHTTPError() if not isinstance(error, ModelQuotaExceededError) and _is_busy(error):
                return Busy(kind, error.status_code, self._pause(error))
            case ModelConnectionError():
                return Busy(kind)
            case ModelHTTPError():
                _log.warning("the model refused a request", kind=kind, status=error.status_code)
                return ModelNotSetUp() if error.status_code in NOT_SET_UP else ModelRefused()
            case ContentFilterError() | UserError() | ModelQuotaExceededError():
                _log.warning("the model refused a request", kind=kind)
                return ModelRefused()
            case ModelAPIError() if (status := getattr(error.__cause__, "status_code", None)) is not None:
                _log.warning("the model's endpoint redirects", kind=kind, status=status)
                return ModelRefused()
            case _:
                _log.warning("the model's answer cannot be read", kind=kind)
                return ModelNonsense()

    def _pause(self, error: ModelHTTPError) -> float | None:
        """How long the endpoint asks to wait; by our clock where it names a date."""
        said = (error.headers or {}).get("retry-after")
        return retry_after(said, self._clock.now()) if said is not None else error.retry_after


def _is_busy(error: ModelHTTPError) -> bool:
    return error.status_code in BUSY_STATUSES or error.status_code >= 500


def _definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=tool.parameters, strict=False
    )
