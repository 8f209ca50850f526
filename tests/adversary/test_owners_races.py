"""What an owner confirms and changes at the same moment in two processes on one database, SQLite and PostgreSQL."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable
from dataclasses import dataclass
from typing import Any

import pytest

from bot.config import Config
from bot.errors import KennelError
from bot.policy.audiences import EVERYONE, Audience
from bot.services import Services, open_services
from bot.signing import new_key
from bot.tricks.refresh import Differs
from bot.tricks.rotation import Rotated
from bot.tricks.setting_forms import Present
from bot.tricks.settings import Filling
from storage.errors import ParentGone
from tests.support.journeys import rows_of, said, tricks, typed
from tests.support.refreshing import grow
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world, outside_transport

SETTINGS: list[dict[str, Any]] = [{"key": f"k{n}", "label": f"K{n}", "type": "text"} for n in range(10)]
NOTHING = Present(frozenset(), frozenset())


@dataclass
class Two:
    """A bot in its simulated server, and the services of a second process on the same database."""

    world: World
    other: Services
    trick: TrickServer
    url: str

    @property
    def key(self) -> tuple[str, str]:
        """The server's and the owner's id."""
        return str(self.world.guild.id), str(self.world.owner.id)

    @property
    def both(self) -> tuple[Services, Services]:
        """The services of both processes."""
        return self.world.services, self.other

    async def row(self) -> dict[str, Any]:
        """The row of the only installation."""
        (row,) = (await rows_of(self.url))["installations"]
        return row

    async def differs(self, services: Services) -> Differs:
        """Read the trick anew, which has changed."""
        self.world.clock.advance(361)
        found = await services.refresh.look(self.key[0], self.trick.id, self.key[1], quietly)
        assert isinstance(found, Differs)
        return found

    async def ask_remove(self) -> str:
        """The draft of a removal."""
        _, draft_id = await self.other.lifecycle.ask_remove(self.key[0], self.trick.id, self.key[1])
        return draft_id

    async def remove(self, services: Services, draft_id: str) -> Any:
        """Confirm a removal."""
        return await services.lifecycle.confirm_remove(draft_id, *self.key, closing=quietly)


@pytest.fixture
async def two(database_url: str, trick: TrickServer) -> AsyncGenerator[Two]:
    """Both on one database, with the trick enabled."""
    trick.settings = SETTINGS
    storage = {"url": database_url, "encryption_key": new_key()}
    config: Config = config_for(database_url, trick, storage=storage)
    async with open_world(config) as world:
        trick.clock = world.clock
        await world.install(trick)
        async with open_services(config, world.clock, outside_transport(config)) as other:
            await other.table.load()
            yield Two(world, other, trick, database_url)


async def quietly(*_: object) -> None:
    """Nobody watches the test of a connection, and nothing waits for a trick's end."""


async def ends(*works: Awaitable[Any]) -> Counter[str]:
    """How each of them ends when all begin at once: every refusal is one of ours."""
    results = await asyncio.gather(*works, return_exceptions=True)
    for result in results:
        assert not isinstance(result, BaseException) or isinstance(result, KennelError | ParentGone), result
    return Counter(type(result).__name__ for result in results)


async def test_a_difference_is_accepted_in_one_of_them(two: Two) -> None:
    grow(two.trick)
    shown = await two.differs(two.other)
    done = await ends(*(services.refresh.accept(shown.draft_id, *two.key) for services in two.both * 2))
    assert done == {"Installed": 1, "NotOpen": 3}


async def test_of_two_differences_shown_in_two_processes_one_is_accepted(two: Two) -> None:
    grow(two.trick)
    shown = [await two.differs(services) for services in two.both]
    done = await ends(
        *(
            services.refresh.accept(each.draft_id, *two.key)
            for services, each in zip(two.both, shown, strict=True)
        )
    )
    assert done == {"Installed": 1, "NotOpen": 1}
    rows = await rows_of(two.url)
    assert sorted(row["name"] for row in rows["commands"]) == ["order", "snacks"]
    assert len(rows["pins"]) == 3


async def test_a_removal_and_an_acceptance_at_once_leave_all_of_the_trick_or_nothing(two: Two) -> None:
    grow(two.trick)
    shown, draft_id = await two.differs(two.other), await two.ask_remove()
    done = await ends(
        two.world.services.refresh.accept(shown.draft_id, *two.key), two.remove(two.other, draft_id)
    )
    assert done["Installation"] == 1
    rows = await rows_of(two.url)
    for table in ("installations", "commands", "pins", "subscriptions", "consents"):
        assert rows[table] == [], table
    assert [row for row in rows["drafts"] if row["installation_id"] is not None] == []


async def test_a_new_secret_is_made_in_one_of_them_and_is_the_one_that_was_shown(two: Two) -> None:
    guild_id, owner_id = two.key
    results = await asyncio.gather(
        *(services.rotation.rotate(guild_id, two.trick.id, owner_id) for services in two.both * 2),
        return_exceptions=True,
    )
    (made,) = [each for each in results if isinstance(each, Rotated)]
    assert {type(each).__name__ for each in results} == {"Rotated", "RotationUnderWay"}
    two.trick.trust(made.secret_text)
    assert "popcorn" in await typed(two.world, "^snacks")
    assert "passed the test" in said(await tricks(two.world, "test", trick=two.trick.id))


