"""Who asks, from which installation: what Kennel tells a trick with every request."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.strict_json import Json

CONTEXT_KEY = "io.puphq/context"
"""The key of `params._meta` under which the context stands."""


@dataclass(frozen=True, slots=True)
class UserRequest:
    """The message that started the work, word for word, for tools that declare `userRequest`."""

    message_id: str
    channel_id: str
    content: str


@dataclass(frozen=True, slots=True)
class InvocationContext:
    """The signed context of one request. Discovery has neither `channel_id` nor `call_id`."""

    installation_id: str
    asker_id: str
    channel_id: str | None = None
    settings: Mapping[str, Json] = field(default_factory=dict[str, Json])
    call_id: str | None = None
    user_request: UserRequest | None = None

    def to_wire(self) -> dict[str, Json]:
        """The JSON object that is sent: ids are strings, and what is not there has no key."""
        wire: dict[str, Json] = {"installationId": self.installation_id, "askerId": self.asker_id}
        if self.channel_id is not None:
            wire["channelId"] = self.channel_id
        wire["settings"] = dict(self.settings)
        if self.call_id is not None:
            wire["callId"] = self.call_id
        if self.user_request is not None:
            wire["userRequest"] = {
                "messageId": self.user_request.message_id,
                "channelId": self.user_request.channel_id,
                "content": self.user_request.content,
            }
        return wire
