"""One request to a scripted trick, as it arrived."""

import hmac
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from aiohttp import web
from standardwebhooks import Webhook

from bot.demo.sample_trick import JsonObject

WINDOW_SECONDS = 300


class Received:
    """One request. `signed_by` are the secrets whose signature fits; `refused` is why it was turned away."""

    def __init__(self, http: web.Request, body: bytes, signed_by: tuple[str, ...]) -> None:
        self.http = http
        self.path = http.path
        self.headers = {name.lower(): value for name, value in http.headers.items()}
        self.body = body
        self.signed_by = signed_by
        self.refused = ""
        self.json = _read_object(body)

    @property
    def verified(self) -> bool:
        """Whether the signature fits a secret of the trick, within five minutes."""
        return bool(self.signed_by)

    @property
    def name(self) -> str:
        """The JSON-RPC method, or for the other addresses `manifest`, `challenge` or `events`."""
        if self.path == "/mcp":
            return str(self.json.get("method"))
        return self.path.strip("/").removesuffix(".json")

    @property
    def params(self) -> JsonObject:
        """`params` of a JSON-RPC request."""
        return _object(self.json.get("params"))

    @property
    def context(self) -> JsonObject:
        """The signed context of a JSON-RPC request or of an event."""
        meta = _object(self.params.get("_meta"))
        return _object(meta.get("io.puphq/context")) or _object(self.json.get("context"))

    @property
    def tool(self) -> str:
        """The tool of a `tools/call`; empty for anything else."""
        return str(self.params.get("name", ""))

    @property
    def arguments(self) -> JsonObject:
        """The arguments of a `tools/call`."""
        return _object(self.params.get("arguments"))

    @property
    def call_id(self) -> str | None:
        """The call's id, if the context has one."""
        return self.context.get("callId")

    def reply(self, result: JsonObject) -> JsonObject:
        """`result` as the JSON-RPC reply to this request."""
        return {"jsonrpc": "2.0", "id": self.json.get("id"), "result": {"resultType": "complete", **result}}

    def error(self, error: JsonObject) -> JsonObject:
        """`error` (with `code` and `message`) as the JSON-RPC reply to this request."""
        return {"jsonrpc": "2.0", "id": self.json.get("id"), "error": error}


def signers(
    secrets: Sequence[str], headers: Mapping[str, str], body: bytes, now: datetime
) -> tuple[str, ...]:
    """Those of `secrets` that signed exactly this body, less than five minutes from `now`."""
    stamp = headers.get("webhook-timestamp", "")
    if not (stamp.isascii() and stamp.isdigit()) or abs(int(stamp) - now.timestamp()) > WINDOW_SECONDS:
        return ()
    webhook_id = headers.get("webhook-id", "")
    given = [signature.encode() for signature in headers.get("webhook-signature", "").split(" ")]
    return tuple(
        secret
        for secret in secrets
        if webhook_id
        and any(hmac.compare_digest(_sign(secret, webhook_id, int(stamp), body), one) for one in given)
    )


def _sign(secret: str, webhook_id: str, stamp: int, body: bytes) -> bytes:
    at = datetime.fromtimestamp(stamp, UTC)
    return Webhook(secret).sign(webhook_id, at, body.decode("utf-8", "surrogateescape")).encode()


def _read_object(body: bytes) -> JsonObject:
    try:
        return _object(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def _object(value: Any) -> JsonObject:
    return cast(JsonObject, value) if isinstance(value, dict) else {}
