"""Discord's limits on a message, checked from outside: what it would refuse, as sentences.

Written from Discord's documentation and not from Kennel's code, so that one can judge the other. Lengths are
counted in UTF-16 units after trimming, which is the strictest reading.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from bot.outbound import LinkButton, Reply

Json = Mapping[str, Any]

COMPONENTS_V2 = 1 << 15
_SELECTS = {3, 5, 6, 7, 8}
_EMBED_TEXTS = (("title", 256), ("description", 4096))


def message_problems(reply: Reply) -> list[str]:
    """What Discord would refuse about `reply`; empty when nothing."""
    return payload_problems(to_payload(reply))


def to_payload(reply: Reply) -> dict[str, Any]:
    """`reply` as a plain message payload, with five buttons a row."""
    payload: dict[str, Any] = {"content": reply.content, "embeds": [], "components": []}
    if reply.embed is not None:
        embed: dict[str, Any] = {"fields": [{"name": f.name, "value": f.value} for f in reply.embed.fields]}
        if reply.embed.title:
            embed["title"] = reply.embed.title
        if reply.embed.description:
            embed["description"] = reply.embed.description
        if reply.embed.footer:
            embed["footer"] = {"text": reply.embed.footer}
        payload["embeds"].append(embed)
    buttons: list[dict[str, Any]] = []
    for button in reply.buttons:
        if isinstance(button, LinkButton):
            buttons.append({"type": 2, "style": 5, "label": button.label, "url": button.url})
        else:
            buttons.append({"type": 2, "style": 2, "label": button.label, "custom_id": button.custom_id})
    rows = [buttons[start : start + 5] for start in range(0, len(buttons), 5)]
    payload["components"] = [{"type": 1, "components": row} for row in rows]
    return payload


def payload_problems(payload: Json) -> list[str]:
    """What Discord would refuse about the body of a message create or edit; empty when nothing."""
    if int(payload.get("flags") or 0) & COMPONENTS_V2:
        return list(_v2_problems(payload))
    return [*_body_problems(payload), *_component_problems(payload)]


def _body_problems(payload: Json) -> Iterator[str]:
    content = str(payload.get("content") or "")
    embeds = _dicts(payload.get("embeds")) or _dicts([payload["embed"]] if payload.get("embed") else None)
    extras = ("components", "sticker_ids", "files", "attachments", "poll")
    if not content.strip() and not embeds and not any(payload.get(key) for key in extras):
        yield "the message is empty"
    if content and not content.strip() and not embeds:
        yield "the content is nothing but white space"
    yield from _text("content", content, 2000)
    if len(embeds) > 10:
        yield f"{len(embeds)} embeds"
    for number, embed in enumerate(embeds):
        yield from _embed_problems(f"embeds[{number}]", embed)
    total = sum(_embed_size(embed) for embed in embeds)
    if total > 6000:
        yield f"the embeds have {total} units in all"


def _embed_problems(where: str, embed: Json) -> Iterator[str]:
    for key, limit in _EMBED_TEXTS:
        yield from _text(f"{where}.{key}", str(embed.get(key) or ""), limit)
    yield from _text(f"{where}.footer", _inner(embed, "footer", "text"), 2048)
    yield from _text(f"{where}.author", _inner(embed, "author", "name"), 256)
    fields = _dicts(embed.get("fields"))
    if len(fields) > 25:
        yield f"{where} has {len(fields)} fields"
    for number, field in enumerate(fields):
        for key, limit in (("name", 256), ("value", 1024)):
            text = str(field.get(key) or "")
            if not text.strip():
                yield f"{where}.fields[{number}].{key} is empty"
            yield from _text(f"{where}.fields[{number}].{key}", text, limit)
    if not _embed_size(embed) and not embed.get("image") and not embed.get("thumbnail"):
        yield f"{where} is empty"


def _embed_size(embed: Json) -> int:
    texts = [str(embed.get(key) or "") for key, _ in _EMBED_TEXTS]
    texts += [_inner(embed, "footer", "text"), _inner(embed, "author", "name")]
    texts += [str(field.get(key) or "") for field in _dicts(embed.get("fields")) for key in ("name", "value")]
    return sum(units(text.strip()) for text in texts)


def _component_problems(payload: Json) -> Iterator[str]:
    rows = _dicts(payload.get("components"))
    if len(rows) > 5:
        yield f"{len(rows)} rows of components"
    for number, row in enumerate(rows):
        children = _dicts(row.get("components"))
        kinds = [child.get("type") for child in children]
        if row.get("type") != 1:
            yield f"components[{number}] is no row"
        if not 1 <= len(children) <= 5:
            yield f"components[{number}] has {len(children)} components"
        if any(kind in _SELECTS for kind in kinds) and len(children) > 1:
            yield f"components[{number}] has a select that is not alone"
    yield from _leaf_problems([child for row in rows for child in _dicts(row.get("components"))])


def _leaf_problems(leaves: list[Json]) -> Iterator[str]:
    ids = [str(leaf["custom_id"]) for leaf in leaves if leaf.get("custom_id") is not None]
    if len(ids) != len(set(ids)):
        yield "a custom id stands twice"
    for custom_id in ids:
        if not custom_id.strip() or units(custom_id) > 100:
            yield f"a custom id has {units(custom_id)} units"
        yield from _text("custom id", custom_id, 100)
    for leaf in leaves:
        if leaf.get("type") == 2:
            yield from _button_problems(leaf)
        elif leaf.get("type") in _SELECTS:
            yield from _select_problems(leaf)


def _button_problems(button: Json) -> Iterator[str]:
    label, url = str(button.get("label") or ""), str(button.get("url") or "")
    if not label.strip() and not button.get("emoji"):
        yield "a button has neither label nor emoji"
    if "\n" in label or "\r" in label:
        yield "a button's label has several lines"
    yield from _text("button label", label, 80)
    if button.get("style") == 5:
        if not url.startswith(("https://", "http://", "discord://")):
            yield "a link button has no URL"
        if units(url) > 512:
            yield f"a link button's URL has {units(url)} units"
        if not url.isascii() or any(char.isspace() for char in url):
            yield "a link button's URL is not written in ASCII"
        if button.get("custom_id") is not None:
            yield "a link button has a custom id"
    elif button.get("custom_id") is None:
        yield "a button has no custom id"


def _select_problems(select: Json) -> Iterator[str]:
    options = _dicts(select.get("options"))
    if select.get("custom_id") is None:
        yield "a select has no custom id"
    if select.get("type") == 3 and not 1 <= len(options) <= 25:
        yield f"a select has {len(options)} options"
    values = [str(option.get("value")) for option in options]
    if len(values) != len(set(values)):
        yield "a select has a value twice"
    yield from _text("placeholder", str(select.get("placeholder") or ""), 150)
    lowest, highest = int(select.get("min_values", 1)), int(select.get("max_values", 1))
    if not (0 <= lowest <= highest and 1 <= highest <= 25):
        yield f"a select takes {lowest} to {highest} values"
    if select.get("type") == 3 and highest > len(options):
        yield "a select takes more values than it has options"
    for option in options:
        for key in ("label", "value"):
            if not str(option.get(key) or "").strip():
                yield f"a select's option has no {key}"
        for key in ("label", "value", "description"):
            yield from _text(f"option {key}", str(option.get(key) or ""), 100)


def _v2_problems(payload: Json) -> Iterator[str]:
    if any(payload.get(key) for key in ("content", "embeds", "poll", "sticker_ids")):
        yield "a components message has content, embeds, a poll or stickers too"
    found = list(_walk(_dicts(payload.get("components"))))
    if not found:
        yield "the message is empty"
    if len(found) > 40:
        yield f"{len(found)} components"
    texts = [str(each.get("content") or "") for each in found if each.get("type") == 10]
    if any(not text.strip() for text in texts):
        yield "a text display is empty"
    yield from _text("text displays", "".join(texts), 4000)
    yield from _leaf_problems(found)


def _walk(components: list[Json]) -> Iterator[Json]:
    for component in components:
        yield component
        yield from _walk(_dicts(component.get("components")))
        yield from _walk(_dicts([component["accessory"]] if component.get("accessory") else None))


def units(text: str) -> int:
    """UTF-16 units; a lone surrogate counts as one."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _text(where: str, text: str, limit: int) -> Iterator[str]:
    if units(text.strip()) > limit:
        yield f"{where} has {units(text.strip())} units, {limit} are allowed"
    if any("\ud800" <= char <= "\udfff" or char == "\0" for char in text):
        yield f"{where} has characters that no request can carry"


def _inner(embed: Json, key: str, name: str) -> str:
    part = embed.get(key)
    return str(cast(Json, part).get(name) or "") if isinstance(part, Mapping) else ""


def _dicts(value: object) -> list[Json]:
    return cast(list[Json], value) if isinstance(value, list) else []
