"""Forms and panels of the owner's room with whatever a trick writes and an owner types, as hypothesis finds it."""

import json
from typing import Any

from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from bot.errors import ManifestInvalid
from bot.manifest import Setting, setting_problem
from bot.manifest.differences import manifest_differences
from bot.manifest.fingerprint import ToolDefinition
from bot.manifest.models import Manifest
from bot.manifest.tool_differences import tool_differences
from bot.outbound import Reply
from bot.policy.audiences import AccessRules
from bot.tricks.installed import Installed
from bot.tricks.refresh import Differs
from bot.tricks.setting_forms import Filled, Present, form_page, read_page, setting_pages, typed_of
from bot.tricks.setting_words import labels_in_words, value_in_words
from cogs.forms import modal
from cogs.owner_panels import ask_enable_panels, ask_remove_panel, problems_panels
from cogs.refresh_panels import differs_panels, unusable_panels
from tests.support.hostile import forgeries
from tests.support.limits import message_problems, to_payload
from tests.support.manifests import manifest_json, read
from tests.support.modal_limits import modal_problems
from tests.support.records import installation

PARTS = (
    *(
        "y zq",
        "**",
        "__",
        "`",
        "```",
        "[",
        "](https://zq.example)",
        "<@666>",
        "@everyone",
        "\\",
        "\n# ",
        "> ",
        "||",
    ),
    *(" ", "\n", "\u200f", "ש", "e\u0301", "🦴", "a" * 60, "~~", "<t:666:R>", "-# ", "&", '"'),
)
IDS = frozenset({"11", "12", "13"})
PRESENT = Present(IDS, IDS)

hostile = st.lists(st.sampled_from(PARTS), min_size=1, max_size=25).map(lambda parts: f"a{''.join(parts)}b")
anything = st.text(max_size=60) | hostile
filled: st.SearchStrategy[Filled] = anything | st.lists(
    st.sampled_from(["0", "1", "11", "12", "99", "x", ""]) | anything, max_size=6
)
KINDS = ("boolean", "text", "long_text", "number", "select", "channel", "channels", "role", "roles")


@st.composite
def settings_of(draw: st.DrawFn) -> tuple[Setting, ...]:
    """Some settings that a manifest may have."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=12))
    raw: list[dict[str, Any]] = []
    for number, kind in enumerate(kinds):
        one: dict[str, Any] = {"key": f"k{number}", "type": kind, "label": _cut(draw(hostile), 60)}
        one |= {"description": draw(hostile), "required": draw(st.booleans())}
        if kind == "select":
            labels = draw(st.lists(hostile, min_size=1, max_size=5))
            one["options"] = [
                {"label": _cut(f"{n} {text}", 60), "value": f"{n}"} for n, text in enumerate(labels)
            ]
        if kind == "text":
            one["maxLength"] = draw(st.integers(1, 4_000))
        raw.append(one)
    return _read(manifest_json(settings=raw)).settings


def _cut(text: str, most: int) -> str:
    """Its end is a letter, so that what stands behind it is not taken for its own."""
    return f"{text[: most - 1]}b"


def _read(raw: Any) -> Manifest:
    """As read, or without the texts that a manifest may not have: those are made harmless."""
    try:
        return read(raw)
    except ManifestInvalid:
        return read(json.loads(json.dumps(raw).replace("\\n", " ").replace("\\u200f", "a")))


@limits(max_examples=120)
@given(settings_of(), st.data())
def test_whatever_is_filled_in_is_stored_as_the_trick_allows_or_told_and_opens_again(
    settings: tuple[Setting, ...], data: st.DataObject
) -> None:
    for number, page in enumerate(setting_pages(settings)):
        given_in = {str(at): data.draw(filled) for at in range(len(page)) if data.draw(st.booleans())}
        values, problems = read_page(page, given_in, PRESENT)
        for setting in page:
            value = values.get(setting.key)
            assert value is None or setting_problem(setting, value) is None
            json.dumps(value)
            assert value_in_words(setting, value)
        assert len(values) + len(problems) == len(page)
        typed = json.loads(json.dumps(typed_of(page, given_in)))
        for again in (None, typed):
            form = form_page("y zq", settings, number, values, PRESENT, again)
            assert list(modal_problems(modal(form, "s:x").to_dict())) == []
    said = Reply(content=labels_in_words(settings))
    assert message_problems(said) == []
    assert forgeries(to_payload(said)) == []


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    """A manifest whose texts are hostile, with some tools and commands."""
    count = draw(st.integers(1, 4))
    tools = [{"name": f"tool_{n}", "readOnly": draw(st.booleans())} for n in range(count)]
    commands: list[dict[str, Any]] = [
        {"name": f"c{n}", "description": _cut(draw(hostile), 90), "tool": "tool_0"} for n in range(count)
    ]
    texts = {"name": 70, "author": 90, "summary": 140, "description": 900, "instructions": 1_900}
    raw = manifest_json(
        tools=tools, commands=commands, **{key: _cut(draw(hostile), most) for key, most in texts.items()}
    )
    return _read(raw)


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, ToolDefinition]:
    """Live definitions, of which a trick may write anything."""
    found: dict[str, ToolDefinition] = {}
    for number in range(draw(st.integers(1, 4))):
        keys = draw(st.lists(anything, max_size=8))
        schema: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(keys, True)}
        schema["required"] = keys[:3]
        name = f"tool_{number}"
        found[name] = ToolDefinition(
            name,
            draw(anything),
            draw(anything),
            schema,
            draw(st.booleans()),
            False,
            draw(st.booleans()),
            False,
        )
    return found


def judge(*replies: Reply) -> None:
    """What Discord would refuse or draw of them: nothing."""
    for reply in replies:
        assert message_problems(reply) == []
        assert forgeries(to_payload(reply)) == []


@limits(max_examples=120)
@given(manifests(), manifests(), definitions(), definitions())
def test_a_difference_is_shown_within_discords_limits_and_draws_nothing_of_the_tricks(
    old: Manifest, new: Manifest, was: dict[str, ToolDefinition], now: dict[str, ToolDefinition]
) -> None:
    installed = Installed(installation(name=old.name), old, AccessRules(), {}, ())
    tools = tool_differences(was, now)
    sections = manifest_differences(old, new, {}, ())
    if sections:
        judge(*differs_panels(Differs(installed, sections, tools.to_read, (), "d" * 16)))
    judge(*ask_enable_panels(installed, now.values(), "d" * 16), ask_remove_panel(installed, "d" * 16))


@limits(max_examples=120)
@given(st.dictionaries(hostile, st.just(1), min_size=1, max_size=30))
def test_problems_are_shown_within_discords_limits_and_draw_nothing_of_the_tricks(
    extra: dict[str, int],
) -> None:
    try:
        read(manifest_json(**extra))
    except ManifestInvalid as invalid:
        installed = Installed(installation(), read(manifest_json()), AccessRules(), {}, ())
        judge(*problems_panels(invalid), *unusable_panels(installed, invalid))
