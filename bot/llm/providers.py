"""Which model the configuration names, and what is missing to reach it. Cheap until one is opened."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from bot.clock import Clock
from bot.errors import StartupError
from bot.llm.model import Model

if TYPE_CHECKING:  # reading settings is the program's business, and its library is slow to import
    from bot.config import AssistantSection

SDKS = {"openai-compatible": "openai", "openai": "openai", "anthropic": "anthropic", "google": "google.genai"}
"""The module that each provider needs; the extra that brings it is named by its first part."""

NO_BASE_URL = (
    'The assistant has a model but no address: set `assistant.base_url`, like "http://127.0.0.1:11434/v1", or '
    "name another `assistant.provider`."
)
NO_KEY = "The assistant has no key: set `assistant.api_key`, which the provider {provider} needs."
NO_SDK = (
    "What the assistant's provider {provider} needs is not installed: install Kennel with the extra {extra}, "
    "like `pip install '.[{extra}]'`."
)


def open_model(section: AssistantSection, clock: Clock) -> Model | None:
    """The model of the assistant; None when none is configured, and then nothing was imported.

    It belongs to the event loop that uses it first. Raises `StartupError` with everything that is missing.
    """
    if not model_name(section):
        return None
    problems = assistant_problems(section)
    if problems:
        raise StartupError(problems)
    from bot.llm.adapter import ProviderModel
    from bot.llm.clients import BUILDERS
    from bot.llm.connection import open_client

    name, http = model_name(section), open_client()
    inner = BUILDERS[section.provider](name, section.base_url, _key(section), http)
    return ProviderModel(inner, http, clock, tag=f"{section.provider}/{name}")


def assistant_problems(section: AssistantSection) -> list[str]:
    """What keeps the configured model from being reached, a sentence each; nothing when there is no model."""
    if not model_name(section):
        return []
    problems: list[str] = []
    if section.provider == "openai-compatible":
        if section.base_url is None:
            problems.append(NO_BASE_URL)
    elif not _key(section):
        problems.append(NO_KEY.format(provider=section.provider))
    if not _is_installed(SDKS[section.provider]):
        extra = SDKS[section.provider].partition(".")[0]
        problems.append(NO_SDK.format(provider=section.provider, extra=extra))
    return problems


def model_name(section: AssistantSection) -> str:
    """The configured model; empty when the assistant is off."""
    return (section.model or "").strip()


def _key(section: AssistantSection) -> str:
    return section.api_key.get_secret_value().strip() if section.api_key is not None else ""


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package around it
        return False
