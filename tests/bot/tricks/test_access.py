"""Who may use a trick's tools, as the owner changes it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from bot.errors import NoSuchTool, NoSuchTrick
from bot.mcp import McpClient
from bot.policy.audiences import EVERYONE, MANAGE_SERVER, AccessRules, Audience
from bot.signing import SecretBox
from bot.signing.secrets import new_key
from bot.transport import SignedSender
from bot.tricks.access import AccessService, AsksToOpen, Confirmed, TrickAccess, dump_access
from bot.tricks.challenge import ConnectionTest
from bot.tricks.installed import InstalledReader, read_access
from bot.tricks.lifecycle import Lifecycle
from bot.tricks.limits import Limiter
from storage.access import Access
from storage.drafts import Drafts
from storage.engine import Database
from storage.installations import Installations
from storage.looks import Looks
from tests.support.clock import TurnedClock
from tests.support.mcp import SECRET, open_transport
from tests.support.records import GUILD, NOW, OWNER, installation, pin
from tests.support.trick_tools import ToolSpec, manifest_of

OWNER_ONLY = Audience("owner")
ROLES = Audience("roles", frozenset({"71", "72"}))
TOOLS = [
    ToolSpec("peek", "Take a peek", "Looks.", read_only=True),
    ToolSpec("look", "Look", "Looks longer.", read_only=True),
    ToolSpec("fill", "Fill", "Fills."),
    ToolSpec("wipe", "Wipe", "Wipes.", always_ask=True),
]


class Room:
    """One installed trick and the service."""

    def __init__(self, database: Database, sender: SignedSender) -> None:
        self.store = Installations(database)
        box, clock = SecretBox([new_key()]), TurnedClock()
        reader, limiter = InstalledReader(box), Limiter(clock)
        test = ConnectionTest(sender, McpClient(sender, clock, "1.2.3"), clock)
        lifecycle = Lifecycle(self.store, Drafts(database), reader, test, Looks(database), limiter, clock)
        self.service = AccessService(Access(database), self.store, lifecycle, reader, clock)
        self._secret = box.seal("i1", SECRET.text)

    async def install(self, **changes: Any) -> None:
        """The trick with its first two tools' definitions accepted."""
        manifest = json.dumps(manifest_of("shelf", "https://shelf.example", TOOLS, []))
        values = {"trick_id": "shelf", "manifest": manifest, "secret": self._secret, **changes}
        await self.store.add(installation(**values), [])
        await self.store.enable_first(
            "i1", [pin("peek", title="Take a peek"), pin("look", title="")], NOW, OWNER
        )

    async def set_audience(
        self, tool: str, audience: Audience, confirmed: Confirmed | None = None
    ) -> TrickAccess | AsksToOpen:
        """Say who may use a tool."""
        return await self.service.set_audience(GUILD, OWNER, "i1", tool, audience, confirmed=confirmed)

    async def stored(self) -> dict[str, Any]:
        """The rules as they are stored."""
        row = await self.store.get("i1")
        assert row is not None
        return json.loads(row.access)


@pytest_asyncio.fixture
async def empty(database: Database) -> AsyncIterator[Room]:
    """The service on both databases, nothing installed."""
    async with open_transport() as transport:
        yield Room(database, SignedSender(transport, TurnedClock()))


@pytest_asyncio.fixture
async def room(empty: Room) -> Room:
    """The same with the trick."""
    await empty.install()
    return empty


async def test_at_first_reads_are_for_everyone_and_writes_for_manage_server_in_every_channel(
    room: Room,
) -> None:
    access = await room.service.of_trick(GUILD, "shelf")
    assert [(tool.name, tool.title, tool.audience) for tool in access.tools] == [
        ("peek", "Take a peek", EVERYONE),
        ("look", "look", EVERYONE),
        ("fill", "fill", MANAGE_SERVER),
        ("wipe", "wipe", MANAGE_SERVER),
    ]
    assert access.channel_ids == frozenset()
    assert access.closed_reads == ()
    assert await room.service.of_installation(GUILD, "i1") == access


@pytest.mark.parametrize("audience", [MANAGE_SERVER, OWNER_ONLY, ROLES])
@pytest.mark.parametrize("tool", ["peek", "fill", "wipe"])
async def test_a_narrower_rule_is_stored_at_once(room: Room, tool: str, audience: Audience) -> None:
    access = await room.set_audience(tool, audience)
    assert isinstance(access, TrickAccess)
    assert access.tool(tool).audience == audience
    assert read_access(json.dumps(await room.stored())).audiences == {tool: audience}


