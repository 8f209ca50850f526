"""The part that every Python peer shares: a signature check in front of it, and a port of its own."""

import base64
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any

import uvicorn
from standardwebhooks import Webhook, WebhookVerificationError

SECRET = "whsec_" + base64.b64encode(b"m" * 32).decode()
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


def signed(app: App, secrets: Sequence[str] = (SECRET,)) -> App:
    """`app`, for POSTs whose Standard Webhooks signature over the exact body is right; others get a 401.

    It is right by any of `secrets`, as they are when a POST comes.
    """

    async def checked(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        if not any(_is_right(secret, body, headers) for secret in secrets):
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"signature refused"})
            return
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await app(scope, again, send)

    return checked


def _is_right(secret: str, body: bytes, headers: Mapping[str, str]) -> bool:
    try:
        Webhook(secret).verify(body, dict(headers))
    except (WebhookVerificationError, ValueError):
        return False
    return True


def serve(app: App) -> None:
    """Serve `app` behind the check on a free port of loopback, and print `PORT <number>` when it listens."""
    listen(signed(app))


def listen(app: App) -> None:
    """As `serve`, without the check."""
    listener = socket.create_server(("127.0.0.1", 0))
    print("PORT", listener.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_level="warning", lifespan="on")
    uvicorn.Server(config).run([listener])
