"""A presentation as one Discord message, and sentences of our own as messages.

Everything here is a pure function that fits Discord's limits, counted in UTF-16 units: 4,096 for a
description, 256 and 1,024 for a field's name and value, 6,000 for a whole embed, 2,000 for plain content.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.outbound import MAX_CONTENT, Button, Embed, EmbedField, LinkButton, Reply
from bot.policy.links import LinkRules, ascii_url
from bot.presentation.checks import DONE, MAX_ACTIONS, MAX_FIELDS, MAX_LINKS, MAX_TEXT
from bot.presentation.models import Presentation, PresentationField
from bot.text import ELLIPSIS, clamp, escape, legible, length, one_line

MAX_DESCRIPTION = 4_096
MAX_NAME = 256
MAX_VALUE = 1_024
MAX_EMBED = 6_000
MAX_BUTTON_LABEL = 80
MAX_BUTTON_URL = 512

SHORTENED = "(shortened)"
BLANK = "–"

_FENCE = "```"
_HALF = re.compile(r"<[^<>\s]*…\Z")
_MASS_PING = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
_ADDRESS = re.compile(r"<https://[^<>\s]*>", re.IGNORECASE)
_BRACKETS = str.maketrans("[]`", "()ˋ")
_ROOM_FOR_TEXT = 500


def fit(
    presentation: Presentation, links: LinkRules, *, embeds: bool, keys: Mapping[str, str], title: str = ""
) -> Reply:
    """`presentation` as one message: an embed, or plain text where `embeds` is false, under `title` if any.

    `keys` gives the custom id of each action by the action's id; an action without one gets no button. What
    is blank in a field is shown as "–", nothing at all as "Done.". Over the limit in all, fields go from the
    last, then the text is cut, then written-out links go from the last, and "(shortened)" says so.
    """
    link_buttons, lines = _links(presentation, links)
    text = _prose(presentation.text, MAX_TEXT, links)
    fields = [_field(field, links) for field in presentation.fields[:MAX_FIELDS]]
    if not (text or fields or lines):
        text = DONE
    buttons = (*_actions(presentation, keys), *link_buttons)
    heading = clamp(legible(one_line(title)), MAX_NAME)
    if embeds:
        return Reply(embed=_embed(heading, text, fields, lines), buttons=buttons)
    if heading:
        text = f"**{escape(heading)}**\n{text}"
    return Reply(content=_plain(text, fields, lines), buttons=buttons)


def problem_reply(sentence: str) -> Reply:
    """One sentence of our own, in which nothing pings, as a message."""
    text = _silent(legible(sentence).strip())
    return Reply(content=shorten(text, MAX_CONTENT) if one_line(text) else DONE)


def without_embed(reply: Reply) -> Reply:
    """The same message as plain text, for where embeds may not be sent. Its texts are safe already."""
    embed = reply.embed
    if embed is None:
        return reply
    title = f"**{embed.title}**" if embed.title else ""
    text = "\n".join(filter(None, (reply.content, title, embed.description)))
    return replace(
        reply, content=_plain(text, list(embed.fields), [embed.footer] if embed.footer else []), embed=None
    )


def pages(lines: Sequence[str], limit: int = MAX_CONTENT) -> list[str]:
    """`lines` joined to as few texts of at most `limit` units as their order allows; none of them blank.

    A line that alone is longer is shortened. No lines: no pages.
    """
    made: list[str] = []
    page = ""
    for line in lines:
        line = _cut(line, limit)
        longer = f"{page}\n{line}" if page else line
        if length(longer) > limit:
            made.append(page)
            longer = line
        page = longer
    return [text for text in (*made, page) if one_line(text)]


def shorten(text: str, limit: int) -> str:
    """`text` within `limit` units (at least 20), a code block that is open at its end closed.

    The cut leaves no half link or mention: "…" stands for all of it.
    """
    if length(text) > limit:
        text = _cut(text, limit)
    if text.count(_FENCE) % 2 == 0:
        return text
    closed = f"{text}\n{_FENCE}"
    return closed if length(closed) <= limit else _close(_cut(text, limit - len(_FENCE) - 1))


def _close(text: str) -> str:
    return f"{text}\n{_FENCE}" if text.count(_FENCE) % 2 else text


def _cut(text: str, limit: int) -> str:
    return _HALF.sub(ELLIPSIS, clamp(text, limit)) if length(text) > limit else text


def _prose(text: str, limit: int, links: LinkRules) -> str:
    """Trimmed and fitted; empty when nothing of it can be seen."""
    tidy = links.tidy(text).strip()
    return shorten(tidy, limit).strip() if one_line(tidy) else ""


def _field(field: PresentationField, links: LinkRules) -> EmbedField:
    name = " ".join(links.tidy(field.label).split())
    return EmbedField(
        name=_cut(name, MAX_NAME) if one_line(name) else BLANK,
        value=_prose(field.value, MAX_VALUE, links) or BLANK,
    )


def _actions(presentation: Presentation, keys: Mapping[str, str]) -> list[Button]:
    shown = [action for action in presentation.actions[:MAX_ACTIONS] if action.id in keys]
    return [Button(keys[a.id], _button_label(a.label) or _button_label(a.tool) or BLANK) for a in shown]


def _button_label(label: str) -> str:
    return clamp(" ".join(legible(label).split()), MAX_BUTTON_LABEL) if one_line(label) else ""


def _links(presentation: Presentation, links: LinkRules) -> tuple[list[LinkButton], list[str]]:
    buttons: list[LinkButton] = []
    lines: list[str] = []
    for link in presentation.links[:MAX_LINKS]:
        if links.problem(link.url) is not None:
            continue
        label, url = links.label(link.label, link.url), ascii_url(link.url)
        if length(url) <= MAX_BUTTON_URL and length(label) <= MAX_BUTTON_LABEL:
            buttons.append(LinkButton(url, label))
        else:
            name = links.label("", link.url) if label == link.url else label
            lines.append(f"{_cut(links.tidy(name).translate(_BRACKETS), MAX_NAME)}: <{link.url}>")
    return buttons, lines


def _embed(title: str, text: str, fields: list[EmbedField], lines: list[str]) -> Embed:
    description, whole = _with_lines(text, lines, MAX_DESCRIPTION)
    footer = "" if whole else SHORTENED
    embed = Embed(title=title, description=description, fields=tuple(fields), footer=footer)
    while embed.fields and _size(embed) > MAX_EMBED:
        embed = replace(embed, fields=embed.fields[:-1], footer=SHORTENED)
    return embed


def _size(embed: Embed) -> int:
    texts = [embed.title, embed.description, embed.footer]
    return sum(map(length, texts)) + sum(length(f.name) + length(f.value) for f in embed.fields)


def _plain(text: str, fields: list[EmbedField], lines: list[str]) -> str:
    """The same as text: fields as bold labels before their values, the links last."""
    parts = [_close(_silent(_field_text(field))) for field in fields]
    text = _silent(text)
    tail = [_silent(line) for line in lines]
    whole = _joined(text, parts, tail)
    if length(whole) <= MAX_CONTENT:
        return whole
    limit = MAX_CONTENT - len(SHORTENED) - 1
    while parts and length(_joined(text, parts, tail)) > limit:
        parts.pop()
    content = _joined(text, parts, tail)
    if length(content) > limit:
        content, _ = _with_lines(text, tail, limit)
    return f"{content or DONE}\n{SHORTENED}"


def _field_text(field: EmbedField) -> str:
    return field.value if field.name == BLANK else f"**{field.name}:** {field.value}"


def _joined(text: str, parts: Sequence[str], lines: Sequence[str]) -> str:
    return "\n\n".join(filter(None, (text, "\n".join(parts), "\n".join(lines))))


def _with_lines(text: str, lines: Sequence[str], limit: int) -> tuple[str, bool]:
    """`text` above `lines` within `limit`, and whether all of it is there."""
    kept = list(lines)
    room = limit - min(length(text), _ROOM_FOR_TEXT) - 2
    while kept and length("\n".join(kept)) > room:
        kept.pop()
    tail = "\n".join(kept)
    cut = shorten(text, limit - (length(tail) + 2 if tail else 0))
    return _joined(cut, (), kept), cut == text and len(kept) == len(lines)


def _silent(text: str) -> str:
    """`text` without `@everyone` and `@here`; in an address the @ is percent-encoded, so that it still works."""
    text = _ADDRESS.sub(lambda found: _MASS_PING.sub("%40", found[0]), text)
    return _MASS_PING.sub("@\u200b", text)
