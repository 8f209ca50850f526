"""The REST API over HTTP: simcord's routes, Discord's statuses, and what goes wrong on purpose."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from aiohttp import web
from simcord import BackendError, RouteNotImplemented, UnsupportedField
from simcord.http.router import dispatch, parse_form

from tests.support.bridge.application import Application
from tests.support.bridge.changes import Changes
from tests.support.bridge.faults import Faults
from tests.support.bridge.rules import Rules
from tests.support.bridge.world import World

BASE = "/api/v10"


@dataclass
class RestRequest:
    """One request; `status` is None until it is answered, 0 if the connection was ended instead."""

    method: str
    path: str
    query: Mapping[str, str]
    json: Any
    files: tuple[str, ...] = ()
    reason: str | None = None
    status: int | None = None


@dataclass
class Upload:
    """A file of a multipart body, as simcord's routes read it."""

    filename: str
    fp: io.BytesIO
    description: str | None = None


@dataclass
class Rest:
    """Answers every request below `/api/v10` and keeps a log of them.

    `gaps` collects what the bot used and the simulation lacks; such a request is answered with 501.
    """

    world: World
    application: Application
    faults: Faults
    rules: Rules
    changes: Changes
    gateway_url: str = ""
    requests: list[RestRequest] = field(default_factory=list[RestRequest])
    gaps: list[Exception] = field(default_factory=list[Exception])

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Log the request, let the faults have it, else carry it out."""
        path = request.rel_url.raw_path.removeprefix(BASE)
        body, files = await _read_body(request)
        entry = RestRequest(
            request.method,
            path,
            dict(request.query),
            body,
            tuple(file.filename for file in files),
            unquote(request.headers.get("X-Audit-Log-Reason", "")) or None,
        )
        self.requests.append(entry)
        self.changes.tell()
        await self.faults.pass_hold(entry.method, path)
        fault = self.faults.take(entry.method, path)
        if fault is not None and fault.kind == "answer":
            response = web.Response(status=fault.status, body=fault.body, headers=fault.headers)
        elif fault is not None and fault.kind == "drop":
            response = web.Response()
        else:
            response = self._answer(entry, request.headers.get("Authorization"), files)
        if fault is not None and fault.kind != "answer":
            entry.status = 0
            if request.transport is not None:
                request.transport.abort()
        else:
            entry.status = response.status
        self.changes.tell()
        return response

    def _answer(self, entry: RestRequest, authorization: str | None, files: list[Upload]) -> web.Response:
        try:
            if not _has_own_token(entry.path) and authorization != f"Bot {self.application.token}":
                raise BackendError(401, 0, "401: Unauthorized")
            return self._success(entry, self._carry_out(entry, files))
        except (RouteNotImplemented, UnsupportedField) as gap:
            self.gaps.append(gap)
            return _json(501, gap.to_json())
        except BackendError as error:
            return _json(error.status, error.to_json())
        except Exception as crash:
            self.gaps.append(crash)
            return _json(501, {"message": repr(crash), "code": 0})

    def _carry_out(self, entry: RestRequest, files: list[Upload]) -> Any:
        match entry.method, entry.path:
            case "GET", "/gateway" | "/gateway/bot":
                limit = {"total": 1000, "remaining": 1000, "reset_after": 86_400_000, "max_concurrency": 1}
                shards = self.world.shard_count
                return {"url": self.gateway_url, "shards": shards, "session_start_limit": limit}
            case "GET", "/oauth2/applications/@me" | "/applications/@me":
                return self.application.payload(self.world.backend)
            case _:
                return self.rules.apply(
                    entry.method, entry.path, entry.json, lambda: self._route(entry, files)
                )

    def _route(self, entry: RestRequest, files: list[Upload]) -> Any:
        return dispatch(
            self.world.backend,
            entry.method,
            entry.path,
            json=entry.json,
            params=dict(entry.query),
            files=files,
            reason=entry.reason,
            message_content_access=self.application.intents.message_content,
        )

    def _success(self, entry: RestRequest, payload: Any) -> web.Response:
        silent = entry.path.endswith("/callback") and entry.query.get("with_response") not in ("1", "true")
        if payload is None or silent:
            return web.Response(status=204)
        return _json(200, payload)


def _has_own_token(path: str) -> bool:
    parts = path.strip("/").split("/")
    return parts[0] == "interactions" or (parts[0] == "webhooks" and len(parts) > 2)


def _json(status: int, payload: Any) -> web.Response:
    # discord.py reads a body as JSON only if the type is exactly this, without a charset.
    return web.Response(
        status=status, body=json.dumps(payload).encode(), headers={"Content-Type": "application/json"}
    )


async def _read_body(request: web.Request) -> tuple[Any, list[Upload]]:
    if request.content_type != "multipart/form-data":
        data = await request.read()
        return (json.loads(data) if data else None), []
    scalars: list[dict[str, Any]] = []
    files: list[Upload] = []
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            files.append(Upload(value.filename, io.BytesIO(value.file.read())))
        else:
            scalars.append({"name": name, "value": value})
    payload, _ = parse_form(scalars, [])
    fields: dict[str, Any] = payload or {}
    attachments: list[dict[str, Any]] = fields.get("attachments") or []
    for described in attachments:
        index = str(described.get("id"))
        if index.isdecimal() and int(index) < len(files):
            files[int(index)].description = described.get("description")
    return payload, files
