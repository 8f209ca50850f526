"""Signing secrets are shown once, in one private answer, and stand nowhere else in the clear."""

import base64
import io
import json
import re
from typing import Any

from tests.support.forging import Forged, controls_of, forge
from tests.support.journeys import rows_of, tricks
from tests.support.refreshing import grow, messages
from tests.support.sent import message_bodies
from tests.support.trick import TrickServer
from tests.support.trick_answers import status
from tests.support.world import World

_SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]+")


def shown_secrets(world: World) -> list[str]:
    """Every secret in every message that was sent, as often as it was."""
    return [
        found
        for body in message_bodies(world.env.http_requests)
        for found in _SECRET.findall(json.dumps(body))
    ]


def spellings(secret: str) -> list[str]:
    """Forms in which it would give itself away."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return [secret.removeprefix("whsec_"), key.hex(), str(key)[2:-1], base64.urlsafe_b64encode(key).decode()]


async def live(world: World, trick: TrickServer) -> None:
    """All that an owner does after a secret was made, well and badly."""
    for verb in ("show", "test", "settings", "access", "events", "log", "refresh", "rotate", "remove"):
        world.clock.advance(45)
        await world.owner.slash(world.channel, f"tricks {verb}", trick=trick.id)
    await tricks(world, "list")
    for verb in ("show", "export"):
        await world.owner.slash(world.channel, f"privacy {verb}")
    trick.on("tools/call", status(401))
    await world.owner.slash(world.channel, "snacks")
    trick.behave()
    world.env.inject_error("PATCH", "/webhooks/*", status=500, message="down")
    await world.owner.slash(world.channel, "tricks show", trick=trick.id)


async def exported(world: World) -> str:
    """The owner's data as a file."""
    result = await world.owner.slash(world.channel, "privacy export")
    (message,) = messages(result)
    (file,) = message.attachments
    return (await file.read()).decode()


async def test_each_secret_stands_in_one_private_answer_and_nowhere_else(
    logged: io.StringIO, world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    await live(world, trick)
    world.clock.advance(3_600)
    await tricks(world, "rotate", trick=trick.id)
    grow(trick)
    await live(world, trick)
    secrets = shown_secrets(world)
    assert len(secrets) == len(set(secrets)) == 3
    rows, file, lines = json.dumps(await rows_of(sqlite_url)), await exported(world), logged.getvalue()
    assert lines.count("secret rotated") == 2
    sealed = [row["secret"] for row in (await rows_of(sqlite_url))["installations"]]
    for secret in secrets:
        for spelling in spellings(secret):
            assert spelling not in rows
            assert spelling not in file
            assert spelling not in lines
            assert not any(spelling.encode() in received.body for received in trick.requests)
    assert not any(token in file or token in lines for token in sealed)


async def test_a_secret_that_discord_did_not_take_is_shown_by_nothing_else(
    logged: io.StringIO, world: World, trick: TrickServer, sqlite_url: str
) -> None:
    """The answer is lost, and so is the secret; after ten minutes the owner makes another one."""
    await world.install(trick)
    seen = shown_secrets(world)
    world.env.inject_error("PATCH", "/webhooks/*", status=500, message="down")
    await world.owner.slash(world.channel, "tricks rotate", trick=trick.id)
    lost = [each for each in shown_secrets(world) if each not in seen]
    again = await world.owner.slash(world.channel, "tricks rotate", trick=trick.id)
    assert "is being taken over until" in json.dumps(
        [each.embeds[0].to_dict() if each.embeds else each.content for each in messages(again)]
    )
    world.clock.advance(601)
    assert len(shown_secrets(world)) == len(seen) + len(lost)
    await world.owner.slash(world.channel, "tricks rotate", trick=trick.id)
    assert len(shown_secrets(world)) == len(seen) + len(lost) + 1
    rows = json.dumps(await rows_of(sqlite_url))
    for secret in lost:
        assert not any(spelling in logged.getvalue() for spelling in spellings(secret))
        assert not any(spelling in rows for spelling in spellings(secret))


async def test_no_draft_keeps_a_secret_or_a_token(world: World, trick: TrickServer, sqlite_url: str) -> None:
    trick.settings = [{"key": "word", "label": "Word", "type": "text"}]
    await tricks(world, "register", manifest_url=trick.manifest_url)
    await world.install(trick)
    world.clock.advance(361)
    shown = await world.owner.slash(world.channel, "tricks settings", trick=trick.id)
    assert shown.modal is not None
    await forge(world, world.owner, Forged.of_form(shown.modal["custom_id"], {"0": "a\nb"}))
    grow(trick)
    for verb in ("refresh", "remove", "rotate"):
        shown = await world.owner.slash(world.channel, f"tricks {verb}", trick=trick.id)
    rows: Any = await rows_of(sqlite_url)
    assert sorted(row["kind"] for row in rows["drafts"]) == ["refresh", "register", "remove", "settings"]
    kept = json.dumps(rows["drafts"])
    sealed = [row[name] for row in rows["installations"] for name in ("secret", "previous_secret")]
    assert not any(token in kept for token in sealed)
    assert not any(spelling in kept for secret in shown_secrets(world) for spelling in spellings(secret))
    assert controls_of(messages(shown)) == []
