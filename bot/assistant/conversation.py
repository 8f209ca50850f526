"""A conversation as it is stored between two steps, and with it everything that a new process needs to go on."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.errors import KennelError
from bot.llm.model import AssistantMessage, Message, ToolMessage
from bot.policy.provenance import Source

VERSION = 1


class OtherVersion(KennelError):
    """A conversation that another version of Kennel stored and this one cannot read."""

    to_member = "Kennel was updated meanwhile and cannot go on with this. Ask again."


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class PendingCall(_Stored):
    """A call that the model wrote in its last message and whose end it has yet to hear.

    `call_id` is the id reserved for it at the trick and in the database. `sources` is how many sources were in
    the context when the model wrote it: what came later has not steered it. `content` is what the model will
    hear, None until that is known.
    """

    id: str
    name: str
    arguments: str = Field(repr=False)
    call_id: str
    sources: int
    content: str | None = Field(default=None, repr=False)


class Conversation(_Stored):
    """One request's conversation.

    `loaded` are the ids of the tricks whose tools the model has; `links` the addresses that the answer may
    hold; `notes` sentences of Kennel's own that will stand under the answer. `answer` holds the messages to
    post once the model is done.
    """

    version: Literal[1] = VERSION
    messages: tuple[Message, ...] = Field(repr=False)
    sources: tuple[Source, ...] = ()
    loaded: tuple[str, ...] = ()
    links: tuple[str, ...] = Field(default=(), repr=False)
    pending: tuple[PendingCall, ...] = ()
    notes: tuple[str, ...] = ()
    answer: tuple[str, ...] | None = Field(default=None, repr=False)
    steps: int = 0
    calls: int = 0
    tokens: int = 0

    @property
    def guided(self) -> bool:
        """Whether the server's guidance is in it."""
        return any(source.kind == "guidance" for source in self.sources)

    @classmethod
    def load(cls, text: str) -> Self:
        """A stored conversation. Raises `OtherVersion`."""
        try:
            return cls.model_validate_json(text)
        except ValidationError:
            raise OtherVersion from None

    def dump(self) -> str:
        """The text to store."""
        return self.model_dump_json()

    def with_(self, **changes: object) -> Self:
        """The same with some fields changed."""
        return self.model_copy(update=changes)

    def with_results(self) -> Self:
        """The results of all pending calls become messages; every one of them must be known."""
        results = tuple(
            ToolMessage(call_id=call.id, name=call.name, content=call.content or "") for call in self.pending
        )
        return self.with_(messages=self.messages + results, pending=())

    def complete_messages(self) -> tuple[Message, ...]:
        """The messages up to the last one whose calls have all been answered.

        A model takes no call without its result, so what is still open is left out.
        """
        if not self.pending:
            return self.messages
        last = max(i for i, each in enumerate(self.messages) if isinstance(each, AssistantMessage))
        return self.messages[:last]
