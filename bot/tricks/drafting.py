"""Drafts: what an owner was shown or typed, kept under a short key until they confirm or correct it."""

import json
from typing import Any

from bot.clock import Clock
from storage.drafts import Drafts
from storage.records import Draft

DRAFT_LIFE_MS = 15 * 60 * 1000
"""As long as the private panel with its buttons lives."""


async def keep_draft(
    drafts: Drafts,
    clock: Clock,
    *,
    kind: str,
    guild_id: str,
    owner_id: str,
    installation_id: str | None,
    payload: Any,
) -> str:
    """Keep `payload`, which can be written as JSON, and give the draft's id: a key for a button's custom id."""
    draft_id = clock.new_key()
    await drafts.add(
        Draft(
            id=draft_id,
            guild_id=guild_id,
            owner_id=owner_id,
            kind=kind,
            installation_id=installation_id,
            payload=json.dumps(payload),
            created_at=clock.now_ms(),
        )
    )
    return draft_id
