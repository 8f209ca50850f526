"""`/tricks events`: whether a trick is told who joins and leaves, and where its answers are posted."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import discord
from discord import app_commands

from bot.app import Kennel
from bot.events.choices import EventChoices, Events, Subscription
from bot.outbound import Button, Embed, Reply
from bot.text import clamp, escaped_line
from cogs.durable import DurableButton
from cogs.lookups import known_channel, known_rights
from cogs.owner_panels import said
from cogs.owner_room import TRICK, as_owner, tricks_group, tricks_here

_NEEDED = {"view_channel": "View Channel", "send_messages": "Send Messages"}
_Verb = Callable[[EventChoices, str, str], Awaitable[Events]]
_VERBS: Mapping[str, _Verb] = {
    "clear": EventChoices.clear,
    "stop": EventChoices.stop,
    "start": EventChoices.start,
}


class PostChannel(app_commands.Transformer):
    """A text or announcement channel, as its id.

    It is not looked up in memory, and no thread: one falls asleep while nobody joins.
    """

    @property
    def type(self) -> discord.AppCommandOptionType:
        """What Discord offers."""
        return discord.AppCommandOptionType.channel

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        """Which channels Discord offers."""
        return [discord.ChannelType.text, discord.ChannelType.news]

    async def transform(
        self, interaction: discord.Interaction[Any], value: app_commands.AppCommandChannel, /
    ) -> str:
        """The id of what was chosen."""
        return str(value.id)


@app_commands.describe(trick=TRICK, channel="Where the trick's answers to joins and leaves are posted")
@app_commands.autocomplete(trick=tricks_here)
async def events(
    interaction: discord.Interaction[Kennel],
    trick: str,
    channel: app_commands.Transform[str, PostChannel] | None = None,
) -> None:
    """Show what is sent and posted; with `channel`, post there from now on."""
    bot = interaction.client

    async def work(guild_id: str, _: str) -> Reply:
        if channel is None:
            return events_panel(bot, await bot.services.event_choices.shown(guild_id, trick))
        if not _is_here(interaction, channel):
            return said("Not chosen", "This server has no such channel any more. Choose another one.")
        missing = missing_right(bot, channel)
        if missing is not None:
            return said(
                "Not chosen",
                f"I lack the permission **{missing}** in <#{channel}>. Give it to me there, "
                "then choose the channel again.",
            )
        return events_panel(bot, await bot.services.event_choices.choose(guild_id, trick, channel))

    await as_owner(interaction, work)


def _is_here(interaction: discord.Interaction[Any], channel_id: str) -> bool:
    """Whether the channel is one of the owner's own server. The bot could post in those of other servers too."""
    return interaction.guild is not None and interaction.guild.get_channel(int(channel_id)) is not None


def missing_right(bot: Kennel, channel_id: str) -> str | None:
    """The name of the permission without which the bot cannot post there; None when none is known to be missing."""
    rights = known_rights(bot, known_channel(bot, channel_id))
    if rights is None:
        return None
    return next((shown for name, shown in _NEEDED.items() if not getattr(rights, name)), None)


class EventsButton(
    DurableButton,
    template=r"e:(?P<verb>clear|stop|start):(?P<installation>[0-9a-f]{32})",
):
    """Changes what its label says, and shows how it stands then. Pressed twice it says the same."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Check the owner once more, and do it."""
        bot = cast("Kennel", interaction.client)

        async def work(guild_id: str, _: str) -> Reply:
            changed = await _VERBS[self.parts["verb"]](
                bot.services.event_choices, guild_id, self.parts["installation"]
            )
            return events_panel(bot, changed)

        await as_owner(interaction, work)


def events_panel(bot: Kennel, shown: Events) -> Reply:
    """How one trick's events stand, with the buttons that change it."""
    name, trick_id = escaped_line(shown.row.name), shown.row.trick_id
    title = f"Events of {name}"
    subscription = shown.subscription
    if subscription is None:
        return said(title, f"**{name}** does not ask to be told who joins or leaves.")
    lines = [
        _heard(name, subscription),
        _sending(shown.row.state, subscription),
        *_posting(bot, trick_id, subscription),
        *_counted(trick_id, shown),
    ]
    switch = (
        ("stop", "Stop sending events", "danger") if subscription.is_on else ("start", "Start", "success")
    )
    verbs = [switch] if subscription.channel_id is None else [("clear", "Clear", "secondary"), switch]
    buttons = tuple(Button(f"e:{verb}:{shown.row.id}", label, style) for verb, label, style in verbs)
    return Reply(embed=Embed(title=title, description=clamp("\n".join(lines), 4_000)), buttons=buttons)


def _heard(name: str, subscription: Subscription) -> str:
    told = {"joins": subscription.hears_joined, "leaves": subscription.hears_left}
    return f"**{name}** is told when somebody {' or '.join(word for word, heard in told.items() if heard)}."


def _sending(state: str, subscription: Subscription) -> str:
    if not subscription.is_on:
        return "Sending: **off**, so it is told nothing. **Start** tells it what happens from then on."
    if state in ("registered", "disabled"):
        return "Sending: **on**, once the trick is enabled. Until then nothing is sent."
    return "Sending: **on**."


def _posting(bot: Kennel, trick_id: str, subscription: Subscription) -> list[str]:
    how = f"`/tricks events trick:{trick_id} channel:`"
    if subscription.channel_id is None:
        return [f"Its answers are posted: **nowhere**. {how} chooses a channel for them."]
    lines = [
        f"Its answers are posted: <#{subscription.channel_id}>. **Clear** stops that, and it is told all the same."
    ]
    if subscription.paused_at is not None:
        missing = missing_right(bot, subscription.channel_id)
        cause = "the channel is gone, or I may not post there. Give me the permissions View Channel and Send Messages"
        if missing:
            cause = f"I lack the permission **{missing}** there. Give it to me"
        lines.append(
            f"⚠️ Posting stopped <t:{subscription.paused_at // 1000}:R>: {cause}, then choose the channel, or another "
            f"one, with {how}. What is to be posted waits for up to a day."
        )
    return lines


def _counted(trick_id: str, shown: Events) -> list[str]:
    counts = shown.counts
    lines = [
        f"On the way to the trick: {counts.waiting}." if counts.waiting else "",
        f"Answers that wait to be posted: {counts.posts}." if counts.posts else "",
        f"Given up: {counts.failed}. `/tricks log trick:{trick_id}` says why." if counts.failed else "",
    ]
    return [line for line in lines if line]


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    tricks_group(bot).add_command(
        app_commands.Command(
            name="events",
            description="Choose where a trick posts when members join or leave, and whether it is told",
            callback=events,
        )
    )
    bot.add_dynamic_items(EventsButton)
