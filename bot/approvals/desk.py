"""Approval cards from their opening to their end. The row decides; the message only shows it."""

import dataclasses
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from bot.approvals.cards import CardView, card, closed_card, details
from bot.clock import Clock
from bot.errors import CardClosed, KennelError, NotYours, Refused, ToolHeldBack
from bot.log import logger
from bot.policy.audiences import Asker, Place
from bot.policy.provenance import Source
from bot.speaker import Line, Where, nonce
from bot.strict_json import Json, dump
from bot.text import escape, one_line
from bot.tricks.checks import Checks, Ready
from storage.approvals import Approvals
from storage.commands import Commands
from storage.request_records import Approval, ApprovalReason, ApprovalStatus, Consent, Request

OPEN_MS = 15 * 60_000
JUST_OPENED_MS = 2_000
"""How young a card is that no process before this one can have posted."""
BATCH = 100

Verb = Literal["do", "auto", "dont"]

_FOLLOWS: dict[ApprovalStatus, str] = {
    "declined": "Nothing more is changed for this request.",
    "expired": "Nobody answered in fifteen minutes. Nothing more is changed for this request.",
    "stopped": "Changes were stopped for this request.",
}
"""What a closed card says beside how it was closed, which is its title."""

_log = logger(__name__)


class ApprovalDesk:
    """Opens cards, takes presses, and folds what is closed."""

    def __init__(
        self, store: Approvals, commands: Commands, checks: Checks, line: Line, clock: Clock
    ) -> None:
        self._store = store
        self._commands = commands
        self._checks = checks
        self._line = line
        self._clock = clock

    async def open(
        self,
        request: Request,
        ready: Ready,
        call_id: str,
        arguments: dict[str, Json],
        *,
        reason: ApprovalReason,
        reviewable: bool,
        outside: Sequence[Source],
    ) -> None:
        """Store a card for the write `call_id` and post it where the asker wrote.

        A card that cannot be posted is cancelled: nobody could answer it.
        """
        approval = dataclasses.replace(
            self._new(request, ready, call_id),
            arguments=dump(arguments).decode(),
            outside=json.dumps([source.model_dump() for source in outside]),
            reason=reason,
            reviewable=reviewable,
        )
        if await self._store.open(approval):
            _log.info("card opened", call_id=call_id, tool=approval.tool, guild_id=request.guild_id)
        stored = await self._store.get(call_id)
        if stored is not None and stored.status == "open":
            await self.post(stored)

    async def auto_approved(self, request: Request, ready: Ready, call_id: str) -> bool:
        """Record that a write passed the automatic review; False when writes were stopped meanwhile."""
        new = self._new(request, ready, call_id)
        return await self._store.auto_approved(dataclasses.replace(new, closes_at=new.opened_at))

    def _new(self, request: Request, ready: Ready, call_id: str) -> Approval:
        """An open card for a call of `ready`, with nothing on it yet."""
        now = self._clock.now_ms()
        return Approval(
            id=call_id,
            key=self._clock.new_key(),
            installation_id=ready.installed.row.id,
            request_id=request.id,
            guild_id=request.guild_id,
            asker_id=request.asker_id,
            channel_id=request.channel_id,
            message_id=request.message_id,
            card_id=None,
            tool=ready.pin.tool,
            definition_hash=ready.pin.definition_hash,
            endpoint=ready.installed.mcp.url,
            arguments=None,
            outside=None,
            reason="outside",
            reviewable=True,
            status="open",
            opened_at=now,
            closes_at=now + OPEN_MS,
            decided_at=None,
            folded=False,
        )

    async def post(self, approval: Approval) -> None:
        """Post an open card that has no message yet; looks first whether one was posted by a process that died."""
        view = await self._view(approval)
        where, reply = _where_of(approval), card(view)
        again = self._clock.now_ms() - approval.opened_at > JUST_OPENED_MS
        card_id = await self._line.say_once(where, reply, nonce(approval.id), again=again)
        if card_id is None:
            _log.warning("a card could not be posted", call_id=approval.id, channel_id=approval.channel_id)
            await self._store.decide(approval.id, "cancelled", self._clock.now_ms())
            return
        if not await self._store.set_card(approval.id, card_id):
            closed = await self._store.get(approval.id)
            if closed is not None:
                await self._fold(closed)

    async def of_call(self, call_id: str) -> Approval | None:
        """The card of a call, if it got one."""
        return await self._store.get(call_id)

    async def by_card(self, message_id: str) -> Approval | None:
        """The card that a message shows."""
        return await self._store.by_card(message_id)

    async def press(self, key: str, verb: Verb, asker: Asker, place: Place) -> Approval:
        """Decide a card, once, and fold it; the request is awake afterwards.

        Raises `CardClosed` where it was decided or ran out, `NotYours`, and the `Refused` by which it was
        cancelled: everything is checked again now.
        """
        approval = await self._theirs(key, asker.member_id)
        if approval.status != "open" or (verb == "auto" and not approval.reviewable):
            raise CardClosed
        if verb == "dont":
            return await self._decide(approval, "declined")
        try:
            ready = await self._checks.tool(approval.installation_id, approval.tool, asker, place)
            require_unchanged(approval, ready)
        except Refused as refused:
            await self._decide(approval, "cancelled", refused.sentence)
            raise
        consent = None
        if verb == "auto":
            consent = Consent(
                member_id=asker.member_id,
                installation_id=approval.installation_id,
                tool=approval.tool,
                guild_id=approval.guild_id,
                endpoint=approval.endpoint,
                definition_hash=approval.definition_hash,
                created_at=self._clock.now_ms(),
            )
        return await self._decide(approval, "approved", consent=consent)

    async def details(self, key: str, member_id: str) -> tuple[str, ...]:
        """The complete inputs and the outside text, for the asker alone. Raises `CardClosed`, `NotYours`."""
        approval = await self._theirs(key, member_id)
        if approval.arguments is None:
            raise CardClosed
        return details(await self._view(approval))

    async def expire_due(self) -> None:
        """Close the cards whose time is over."""
        while len(await self._store.expire_due(self._clock.now_ms(), BATCH)) == BATCH:
            pass

    async def fold_due(self) -> None:
        """Let the messages of closed cards look closed."""
        for approval in await self._store.to_fold(BATCH):
            await self._fold(approval)

    async def cancel_of_messages(self, message_ids: Sequence[str]) -> None:
        """Cancel the open cards of askers' messages that were deleted."""
        for approval in await self._store.cancel_of_messages(message_ids, self._clock.now_ms()):
            bare = dataclasses.replace(approval, arguments=None, outside=None)
            await self._fold(bare, "Called off, because the message was deleted.")

    async def cancel_of_member(self, member_id: str) -> None:
        """Cancel the open cards of a member who has their data erased; what they show goes too."""
        for approval in await self._store.cancel_of_member(member_id, self._clock.now_ms()):
            bare = dataclasses.replace(approval, arguments=None, outside=None)
            await self._fold(bare, "Called off.")

    async def cancel_of_installation(self, installation_id: str, sentence: str) -> None:
        """Cancel the open cards of a trick that was turned off or is about to be removed."""
        for approval in await self._store.cancel_of_installation(installation_id, self._clock.now_ms()):
            await self._fold(approval, sentence)

    async def cancel_of_request(self, request_id: str, sentence: str) -> None:
        """Cancel the open cards of one request."""
        for approval in await self._store.of_request(request_id):
            if approval.status == "open":
                with suppress(CardClosed):  # somebody else was first
                    await self._decide(approval, "cancelled", sentence)

    async def _theirs(self, key: str, member_id: str) -> Approval:
        approval = await self._store.by_key(key)
        if approval is None:
            raise CardClosed
        if approval.asker_id != member_id:
            raise NotYours
        return approval

    async def _decide(
        self,
        approval: Approval,
        status: ApprovalStatus,
        sentence: str = "",
        consent: Consent | None = None,
    ) -> Approval:
        decided = await self._store.decide(approval.id, status, self._clock.now_ms(), consent=consent)
        if decided is None:
            raise CardClosed
        _log.info("card decided", call_id=approval.id, status=status)
        await self._fold(decided, sentence)
        return decided

    async def _fold(self, approval: Approval, sentence: str = "") -> None:
        """Edit the card; what Discord refuses is not tried again, since the row is what counts."""
        try:
            view = await self._view(approval)
            card_id = approval.card_id or await self._line.speaker.find(_where_of(approval), card(view))
            if card_id is not None:
                closed = closed_card(view, approval.status, sentence or _FOLLOWS.get(approval.status, ""))
                await self._line.speaker.edit(approval.channel_id, card_id, closed)
        except KennelError as error:
            _log.warning("a card could not be folded", call_id=approval.id, kind=error.kind)
            return
        await self._store.folded((approval.id,))

    async def _view(self, approval: Approval) -> CardView:
        view = await self._commands.find_tool(approval.installation_id, approval.tool)
        installation = view.installation if view is not None else None
        pin = view.pin if view is not None else None
        return CardView(
            key=approval.key,
            trick_name=installation.name if installation is not None else "",
            tool_title=pin.shown_title if pin is not None else approval.tool,
            tool_name=f"{installation.trick_id if installation is not None else ''}__{approval.tool}",
            arguments=json.loads(approval.arguments) if approval.arguments is not None else {},
            reason=approval.reason,
            reviewable=approval.reviewable,
            closes_at=approval.closes_at,
            outside=tuple(Source(**source) for source in json.loads(approval.outside or "[]")),
        )


def _where_of(approval: Approval) -> Where:
    return Where(approval.guild_id, approval.channel_id, reply_to=approval.message_id, ping=approval.asker_id)


def require_unchanged(approval: Approval, ready: Ready) -> None:
    """What runs is what the card showed. Raises `ToolHeldBack` for another definition or endpoint."""
    pin, installed = ready.pin, ready.installed
    if (pin.definition_hash, installed.mcp.url) != (approval.definition_hash, approval.endpoint):
        raise ToolHeldBack(escape(one_line(installed.name)))
