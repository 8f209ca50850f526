"""The panel of a trick with the most that there can be in it."""

import json
from typing import Any

import pytest

from bot.events.choices import Events
from bot.outbound import Button, Reply
from bot.policy.audiences import AccessRules, Audience
from bot.text import length
from bot.tricks.installed import Installed
from bot.tricks.log import KEPT, Troubles
from cogs.show_panel import Overview, show_panel
from storage.event_counts import Counts
from storage.event_records import Subscription
from storage.records import InstallationState
from tests.support.manifests import manifest_json, read
from tests.support.records import GUILD, NOW, installation

WIDE = "🦴"
ID = "9" * 20


def largest(**changes: Any) -> Any:
    """A manifest that is full to the brim."""
    tools = [{"name": f"{'t' * 44}_{n:02}", "readOnly": n % 2 == 0} for n in range(100)]
    commands = [
        {"name": f"c{n:02}{'x' * 29}", "description": WIDE * 50, "tool": tools[n]["name"]} for n in range(100)
    ]
    settings = [
        {"key": f"k{n}", "label": f"{'*' * 95}{n:02}", "type": "channels", "required": True}
        for n in range(25)
    ]
    texts = {"name": WIDE * 40, "author": WIDE * 50, "summary": "_" * 150, "description": "*" * 1_000}
    return manifest_json(tools=tools, commands=commands, settings=settings, **texts, **changes)


def overview(state: InstallationState, *, full: bool = True) -> Overview:
    """A trick in this state, with everything wrong that can be or with nothing wrong."""
    manifest = read(largest() if full else manifest_json())
    names = tuple(tool.name for tool in manifest.tools)
    row = installation(
        name=manifest.name,
        trick_id="t" * 48,
        manifest_url=f"https://snacks.example/{'m' * 2_000}",
        state=state,
        held_back=names if full else (),
        notice="n" * 400 if full else None,
        previous_secret="sealed" if full else None,
        previous_secret_until=NOW + 1,
    )
    roles = Audience("roles", frozenset(f"{ID}{n}" for n in range(25)))
    rules = AccessRules(dict.fromkeys(names, roles), frozenset(f"{ID}{n}" for n in range(25)))
    subscription = Subscription(row.id, GUILD, True, True, True, ID, NOW if full else None)
    installed = Installed(row, manifest, rules if full else AccessRules(), {}, ())
    troubles = Troubles(KEPT, at_least=True) if full else Troubles(0, at_least=False)
    problem = "p" * 400 if full else ""
    return Overview(installed, Events(row, subscription, Counts(1, 1, 1)), troubles, problem, NOW, NOW)


def parts(reply: Reply) -> list[tuple[str, str]]:
    """The fields by name."""
    assert reply.embed is not None
    return [(field.name, field.value) for field in reply.embed.fields]


@pytest.mark.parametrize("state", ["registered", "enabled", "disabled", "paused"])
def test_the_largest_panel_fits_discord(state: InstallationState) -> None:
    reply = show_panel(overview(state))
    assert reply.embed is not None
    assert all(0 < length(name) <= 256 and 0 < length(value) <= 1_024 for name, value in parts(reply))
    texts = [reply.embed.title, reply.embed.description, reply.embed.footer]
    total = sum(map(length, texts)) + sum(length(name) + length(value) for name, value in parts(reply))
    assert total <= 6_000
    assert length(reply.embed.description) <= 4_096
    buttons = [each for each in reply.buttons if isinstance(each, Button)]
    assert all(len(each.custom_id) <= 100 for each in buttons)
    assert len({each.custom_id for each in buttons}) == len(buttons) <= 25


def test_whatever_is_left_out_is_counted() -> None:
    told = dict(parts(show_panel(overview("enabled"))))
    assert "25 required settings" in told["To do"]
    assert "and 95 more" in told["To do"]
    assert " more\nOnly in <#" in told["Tools (100)"]
    assert told["Tools (100)"].endswith("and 15 more")
    assert " more" in told["Commands"]
    assert f"{KEPT} or more failures" in told["Connection"]


@pytest.mark.parametrize("state", ["registered", "enabled", "disabled", "paused"])
def test_where_nothing_is_wrong_there_is_nothing_to_do(state: InstallationState) -> None:
    names = [name for name, _ in parts(show_panel(overview(state, full=False)))]
    assert names == ["State", "Tools (1)", "Commands", "Events", "Connection"]


def test_a_setting_without_a_value_that_is_required_says_so() -> None:
    setting = {"key": "shelf", "label": "Which `shelf`", "type": "text", "required": True}
    manifest = read(manifest_json(settings=[setting]))
    row = installation(state="enabled", settings=json.dumps({}))
    view = Overview(
        Installed(row, manifest, AccessRules(), {}, ()),
        Events(row, None, Counts(0, 0, 0)),
        Troubles(1, at_least=False),
        "",
        None,
        NOW,
    )
    told = dict(parts(show_panel(view)))
    assert told["Settings"] == "Which \\`shelf\\`: – (required)"
    assert "1 failure in the last 24 hours" in told["Connection"]
    assert "Events" not in told
