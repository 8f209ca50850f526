"""Databases as a long run left them: enabled installations of a trick that another process is."""

from collections.abc import Sequence
from typing import Any

from bot.clock import Clock
from bot.config import Config
from bot.manifest import dump_manifest, read_manifest
from bot.run import bring_up_to_date
from bot.signing import SecretBox, make_secret
from bot.signing.secrets import new_key
from bot.strict_json import dump
from storage.engine import Database
from storage.installations import Installations
from storage.records import Installation
from tests.bench.model_answers import TRICK
from tests.support.records import OWNER, installation, pin
from tests.support.trick_tools import ToolSpec, manifest_of

KEY = new_key()
BOX = SecretBox([KEY])
TOOLS = ("snack_menu", "snack_count", *(f"snack_{number}" for number in range(8)))


def config_of(url: str, port: int, **sections: Any) -> Config:
    """Kennel's configuration on the database `url`, with everything outside on loopback's `port`."""
    return Config.model_validate(
        {
            "storage": {"url": url, "encryption_key": KEY},
            "network": {"development_hosts": [f"127.0.0.1:{port}"]},
            "assistant": {
                "base_url": f"http://127.0.0.1:{port}/v1",
                "model": "instant",
                "requests_per_member_hour": 1_000_000,
                "requests_per_guild_day": 1_000_000,
            },
            **sections,
        }
    )


async def open_filled(url: str) -> Database:
    """A migrated database, open."""
    await bring_up_to_date(url)
    return await Database.open(url)


async def install(
    database: Database,
    port: int,
    id: str,
    trick_id: str = TRICK,
    tools: Sequence[str] = TOOLS,
    events: Sequence[str] = (),
    **changes: Any,
) -> Installation:
    """Register and enable a trick at `port` with ten read tools, whose definitions are accepted."""
    now = Clock().now_ms()
    specs = [ToolSpec(tool, description="Says what there is. " * 10, read_only=True) for tool in tools]
    base = f"http://127.0.0.1:{port}"
    manifest = dump_manifest(
        read_manifest(dump(manifest_of(trick_id, base, specs, list(events))), frozenset({base[7:]}))
    )
    row = installation(
        id,
        trick_id=trick_id,
        manifest=manifest,
        secret=BOX.seal(id, make_secret(Clock()).text),
        created_at=now,
        **changes,
    )
    store = Installations(database)
    await store.add(row, (), events=events)
    pins = [
        pin(spec.name, id, description=spec.description, input_schema=dump(spec.schema).decode())
        for spec in specs
    ]
    assert await store.enable_first(id, pins, now, OWNER)
    return row
