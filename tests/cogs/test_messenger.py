"""Who may be pinged by what is drawn, and which messages show previews of links."""

import discord

from bot.outbound import Embed, Reply
from cogs.messenger import edit_parts, message_parts, pings


def test_nobody_is_pinged_unless_one_member_is_named() -> None:
    silent: dict[str, list[str]] = {"parse": []}
    for parts in (message_parts(Reply(content="x")), edit_parts(Reply(content="x"))):
        assert parts.get("allowed_mentions", discord.AllowedMentions.all()).to_dict() == silent
    assert pings(None).to_dict() == silent
    assert pings("5").to_dict() == {"parse": [], "users": [5]}
    assert pings("5", author=True).to_dict() == {"parse": [], "users": [5], "replied_user": True}


def test_a_named_member_adds_nobody_else_to_what_the_client_allows() -> None:
    merged = discord.AllowedMentions.all().merge(pings("5"))
    assert merged.to_dict() == {"parse": [], "users": [5]}
    assert discord.AllowedMentions.all().merge(pings(None)).to_dict() == {"parse": []}


def test_links_in_plain_text_show_no_preview_and_no_embed_is_hidden() -> None:
    assert message_parts(Reply(content="https://a.example")).get("suppress_embeds") is True
    assert "suppress_embeds" not in message_parts(Reply(content="x", embed=Embed(title="card")))
    assert "suppress_embeds" not in message_parts(Reply(embed=Embed(title="card")))