async def test_a_new_secret_an_acceptance_a_setting_and_a_rule_at_once_are_all_kept(two: Two) -> None:
    grow(two.trick)
    two.trick.settings = SETTINGS
    shown, (guild_id, owner_id) = await two.differs(two.other), two.key
    row = await two.row()
    form = await two.other.settings.page(guild_id, row["id"], 0, NOTHING)
    filling = Filling(row["id"], 0, form.mark, {"0": "kept"})
    owners_alone = Audience("owner")
    done = await ends(
        two.world.services.refresh.accept(shown.draft_id, *two.key),
        two.other.rotation.rotate(guild_id, two.trick.id, owner_id),
        two.world.services.settings.submit(guild_id, owner_id, filling, NOTHING),
        two.other.access.set_audience(guild_id, owner_id, row["id"], "snack_menu", owners_alone),
        two.other.event_choices.choose(guild_id, two.trick.id, str(two.world.channel.id)),
        two.world.services.lifecycle.disable(guild_id, two.trick.id, owner_id),
    )
    assert sum(done.values()) == 6
    assert "NotOpen" not in done
    after = await two.row()
    assert after["secret"] != row["secret"]
    assert after["previous_secret"] == row["secret"]
    assert json.loads(after["settings"]) == {"k0": "kept"}
    assert json.loads(after["access"]) == {"audiences": {"snack_menu": {"kind": "owner"}}}
    assert after["state"] == "disabled"
    assert "order_snack" in after["manifest"]
    rows = await rows_of(two.url)
    assert rows["subscriptions"][0]["channel_id"] == str(two.world.channel.id)


async def test_pages_of_settings_and_rules_of_tools_sent_at_once_undo_none_of_each_other(two: Two) -> None:
    guild_id, owner_id = two.key
    row = await two.row()
    works: list[Awaitable[Any]] = []
    for number, services in enumerate(two.both):
        form = await services.settings.page(guild_id, row["id"], number, NOTHING)
        typed_in = {str(at): f"{number}{at}" for at in range(5)}
        filling = Filling(row["id"], number, form.mark, typed_in)
        works.append(services.settings.submit(guild_id, owner_id, filling, NOTHING))
        tool = ("snack_menu", "save_snack")[number]
        works.append(services.access.set_audience(guild_id, owner_id, row["id"], tool, Audience("owner")))
        works.append(services.access.set_channels(guild_id, owner_id, row["id"], ["5"]))
    await ends(*works)
    after = await two.row()
    assert json.loads(after["settings"]) == {f"k{n}": f"{n // 5}{n % 5}" for n in range(10)}
    assert json.loads(after["access"]) == {
        "audiences": {tool: {"kind": "owner"} for tool in ("save_snack", "snack_menu")},
        "channels": ["5"],
    }


async def test_a_tool_that_becomes_a_write_is_not_opened_by_a_press_made_for_a_read(two: Two) -> None:
    """At the same moment the difference is accepted and everyone is chosen for what was a read."""
    guild_id, owner_id = two.key
    row = await two.row()
    access = two.other.access
    await access.set_audience(guild_id, owner_id, row["id"], "snack_menu", Audience("owner"))
    two.trick.tools = [
        *(tool for tool in two.trick.tools if tool.name != "snack_menu"),
        type(two.trick.tools[0])("snack_menu", "See the snacks", "List the snacks there are."),
    ]
    shown = await two.differs(two.world.services)
    await ends(
        two.world.services.refresh.accept(shown.draft_id, *two.key),
        access.set_audience(guild_id, owner_id, row["id"], "snack_menu", EVERYONE),
        access.open_reads(guild_id, owner_id, row["id"]),
    )
    found = await access.of_installation(guild_id, row["id"])
    assert found.tool("snack_menu").audience.kind in ("owner", "manage_server")


async def test_an_owner_who_erased_themselves_confirms_nothing_of_before_and_goes_on(two: Two) -> None:
    grow(two.trick)
    shown, draft_id = await two.differs(two.other), await two.ask_remove()
    await two.world.services.privacy.erase(two.key[1])
    done = await ends(
        two.other.refresh.accept(shown.draft_id, *two.key), two.remove(two.world.services, draft_id)
    )
    assert done == {"NotOpen": 2}
    again = await two.differs(two.other)
    await two.world.services.refresh.accept(again.draft_id, *two.key)
    assert "passed the test" in said(await tricks(two.world, "test", trick=two.trick.id))


async def test_a_removal_at_once_with_everything_else_leaves_no_row(two: Two) -> None:
    guild_id, owner_id = two.key
    row, draft_id = await two.row(), await two.ask_remove()
    form = await two.other.settings.page(guild_id, row["id"], 0, NOTHING)
    wrong = Filling(row["id"], 0, form.mark, {"0": "a\nb"})
    right = Filling(row["id"], 0, form.mark, {"0": "ab"})
    done = await ends(
        two.remove(two.other, draft_id),
        two.world.services.settings.submit(guild_id, owner_id, wrong, NOTHING),
        two.other.settings.submit(guild_id, owner_id, right, NOTHING),
        two.world.services.rotation.rotate(guild_id, two.trick.id, owner_id),
        two.other.access.set_channels(guild_id, owner_id, row["id"], ["5"]),
        two.world.services.event_choices.choose(guild_id, two.trick.id, "5"),
        two.other.event_choices.stop(guild_id, row["id"]),
        two.world.services.lifecycle.ask_remove(guild_id, two.trick.id, owner_id),
        two.other.lifecycle.disable(guild_id, two.trick.id, owner_id),
    )
    assert done["Installation"] == 1
    rows = await rows_of(two.url)
    for table, kept in rows.items():
        assert not any(row["id"] in map(str, each.values()) for each in kept), table
