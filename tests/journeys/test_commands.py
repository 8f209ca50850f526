"""From an empty server to a trick's commands with working buttons."""

from tests.support.trick import TrickServer
from tests.support.world import World, text_of


async def test_a_member_uses_a_command_of_a_trick_that_the_owner_enabled(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)

    result = await world.member.slash(world.channel, "snacks")

    assert result.response is not None
    assert "popcorn" in text_of(result.response)
    assert result.ephemeral
    call = trick.received("tools/call")[-1]
    assert call.verified
