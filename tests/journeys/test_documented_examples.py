"""The examples in the contract for tricks, run as they stand there."""

import json
from collections.abc import Callable
from typing import Any

from bot.clock import Clock
from bot.manifest import read_manifest
from bot.mcp.schemas import schema_problem
from bot.signing import parse_secret, verify
from tests.support.documentation import example, page
from tests.support.journeys import answer, labels
from tests.support.trick import MakeTrick
from tests.support.trick_answers import result
from tests.support.trick_tools import ToolSpec
from tests.support.world import config_for, open_world, text_of

CONTRACT = page("docs/tricks.md")
MANIFEST: dict[str, Any] = json.loads(example(CONTRACT, "manifest"))
TOOL: dict[str, Any] = json.loads(example(CONTRACT, "tool"))
REQUEST: dict[str, Any] = json.loads(example(CONTRACT, "request"))
RESULT: dict[str, Any] = json.loads(example(CONTRACT, "result"))
SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


def signed_challenge() -> tuple[dict[str, str], bytes]:
    """The headers and the body of the signed example."""
    head, _, body = example(CONTRACT, "signed challenge").partition("\n\n")
    return dict(line.split(": ", 1) for line in head.splitlines()[1:]), body.encode()


def test_the_manifest_and_the_schema_are_valid() -> None:
    read_manifest(example(CONTRACT, "manifest").encode())
    assert schema_problem(TOOL["inputSchema"]) is None


def test_the_signature_is_kennels_and_the_check_takes_it_and_no_other() -> None:
    names: dict[str, Any] = {}
    exec(example(CONTRACT, "signature check"), names)
    is_signed: Callable[[bytes, dict[str, str], list[str], float], bool] = names["is_signed"]
    headers, body = signed_challenge()
    at = float(headers["webhook-timestamp"])
    other = "whsec_" + "A" * 43 + "="

    class Then(Clock):
        def now_ms(self) -> int:
            return int(at * 1000)

    assert SECRET in CONTRACT
    assert verify(body, headers, [parse_secret(SECRET)], Then().now())
    assert is_signed(body, headers, [SECRET], at)
    assert is_signed(body, headers, [other, SECRET], at + 300)
    assert is_signed(body, {**headers, "webhook-signature": f"v1,{'A' * 43}= {headers['webhook-signature']}"},
                     [SECRET], at)  # fmt: skip
    assert not is_signed(body, headers, [SECRET], at + 301)
    assert not is_signed(body, headers, [other], at)
    assert not is_signed(body + b" ", headers, [SECRET], at)


async def test_a_trick_made_of_the_examples_gets_the_request_and_shows_the_result(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    texts = {name: MANIFEST[name] for name in ("name", "author", "description", "summary", "instructions")}
    flags = {tool["name"]: tool.get("readOnly", False) for tool in MANIFEST["tools"]}
    trick = await make_trick(
        id=MANIFEST["id"],
        tools=[
            ToolSpec(TOOL["name"], TOOL["title"], TOOL["description"], TOOL["inputSchema"], read_only=True),
            ToolSpec("save_town"),
        ],
        commands=MANIFEST["commands"],
        settings=MANIFEST["settings"],
        events=[],
        **texts,
    )
    assert flags == {tool.name: tool.read_only for tool in trick.tools}
    trick.on("tools/call", result(RESULT))
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        shown = answer(await world.member.slash(world.channel, "weather", town="Ghent", days=2))
        (received,) = trick.received("tools/call")

        expected = json.loads(json.dumps(REQUEST))
        expected["id"] = received.json["id"]
        context = expected["params"]["_meta"]["io.puphq/context"]
        context |= {"askerId": str(world.member.id), "channelId": str(world.channel.id)}
        context |= {name: received.context[name] for name in ("installationId", "callId")}
        assert received.json == expected
        pup = RESULT["structuredContent"]["pup"]
        for text in (pup["text"], *(field["value"] for field in pup["fields"])):
            assert text in text_of(shown)
        assert labels(shown) == ["I live here", "Radar"]


def test_the_headers_of_a_call_are_those_of_the_table() -> None:
    table = CONTRACT.split("| header | value |")[1].split("\n\n")[0]
    for name in (
        "Content-Type",
        "Accept",
        "Accept-Encoding",
        "MCP-Protocol-Version",
        "Mcp-Method",
        "Mcp-Name",
    ):
        assert f"`{name}`" in table
