"""Presses, choices and submits that nobody's client would send: any custom id, by anybody, anywhere, many at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import simcord
from simcord.backend import serializers
from simcord.interactions import base_payload

from tests.support.world import World, text_of

COMMAND, COMPONENT, SUBMIT = 2, 3, 5
BUTTON, TEXT_SELECT, TEXT_INPUT, ROLE_SELECT, CHANNEL_SELECT, LABEL = 2, 3, 4, 6, 8, 18

Sent = str | Sequence[str]


@dataclass(frozen=True)
class Forged:
    """What is sent: a press or a choice by its custom id and kind of control, or a submitted form."""

    custom_id: str
    kind: int = BUTTON
    values: tuple[str, ...] = ()
    typed: tuple[tuple[str, Sent], ...] = ()

    @classmethod
    def of_control(cls, control: Mapping[str, Any], *values: str) -> "Forged":
        """A press of this button, or a choice of `values` in this select."""
        return cls(control["custom_id"], control["type"], values)

    @classmethod
    def of_form(cls, custom_id: str, typed: Mapping[str, Sent]) -> "Forged":
        """A form with this custom id, its controls filled in by their own custom ids."""
        return cls(custom_id, SUBMIT, typed=tuple(typed.items()))


async def forge(
    world: World, who: simcord.MemberActor, *sent: Forged, direct: bool = False
) -> list[simcord.InteractionResult]:
    """Send all of it before any of it is answered, and wait until all of it is.

    It is pressed in the world's server, or else in the direct messages between `who` and the bot.
    """
    place = (
        (world.env.backend.get_dm_channel(who.id).id, None) if direct else (world.channel.id, world.guild.id)
    )
    records = [_emit(world, who, each, *place) for each in sent]
    await world.env.settle()
    return [simcord.InteractionResult(world.env, record) for record in records]


async def choose_events_channel(
    world: World, trick_id: str, channel: simcord.ChannelHandle
) -> simcord.InteractionResult:
    """The owner's `/tricks events channel:` with any channel, also one that Discord would not offer here."""
    backend = world.env.backend
    command = backend.find_command("tricks", world.guild.id, type=1)
    assert command is not None
    chosen = dict(serializers.channel_payload(backend, backend.get_channel(channel.id)))
    options = [
        {"name": "trick", "type": 3, "value": trick_id},
        {"name": "channel", "type": 7, "value": str(channel.id)},
    ]
    data: dict[str, Any] = {
        "id": command["id"],
        "name": "tricks",
        "type": 1,
        "options": [{"name": "events", "type": 1, "options": options}],
        "resolved": {"channels": {str(channel.id): chosen | {"permissions": "0"}}},
    }
    record, payload = base_payload(
        backend,
        type=COMMAND,
        channel_id=world.channel.id,
        guild_id=world.guild.id,
        user_id=world.owner.id,
        data=data,
    )
    backend.emit("INTERACTION_CREATE", payload)
    await world.env.settle()
    return simcord.InteractionResult(world.env, record)


def told(result: simcord.InteractionResult) -> str:
    """All that whoever acted was answered, and nobody else may see any of it."""
    shown = [*([result.response] if result.response is not None else []), *result.followups]
    assert all(message.ephemeral for message in shown)
    return "\n".join(text for text in map(text_of, shown) if text != _SOURCE)


def controls_of(messages: Iterable[Any]) -> list[Mapping[str, Any]]:
    """All buttons and selects of these messages that have a custom id."""
    return [
        control
        for message in messages
        for row in message.components
        for control in row["components"]
        if "custom_id" in control
    ]


_SOURCE = "Something that the bot once said."


def _emit(world: World, who: simcord.MemberActor, sent: Forged, channel_id: int, guild_id: int | None) -> Any:
    backend = world.env.backend
    data: dict[str, Any] = {"custom_id": sent.custom_id}
    if sent.kind == SUBMIT:
        data["components"] = [_filled(custom_id, value) for custom_id, value in sent.typed]
    else:
        data["component_type"] = sent.kind
        if sent.kind != BUTTON:
            data |= {"values": list(sent.values), "resolved": {}}
    kind = SUBMIT if sent.kind == SUBMIT else COMPONENT
    record, payload = base_payload(
        backend, type=kind, channel_id=channel_id, guild_id=guild_id, user_id=who.id, data=data
    )
    if sent.kind != SUBMIT:
        control = _control(sent)
        source = backend.create_message(
            channel_id,
            backend.bot_user.id,
            _SOURCE,
            flags=64,
            components=[{"type": 1, "components": [control]}],
        )
        record.source_message_id = source.id
        payload["message"] = dict(serializers.message_payload(backend, source))
    backend.emit("INTERACTION_CREATE", payload)
    return record


def _control(sent: Forged) -> dict[str, Any]:
    control: dict[str, Any] = {"type": sent.kind, "custom_id": sent.custom_id}
    if sent.kind == BUTTON:
        return control | {"style": 2, "label": "Press me"}
    if sent.kind == TEXT_SELECT:
        values = sent.values or ("nothing",)
        control["options"] = [{"label": "A choice", "value": value or "nothing"} for value in values]
    return control | {"min_values": 1, "max_values": max(1, len(sent.values))}


def _filled(custom_id: str, value: Sent) -> dict[str, Any]:
    control: dict[str, Any] = {"custom_id": custom_id}
    if isinstance(value, str):
        control |= {"type": TEXT_INPUT, "value": value}
    else:
        control |= {"type": TEXT_SELECT, "values": list(value)}
    return {"type": LABEL, "component": control}
