"""The official conformance suite of the Tasks extension against the sample trick."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from aiohttp import web

from tests.support.conformance_tools import CONFORMANCE_TOOLS
from tests.support.peers import node
from tests.support.sample_trick import serving
from tests.support.signed_client import CONTEXT, SECRET, WebhookAuth

NOT_PASSED_ON = {"host", "content-length", "accept-encoding", "connection"}


@asynccontextmanager
async def signing_proxy(target: str) -> AsyncGenerator[str]:
    """The URL of a proxy that adds what the suite does not know of: the signed context, and the signature."""

    async def pass_on(request: web.Request) -> web.Response:
        message = await request.json()
        message["params"]["_meta"]["io.puphq/context"] = CONTEXT
        headers = {
            name: value for name, value in request.headers.items() if name.lower() not in NOT_PASSED_ON
        }
        reply = await client.post(target, content=json.dumps(message).encode(), headers=headers)
        return web.Response(body=reply.content, status=reply.status_code, content_type="application/json")

    app = web.Application()
    app.router.add_post("/mcp", pass_on)
    runner = web.AppRunner(app, access_log=None)
    async with httpx2.AsyncClient(auth=WebhookAuth(SECRET), trust_env=False) as client:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
        finally:
            await runner.cleanup()


@pytest.mark.parametrize(
    ("scenario", "failing"),
    [
        ("tasks-lifecycle", set[str]()),
        ("tasks-capability-negotiation", set[str]()),
        ("tasks-wire-fields", set[str]()),
        ("tasks-request-state-removal", set[str]()),
        ("tasks-mrtr-input", set[str]()),
        ("tasks-dispatch-and-envelope", set[str]()),
        ("tasks-required-task-error", set[str]()),
        ("http-header-validation", set[str]()),
        # It wants a greeting as bare text; this trick repeats its structured result as JSON, as it should.
        ("tasks-request-headers", {"TasksHeadersTolerateMcpMethodOnToolsCall"}),
    ],
)
async def test_the_sample_trick_passes_the_suite(npm_peers: Path, scenario: str, failing: set[str]) -> None:
    program = npm_peers / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    async with (
        serving(more_tools=CONFORMANCE_TOOLS) as base,
        signing_proxy(f"{base}/mcp") as url,
    ):
        told = await _run(node(npm_peers), str(program), "server", "--url", url, "--scenario", scenario)
    result = re.search(r"Passed: (\d+)/(\d+), (\d+) failed, 0 warnings", told)
    assert result is not None, told
    passed, checks, failed = map(int, result.groups())
    assert passed > 0
    assert passed + failed == checks
    assert set(re.findall(r"^  - (\w+):", told, re.MULTILINE)) == failing, told
    assert failed == len(failing)


async def _run(*command: str) -> str:
    """What a program says, within a minute."""
    pipe, merged = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=merged)
    try:
        async with asyncio.timeout(60):
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output.decode()
