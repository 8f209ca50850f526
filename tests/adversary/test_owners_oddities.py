"""Commands, custom ids and forms of the owner's room that no panel of it ever made."""

from collections.abc import Callable
from typing import Any

import pytest
import simcord

from tests.adversary.test_owners_room import GONE, REFUSALS, administrator, former_owner
from tests.support.forging import TEXT_SELECT, Forged, forge, told
from tests.support.journeys import Rows, allow_everybody, rows_of
from tests.support.owners_tour import Tour
from tests.support.trick import TrickServer
from tests.support.world import World

VERBS = [
    "show",
    "test",
    "enable",
    "disable",
    "remove",
    "settings",
    "access",
    "events",
    "rotate",
    "refresh",
    "log",
]
DRAFTS = ("o:register", "o:enable", "o:remove", "o:cancel", "f:accept", "f:keep", "s:again")
KINDS = {
    "o:register": "register",
    "o:enable": "enable",
    "o:remove": "remove",
    "s:again": "settings",
    "f:accept": "refresh",
    "f:keep": "refresh",
}
NOBODY = "0" * 32


def without_drafts(rows: Rows) -> Rows:
    """Everything but what waits to be confirmed."""
    return {table: some for table, some in rows.items() if table != "drafts"}


@pytest.mark.parametrize("somebody", [administrator, former_owner])
async def test_an_administrator_and_a_former_owner_may_give_no_command_and_are_offered_nothing(
    world: World, trick: TrickServer, sqlite_url: str, somebody: Callable[[World], simcord.MemberActor]
) -> None:
    await world.install(trick)
    who = somebody(world)
    await allow_everybody(world)
    before, seen = await rows_of(sqlite_url), len(trick.requests)
    commands: list[tuple[str, dict[str, Any]]] = [(f"tricks {verb}", {"trick": trick.id}) for verb in VERBS]
    commands += [
        ("tricks list", {}),
        ("guidance", {}),
        ("tricks register", {"manifest_url": trick.manifest_url}),
    ]
    for name, options in commands:
        result = await who.slash(world.channel, name, **options)
        assert told(result) in REFUSALS, name
        assert result.modal is None
    for verb in VERBS:
        assert await who.autocomplete(world.channel, f"tricks {verb}", "trick", "") == []
    assert await who.autocomplete(world.channel, "tricks access", "tool", "", trick=trick.id) == []
    assert await rows_of(sqlite_url) == before
    assert len(trick.requests) == seen


async def test_what_was_shown_for_one_purpose_confirms_no_other(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await Tour(world, trick).take()
    before = await rows_of(sqlite_url)
    drafts = [(row["id"], row["kind"]) for row in before["drafts"]]
    assert {kind for _, kind in drafts} == {"register", "enable", "remove", "settings", "refresh"}
    for draft_id, kind in drafts:
        for verb in DRAFTS:
            if KINDS.get(verb, kind) != kind:
                (result,) = await forge(world, world.owner, Forged(f"{verb}:{draft_id}"))
                assert told(result).startswith(GONE), (verb, kind)
                assert result.modal is None
    assert without_drafts(await rows_of(sqlite_url)) == without_drafts(before)


async def test_custom_ids_that_nobody_was_given_do_nothing(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour = await Tour(world, trick).take()
    before, key = await rows_of(sqlite_url), tour.one("s:open1:").custom_id.split(":")[-1]
    odd = [f"{verb}:{'A' * 16}" for verb in DRAFTS]
    odd += [f"s:open{page}:{installation}" for page in (2, 9) for installation in (key, NOBODY)]
    odd += [f"e:{verb}:{NOBODY}" for verb in ("clear", "stop", "start")]
    odd += [f"x:{verb}:{NOBODY}:0" for verb in ("page", "all", "reads", "channels", "tool")]
    odd += [f"x:{verb}:{key}:no_such_tool" for verb in ("open", "openasking", "keep", "who", "roles")]
    odd += [
        f"x:open:{key}:0",
        f"x:who:{key}:7",
        f"x:roles:{key}:99",
        "p:rotate:nobody",
        "v:show:nobody",
        "l:0:nobody",
    ]
    ignored = [
        "p:register:nobody",
        "o:grant:" + "A" * 16,
        f"x:all:{key.upper()}:0",
        "s:open10:" + key,
        "e:stop:",
        "l:-1:a",
    ]
    for custom_id in odd:
        (result,) = await forge(world, world.owner, Forged(custom_id))
        assert told(result).startswith((*GONE, "This trick has no such tool")), (custom_id, told(result))
        assert result.modal is None
    for custom_id in ignored:
        (result,) = await forge(world, world.owner, Forged(custom_id))
        assert told(result) == ""
    for custom_id in (f"s:new9:{'0' * 16}:{key}", f"s:next0:{'0' * 16}:{key}", f"s:new0:{'0' * 16}:{NOBODY}"):
        (result,) = await forge(
            world, world.owner, Forged.of_form(custom_id, {"0": "x", "7": "y", "x": ["z"]})
        )
        assert told(result).startswith(GONE), custom_id
    assert await rows_of(sqlite_url) == before


async def test_a_choice_of_what_a_select_does_not_offer_changes_nothing(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour = await Tour(world, trick).take()
    before, key = await rows_of(sqlite_url), tour.one("s:open1:").custom_id.split(":")[-1]
    for custom_id in (f"x:who:{key}:save_snack", f"x:tool:{key}:0"):
        for values in (
            ("administrators",),
            (),
            ("Everyone",),
            ("no_such_tool",),
            ("",),
            ("\0",),
            ("a" * 100,),
        ):
            (result,) = await forge(world, world.owner, Forged(custom_id, TEXT_SELECT, values))
            assert "went wrong" not in told(result), (custom_id, values)
    assert await rows_of(sqlite_url) == before


async def test_whoever_presses_erase_erases_themselves_alone(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await Tour(world, trick).take()
    await world.owner.slash(world.channel, "snacks")
    before = await rows_of(sqlite_url)
    (kept,) = await forge(world, world.member, Forged("v:keep"))
    assert told(kept) == "Nothing was erased."
    results = await forge(world, world.member, *[Forged("v:erase")] * 2)
    for result in results:
        assert told(result).startswith(("Done: ", "There was nothing"))
    after = await rows_of(sqlite_url)
    for table in ("installations", "drafts", "subscriptions", "commands", "pins"):
        assert after[table] == before[table], table
    assert {row["asker_id"] for row in before["calls"]} == {str(world.member.id), str(world.owner.id)}
    assert {row["asker_id"] for row in after["calls"]} == {str(world.owner.id)}
