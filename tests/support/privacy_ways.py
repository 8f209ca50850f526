"""The ways in which what is stored of somebody goes, each done as the bot does it."""

from collections.abc import Awaitable, Callable

from storage.engine import Database
from storage.erase import Erase
from storage.erase_guilds import EraseGuilds
from storage.erase_members import EraseMembers
from storage.installations import Installations
from tests.support.privacy_rows import Subject
from tests.support.records import NOW

Way = Callable[[Database, Subject], Awaitable[tuple[str, ...]]]
"""Gives back what may stand nowhere at all any more."""


async def message(database: Database, going: Subject) -> tuple[str, ...]:
    """The asker's message, or the bot's public answer, is deleted; ids stay."""
    await Erase(database).messages_deleted([going.message_id])
    return ()


async def member(database: Database, going: Subject) -> tuple[str, ...]:
    """`/privacy erase`."""
    await EraseMembers(database).texts(going.member_id)
    await EraseMembers(database).rows(going.member_id)
    return (going.member_id,)


async def installation(database: Database, going: Subject) -> tuple[str, ...]:
    """`/tricks remove`."""
    assert await Installations(database).remove(going.installation_id, NOW, "somebody")
    return (going.installation_id,)


async def guild(database: Database, going: Subject) -> tuple[str, ...]:
    """The bot left the server long ago."""
    erase = EraseGuilds(database)
    assert await erase.left(going.guild_id, going.at)
    assert await erase.erase(going.guild_id, NOW)
    return (going.guild_id, going.installation_id)


async def retention(database: Database, going: Subject) -> tuple[str, ...]:
    """Time passes; what is older than `NOW` goes."""
    await Erase(database).expired(NOW, NOW)
    return ()


WAYS: dict[str, Way] = {way.__name__: way for way in (message, member, installation, guild, retention)}
