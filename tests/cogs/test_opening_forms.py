"""A form is the first answer to a command: it is opened in time, or a private sentence says why not."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.errors import KennelError, NoSuchTrick, Restarting, sentence_for
from bot.manifest import Setting
from bot.tricks.setting_forms import Present, form_page
from bot.tricks.settings import OpenForm
from tests.support.cards import stand_in
from tests.support.journeys import said
from tests.support.world import World

GREETING = Setting(key="greeting", label="Greeting", type="text")
NOTHING = Present(frozenset(), frozenset())


@dataclass
class SettingsStandIn:
    """Opens one form, after `waits`, or answers with `error`."""

    waits: Callable[[], Awaitable[None]] | None = None
    error: Exception | None = None
    present: list[Present] = field(default_factory=list[Present])

    async def form(self, guild_id: str, trick: str, present: Present) -> OpenForm:
        self.present.append(present)
        if self.error:
            raise self.error
        if self.waits:
            await self.waits()
        return OpenForm("0" * 32, "0" * 16, form_page("Snacks", [GREETING], 0, {}, NOTHING))


async def opened(world: World, settings: SettingsStandIn) -> Any:
    stand_in(world, settings=settings)
    return await world.owner.slash(world.channel, "tricks settings", trick="snack_club")


async def test_the_form_is_opened_with_what_the_server_has(world: World) -> None:
    settings = SettingsStandIn()
    role = world.guild.create_role("keeper")
    shown = await opened(world, settings)
    assert shown.modal["custom_id"] == f"s:new0:{'0' * 16}:{'0' * 32}"
    (present,) = settings.present
    assert str(world.channel.id) in present.channel_ids
    assert str(role.id) in present.role_ids


async def test_a_read_that_takes_too_long_ends_in_a_private_sentence(world: World) -> None:
    async def forever() -> None:
        await world.env.external_wait(asyncio.Event().wait(), reason="a database that does not answer")

    refused = await opened(world, SettingsStandIn(waits=forever))
    assert not refused.acknowledged
    await world.env.advance_time(1.6)
    assert refused.modal is None
    assert refused.ephemeral
    assert said(refused) == KennelError().sentence


@pytest.mark.parametrize("error", [NoSuchTrick(), KeyError("greeting")])
async def test_what_goes_wrong_is_told_privately(world: World, error: Exception) -> None:
    refused = await opened(world, SettingsStandIn(error=error))
    assert refused.modal is None
    assert refused.ephemeral
    assert said(refused) == sentence_for(error)


async def test_a_restarting_process_opens_no_form(world: World) -> None:
    settings = SettingsStandIn()
    world.bot.draining = True
    refused = await opened(world, settings)
    world.bot.draining = False
    assert refused.modal is None
    assert said(refused) == Restarting().sentence
    assert settings.present == []
