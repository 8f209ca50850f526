"""What is made of an answer: text, calls and tokens, or the fault that it is."""

import gzip
import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.errors import ModelNonsense, ModelRefused
from bot.llm.connection import MAX_ANSWER_BYTES
from bot.log import ALLOWED_FIELDS
from tests.bot.llm.talking import HELLO, opened
from tests.support.model import ModelServer, call, call_text, completion, raw, say

SECRET = "words that nobody may log"


def calling(*calls: Any) -> dict[str, Any]:
    return completion({"role": "assistant", "content": None, "tool_calls": list(calls)}, "tool_calls")


def one_call(name: Any = "look", arguments: Any = "{}", id: Any = "c1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


async def test_an_answer_has_its_text_its_calls_and_its_cost(model: ModelServer) -> None:
    model.script(say("Let me see.") + call("look", at="é") + call_text("save", "{not json"))
    async with opened(model) as talk:
        told = await talk.complete("", HELLO)
    assert told.message.text == "Let me see."
    assert [(each.name, each.arguments) for each in told.message.calls] == [
        ("look", '{"at": "é"}'),
        ("save", "{not json"),
    ]
    assert (told.input_tokens, told.output_tokens) == (11, 7)


async def test_an_endpoint_that_counts_nothing_costs_nothing(model: ModelServer) -> None:
    body = completion({"role": "assistant", "content": "Hi."})
    del body["usage"], body["created"]
    model.script(raw(200, body))
    async with opened(model) as talk:
        told = await talk.complete("", HELLO)
    assert (told.message.text, told.input_tokens, told.output_tokens) == ("Hi.", 0, 0)


async def test_arguments_that_come_as_an_object_or_not_at_all_become_text(model: ModelServer) -> None:
    model.script(raw(200, calling(one_call(arguments={"at": "é"}), one_call(arguments="", id="c2"))))
    async with opened(model) as talk:
        told = await talk.complete("", HELLO)
    assert [each.arguments for each in told.message.calls] == ['{"at": "é"}', "{}"]


async def test_ids_of_calls_are_unique_in_the_whole_conversation(model: ModelServer) -> None:
    model.script(
        raw(200, calling(one_call(id="c1"), one_call(id="c1"), one_call(id=""), one_call(id="c2"))),
        raw(200, calling(one_call(id="c1"))),
        say("Done."),
    )
    async with opened(model) as talk:
        first = (await talk.complete("", HELLO)).message
        second = (await talk.complete("", [*HELLO, first])).message
        await talk.complete("", [*HELLO, first, second])
    ids = [each.id for message in (first, second) for each in message.calls]
    assert (ids[0], ids[3]) == ("c1", "c2")
    assert len(set(ids)) == 5
    assert all(ids)
    sent = [each["id"] for message in model.asked[2].messages[1:] for each in message["tool_calls"]]
    assert sent == ids


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json " + SECRET.encode(),
        b'{"choices": [',
        b"null",
        b"[]",
        b'"a text"',
        {},
        {"error": {"message": SECRET}},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": None, "finish_reason": "stop"}]},
        {"choices": [{"message": {"role": "assistant", "content": 7}, "finish_reason": "stop"}]},
        completion({"role": "assistant", "content": None}),
        completion({"role": "assistant", "content": " \n"}),
        completion({"role": "assistant", "content": "", "tool_calls": []}, "length"),
        calling(None),
        calling({"id": "c1", "type": "function"}),
        calling({"id": "c1", "type": "custom", "custom": {"name": "x", "input": SECRET}}),
        calling(one_call(name="")),
        calling(one_call(name=None)),
        calling(one_call(arguments=[SECRET])),
    ],
)
async def test_an_answer_of_no_usable_form_is_nonsense_and_never_quoted(
    model: ModelServer, body: Any, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    model.script(raw(200, body))
    async with opened(model) as talk:
        with capture_logs() as logs, pytest.raises(ModelNonsense) as caught:
            await talk.complete("", HELLO)
    assert len(model.asked) == 1
    assert all(set(line) <= ALLOWED_FIELDS | {"log_level"} for line in logs)
    assert SECRET not in str(logs)
    assert SECRET not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"
    assert SECRET not in "".join(capfd.readouterr())
    assert SECRET not in caplog.text


@pytest.mark.parametrize("status", [200, 400])
async def test_an_answer_is_read_only_up_to_a_bound(model: ModelServer, status: int) -> None:
    body = completion({"role": "assistant", "content": "x" * MAX_ANSWER_BYTES})
    model.script(raw(status, body))
    async with opened(model) as talk:
        with pytest.raises(ModelNonsense if status == 200 else ModelRefused):
            await talk.complete("", HELLO)


async def test_a_large_answer_below_the_bound_is_an_answer(model: ModelServer) -> None:
    model.script(say("x" * (MAX_ANSWER_BYTES - 4_096)))
    async with opened(model) as talk:
        told = await talk.complete("", HELLO)
    assert len(told.message.text) == MAX_ANSWER_BYTES - 4_096


async def test_a_compressed_answer_is_not_unpacked(model: ModelServer) -> None:
    packed = gzip.compress(json.dumps(completion({"role": "assistant", "content": "Hi."})).encode())
    model.script(raw(200, packed, {"Content-Encoding": "gzip"}))
    async with opened(model) as talk:
        with pytest.raises(ModelNonsense):
            await talk.complete("", HELLO)
    assert model.asked[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    "body",
    [
        completion({"role": "assistant", "content": "I was go"}, "content_filter"),
        completion({"role": "assistant", "content": None, "refusal": "No."}),
    ],
)
async def test_an_answer_that_a_content_filter_stopped_is_a_refusal(model: ModelServer, body: Any) -> None:
    model.script(raw(200, body))
    async with opened(model) as talk:
        with pytest.raises(ModelRefused):
            await talk.complete("", HELLO)
