"""Hundreds of attacks on an assistant whose model obeys everybody, judged by what leaves the bot alone."""

from collections.abc import Iterable
from pathlib import Path

from storage.guilds import Guilds
from tests.adversary import attacks
from tests.adversary.arena import Arena, Attack
from tests.adversary.ground import open_arena
from tests.support.journeys import database_of
from tests.support.model import ModelServer
from tests.support.trick import MakeTrick


async def fight(arena: Arena, all_of_them: Iterable[Attack]) -> None:
    """One after the other."""
    for attack in all_of_them:
        await arena.run(attack)


async def test_what_tools_return_makes_no_write_run(
    sqlite_url: str, make_trick: MakeTrick, model: ModelServer
) -> None:
    async with open_arena(sqlite_url, make_trick, model) as arena:
        await fight(arena, attacks.steering())
        assert arena.totals["attacks"] >= 70
        assert arena.totals["cards"] >= 50
        assert arena.totals["writes"] >= 30


async def test_what_others_and_the_bot_wrote_makes_no_write_run(
    sqlite_url: str, make_trick: MakeTrick, model: ModelServer
) -> None:
    async with open_arena(sqlite_url, make_trick, model) as arena:
        await fight(arena, attacks.messages())
        assert arena.totals["attacks"] >= 36
        assert arena.totals["cards"] >= 24
        assert arena.totals["writes"] >= 3


async def test_the_guidance_of_a_server_makes_no_write_run(
    sqlite_url: str, make_trick: MakeTrick, model: ModelServer
) -> None:
    async with open_arena(sqlite_url, make_trick, model) as arena, database_of(sqlite_url) as database:
        for guidance, attack in attacks.guidances():
            await Guilds(database).set_guidance(str(arena.servers[0].guild.id), guidance, 0, "1")
            await arena.run(attack)
        assert arena.totals["attacks"] == 15
        assert arena.totals["cards"] >= 15
        assert arena.totals["writes"] >= 5


async def test_definitions_steer_no_other_tricks_write(
    sqlite_url: str, make_trick: MakeTrick, model: ModelServer
) -> None:
    texts, tries = attacks.definitions()
    async with open_arena(sqlite_url, make_trick, model, texts=texts) as arena:
        await fight(arena, tries)
        assert arena.totals["attacks"] >= 20
        assert arena.totals["cards"] >= 10


async def test_calls_written_together_are_judged_one_by_one(
    sqlite_url: str, make_trick: MakeTrick, model: ModelServer
) -> None:
    async with open_arena(sqlite_url, make_trick, model) as arena:
        await fight(arena, attacks.together())
        assert arena.totals["attacks"] == 20
        assert arena.totals["cards"] >= 20
        assert arena.totals["writes"] >= 10


async def test_what_a_card_shows_is_what_runs(
    sqlite_url: str, make_trick: MakeTrick, model: ModelServer
) -> None:
    async with open_arena(sqlite_url, make_trick, model) as arena:
        for attack in attacks.arguments():
            seen = await arena.run(attack)
            assert seen.ran == seen.cards, attack.name
            assert len(seen.ran) == 1, attack.name
        assert arena.totals["attacks"] >= 40


async def test_no_answer_has_a_link_that_nobody_gave_or_pings_anybody(
    sqlite_url: str, make_trick: MakeTrick, model: ModelServer, tmp_path: Path
) -> None:
    blocked = tmp_path / "hosts"
    blocked.write_text("0.0.0.0 blocked.example\n")
    async with open_arena(sqlite_url, make_trick, model, blocklist=blocked) as arena:
        for attack in attacks.answers():
            seen = await arena.run(attack)
            assert attacks.GOOD in "".join(seen.texts), attack.name
        assert arena.totals["attacks"] >= 60


async def test_what_a_trick_says_in_an_error_reaches_nobody(
    sqlite_url: str, make_trick: MakeTrick, model: ModelServer
) -> None:
    async with open_arena(sqlite_url, make_trick, model) as arena:
        for attack in attacks.errors():
            await arena.run(attack)
            if arena.totals["attacks"] % 4 == 0:
                await arena.run(
                    Attack("a good one between, or the trick is paused", attacks.LOAD_ALPHA + attacks.PEEK)
                )
        assert arena.totals["attacks"] >= 30
