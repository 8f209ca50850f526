"""Settings: from the file and the environment, every problem at once, every key documented."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from bot.config import Config, read_config
from bot.errors import StartupError

EXAMPLE = Path(__file__).parents[2] / "config.example.toml"


def test_the_example_file_holds_the_defaults() -> None:
    assert read_config(EXAMPLE) == Config()


def test_the_example_file_explains_every_key() -> None:
    text = EXAMPLE.read_text("utf-8")
    for section, field in Config.model_fields.items():
        kind = field.annotation
        assert isinstance(kind, type)
        assert issubclass(kind, BaseModel)
        part = text.split(f"[{section}]\n")[1].split("\n[")[0]
        for key in kind.model_fields:
            assert re.search(rf"^(# )?{key} = ", part, re.MULTILINE), f"{section}.{key}"


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[discord]\nprefix = "!"\n[storage]\nretention_days = 7\n')
    monkeypatch.setenv("KENNEL_DISCORD__PREFIX", "?")
    monkeypatch.setenv("KENNEL_NETWORK__DEVELOPMENT_HOSTS", '["127.0.0.1:8000"]')

    config = read_config(file)

    assert config.discord.prefix == "?"
    assert config.storage.retention_days == 7
    assert config.network.development_hosts == ["127.0.0.1:8000"]


def test_every_problem_is_told_at_once_and_names_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '[discord]\nprefix = "a b"\ntokn = "x"\n[storage]\nurl = "mysql://x"\nretention_days = 0\n[extra]\n'
    )
    monkeypatch.setenv("KENNEL_DISCORD__TOKN", "x")

    with pytest.raises(StartupError) as caught:
        read_config(file)

    told = caught.value.sentence
    for key in (
        "discord.prefix",
        "discord.tokn",
        "storage.url",
        "storage.retention_days",
        "extra",
        "KENNEL_DISCORD__TOKN",
    ):
        assert key in told
    assert "pydantic" not in told


@pytest.mark.parametrize(
    "shards",
    [
        "shard_count = 2",
        "shard_ids = [0]",
        "shard_count = 2\nshard_ids = [2]",
        "shard_count = 2\nshard_ids = [0, 0]",
    ],
)
def test_shards_that_do_not_fit_together_are_a_problem(tmp_path: Path, shards: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[discord]\n{shards}\n")
    with pytest.raises(StartupError, match="shard_"):
        read_config(file)


def test_development_hosts_that_are_no_list_of_pairs_are_told_with_an_example(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for given in ('"127.0.0.1:8080"', '["127.0.0.1"]', '["http://127.0.0.1:8080"]'):
        file.write_text(f"[network]\ndevelopment_hosts = {given}\n")
        with pytest.raises(StartupError) as caught:
            read_config(file)
        assert '["127.0.0.1:8080"]' in caught.value.sentence


def test_a_file_that_was_named_has_to_exist(tmp_path: Path) -> None:
    assert read_config(tmp_path / "none.toml") == Config()
    with pytest.raises(StartupError, match="does not exist"):
        read_config(tmp_path / "none.toml", required=True)


def test_a_file_that_is_no_toml_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("discord = {")
    with pytest.raises(StartupError, match="not valid TOML"):
        read_config(file)


@pytest.mark.parametrize(("given", "keys"), [('"one"', ("one",)), ('["new", "old"]', ("new", "old"))])
def test_encryption_keys_are_one_or_a_list(tmp_path: Path, given: str, keys: tuple[str, ...]) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[storage]\nencryption_key = {given}\n")
    assert read_config(file).storage.keys == keys


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '[discord]\ntoken = "sesame"\n[storage]\nencryption_key = "sesame"\n[assistant]\napi_key = "sesame"\n'
    )
    assert "sesame" not in repr(read_config(file))
