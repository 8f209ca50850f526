"""Snack Club itself: its tools, commands, settings and events. This is the file to change."""

import asyncio
import secrets as tokens
from collections import Counter
from collections.abc import Sequence

from aiohttp import web

from .protocol import JsonObject, as_object, as_text
from .server import SignedServer
from .tools import Call, Task, Tool, ToolError

SNACKS = ("popcorn", "fruit", "pretzels")
SNACK: JsonObject = {"type": "string", "enum": [*SNACKS], "description": "Which snack"}
ORDER: JsonObject = {
    "snack": SNACK,
    "count": {"type": "integer", "minimum": 1, "maximum": 20, "description": "How many"},
    "budget": {"type": "number", "minimum": 0, "maximum": 1000, "description": "What it may cost, 1.5 each"},
    "gift": {"type": "boolean", "description": "Wrap it as a gift"},
    "for": {"type": "string", "description": "Who gets it, if not you"},
    "in": {"type": "string", "description": "Where it is handed out"},
    "notify": {"type": "string", "description": "Which role should know"},
}
ORDER_PICKERS = {
    "for": "user",
    "in": "channel",
    "notify": "role",
}  # options that pick a thing and give its id
TASTE: JsonObject = {"taste": {"type": "string", "enum": ["sweet", "salty"], "title": "Taste"}}
PRICE = 1.5


class SnackClub:
    """The tools, and what they remember.

    They return data, not messages: the bot's model reads it and says it in its own words. The part called
    `pup` is what a command or a button shows.
    """

    def __init__(self, pace: float) -> None:
        self._pace = pace
        self._saved: dict[str, dict[str, str]] = {}  # installation → member → snack
        self._orders: dict[tuple[str, str], JsonObject] = {}  # installation, call → result

    async def snack_menu(self, call: Call) -> JsonObject:
        """A read changes nothing, so nobody is asked to approve it."""
        mine = self._saved.get(call.installation, {}).get(call.asker)
        fields = [_field("Choices", ", ".join(SNACKS)), _field("Yours", mine or "none yet")]
        buttons = [_save_button(snack) for snack in SNACKS]
        return {"choices": SNACKS, "saved": mine, "pup": {"fields": fields, "actions": buttons}}

    async def save_snack(self, call: Call) -> JsonObject:
        """A write. Who saves is the verified asker, not an argument."""
        snack = call.arguments["snack"]
        self._saved.setdefault(call.installation, {})[call.asker] = snack
        return {"saved": snack, "pup": {"text": f"Saved: {snack}."}}

    async def snack_favorites(self, call: Call) -> JsonObject:
        """The whole channel sees it, so it counts and names nobody."""
        counts = Counter(self._saved.get(call.installation, {}).values())
        fields = [_field(snack, str(count)) for snack, count in counts.most_common()]
        text = "What members like here." if fields else "Nobody saved a snack yet."
        return {"counts": counts, "pup": {"text": text, "fields": fields}}

    async def order_snacks(self, call: Call) -> JsonObject:
        """A call that comes again has the same `call_id`: order once, answer the same."""
        order = call.arguments
        key = (call.installation, call.call_id or tokens.token_hex(8))
        if key in self._orders:
            return self._orders[key]
        price = order["count"] * PRICE
        if price > order.get("budget", price):
            raise ToolError("This costs more than the budget.")
        place = order.get("in") or call.settings.get("kitchen")
        fields = [_field("For", f"<@{order.get('for', call.asker)}>"), _field("Price", f"{price:.2f}")]
        fields += [_field("Where", f"<#{place}>")] if place else []
        fields += [_field("Told", f"<@&{order['notify']}>")] if "notify" in order else []
        text = f"Ordered: {order['count']} × {order['snack']}{', wrapped' if order.get('gift') else ''}."
        self._orders[key] = {"ordered": order, "price": price, "pup": {"text": text, "fields": fields}}
        return self._orders[key]

    async def clear_snacks(self, call: Call) -> JsonObject:
        """Cannot be taken back, hence `alwaysAsk`."""
        cleared = len(self._saved.pop(call.installation, {}))
        return {"cleared": cleared, "pup": {"text": f"Forgot {cleared} saved snacks."}}

    async def choose_snack(self, call: Call, task: Task) -> JsonObject:
        """Takes a while and asks something, so it is a task."""
        task.report("Looking into the cupboard.")
        await asyncio.sleep(self._pace)  # here your slow work would be
        answer = await task.ask("Sweet or salty?", TASTE)
        task.report("Comparing what is left.")
        await asyncio.sleep(self._pace)
        if answer is None:
            return {"snack": call.settings.get("default_snack", SNACKS[0]), "because": "nobody chose"}
        return {"snack": "fruit" if answer["taste"] == "sweet" else "popcorn", "because": answer["taste"]}

    def on_event(self, event: JsonObject, context: JsonObject) -> JsonObject:
        """Welcome who joins, forget who left. A presentation is posted in the owner's events channel."""
        installation, member = as_text(context.get("installationId")), as_text(event.get("memberId"))
        settings = as_object(context.get("settings", {}))
        presentation: JsonObject = {}
        if event.get("type") == "member.joined":
            snack = settings.get("default_snack")
            button = _save_button(snack if snack in SNACKS else SNACKS[0])
            text = f"{settings.get('greeting', 'Welcome!')} <@{member}>"
            presentation = {"text": text, "actions": [button]}
        elif event.get("type") == "member.left":
            self._saved.get(installation, {}).pop(member, None)
            if settings.get("farewell"):
                presentation = {"text": f"<@{member}> has left the club."}
        return {"presentation": presentation} if presentation else {}

    def tools(self) -> list[Tool]:
        """One definition for the manifest and for the list of tools."""
        read, asks = {"readOnly": True}, {"alwaysAsk": True}
        return [
            Tool(
                "snack_menu",
                "See the snacks",
                "List the snacks there are, and which one the asker saved.",
                self.snack_menu,
                flags=read,
            ),
            Tool(
                "save_snack",
                "Save your snack preference",
                "Save the asker's snack preference.",
                self.save_snack,
                properties={"snack": SNACK},
                required=["snack"],
            ),
            Tool(
                "snack_favorites",
                "See what members like",
                "Count how many members of this server saved each snack.",
                self.snack_favorites,
                flags=read,
            ),
            Tool(
                "order_snacks",
                "Order snacks",
                "Order snacks for the asker or another member. A snack costs 1.5.",
                self.order_snacks,
                properties=ORDER,
                required=["snack", "count"],
            ),
            Tool(
                "choose_snack",
                "Choose a snack",
                "Help the asker pick a snack; asks for their taste.",
                work=self.choose_snack,
                flags=read,
            ),
            Tool(
                "clear_snacks",
                "Forget all saved snacks",
                "Forget the saved snacks of every member of this server. This cannot be undone.",
                self.clear_snacks,
                flags=asks,
            ),
        ]


