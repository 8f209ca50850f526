"""What a task's tool is called."""

from storage.commands import Commands


async def title_of(commands: Commands, installation_id: str, tool: str) -> str:
    """The title that the owner accepted, the tool's name where it has none."""
    view = await commands.find_tool(installation_id, tool)
    return (view.pin.title if view and view.pin else "") or tool
