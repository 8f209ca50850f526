"""Much data is more than one file, and what Discord does not take ends nothing but the answer."""

from collections.abc import AsyncGenerator
from typing import Any

from cogs.privacy import MAX_FILES
from tests.support.cards import stand_in
from tests.support.journeys import said
from tests.support.world import World


class Much:
    """A stand-in for the service: so many files for whoever asks."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.given = 0

    async def export(self, member_id: str) -> AsyncGenerator[bytes]:
        """Small files, each naming its number."""
        for number in range(self.count):
            self.given += 1
            yield str(number).encode()


async def asked(world: World, count: int) -> tuple[Any, Much]:
    """The member asks for so many files; gives what they see."""
    much = Much(count)
    stand_in(world, privacy=much)
    result = await world.member.slash(world.channel, "privacy export")
    assert result.ephemeral
    return result, much


async def test_further_files_follow_the_first_one_privately(world: World) -> None:
    result, _ = await asked(world, 3)
    messages = [result.response, *result.followups]
    names = [each.attachments[0].filename for each in messages]
    assert names == ["kennel-my-data.json", "kennel-my-data-2.json", "kennel-my-data-3.json"]
    assert [await each.attachments[0].read() for each in messages] == [b"0", b"1", b"2"]
    assert all(each.ephemeral for each in result.followups)
    assert "further files" in said(result)


async def test_there_is_an_end_to_the_files_and_the_last_one_says_so(world: World) -> None:
    result, much = await asked(world, MAX_FILES + 5)
    assert len(result.followups) == MAX_FILES - 1
    assert much.given == MAX_FILES
    assert "more than I can send" in said(result)
