"""The steps of one post: is the member there, where does it go, store the intent, send it, and remember that."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from bot.clock import Clock
from bot.errors import DiscordUnavailable, PostRefused, PostUncertain
from bot.events.envelope import shown
from bot.events.poster import Poster, PostLine
from bot.events.screening import KNOWN_FOR_MS, Screening
from bot.log import logger
from bot.presentation.models import Presentation
from bot.speaker import nonce
from bot.strict_json import dump
from bot.text import escape, one_line
from bot.tricks.installed import Installed, InstalledReader
from bot.tricks.notices import OwnerNotices
from storage.event_posts import EventPosts
from storage.event_records import Post, Subscription
from storage.installations import Installations
from storage.pulse import PROBE_MS
from storage.records import NewAction
from storage.subscriptions import Subscriptions

HOUR_MS: Final = 3_600_000
SOON_MS: Final = 2 * KNOWN_FOR_MS
"""After how long somebody in the screening is looked at again: who passes it at once may be heard of by a process
that does not know yet that they wait."""

FIRST_CHECK_MS: Final = HOUR_MS
"""After how long they are looked at then, doubled up to a day."""

LONGEST_CHECK_MS: Final = 24 * HOUR_MS
GIVEN_UP_MS: Final = 24 * HOUR_MS
"""How long after its time an answer is posted; nobody wants to be welcomed a week later."""

AGAIN_MS: Final = 60_000
LOOK_AGAIN_MS: Final = 300_000
DOUBT_MS: Final = HOUR_MS
"""How long a post that may stand there is looked for; then it is left at that."""

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class _Ground:
    """What a post needs: the trick, where it goes, and what it shows."""

    installed: Installed
    channel_id: str
    was_lost: bool
    presentation: Presentation


class Posting:
    """Works on one post at a time; the row says how far it is."""

    def __init__(
        self,
        store: EventPosts,
        installations: Installations,
        subscriptions: Subscriptions,
        reader: InstalledReader,
        line: PostLine,
        notices: OwnerNotices,
        screening: Screening,
        clock: Clock,
    ) -> None:
        self._store = store
        self._installations = installations
        self._subscriptions = subscriptions
        self._reader = reader
        self._line = line
        self._notices = notices
        self._screening = screening
        self._clock = clock

    @property
    def can_speak(self) -> bool:
        """Whether something that speaks Discord is there yet."""
        return self._line.is_attached

    async def leave(self, post: Post) -> None:
        """Give a claimed post back as it is."""
        due_at = post.due_at or post.created_at
        if post.status == "posting":
            await self._store.look_later(post, due_at)
        else:
            await self._store.later(post, due_at)

    async def post(self, post: Post) -> None:
        """Do what can be done for a claimed post now."""
        row = await self._installations.get(post.installation_id)
        subscription = await self._subscriptions.of(post.installation_id)
        if row is None or subscription is None:  # removed, and the post with it
            return
        installed = self._reader.read(row, self._clock.now_ms())
        if post.status == "posting":
            await self._resolve(post, installed, subscription)
        else:
            await self._begin(post, installed, subscription)

    async def _begin(self, post: Post, installed: Installed, subscription: Subscription) -> None:
        ground = self._ground(post, installed, subscription)
        if isinstance(ground, str):
            await self._drop(post, ground)
        elif self._clock.now_ms() - (post.due_at or post.created_at) >= GIVEN_UP_MS:
            await self._drop(post, "too old")  # the trick was disabled, or nobody was there to post it
        elif self._is_resting(subscription):
            await self._wait(post, self._clock.now_ms() + PROBE_MS)
        elif await self._is_there(post):
            await self._intend(post, ground)

    def _ground(self, post: Post, installed: Installed, subscription: Subscription) -> _Ground | str:
        """What the post needs, or the reason for which there is nothing to post."""
        if not subscription.is_on or subscription.channel_id is None:
            return "no channel"
        if post.presentation is None:
            return "erased"
        presentation, dropped = shown(post.presentation, installed.tools)
        if dropped:
            _log.info("parts of a presentation were dropped", delivery_id=post.delivery_id, names=dropped)
        if presentation.is_empty:
            return "nothing to show"
        return _Ground(installed, subscription.channel_id, subscription.paused_at is not None, presentation)

    def _is_resting(self, subscription: Subscription) -> bool:
        """Whether the channel was found to be lost a moment ago."""
        paused_at = subscription.paused_at
        return paused_at is not None and paused_at > self._clock.now_ms() - PROBE_MS

    async def _is_there(self, post: Post) -> bool:
        """Whether to post now; if not, the post has been dropped or waits. A leave is never asked about."""
        if post.type == "member.left":
            return True
        if await self._store.overtaken(post):
            await self._drop(post, "left")
            return False
        with self._screening.asking(post.guild_id, post.member_id):
            try:
                presence = await self._line.poster.member(post.guild_id, post.member_id)
            except DiscordUnavailable:
                await self._wait(post, self._clock.now_ms() + AGAIN_MS)
                return False
            if presence == "gone":
                await self._drop(post, "left")
            elif presence == "screening":
                due_at = self._clock.now_ms() + _until_next_check(post.checks)
                await self._store.later(post, due_at, checked=True)
                self._screening.waits(post.guild_id, post.member_id)
        return presence == "here"

    async def _intend(self, post: Post, ground: _Ground) -> None:
        actions = ground.presentation.actions
        keys = {action.id: self._clock.new_key() for action in actions}
        new = tuple(
            NewAction(keys[each.id], each.tool, each.label, dump(dict(each.arguments)).decode())
            for each in actions
        )
        now, mark = self._clock.now_ms(), nonce(post.delivery_id)
        until = max(post.lease_until or 0, now + AGAIN_MS)
        if await self._store.intend(post, mark, ground.channel_id, json.dumps(keys), new, now, until):
            await self._send(replace(post, lease_until=until), ground, keys, mark)
        else:  # the owner has changed where it goes, or another has it by now
            await self._store.later(post, now)

    async def _resolve(self, post: Post, installed: Installed, subscription: Subscription) -> None:
        """Somebody began to post it and did not say how that ended: look for it before anything is sent."""
        now, since = self._clock.now_ms(), post.intended_at or post.created_at
        if post.presentation is None or post.channel_id is None or post.nonce is None:
            await self._drop(post, "erased")
            return
        presentation, _ = shown(post.presentation, installed.tools)
        keys: dict[str, str] = json.loads(post.keys or "{}")
        try:
            found = await self._line.poster.find(post.guild_id, post.channel_id, presentation, keys, since)
        except DiscordUnavailable:
            if now - since < DOUBT_MS:
                await self._store.look_later(post, now + LOOK_AGAIN_MS)
            else:
                await self._drop(post, "in doubt")
            return
        if found is not None:
            await self._posted(post, found)
            return
        ground = self._ground(post, installed, subscription)
        if isinstance(ground, str):
            await self._drop(post, ground)
        elif ground.channel_id != post.channel_id or self._is_resting(subscription):
            await self._wait(post, now)
        elif await self._is_there(post):
            await self._send(post, ground, keys, post.nonce)

    async def _send(self, post: Post, ground: _Ground, keys: Mapping[str, str], mark: str) -> None:
        poster: Poster = self._line.poster
        now = self._clock.now_ms()
        try:
            message_id = await poster.post(post.guild_id, ground.channel_id, ground.presentation, keys, mark)
        except PostRefused as refused:
            if refused.lost:
                await self._channel_lost(post, ground)
            else:
                await self._drop(post, "refused")
        except PostUncertain:
            if now - (post.intended_at or now) < GIVEN_UP_MS:
                await self._store.look_later(post, now + AGAIN_MS)
            else:
                await self._drop(post, "in doubt")
        except DiscordUnavailable:
            await self._wait(post, now + AGAIN_MS)
        else:
            await self._posted(post, message_id)
            if ground.was_lost:
                await self._subscriptions.resume(post.installation_id)

    async def _posted(self, post: Post, message_id: str) -> None:
        _log.info("posted", delivery_id=post.delivery_id, message_id=message_id)
        await self._store.posted(post, message_id)

    async def _channel_lost(self, post: Post, ground: _Ground) -> None:
        row, now = ground.installed.row, self._clock.now_ms()
        if await self._subscriptions.pause(row.id, ground.channel_id, now):
            _log.warning("the events channel is lost", installation_id=row.id, channel_id=ground.channel_id)
            self._notices.tell(
                row.guild_id,
                f"{escape(one_line(row.name))} has something to say about members, but its events channel "
                f"<#{ground.channel_id}> is gone, or Kennel may not write there. Give Kennel the permission, or "
                "choose another channel with `/tricks events`.",
            )
        await self._wait(post, now + PROBE_MS)

    async def _wait(self, post: Post, due_at: int) -> None:
        """Let it be tried again then, unless it is too old by now."""
        if self._clock.now_ms() - post.created_at < GIVEN_UP_MS:
            await self._store.later(post, due_at)
        else:
            await self._drop(post, "too old")

    async def _drop(self, post: Post, why: str) -> None:
        _log.info("not posted", delivery_id=post.delivery_id, outcome=why)
        await self._store.dropped(post)


def _until_next_check(checks: int) -> int:
    """Milliseconds, after so many earlier ones that found the member in the screening."""
    return SOON_MS if checks == 0 else min(FIRST_CHECK_MS << min(checks - 1, 5), LONGEST_CHECK_MS)
