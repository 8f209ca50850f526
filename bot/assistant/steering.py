"""Whether outside text may have steered a write, and what follows from that."""

from bot.approvals.consents import consent_holds
from bot.assistant.conversation import PendingCall
from bot.assistant.run import Run
from bot.errors import DiscordUnavailable
from bot.policy.audiences import Asker
from bot.policy.provenance import Source, outside_sources
from bot.policy.writes import Situation, Verdict, decide
from bot.speaker import Line
from bot.tricks.checks import Ready
from storage.consents import Consents
from storage.requests import Requests


class Steering:
    """Gathers what the decision depends on (`bot.policy.writes`), as it is now."""

    def __init__(self, requests: Requests, consents: Consents, line: Line) -> None:
        self._requests = requests
        self._consents = consents
        self._line = line

    async def outside(self, run: Run, call: PendingCall, ready: Ready) -> tuple[Source, ...]:
        """The outside sources that the model had before it when it wrote the call, by access as it is now."""
        sources = run.conversation.sources[: call.sources]
        members: dict[str, Asker | None] = {}
        for source in sources:
            if source.kind == "member" and source.author_id not in members:
                members[source.author_id] = await self._author(run.request.guild_id, source.author_id)
        audience = ready.installed.access.audience(ready.pin.tool, read_only=ready.pin.read_only)
        return outside_sources(
            sources, installation_id=ready.installed.row.id, audience=audience, members=members
        )

    async def _author(self, guild_id: str, member_id: str) -> Asker | None:
        """The author of a message as they are now; where Discord does not say, they count as somebody who left."""
        try:
            return await self._line.speaker.asker(guild_id, member_id)
        except DiscordUnavailable:
            return None

    async def verdict(self, run: Run, ready: Ready, outside: tuple[Source, ...]) -> Verdict:
        """What happens to a write of `ready` for which these sources are outside."""
        request = await self._requests.get(run.request.id)
        audience = ready.installed.access.audience(ready.pin.tool, read_only=ready.pin.read_only)
        return decide(
            Situation(
                read_only=ready.pin.read_only,
                always_ask=ready.pin.always_ask,
                audience=audience,
                outside=bool(outside),
                consented=bool(outside) and await self._consented(run, ready),
                writes_stopped=request is None or request.writes_stopped,
            )
        )

    async def _consented(self, run: Run, ready: Ready) -> bool:
        installed, pin = ready.installed, ready.pin
        consent = await self._consents.find(run.asker.member_id, installed.row.id, pin.tool)
        return consent_holds(consent, installed.mcp.url, pin)
