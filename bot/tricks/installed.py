"""An installation's row, read into the values that the rules work on."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from bot.manifest import (
    Command,
    Manifest,
    ManifestTool,
    Setting,
    effective_settings,
    load_manifest,
    missing_settings,
)
from bot.policy.audiences import AccessRules, Audience
from bot.signing import Secret, SecretBox, parse_secret
from bot.strict_json import Json
from bot.transport import Endpoint
from storage.records import Installation, Pin

_KEPT_MANIFESTS = 512
_KEPT_SECRETS = 10_000


class ManifestCache:
    """Manifests by their stored text, the least recently used forgotten first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Manifest] = OrderedDict()

    def read(self, text: str) -> Manifest:
        """The manifest of a stored row."""
        manifest = self._kept.get(text)
        if manifest is None:
            manifest = self._kept[text] = load_manifest(text)
            if len(self._kept) > _KEPT_MANIFESTS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(text)
        return manifest


@dataclass(frozen=True, slots=True)
class Installed:
    """One trick in one server, with everything a call needs to know of it."""

    row: Installation
    manifest: Manifest
    access: AccessRules
    settings: Mapping[str, Json]
    secrets: tuple[Secret, ...]

    @property
    def name(self) -> str:
        """The trick's name."""
        return self.row.name

    @property
    def mcp(self) -> Endpoint:
        """The MCP endpoint with the secrets that sign for it."""
        return Endpoint(self.manifest.endpoints.mcp, self.secrets)

    @property
    def challenge(self) -> Endpoint:
        """The challenge endpoint with the secrets that sign for it."""
        return Endpoint(self.manifest.endpoints.challenge, self.secrets)

    @property
    def tools(self) -> frozenset[str]:
        """The names of the manifest's tools."""
        return frozenset(tool.name for tool in self.manifest.tools)

    @property
    def missing_settings(self) -> tuple[Setting, ...]:
        """The required settings that are empty: until the owner fills them in, no tool is called."""
        return missing_settings(self.manifest.settings, self.settings)

    def tool(self, name: str) -> ManifestTool | None:
        """The manifest's word on one tool."""
        return next((tool for tool in self.manifest.tools if tool.name == name), None)

    def command(self, name: str) -> Command | None:
        """The manifest's word on one command."""
        return next((command for command in self.manifest.commands if command.name == name), None)

    def held_back(self, pin: Pin | None) -> bool:
        """Whether the tool behind `pin` may not be called: never pinned, or changed since."""
        return pin is None or pin.tool in self.row.held_back


class InstalledReader:
    """Turns rows into `Installed` values."""

    def __init__(self, box: SecretBox) -> None:
        self._box = box
        self._manifests = ManifestCache()
        self._secrets: dict[tuple[str, str], Secret] = {}

    def read(self, row: Installation, now_ms: int) -> Installed:
        """The values of `row`; during a rotation both secrets sign, the newest first."""
        manifest = self._manifests.read(row.manifest)
        sealed = [row.secret]
        if row.previous_secret is not None and (row.previous_secret_until or 0) > now_ms:
            sealed.append(row.previous_secret)
        return Installed(
            row=row,
            manifest=manifest,
            access=read_access(row.access),
            settings=effective_settings(manifest.settings, json.loads(row.settings)),
            secrets=tuple(self._open(row.id, token) for token in sealed),
        )

    def _open(self, installation_id: str, token: str) -> Secret:
        """Opened secrets are kept: a Fernet token costs more than the whole signature."""
        secret = self._secrets.get((installation_id, token))
        if secret is None:
            if len(self._secrets) >= _KEPT_SECRETS:
                self._secrets.clear()
            secret = parse_secret(self._box.open(installation_id, token))
            self._secrets[installation_id, token] = secret
        return secret


def read_access(text: str) -> AccessRules:
    """The stored access rules: `{"audiences": {tool: {"kind", "roles"}}, "channels": [id]}`, or `{}`."""
    stored = cast("dict[str, Any]", json.loads(text))
    audiences = {
        tool: Audience(rule["kind"], frozenset(rule.get("roles", ())))
        for tool, rule in stored.get("audiences", {}).items()
    }
    return AccessRules(audiences, frozenset(stored.get("channels", ())))
