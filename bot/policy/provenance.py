"""Where each piece of text in a request's context came from, and which of it is outside for a write.

Rules of "When a write asks": outside is whatever neither the asker wrote nor the owner accepted for the same
trick. What has no known origin is outside.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.policy.audiences import Asker, Audience

SourceKind = Literal[
    "asker",  # the asker's own words
    "summaries",  # the one-line summaries of the tricks
    "definitions",  # instructions and tool definitions that the owner accepted, of one trick
    "tool_output",  # results, task messages, questions
    "bot_reply",  # what the bot said earlier
    "member",  # a message of another member
    "other",  # a message of a bot or webhook
    "guidance",  # the server's guidance
    "web_page",
    "unknown",
]


class Source(BaseModel):
    """One piece of text: its kind, who wrote it, and an id by which it can be found again.

    `author_id` is the member or, for tool output and definitions, the installation. `text` is the text itself.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    kind: SourceKind
    author_id: str = ""
    id: str = ""
    text: str = Field(default="", repr=False)


def outside_sources(
    sources: Iterable[Source],
    *,
    installation_id: str,
    audience: Audience,
    members: Mapping[str, Asker | None],
) -> tuple[Source, ...]:
    """The sources that are outside for a write of a tool of `installation_id` with this access rule.

    `members` holds, by id, the authors of the kind `member` as the server reports them now; who is not in it,
    or None, has left. Somebody inside the access rule is not outside.
    """
    return tuple(each for each in sources if _is_outside(each, installation_id, audience, members))


def _is_outside(
    source: Source, installation_id: str, audience: Audience, members: Mapping[str, Asker | None]
) -> bool:
    match source.kind:
        case "asker" | "summaries":
            return False
        case "definitions":
            return source.author_id != installation_id
        case "member":
            author = members.get(source.author_id)
            return author is None or not audience.admits(author)
        case _:
            return True
