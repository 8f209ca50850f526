"""A new signing secret: for ten minutes the old one signs beside it, then the new one alone."""

import asyncio
import re

from bot.services import open_services
from tests.support.clock import ShiftedClock
from tests.support.joining import join
from tests.support.journeys import (
    allow_everybody,
    another_server,
    answer,
    labels,
    rows_of,
    said,
    tricks,
    typed,
)
from tests.support.trick import TrickServer
from tests.support.trick_requests import Received, signers
from tests.support.world import World, config_for, open_world, outside_transport

TEN_MINUTES = 600


async def rotated(world: World, trick: TrickServer) -> str:
    """The owner rotates; gives the new secret and leaves the trick with the old one."""
    told = said(await tricks(world, "rotate", trick=trick.id))
    found = re.search(r"whsec_[A-Za-z0-9+/=]+", told)
    assert found is not None, told
    return found.group()


def order_of_signatures(world: World, received: Received, *secrets: str) -> list[str]:
    """Which of the secrets made each signature, in the order of the header."""
    made: list[str] = []
    for signature in received.headers["webhook-signature"].split(" "):
        headers = {**received.headers, "webhook-signature": signature}
        made += signers(secrets, headers, received.body, world.clock.now())
    return made


async def test_the_new_secret_is_shown_once_to_the_owner_alone(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    result = await tricks(world, "rotate", trick=trick.id)
    told = said(result)
    assert len(re.findall(r"whsec_", told)) == 1
    assert "shown only now" in told
    assert trick.secrets[0] not in told
    assert labels(answer(result)) == []
    for verb, options in (("show", {"trick": trick.id}), ("list", {}), ("test", {"trick": trick.id})):
        assert "whsec_" not in said(await tricks(world, verb, **options))


async def test_a_trick_with_the_old_secret_the_new_one_or_both_is_served_for_ten_minutes(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    (old,) = trick.secrets
    new = await rotated(world, trick)
    for trusted in ([old], [new], [old, new]):
        trick.trust(*trusted)
        assert "popcorn" in await typed(world, "^snacks")
        assert "passed the test" in said(await tricks(world, "test", trick=trick.id))
    for name in ("tools/call", "tools/list", "challenge"):
        assert order_of_signatures(world, trick.received(name)[-1], old, new) == [new, old], name


async def test_events_are_signed_with_both_secrets_too(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    (old,) = trick.secrets
    new = await rotated(world, trick)
    await join(world)
    world.clock.advance(TEN_MINUTES)
    trick.trust(new)
    await join(world, "noor")
    first, second = trick.received("events")
    assert len(first.headers["webhook-signature"].split(" ")) == 2
    assert first.verified
    assert order_of_signatures(world, second, old, new) == [new]


async def test_after_ten_minutes_the_new_secret_alone_signs(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    (old,) = trick.secrets
    new = await rotated(world, trick)
    world.clock.advance(TEN_MINUTES - 5)
    assert "popcorn" in await typed(world, "^snacks")
    world.clock.advance(6)
    assert "popcorn" not in await typed(world, "^snacks")
    assert "refused the signature" in said(await tricks(world, "test", trick=trick.id))
    trick.trust(new)
    assert "popcorn" in await typed(world, "^snacks")
    assert order_of_signatures(world, trick.received("tools/call")[-1], old, new) == [new]


async def test_within_ten_minutes_there_is_no_second_rotation(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    new = await rotated(world, trick)
    told = said(await tricks(world, "rotate", trick=trick.id))
    assert re.search(r"taken over until <t:\d+:t>", told)
    assert "whsec_" not in told
    trick.trust(new)
    assert "popcorn" in await typed(world, "^snacks")
    world.clock.advance(TEN_MINUTES)
    trick.trust(await rotated(world, trick))
    assert "popcorn" in await typed(world, "^snacks")


async def test_an_owner_who_lost_the_new_secret_gets_another_and_nothing_is_cut_off(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    (old,) = trick.secrets
    lost = await rotated(world, trick)
    asked = answer(await tricks(world, "rotate", trick=trick.id))
    pressed = await world.owner.click(asked, label="I do not have it: make another")
    found = re.search(r"whsec_[A-Za-z0-9+/=]+", said(pressed))
    assert found is not None
    assert found.group() not in (old, lost)
    for trusted in (old, found.group()):
        trick.trust(trusted)
        assert "popcorn" in await typed(world, "^snacks")
    trick.trust(lost)
    assert "popcorn" not in await typed(world, "^snacks")
    late = answer(await tricks(world, "rotate", trick=trick.id))
    world.clock.advance(TEN_MINUTES)
    trick.trust(found.group())
    assert "popcorn" in await typed(world, "^snacks")
    gone = await world.owner.click(late, label="I do not have it: make another")
    assert "no longer open" in said(gone)


async def test_two_rotations_at_once_make_one_secret(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    rotate = world.services.rotation.rotate
    guild, owner = str(world.guild.id), str(world.owner.id)
    ends = await asyncio.gather(*(rotate(guild, trick.id, owner) for _ in range(4)), return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["Rotated"] + ["RotationUnderWay"] * 3


async def test_both_secrets_still_sign_after_a_restart(sqlite_url: str, trick: TrickServer) -> None:
    clock = trick.clock = ShiftedClock()
    config = config_for(sqlite_url, trick)
    async with open_world(config, clock) as world:
        await world.install(trick)
        (old,) = trick.secrets
        new = await rotated(world, trick)
        guild, owner = str(world.guild.id), str(world.owner.id)

        async def tested() -> bool:
            async def nothing(*_: object) -> None: ...

            async with open_services(config, clock, outside_transport(config)) as anew:
                _, report = await anew.lifecycle.test(guild, trick.id, owner, nothing)
                return report.passed

        for trusted in (old, new):
            trick.trust(trusted)
            assert await tested()
        clock.advance(TEN_MINUTES)
        assert await tested()
        trick.trust(old)
        assert not await tested()


async def test_the_old_secret_is_erased_when_it_signs_no_longer(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    await rotated(world, trick)
    await world.services.rotation.forget_retired()
    (row,) = (await rows_of(sqlite_url))["installations"]
    assert row["previous_secret"] is not None
    world.clock.advance(TEN_MINUTES)
    await world.services.rotation.forget_retired()
    (row,) = (await rows_of(sqlite_url))["installations"]
    assert (row["previous_secret"], row["previous_secret_until"]) == (None, None)
    audit = [each["what"] for each in (await rows_of(sqlite_url))["audit"]]
    assert audit.count("rotated") == 1


async def test_nobody_but_the_owner_rotates(world: World, trick: TrickServer, sqlite_url: str) -> None:
    await world.install(trick)
    await allow_everybody(world)
    before = (await rows_of(sqlite_url))["installations"]
    result = await world.member.slash(world.channel, "tricks rotate", trick=trick.id)
    assert said(result) == "Only the server's owner can manage tricks."
    assert result.ephemeral
    assert (await rows_of(sqlite_url))["installations"][0]["secret"] == before[0]["secret"]
    assert "no such trick" in said(await tricks(world, "rotate", trick="nothing"))
    assert await world.member.autocomplete(world.channel, "tricks rotate", "trick", "") == []


async def test_rotating_in_one_server_leaves_the_other_ones_secret(world: World, trick: TrickServer) -> None:
    other = another_server(world)
    await world.install(trick)
    (here,) = trick.secrets
    await other.install(trick)
    (there,) = trick.secrets
    new = await rotated(world, trick)
    world.clock.advance(TEN_MINUTES)
    trick.trust(new, there)
    assert "popcorn" in await typed(world, "^snacks")
    assert "popcorn" in await typed(other, "^snacks")
    assert trick.received("tools/call")[-1].signed_by == (there,)
    assert here not in (new, there)


async def test_a_trick_that_is_not_enabled_yet_gets_a_new_secret_as_well(
    world: World, trick: TrickServer
) -> None:
    await world.register(trick)
    trick.trust(await rotated(world, trick))
    assert "passed the test" in said(await tricks(world, "test", trick=trick.id))
