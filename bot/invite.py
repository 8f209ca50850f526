"""The address by which a server's owner invites the bot, with exactly what it needs."""

from urllib.parse import urlencode

PERMISSIONS = sum(
    1 << bit
    for bit in (
        10,  # View Channels
        11,  # Send Messages
        14,  # Embed Links
        16,  # Read Message History
        35,  # Create Public Threads
        38,  # Send Messages in Threads
    )
)
"""Nothing for roles, channels or moderation."""


def invite_url(application_id: str, guild_id: str | None = None) -> str:
    """The invite URL; with `guild_id`, for that server alone."""
    query = {
        "client_id": application_id,
        "scope": "bot applications.commands",
        "permissions": str(PERMISSIONS),
        "integration_type": "0",
    }
    if guild_id is not None:
        query |= {"guild_id": guild_id, "disable_guild_select": "true"}
    return f"https://discord.com/oauth2/authorize?{urlencode(query)}"
