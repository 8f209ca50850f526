"""The whole bot with a real peer as its trick."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from tests.support.brewing import LeapingClock, brewing_with
from tests.support.model import ModelServer
from tests.support.world import World, config_for

MOST_TICKS = 60
"""Work of a peer takes real time; that many looks are still within the five minutes that a signature is good for."""


@dataclass
class PeerTrick:
    """A server of `tests.peers.trick_app` on `port` of loopback."""

    port: str
    id: str = "peer"

    @property
    def host_port(self) -> str:
        """`host:port`, as in `network.development_hosts`."""
        return f"127.0.0.1:{self.port}"

    @property
    def manifest_url(self) -> str:
        """Where the manifest is."""
        return f"http://{self.host_port}/manifest.json"

    def trust(self, *secrets: str) -> None:
        """From now on accept these secrets too."""
        for secret in secrets:
            httpx.post(f"http://{self.host_port}/trust", content=secret).raise_for_status()

    def release(self) -> None:
        """Let slow work go on."""
        httpx.post(f"http://{self.host_port}/release").raise_for_status()


@asynccontextmanager
async def whole_bot(peer: PeerTrick, url: str, model: ModelServer) -> AsyncGenerator[World]:
    """The bot with a model and with `peer` registered, tested and enabled."""
    config = config_for(url, peer, assistant=model.config)
    async with brewing_with(peer, config, model, LeapingClock()) as world:
        yield world
