"""What is kept about a member and for how long, in plain words."""

from storage.member_data import MemberCounts

NOTHING = "I keep nothing about you."
ASK = (
    "**Erase everything that I keep about you, in all servers?** That is all of what `/privacy show` lists, and it "
    "cannot be brought back. Cards and questions that are open close, and work that goes on for you ends. What tools "
    "have done stays done, and the audit trail of it stays without you in it.\n"
    "It does not touch messages in Discord, nor what a trick keeps on its own server."
)
KEPT = "Nothing was erased."
_HEADING = "**What I keep about you**, in all servers together:"
_ELSEWHERE = (
    "What you and I have written in Discord stands there and is not counted here. What a trick keeps on its own "
    "server, only whoever runs it can tell you.\n"
    "`/privacy export` gives you all of this as a file, `/privacy erase` deletes it."
)


def what_is_kept(counts: MemberCounts, retention_days: int) -> str:
    """What there is, how much of it, and for how long; fits into one message."""
    days = f"after {_number(retention_days, 'day', 'days')} at the latest"
    kept = (
        (
            counts.requests,
            f"{_number(counts.requests, 'message', 'messages')} to me and what followed from that{_followed(counts)}: "
            f"until the message is deleted, {days}",
        ),
        (
            counts.calls,
            f"{_number(counts.calls, 'use', 'uses')} of tools. What you entered and what came back is still there for "
            f"{counts.calls_with_texts}: until the message that it came with is deleted, {days}. Which tool it was, "
            "when, and whether it worked: until the trick is removed",
        ),
        (
            counts.consents,
            f"{_number(counts.consents, 'tool', 'tools')} that you let me review: until you take that back with "
            "`/autoreview`",
        ),
        (
            counts.threads,
            f"{_number(counts.threads, 'thread', 'threads')} in which you need not mention me: {days}",
        ),
        (
            counts.deliveries,
            f"{_number(counts.deliveries, 'notice', 'notices')} to a trick that you joined or left a server, and "
            f"{_number(counts.posts, 'message', 'messages')} that the trick gave back for that: {days}",
        ),
        (
            counts.drafts,
            f"{_number(counts.drafts, 'form or panel', 'forms and panels')} that waited for your word: {days}",
        ),
        (
            counts.installations,
            f"That you registered {_number(counts.installations, 'trick', 'tricks')}: until the trick is removed",
        ),
        (
            counts.audit,
            f"{_number(counts.audit, 'entry', 'entries')} of the audit trail, with ids and no words: until the trick "
            "is removed",
        ),
    )
    lines = [f"• {line}." for count, line in kept if count]
    return "\n".join((_HEADING, *lines, "", _ELSEWHERE)) if lines else NOTHING


def what_was_erased(rows: int) -> str:
    """The answer to an erasure that touched so many rows."""
    if not rows:
        return "There was nothing about you to erase."
    return (
        f"Done: what I kept about you is erased, in all servers ({_number(rows, 'entry', 'entries')} with all that "
        "belonged to them). What you do from now on is kept again as before."
    )


def _followed(counts: MemberCounts) -> str:
    followed = (
        (counts.approvals, "card", "cards"),
        (counts.tasks, "task", "tasks"),
        (counts.questions, "question", "questions"),
    )
    named = [_number(*each) for each in followed if each[0]]
    return f" ({', '.join(named)})" if named else ""


def _number(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
