"""The encryption key of a database: recognised, and rotated without losing a secret."""

from pathlib import Path
from typing import Any

import pytest

from bot.app import Kennel
from bot.config import Config
from bot.errors import StartupError
from bot.services import open_services
from bot.signing import new_key
from tests.support.trick import TrickServer
from tests.support.world import config_for, open_world, outside_transport, text_of


def config(tmp_path: Path, trick: TrickServer, *keys: str) -> Config:
    storage: dict[str, Any] = {"url": f"sqlite:///{tmp_path}/kennel.db", "encryption_key": list(keys)}
    return config_for("", trick, storage=storage)


async def test_after_a_rotation_the_old_key_is_not_needed_any_more(
    tmp_path: Path, trick: TrickServer
) -> None:
    old, new = new_key(), new_key()
    async with open_world(config(tmp_path, trick, old)) as world:
        await world.install(trick)
        async with open_services(config(tmp_path, trick, new, old)):
            pass
        transport = outside_transport(config(tmp_path, trick))
        async with open_services(config(tmp_path, trick, new), world.clock, transport) as services:
            await world.env.restart_bot(Kennel(services, shard_count=1))
            shown = await world.owner.slash(world.channel, "snacks")

    assert shown.response is not None
    assert "popcorn" in text_of(shown.response)
    assert trick.received("tools/call")[-1].verified


async def test_a_key_that_does_not_belong_to_the_database_is_refused_and_changes_nothing(
    tmp_path: Path, trick: TrickServer
) -> None:
    right = new_key()
    async with open_world(config(tmp_path, trick, right)):
        pass
    with pytest.raises(StartupError, match="not the one"):
        async with open_services(config(tmp_path, trick, new_key())):
            pass
    async with open_services(config(tmp_path, trick, right)):
        pass
