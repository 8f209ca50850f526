"""Which model a configuration opens, and what it says when something is missing."""

from importlib.machinery import ModuleSpec
from typing import Any

import pytest

from bot.clock import Clock
from bot.config import AssistantSection
from bot.errors import StartupError
from bot.llm import providers
from bot.llm.providers import assistant_problems, open_model

KEY = "sk-secret"
HERE = "http://127.0.0.1:9/v1"


def section(**values: Any) -> AssistantSection:
    return AssistantSection.model_validate(values)


@pytest.mark.parametrize("values", [{}, {"model": ""}, {"model": "  "}, {"base_url": HERE, "api_key": KEY}])
def test_without_a_model_the_assistant_is_off(values: dict[str, Any]) -> None:
    assert open_model(section(**values), Clock()) is None
    assert assistant_problems(section(**values)) == []


@pytest.mark.parametrize(
    "values",
    [
        {"base_url": HERE},
        {"base_url": HERE, "api_key": KEY},
        {"provider": "openai", "api_key": KEY},
        {"provider": "anthropic", "api_key": KEY},
        {"provider": "google", "api_key": KEY},
    ],
)
async def test_a_complete_configuration_opens_a_model(values: dict[str, Any]) -> None:
    model = open_model(section(model="m", **values), Clock())
    assert model is not None
    await model.aclose()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "assistant.base_url"),
        ({"provider": "openai"}, "assistant.api_key"),
        ({"provider": "anthropic", "api_key": " "}, "assistant.api_key"),
        ({"provider": "google"}, "assistant.api_key"),
    ],
)
def test_what_is_missing_is_named(values: dict[str, Any], told: str) -> None:
    (problem,) = assistant_problems(section(model="m", **values))
    assert told in problem
    with pytest.raises(StartupError, match=told):
        open_model(section(model="m", **values), Clock())


@pytest.mark.parametrize("provider", ["openai-compatible", "openai", "anthropic", "google"])
def test_a_provider_that_is_not_installed_is_told_with_all_that_is_missing(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(name: str) -> ModuleSpec | None:
        if "." in name:
            raise ModuleNotFoundError(name)
        return None

    monkeypatch.setattr(providers, "find_spec", nothing)
    with pytest.raises(StartupError) as caught:
        open_model(section(model="m", provider=provider), Clock())
    assert len(caught.value.problems) == 2
    extra = "openai" if provider.startswith("openai") else provider
    assert f"pip install '.[{extra}]'" in caught.value.sentence
