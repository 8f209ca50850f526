"""`/autoreview`: a member sees their own consents here and takes them back, also after a restart."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from bot.app import Kennel
from bot.approvals.consents import GivenConsent
from cogs.autoreview import panel
from storage.errors import DatabaseBusy
from tests.support.cards import stand_in
from tests.support.journeys import answer, said
from tests.support.limits import payload_problems
from tests.support.world import World, text_of

SAVE = GivenConsent("1" * 32, "save_snack", "Snack *Club*", "Save a snack", holds=True)
DROP = GivenConsent("1" * 32, "drop_snack", "Snack *Club*", "Drop a snack", holds=False)
Revoked = tuple[str, str, str]


@dataclass
class Consents:
    """Holds the consents of one member in one server."""

    member_id: str
    guild_id: str
    given: list[GivenConsent]
    revoked: list[Revoked] = field(default_factory=list[Revoked])
    error: Exception | None = None

    async def of_member(self, member_id: str, guild_id: str) -> tuple[GivenConsent, ...]:
        mine = (member_id, guild_id) == (self.member_id, self.guild_id)
        return tuple(self.given) if mine else ()

    async def revoke(self, member_id: str, installation_id: str, tool: str) -> bool:
        if self.error:
            raise self.error
        self.revoked.append((member_id, installation_id, tool))
        before = len(self.given)
        self.given = [c for c in self.given if (c.installation_id, c.tool) != (installation_id, tool)]
        return len(self.given) < before


def of_mia(world: World, *given: GivenConsent) -> Consents:
    """Mia's consents, as the cogs find them."""
    consents = Consents(str(world.member.id), str(world.guild.id), list(given))
    stand_in(world, consents=consents)
    return consents


def selects(message: Any) -> list[dict[str, Any]]:
    """The selects of a message."""
    return [child for row in message.components for child in row["components"] if child["type"] == 3]


async def test_it_lists_the_members_consents_here_with_what_still_holds(world: World) -> None:
    of_mia(world, SAVE, DROP)

    shown = await world.member.slash(world.channel, "autoreview")

    assert shown.ephemeral
    lines = said(shown).splitlines()
    assert r"• **Save a snack** (Snack \*Club\*)" in lines
    assert r"• **Drop a snack** (Snack \*Club\*): it has changed since, so I ask you again" in lines
    (select,) = selects(answer(shown))
    assert [option["label"] for option in select["options"]] == ["Save a snack", "Drop a snack"]
    assert (select.get("min_values", 1), select["max_values"]) == (1, 2)


async def test_nobody_sees_the_consents_of_another_member(world: World) -> None:
    of_mia(world, SAVE)

    shown = await world.owner.slash(world.channel, "autoreview")

    assert shown.ephemeral
    assert "nothing here that you let me review" in said(shown)
    assert answer(shown).components == []


async def test_what_is_chosen_is_taken_back_and_the_list_shows_what_is_left(world: World) -> None:
    consents = of_mia(world, SAVE, DROP)
    shown = await world.member.slash(world.channel, "autoreview")

    chosen = await world.member.select(answer(shown), [f"{'1' * 32}:save_snack"])

    assert consents.revoked == [(str(world.member.id), "1" * 32, "save_snack")]
    assert chosen.followups == []
    assert "from now on I will ask you again" in said(shown)
    assert "Drop a snack" in said(shown)
    assert "Save a snack" not in said(shown)

    await world.member.select(answer(shown), [f"{'1' * 32}:drop_snack"])
    assert "nothing here that you let me review" in said(shown)
    assert answer(shown).components == []


async def test_several_are_taken_back_at_once(world: World) -> None:
    consents = of_mia(world, SAVE, DROP)
    shown = await world.member.slash(world.channel, "autoreview")

    await world.member.select(answer(shown), [f"{'1' * 32}:{tool}" for tool in ("save_snack", "drop_snack")])

    assert consents.given == []


async def test_the_select_works_after_a_restart(world: World) -> None:
    consents = of_mia(world, SAVE)
    shown = await world.member.slash(world.channel, "autoreview")
    services = world.bot.services
    await world.env.restart_bot(Kennel(services, shard_count=1))

    await world.member.select(answer(shown), [f"{'1' * 32}:save_snack"])

    assert consents.given == []
    assert "from now on I will ask you again" in said(shown)


async def test_a_failure_stands_beside_the_list(world: World) -> None:
    consents = of_mia(world, SAVE)
    shown = await world.member.slash(world.channel, "autoreview")
    consents.error = DatabaseBusy()

    chosen = await world.member.select(answer(shown), [f"{'1' * 32}:save_snack"])

    (beside,) = chosen.followups
    assert beside.ephemeral
    assert text_of(beside) == DatabaseBusy.sentence
    assert "Save a snack" in said(shown)


async def test_what_discord_did_not_acknowledge_takes_nothing_back(world: World) -> None:
    consents = of_mia(world, SAVE)
    shown = await world.member.slash(world.channel, "autoreview")
    world.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062)

    await world.member.select(answer(shown), [f"{'1' * 32}:save_snack"])

    assert consents.revoked == []


async def test_a_process_that_is_stopping_says_so(world: World) -> None:
    consents = of_mia(world, SAVE)
    shown = await world.member.slash(world.channel, "autoreview")
    world.bot.draining = True

    chosen = await world.member.select(answer(shown), [f"{'1' * 32}:save_snack"])

    assert "restarting" in said(chosen)
    assert "restarting" in said(await world.member.slash(world.channel, "autoreview"))
    assert consents.revoked == []


@pytest.mark.parametrize("text", ["*" * 500, "\u2800\u200b", "", "🧀" * 200, "a\nb", "@everyone <@1>"])
async def test_any_number_of_odd_consents_fits_into_one_message(text: str) -> None:
    given = [GivenConsent(f"{number:032x}", "t" * 48, text, text, holds=False) for number in range(40)]

    parts = panel(given, "Done.")

    view = parts["view"]
    assert view is not None
    payload = {"embeds": [embed.to_dict() for embed in parts["embeds"]], "components": view.to_components()}
    assert payload_problems(cast("dict[str, Any]", payload)) == []
    assert len(view.to_components()[0]["components"][0]["options"]) == 25
