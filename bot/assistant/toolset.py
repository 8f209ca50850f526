"""The tools that exist for one asker in one place: `load_trick`, and the tools of the tricks it loaded."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from bot.errors import NoSuchTrick, UnknownTool
from bot.llm.model import ToolSpec
from bot.strict_json import Json
from bot.tricks.catalogue import UsableTool, UsableTrick

LOAD = "load_trick"
_MAX_DESCRIPTION = 4_000


@dataclass(frozen=True, slots=True)
class Toolset:
    """What the asker may use here, as it was when the turn began; every call is checked anew."""

    tricks: tuple[UsableTrick, ...]
    loaded: tuple[str, ...] = ()

    @property
    def summaries(self) -> tuple[tuple[str, str], ...]:
        """The one line of each trick, by id."""
        return tuple((trick.id, trick.summary) for trick in self.tricks)

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is given."""
        if not self.tricks:
            return ()
        load = ToolSpec(
            LOAD,
            "Get the instructions and tools of one of the tricks listed above.",
            {
                "type": "object",
                "properties": {"trick": {"type": "string", "enum": [trick.id for trick in self.tricks]}},
                "required": ["trick"],
                "additionalProperties": False,
            },
        )
        return (load, *(_spec(trick, tool) for trick in self._loaded() for tool in trick.tools))

    def load(self, trick_id: str) -> UsableTrick:
        """The trick of that id. Raises `NoSuchTrick`."""
        trick = next((each for each in self.tricks if each.id == trick_id), None)
        if trick is None:
            raise NoSuchTrick
        return trick

    def find(self, name: str) -> tuple[UsableTrick, UsableTool]:
        """A tool by the name that the model knows. Raises `UnknownTool`, also for one that is not loaded."""
        trick_id, _, tool_name = name.partition("__")
        for trick in self._loaded():
            if trick.id == trick_id:
                for tool in trick.tools:
                    if tool.pin.tool == tool_name:
                        return trick, tool
        raise UnknownTool

    def _loaded(self) -> Iterable[UsableTrick]:
        return (trick for trick in self.tricks if trick.id in self.loaded)


def introduction(trick: UsableTrick) -> Json:
    """What `load_trick` answers: the instructions, and which tools there are from now on."""
    return {
        "trick": trick.id,
        "instructions": trick.instructions,
        "tools": [f"{trick.id}__{tool.pin.tool}" for tool in trick.tools],
    }


def definitions_text(trick: UsableTrick) -> str:
    """All that loading a trick brings into the context, schemas included, as one text."""
    tools = [
        "\n".join((tool.pin.tool, tool.pin.title, tool.pin.description, tool.pin.input_schema))
        for tool in trick.tools
    ]
    return "\n".join([trick.instructions, *tools])


def _spec(trick: UsableTrick, tool: UsableTool) -> ToolSpec:
    pin = tool.pin
    about = f"{pin.title}. {pin.description}" if pin.title else pin.description
    schema: dict[str, Json] = json.loads(pin.input_schema)
    return ToolSpec(f"{trick.id}__{pin.tool}", about[:_MAX_DESCRIPTION] or pin.tool, schema)
