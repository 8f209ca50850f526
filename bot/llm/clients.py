"""One function for each provider, which imports that provider's SDK and no other.

Nothing is taken from the environment: each client is told its address and key. `PLAIN` keeps pydantic-ai
from rewriting tools' schemas and from putting words of its own into a conversation.
"""

import json
from collections.abc import Callable
from typing import Any

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.profiles import ModelProfile

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
GOOGLE = "https://generativelanguage.googleapis.com"
NO_KEY = "none"
"""What is sent as the key where none is configured; the SDK insists on one."""

PLAIN = ModelProfile(json_schema_transformer=None, mimics_assistant_message_formatting=False)

Build = Callable[[str, str | None, str, httpx2.AsyncClient], Model]
"""From the model's name, the base URL (None: the provider's own), the key (or "") and the HTTP client."""


def openai_compatible(model: str, base_url: str | None, key: str, http: httpx2.AsyncClient) -> Model:
    """Chat completions as everybody speaks them: `max_tokens`, and special tokens of open models made harmless."""
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    class ChatModel(OpenAIChatModel):
        """Takes arguments that came as an object, too."""

        def _validate_completion(self, response: ChatCompletion) -> Any:
            _write_arguments(response)
            return super()._validate_completion(response)

    client = AsyncOpenAI(base_url=base_url, api_key=key or NO_KEY, max_retries=0, http_client=http)
    client.organization = client.project = None
    provider = OpenAICompatibleProvider("openai-compatible", openai_client=client)
    profile = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=False, may_tokenize_special_tokens_in_content=True
    )
    return ChatModel(model, provider=provider, profile={**profile, **PLAIN})


def openai(model: str, base_url: str | None, key: str, http: httpx2.AsyncClient) -> Model:
    """OpenAI's own chat completions."""
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(base_url=base_url or OPENAI, api_key=key, max_retries=0, http_client=http)
    client.organization = client.project = None
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client), profile=PLAIN)


def anthropic(model: str, base_url: str | None, key: str, http: httpx2.AsyncClient) -> Model:
    """Anthropic's messages."""
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(base_url=base_url or ANTHROPIC, api_key=key, max_retries=0, http_client=http)
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client), profile=PLAIN)


def google(model: str, base_url: str | None, key: str, http: httpx2.AsyncClient) -> Model:
    """Google's Gemini; its client repeats nothing unless told to."""
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=key, base_url=base_url or GOOGLE, http_client=http)
    return GoogleModel(model, provider=provider, profile=PLAIN)


BUILDERS: dict[str, Build] = {
    "openai-compatible": openai_compatible,
    "openai": openai,
    "anthropic": anthropic,
    "google": google,
}


def _write_arguments(response: Any) -> None:
    """Arguments that are an object instead of its JSON text, as some endpoints send them, become text."""
    for choice in response.choices or ():
        for call in getattr(getattr(choice, "message", None), "tool_calls", None) or ():
            function: Any = getattr(call, "function", None)
            arguments = getattr(function, "arguments", None)
            if isinstance(arguments, dict):
                function.arguments = json.dumps(arguments, ensure_ascii=False)
