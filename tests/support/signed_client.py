"""A client that signs its requests to a trick, made of the reference package and nothing of Kennel's."""

import json
import uuid
from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from typing import Any, Self

import httpx2
from standardwebhooks import Webhook

from bot.demo.sample_trick import MCP, NAMED, TASKS, VERSION, JsonObject

SECRET = "whsec_c25hY2tzIGFyZSBnb29kIGZvciB5b3UgYWxs"
OTHER_SECRET = "whsec_YW5vdGhlciBzZWNyZXQgb2YgdGhlIGNsdWI="
CAPABILITIES: JsonObject = {"elicitation": {"form": {}}, "extensions": {TASKS: {}}}


class WebhookAuth(httpx2.Auth):
    """Signs the exact bytes of each request, with a new id unless the request has one."""

    requires_request_body = True

    def __init__(self, *secrets: str, age: float = 0.0) -> None:
        self._secrets = secrets
        self._age = age

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Add the three headers."""
        await request.aread()
        webhook_id = request.headers.get("webhook-id") or f"msg_{uuid.uuid4().hex}"
        request.headers.update(sign(request.content, webhook_id, *self._secrets, age=self._age))
        yield request


def sign(body: bytes, webhook_id: str, *secrets: str, age: float = 0.0) -> dict[str, str]:
    """The three headers of Standard Webhooks, signed `age` seconds ago."""
    at = datetime.fromtimestamp(int(datetime.now(UTC).timestamp() - age), UTC)
    signatures = [Webhook(secret).sign(webhook_id, at, body.decode()) for secret in secrets]
    stamp = str(int(at.timestamp()))
    return {"webhook-id": webhook_id, "webhook-timestamp": stamp, "webhook-signature": " ".join(signatures)}


class SignedClient:
    """Posts to the trick at `base`, signing with `secrets`."""

    def __init__(self, base: str, *secrets: str) -> None:
        self.http = httpx2.AsyncClient(base_url=base, trust_env=False)
        self.secrets = secrets

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str] | None = None, age: float = 0.0
    ) -> httpx2.Response:
        """POST exactly `body`; a `webhook-id` among `headers` is used as it is."""
        return await self.http.post(
            path,
            content=body,
            headers={"Content-Type": "application/json", **(headers or {})},
            auth=WebhookAuth(*self.secrets, age=age),
        )

    async def rpc(
        self, method: str, headers: Mapping[str, str] | None = None, **params: Any
    ) -> httpx2.Response:
        """One JSON-RPC request to `/mcp` as a client of the current revision sends it, context included."""
        message = request(method, **params)
        given = {
            name: value for name, value in {**routing(message), **(headers or {})}.items() if value != ""
        }
        return await self.post("/mcp", json.dumps(message).encode(), given)

    async def result(self, method: str, **params: Any) -> JsonObject:
        """The result of a request that has one."""
        response = await self.rpc(method, **params)
        assert response.status_code == 200, response.text
        return response.json()["result"]

    async def call(self, tool: str, arguments: JsonObject | None = None, **context: Any) -> JsonObject:
        """The result of a `tools/call`, with changes to the signed context."""
        meta = {"io.puphq/context": CONTEXT | context}
        return await self.result("tools/call", name=tool, arguments=arguments or {}, _meta=meta)

    async def deliver(self, envelope: JsonObject, webhook_id: str | None = None) -> httpx2.Response:
        """One event, under the envelope's id or another."""
        headers = {"webhook-id": webhook_id or envelope["id"]}
        return await self.post("/events", json.dumps(envelope).encode(), headers)


CONTEXT: JsonObject = {"installationId": "inst-1", "askerId": "1001", "channelId": "2001", "settings": {}}


def request(method: str, **params: Any) -> JsonObject:
    """A JSON-RPC request; `_meta` among `params` is laid over the usual one."""
    meta: JsonObject = {
        MCP + "protocolVersion": VERSION,
        MCP + "clientCapabilities": CAPABILITIES,
        MCP + "clientInfo": {"name": "test", "version": "1.0"},
        "io.puphq/context": CONTEXT,
    }
    params["_meta"] = meta | params.get("_meta", {})
    return {"jsonrpc": "2.0", "id": uuid.uuid4().hex, "method": method, "params": params}


def routing(message: JsonObject) -> dict[str, str]:
    """The headers that repeat what the body says."""
    method, params = message["method"], message["params"]
    named = {"Mcp-Name": params[NAMED[method]]} if method in NAMED and NAMED[method] in params else {}
    accept = {"Accept": "application/json, text/event-stream"}
    return {
        **accept,
        "MCP-Protocol-Version": params["_meta"][MCP + "protocolVersion"],
        "Mcp-Method": method,
        **named,
    }
