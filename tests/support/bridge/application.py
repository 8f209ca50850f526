"""The bot's application as its owner set it up in the developer portal."""

from dataclasses import dataclass, field
from typing import Any

import discord
from simcord.backend import Backend, serializers

# The flags of small applications: the intent is turned on in the portal, without a review.
_PRESENCE_LIMITED = 1 << 13
_MEMBERS_LIMITED = 1 << 15
_MESSAGE_CONTENT_LIMITED = 1 << 19


@dataclass
class Application:
    """`intents` says which privileged intents the portal allows; the rest is as the names say."""

    token: str = "bridge.bot.token"
    intents: discord.Intents = field(default_factory=discord.Intents.all)
    interactions_endpoint_url: str | None = None

    @property
    def flags(self) -> int:
        """The application's flags, which tell the allowed intents."""
        return (
            _PRESENCE_LIMITED * self.intents.presences
            | _MEMBERS_LIMITED * self.intents.members
            | _MESSAGE_CONTENT_LIMITED * self.intents.message_content
        )

    def payload(self, backend: Backend) -> dict[str, Any]:
        """The answer to `GET /applications/@me`."""
        user = dict(serializers.user_payload(backend.bot_user))
        return {
            "id": str(backend.application_id),
            "name": backend.bot_user.name,
            "icon": None,
            "description": "",
            "summary": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "verify_key": "0" * 64,
            "interactions_endpoint_url": self.interactions_endpoint_url,
            "owner": user,
            "flags": self.flags,
            "team": None,
            "bot": user,
        }
