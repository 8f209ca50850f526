"""News of a task: what its asker has yet to be told, as it is stored with the change that caused it."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from bot.tasks.narrator import EndKind


class News(BaseModel):
    """One piece of news; a newer one of the same task takes its place.

    `text` is a status text of the trick, or for an end the sentence in Kennel's own words. `parts` are the
    words that were found for it: they are stored before they are posted, so that after a crash the same words
    can be looked for. `since` is when it became news.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    kind: Literal["progress"] | EndKind
    text: str = Field(default="", repr=False)
    since: int
    parts: tuple[str, ...] = Field(default=(), repr=False)

    @classmethod
    def read(cls, stored: str) -> Self:
        """What `dump` wrote."""
        return cls.model_validate_json(stored)

    def dump(self) -> str:
        """As it is stored."""
        return self.model_dump_json()

    def worded(self, parts: tuple[str, ...]) -> Self:
        """With the words that were found for it."""
        return self.model_copy(update={"parts": parts})
