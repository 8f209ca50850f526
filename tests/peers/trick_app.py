"""A trick around an MCP server: its manifest and its challenge, and two ways for a test to move it."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.peers.signed_app import SECRET, App, Message, Receive, Send, listen, signed

VERSION = "2026-07-28"


def serve_trick(app: App, tools: Sequence[str], release: Callable[[], None]) -> None:
    """Serve `app`, whose `tools` only read, as the trick `peer`, and print `PORT <number>` when it listens.

    `POST /trust` adds the secret in its body to those that sign; `POST /release` calls `release`.
    """
    secrets = [SECRET]
    behind = signed(_with_challenge(app), secrets)

    async def trick(scope: Message, receive: Receive, send: Send) -> None:
        match scope.get("path"):
            case "/manifest.json":
                host = dict(scope["headers"])[b"host"].decode()
                await _answer(send, json.dumps(_manifest(f"http://{host}", tools)).encode())
            case "/trust":
                secrets.append((await _body(receive)).decode())
                await _answer(send, b"{}")
            case "/release":
                release()
                await _answer(send, b"{}")
            case _:
                await behind(scope, receive, send)

    listen(trick)


def _with_challenge(app: App) -> App:
    async def with_challenge(scope: Message, receive: Receive, send: Send) -> None:
        if scope.get("path") == "/challenge":
            await _answer(send, await _body(receive))
        else:
            await app(scope, receive, send)

    return with_challenge


def _manifest(base: str, tools: Sequence[str]) -> dict[str, Any]:
    return {
        "manifestVersion": 1,
        "protocolVersion": VERSION,
        "id": "peer",
        "name": "Peer",
        "author": "Example author",
        "description": "A server that somebody else wrote.",
        "summary": "Works long.",
        "instructions": "Use it.",
        "endpoints": {"challenge": f"{base}/challenge", "mcp": f"{base}/mcp"},
        "tools": [{"name": name, "readOnly": True} for name in tools],
        "commands": [],
        "settings": [],
        "events": [],
    }


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def _answer(send: Send, body: bytes) -> None:
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
