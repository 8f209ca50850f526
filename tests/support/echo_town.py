"""A small world on the bridge, and the echo bot that lives in it."""

from tests.support.bridge import BotProcess, Bridge


class Town:
    """A bridge with one guild, a channel and a member."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        self.guild = bridge.world.create_guild("Town")
        self.channel = self.guild.create_text_channel("general")
        self.ada = self.guild.add_member(bridge.world.create_user("ada"))

    def bot(self, **variables: str) -> BotProcess:
        reach = {
            "ECHO_API": self.bridge.api_url,
            "ECHO_GATEWAY": self.bridge.gateway_url,
            "ECHO_TOKEN": self.bridge.token,
        }
        return BotProcess(["-m", "tests.support.echo_bot"], reach | variables)

    def texts(self) -> list[str]:
        return [message.content for message in self.channel.history() if message.author.bot]

    async def heard(self, text: str, times: int = 1) -> None:
        await self.bridge.wait_until(
            lambda: self.texts().count(text) >= times or None, f"{times} × {text!r}", 15
        )
