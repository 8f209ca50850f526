"""Typed settings from one TOML file and the environment, read by a call and never at import.

A key `x` of section `[s]` is also read from `KENNEL_S__X`, which wins over the file. Unknown keys are errors.
"""

import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from bot.errors import StartupError

ENV_PREFIX = "KENNEL_"

HostPort = Annotated[str, Field(pattern=r"^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$")]
Prefix = Annotated[str, Field(pattern=r"^[^\s/@]{1,5}$")]


class Section(BaseModel):
    """One table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class DiscordSection(Section):
    """How to reach Discord, and as whom."""

    token: SecretStr | None = None
    prefix: Prefix = "^"
    api_url: Annotated[str, Field(pattern=r"^https?://\S+/v10/?$")] | None = None
    gateway_url: Annotated[str, Field(pattern=r"^wss?://\S+$")] | None = None
    shard_count: Annotated[int, Field(ge=1)] | None = None
    shard_ids: list[Annotated[int, Field(ge=0)]] | None = None

    @property
    def bot_token(self) -> str:
        """The token in the clear; empty when there is none."""
        return self.token.get_secret_value().strip() if self.token is not None else ""

    @model_validator(mode="after")
    def _shards_go_together(self) -> Self:
        if (self.shard_ids is None) != (self.shard_count is None):
            raise ValueError("shard_ids and shard_count are set together or not at all")
        if self.shard_ids is not None and self.shard_count is not None:
            if not self.shard_ids or len(set(self.shard_ids)) != len(self.shard_ids):
                raise ValueError("shard_ids has to name each shard once")
            if max(self.shard_ids) >= self.shard_count:
                raise ValueError("shard_ids has to stay below shard_count")
        return self


class StorageSection(Section):
    """Where rows are kept, how they are sealed, and for how long."""

    url: Annotated[str, Field(pattern=r"^(sqlite:///.+|postgres(ql)?://.+)$")] = "sqlite:///kennel.db"
    encryption_key: list[SecretStr] | SecretStr | None = None
    retention_days: Annotated[int, Field(ge=1, le=3650)] = 30

    @property
    def keys(self) -> tuple[str, ...]:
        """The encryption keys, newest first; none when the key file is to be used."""
        given = self.encryption_key
        if given is None:
            return ()
        if isinstance(given, SecretStr):
            return tuple(given.get_secret_value().split())
        return tuple(key.get_secret_value() for key in given)


class AssistantSection(Section):
    """The model behind conversations; without one the assistant is off."""

    provider: Literal["openai-compatible", "openai", "anthropic", "google"] = "openai-compatible"
    base_url: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    model: str | None = None
    api_key: SecretStr | None = None
    requests_per_member_hour: Annotated[int, Field(ge=1)] = 30
    requests_per_guild_day: Annotated[int, Field(ge=1)] = 500


class NetworkSection(Section):
    """Exceptions to the address rules, for development on one's own machine."""

    development_hosts: list[HostPort] = Field(default_factory=list[HostPort])


class LinksSection(Section):
    """Known-bad hosts."""

    blocklist: Path | None = None


class ObservabilitySection(Section):
    """Where `/healthz` and `/metrics` listen."""

    listen: HostPort | None = None


class Config(BaseSettings):
    """The whole configuration, validated."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    discord: DiscordSection = Field(default_factory=DiscordSection)
    storage: StorageSection = Field(default_factory=StorageSection)
    assistant: AssistantSection = Field(default_factory=AssistantSection)
    network: NetworkSection = Field(default_factory=NetworkSection)
    links: LinksSection = Field(default_factory=LinksSection)
    observability: ObservabilitySection = Field(default_factory=ObservabilitySection)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file, whose content comes in as init values."""
        return env_settings, init_settings


def read_config(path: Path, *, required: bool = False) -> Config:
    """Read the TOML file at `path` (which may be absent unless `required`) and this process's environment.

    Raises `StartupError` with every problem at once, each naming its key.
    """
    content = _read_file(path, required=required)
    problems = _unknown_variables()
    try:
        config = Config(**content)
    except ValidationError as error:
        problems += [_in_words(e["loc"], e["type"], e["msg"], e.get("ctx", {})) for e in error.errors()]
        raise StartupError(problems) from None
    except SettingsError:
        problems.append(
            'A KENNEL_ variable that is a list has to be written as JSON, like ["127.0.0.1:8080"].'
        )
        raise StartupError(problems) from None
    if problems:
        raise StartupError(problems)
    return config


def _read_file(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        if required:
            raise StartupError([f"The configuration file {path} does not exist."]) from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        why = type(error).__name__
        raise StartupError([f"The configuration file {path} cannot be read ({why})."]) from None
    except tomllib.TOMLDecodeError as error:
        raise StartupError([f"The configuration file {path} is not valid TOML: {error}."]) from None


def _unknown_variables() -> list[str]:
    known = {
        f"{ENV_PREFIX}{section}__{key}".upper()
        for section, field in Config.model_fields.items()
        for key in _keys(field.annotation)
    }
    return [
        f"The environment variable {name} is no setting of Kennel's."
        for name in sorted(os.environ)
        if name.upper().startswith(ENV_PREFIX) and name.upper() not in known
    ]


def _keys(section: Any) -> list[str]:
    return list(section.model_fields) if issubclass(section, BaseModel) else []


def _in_words(loc: tuple[int | str, ...], kind: str, message: str, context: dict[str, Any]) -> str:
    key = ".".join(str(part) for part in loc)
    match kind:
        case "extra_forbidden":
            return f"`{key}` is no setting of Kennel's; see config.example.toml."
        case "value_error":
            return f"`{key}`: {context['error']}."
        case "string_pattern_mismatch" | "list_type":
            key = re.sub(r"[.][0-9]+$", "", key)  # of a list the whole is named
            return f"`{key}` {_FORMS.get(key, 'has the wrong form')}."
        case _:
            return f"`{key}`: {message[:1].lower()}{message[1:]}."


_FORMS = {
    "discord.prefix": "has to be 1 to 5 characters without spaces, / or @",
    "discord.api_url": "has to be the REST base with its version, like http://127.0.0.1:8080/api/v10",
    "discord.shard_ids": "has to be a list of numbers, like [0, 1]",
    "discord.gateway_url": "has to be a ws:// or wss:// address",
    "storage.url": "has to begin with sqlite:/// or postgresql://",
    "assistant.base_url": "has to be an http:// or https:// address",
    "network.development_hosts": 'has to be a list of host:port pairs, like ["127.0.0.1:8080"]',
    "observability.listen": "has to be host:port, like 127.0.0.1:9000",
}