@pytest.mark.parametrize("tool", ["fill", "wipe"])
async def test_a_write_is_opened_to_everyone_only_when_confirmed(room: Room, tool: str) -> None:
    asked = await room.set_audience(tool, EVERYONE)
    assert isinstance(asked, AsksToOpen)
    assert asked.tool.name == tool
    assert await room.stored() == {}
    done = await room.set_audience(tool, EVERYONE, "never_asks")
    assert isinstance(done, TrickAccess)
    assert done.tool(tool).audience == EVERYONE
    assert isinstance(await room.set_audience(tool, EVERYONE), TrickAccess)


async def test_who_confirmed_a_write_that_asks_has_not_agreed_to_one_that_never_does(room: Room) -> None:
    assert isinstance(await room.set_audience("fill", EVERYONE, "always_asks"), AsksToOpen)
    assert await room.stored() == {}
    assert isinstance(await room.set_audience("wipe", EVERYONE, "always_asks"), TrickAccess)


async def test_a_read_that_was_opened_to_everyone_is_not_open_when_it_becomes_a_write(room: Room) -> None:
    await room.set_audience("peek", OWNER_ONLY)
    await room.set_audience("peek", EVERYONE)
    rules = read_access(json.dumps(await room.stored()))
    assert rules.audience("peek", read_only=True) == EVERYONE
    assert rules.audience("peek", read_only=False) == MANAGE_SERVER


async def test_all_reads_are_opened_in_one_step_and_writes_stay(room: Room) -> None:
    for tool in ("peek", "look", "fill"):
        await room.set_audience(tool, OWNER_ONLY)
    assert (await room.service.of_installation(GUILD, "i1")).closed_reads == ("peek", "look")
    access = await room.service.open_reads(GUILD, OWNER, "i1")
    assert [tool.audience for tool in access.tools] == [EVERYONE, EVERYONE, OWNER_ONLY, MANAGE_SERVER]


async def test_channels_are_set_and_taken_back(room: Room) -> None:
    await room.set_audience("fill", OWNER_ONLY)
    access = await room.service.set_channels(GUILD, OWNER, "i1", {"9", "8"})
    assert access.channel_ids == {"8", "9"}
    assert await room.stored() == {"audiences": {"fill": {"kind": "owner"}}, "channels": ["8", "9"]}
    assert (await room.service.set_channels(GUILD, OWNER, "i1", ())).channel_ids == frozenset()
    assert await room.stored() == {"audiences": {"fill": {"kind": "owner"}}}


async def test_rules_of_tools_that_are_gone_go_with_the_next_change(empty: Room) -> None:
    gone = {"audiences": {"gone": {"kind": "everyone"}, "fill": {"kind": "owner"}}, "channels": ["7"]}
    await empty.install(access=json.dumps(gone))
    await empty.set_audience("peek", ROLES)
    assert await empty.stored() == {
        "audiences": {"fill": {"kind": "owner"}, "peek": {"kind": "roles", "roles": ["71", "72"]}},
        "channels": ["7"],
    }


async def test_what_is_not_there_is_said(room: Room) -> None:
    with pytest.raises(NoSuchTrick):
        await room.service.of_trick(GUILD, "nothing")
    with pytest.raises(NoSuchTool):
        await room.set_audience("nothing", OWNER_ONLY)
    with pytest.raises(NoSuchTool):
        (await room.service.of_trick(GUILD, "shelf")).tool("nothing")
    for guild_id, installation_id in (("another", "i1"), (GUILD, "i2")):
        with pytest.raises(NoSuchTrick):
            await room.service.of_installation(guild_id, installation_id)
        with pytest.raises(NoSuchTrick):
            await room.service.set_channels(guild_id, OWNER, installation_id, {"1"})
    assert await room.stored() == {}


def test_rules_are_read_as_they_were_written() -> None:
    rules = AccessRules({"a": ROLES, "b": EVERYONE, "c": OWNER_ONLY, "d": MANAGE_SERVER}, frozenset({"1"}))
    assert read_access(dump_access(rules)) == rules
    assert dump_access(AccessRules()) == "{}"
