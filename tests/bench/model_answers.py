"""What an instant model says: it loads a trick, calls two of its tools, one after the other, and answers."""

import json
from typing import Any

TRICK = "snack_club"
ANSWER = "There are popcorn, fruit and pretzels, and yours is saved."
SCRIPT: tuple[tuple[str, dict[str, str]], ...] = (
    ("load_trick", {"trick": TRICK}),
    (f"{TRICK}__snack_menu", {}),
    (f"{TRICK}__snack_count", {}),
)
"""The calls of a turn; that many results make the answer."""


def completion_body(request: bytes) -> bytes:
    """The body of a chat completion: the next call of the script, or the answer after the last one."""
    done = sum(each["role"] == "tool" for each in json.loads(request)["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if done < len(SCRIPT):
        name, arguments = SCRIPT[done]
        function = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"id": f"call_{done}", "type": "function", "function": function}]
    else:
        message["content"] = ANSWER
    finish = "tool_calls" if done < len(SCRIPT) else "stop"
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_767_225_600,
            "model": "instant",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        }
    ).encode()
