"""Consents: what a member lets the bot review by itself, shown and taken back."""

from dataclasses import dataclass, field

from bot.tricks.installed import ManifestCache
from storage.consents import Consents
from storage.installations import Installations
from storage.records import Pin
from storage.request_records import Consent

_Served = tuple[str, dict[str, Pin]]
"""A trick's MCP endpoint, and the accepted definitions of its tools by name."""


@dataclass(frozen=True, slots=True)
class GivenConsent:
    """One consent as its member is shown it.

    `trick_name` and `tool_title` are the trick's texts. `holds` is False when the tool was redefined or moved
    to another endpoint since, so that the bot asks again.
    """

    installation_id: str
    tool: str
    trick_name: str = field(repr=False)
    tool_title: str = field(repr=False)
    holds: bool


class ConsentService:
    """Reads and takes back members' consents. `Approvals.decide` stores them."""

    def __init__(self, consents: Consents, installations: Installations) -> None:
        self._consents = consents
        self._installations = installations
        self._manifests = ManifestCache()

    async def of_member(self, member_id: str, guild_id: str) -> tuple[GivenConsent, ...]:
        """The member's consents in this server, newest first."""
        given = await self._consents.of_member(member_id, guild_id)
        ids = {consent.installation_id for consent, _, _ in given}
        served = {id: await self._served(id) for id in ids}
        return tuple(
            GivenConsent(
                installation_id=consent.installation_id,
                tool=consent.tool,
                trick_name=name,
                tool_title=title,
                holds=_holds(consent, served[consent.installation_id]),
            )
            for consent, name, title in given
        )

    async def revoke(self, member_id: str, installation_id: str, tool: str) -> bool:
        """Take one back: from now on the bot asks again. False when there is none (any more)."""
        return await self._consents.revoke(member_id, installation_id, tool)

    async def _served(self, installation_id: str) -> _Served | None:
        row = await self._installations.get(installation_id)
        if row is None:
            return None
        endpoint = self._manifests.read(row.manifest).endpoints.mcp
        return endpoint, {pin.tool: pin for pin in await self._installations.pins(installation_id)}


def _holds(consent: Consent, served: _Served | None) -> bool:
    return served is not None and consent_holds(consent, served[0], served[1].get(consent.tool))


def consent_holds(consent: Consent | None, endpoint: str, pin: Pin | None) -> bool:
    """Whether the consent is for exactly this definition, served at this MCP endpoint."""
    return (
        consent is not None
        and pin is not None
        and (consent.endpoint, consent.definition_hash) == (endpoint, pin.definition_hash)
    )
