"""`kennel run` as a process of its own, against the bridge and a real trick."""

import re
from pathlib import Path

from tests.support.bridge import BotProcess, Bridge, Handle
from tests.support.trick import TrickServer
from tests.support.world import text_of


class Kennels:
    """A server with an owner and a member in a bridged Discord, and as many Kennel processes as wanted.

    All processes share one token and one database.
    """

    def __init__(self, bridge: Bridge, directory: Path, *tricks: TrickServer, url: str | None = None) -> None:
        self.bridge = bridge
        self.directory = directory
        self.url = url or f"sqlite:///{directory}/kennel.db"
        self._tricks = tricks
        world = bridge.world
        self.guild = world.create_guild("Kennel Club", owner=world.create_user("olive"))
        self.channel = self.guild.create_text_channel("general")
        self.owner = self.guild.add_member(self.guild.owner)
        self.member = self.guild.add_member(world.create_user("mia"))

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a process."""
        hosts = ", ".join(f'"{trick.host_port}"' for trick in self._tricks)
        return {
            "KENNEL_DISCORD__TOKEN": self.bridge.token,
            "KENNEL_DISCORD__API_URL": self.bridge.api_url,
            "KENNEL_DISCORD__GATEWAY_URL": self.bridge.gateway_url,
            "KENNEL_STORAGE__URL": self.url,
            "KENNEL_NETWORK__DEVELOPMENT_HOSTS": f"[{hosts}]",
        }

    def process(self, *arguments: str, **variables: str) -> BotProcess:
        """`kennel <arguments>`, by default `kennel run`, with more variables."""
        command = ["-m", "bot", *(arguments or ("run",))]
        return BotProcess(command, {**self.variables, **variables}, self.directory)

    async def install(self, trick: TrickServer) -> None:
        """The owner registers and enables `trick`, and its first command arrives."""
        await self.bridge.wait_for_command("tricks")
        preview = await self._owner_runs("tricks register", manifest_url=trick.manifest_url)
        panel = await preview.response()
        await self.bridge.click(self.owner, panel, label="Register")
        shown = await preview.until(lambda message: "whsec_" in text_of(message))
        secret = re.search(r"whsec_[A-Za-z0-9+/=]+", text_of(shown))
        assert secret is not None
        trick.trust(secret.group())
        asked = await self._owner_runs("tricks enable", trick=trick.id)
        panel = await asked.until(lambda message: bool(message.components))
        await self.bridge.click(self.owner, panel, label="Enable")
        await self.bridge.wait_for_command(trick.commands[0]["name"], self.guild)

    async def _owner_runs(self, name: str, **options: str) -> Handle:
        return await self.bridge.slash(self.owner, self.channel, name, **options)