def build_app(
    secrets: Sequence[str], public_url: str, *, pace: float = 1.0, more_tools: Sequence[Tool] = ()
) -> web.Application:
    """The trick as a web application.

    `secrets` are the `whsec_…` texts, looked at anew for each request; `pace` is the seconds that each step
    of the task takes.
    """
    club = SnackClub(pace)
    tools = [*club.tools(), *more_tools]
    return SignedServer(secrets, manifest(public_url, tools), tools, club.on_event).application()


def manifest(public_url: str, tools: Sequence[Tool]) -> JsonObject:
    """What the owner of a server sees and accepts."""
    base = public_url.rstrip("/")
    return {
        "manifestVersion": 1,
        "protocolVersion": "2026-07-28",
        "id": "snack_club",
        "name": "Snack Club",
        "author": "Example author",
        "description": "Choose a snack, save your preference and order for others.",
        "summary": "List, choose, save and order snacks.",
        "instructions": "Use save_snack only to save a preference, order_snacks only when asked to order.",
        "endpoints": {name: f"{base}/{name}" for name in ("challenge", "mcp", "events")},
        "tools": [{"name": tool.name, **tool.flags} for tool in tools],
        "commands": _commands(),
        "settings": _settings(),
        "events": ["member.joined", "member.left"],
    }


def _commands() -> list[JsonObject]:
    order = [
        {
            "name": name,
            "description": rule["description"],
            "type": ORDER_PICKERS.get(name, rule["type"]),
            "required": name in ("snack", "count"),
        }
        for name, rule in ORDER.items()
    ]
    return [
        {"name": "snacks", "description": "See the snacks and save yours", "tool": "snack_menu"},
        {
            "name": "favorites",
            "description": "See what members like here",
            "tool": "snack_favorites",
            "visibility": "public",
        },
        {"name": "order", "description": "Order snacks", "tool": "order_snacks", "options": order},
    ]


def _settings() -> list[JsonObject]:
    choices = [{"label": snack.title(), "value": snack} for snack in SNACKS]
    return [
        {"key": "greeting", "label": "Greeting", "type": "text", "default": "Welcome to the Snack Club!"},
        {"key": "default_snack", "label": "Snack of the house", "type": "select", "options": choices},
        {"key": "farewell", "label": "Say when a member leaves", "type": "boolean", "default": False},
        {"key": "kitchen", "label": "Where orders are handed out", "type": "channel"},
    ]


def _field(label: str, value: str) -> JsonObject:
    return {"label": label, "value": value}


def _save_button(snack: str) -> JsonObject:
    """A button runs its tool with these arguments for whoever clicks it."""
    arguments = {"snack": snack}
    return {"id": f"save_{snack}", "label": f"Save {snack}", "tool": "save_snack", "arguments": arguments}
