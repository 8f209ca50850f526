"""What `kennel check` says without asking Discord: extras that are missing, hints beside problems."""

from pathlib import Path

import pytest

from bot.check import look_at
from bot.observability import opening
from storage import drivers
from tests.support.pages import free_address


async def test_the_missing_extra_for_metrics_is_a_hint_and_names_the_way_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(opening, "is_installed", lambda: False)
    file = tmp_path / "config.toml"
    file.write_text(f'[observability]\nlisten = "{free_address()}"\n')
    found = await look_at(file, required=True)
    assert [hint for hint in found.hints if "pip install '.[metrics]'" in hint]
    assert len(found.problems) == 1  # no token

    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert (await look_at(file, required=True)).hints == ()


async def test_the_missing_driver_of_postgresql_is_a_problem_and_names_the_way_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_arguments: object, **_options: object) -> None:
        raise ModuleNotFoundError("asyncpg")

    monkeypatch.setattr(drivers, "create_async_engine", missing)
    file = tmp_path / "config.toml"
    file.write_text('[storage]\nurl = "postgresql://kennel@127.0.0.1/kennel"\n')
    problems = (await look_at(file, required=True)).problems
    assert [problem for problem in problems if "pip install '.[postgres]'" in problem]


async def test_several_keys_of_an_assistant_without_a_model_are_named_together(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[assistant]\nprovider = "openai"\napi_key = "k"\n')
    (hint,) = (await look_at(file, required=True)).hints
    assert "`assistant.provider` and `assistant.api_key`" in hint


async def test_the_example_configuration_gives_no_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example = Path(__file__).parents[2] / "config.example.toml"
    assert (await look_at(example, required=True)).hints == ()
