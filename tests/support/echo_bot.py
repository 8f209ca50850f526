"""A small bot for the bridge's own tests: `python -m tests.support.echo_bot`, set up by the environment."""

import asyncio
import logging
import os

import discord
import discord.gateway
import yarl
from discord import app_commands
from discord.http import Route


class NameForm(discord.ui.Modal, title="Your name"):
    """One text field."""

    name: discord.ui.TextInput["NameForm"] = discord.ui.TextInput(label="Name", custom_id="name")

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"hello {self.name.value}", ephemeral=True)


class Card(discord.ui.View):
    """Two buttons that outlive the process."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Press", custom_id="press")
    async def press(self, interaction: discord.Interaction, _button: discord.ui.Button["Card"]) -> None:
        await interaction.response.edit_message(content="pressed", view=None)

    @discord.ui.button(label="Form", custom_id="form")
    async def form(self, interaction: discord.Interaction, _button: discord.ui.Button["Card"]) -> None:
        await interaction.response.send_modal(NameForm())


class EchoBot(discord.AutoShardedClient):
    """Answers `!ping`, `/echo` and `/card`, and greets a guild that it joins."""

    def __init__(self, shard_ids: list[int], shard_count: int) -> None:
        super().__init__(
            intents=discord.Intents.all(),
            shard_ids=shard_ids,
            shard_count=shard_count,
            guild_ready_timeout=0.1,
            chunk_guilds_at_startup=os.environ.get("ECHO_CHUNK") == "1",
        )
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        self.add_view(Card())
        await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """discord.py's own waits five seconds, which the bridge does not ask for."""

    async def on_ready(self) -> None:
        print("all guilds are here", flush=True)

    async def on_message(self, message: discord.Message) -> None:
        if message.content.startswith("!ping"):
            nonce = message.content.removeprefix("!ping").strip()
            text = "pong" + nonce
            sending = message.channel.send(text, nonce=nonce) if nonce else message.channel.send(text)
            sent = await sending
            print("sent", sent.id, flush=True)
        elif message.content == "!members" and message.guild is not None:
            await message.channel.send(f"{len(message.guild.members)} members")
        elif message.content == "!file":
            await message.channel.send("a file", file=discord.File(__file__, "echo.py", description="itself"))

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        print("unavailable", guild.name, flush=True)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        print("available again", guild.name, flush=True)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        print("removed from", guild.name, flush=True)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await guild.text_channels[0].send(f"hello {guild.name}")


def echo_bot(shard_ids: list[int], shard_count: int) -> EchoBot:
    """The bot with its commands."""
    bot = EchoBot(shard_ids, shard_count)

    @bot.tree.command(description="Say it again")
    async def echo(interaction: discord.Interaction, text: str) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.followup.send(text)
        await interaction.followup.send("that was all", ephemeral=True)

    @bot.tree.command(description="Answer too late")
    async def late(interaction: discord.Interaction) -> None:
        await asyncio.sleep(3.2)
        try:
            await interaction.response.send_message("late")
        except discord.NotFound as error:
            print("refused", error.code, flush=True)

    @bot.tree.command(description="A message with buttons")
    async def card(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("press", view=Card())

    @echo.autocomplete("text")
    async def words(_interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=typed.upper(), value=typed)]

    return bot


def main() -> None:
    """Run until stopped."""
    Route.BASE = os.environ["ECHO_API"]
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["ECHO_GATEWAY"])
    shards = [int(part) for part in os.environ.get("ECHO_SHARDS", "0").split(",")]
    bot = echo_bot(shards, int(os.environ.get("ECHO_SHARD_COUNT", "1")))
    bot.run(os.environ["ECHO_TOKEN"], log_level=logging.INFO)


if __name__ == "__main__":
    main()
