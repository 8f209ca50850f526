import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.outbound import Button, Embed, EmbedField, LinkButton, Reply
from bot.policy.links import LinkRules
from bot.presentation.models import Action, Presentation, PresentationField, PresentationLink
from cogs.rendering import fit, pages, problem_reply, shorten
from tests.support.limits import units

RULES = LinkRules(frozenset({"bad.example"}))
LONG_URL = "https://ok.example/" + "x" * 600


def draw(presentation: Presentation, *, embeds: bool = True, title: str = "") -> Reply:
    keys = {f"a{number}": f"key{number}" for number in range(9)}
    return fit(presentation, RULES, embeds=embeds, keys=keys, title=title)


def embed_of(reply: Reply) -> Embed:
    assert reply.embed is not None
    return reply.embed


def fields(*pairs: tuple[str, str]) -> tuple[PresentationField, ...]:
    return tuple(PresentationField(label, value) for label, value in pairs)


def action(number: int, label: str = "Save") -> Action:
    return Action(f"a{number}", label, "save_snack", {})


def test_a_presentation_is_one_embed_with_its_buttons() -> None:
    reply = draw(
        Presentation(
            "Pick one",
            fields(("Choices", "fruit")),
            (PresentationLink("Menu", "https://ok.example/menu"),),
            (action(1),),
        )
    )
    assert reply == Reply(
        embed=Embed(description="Pick one", fields=(EmbedField("Choices", "fruit"),)),
        buttons=(Button("key1", "Save"), LinkButton("https://ok.example/menu", "Menu")),
    )


def test_without_the_permission_it_is_plain_text_with_the_same_buttons() -> None:
    reply = draw(
        Presentation(
            "Pick one",
            fields(("Choices", "fruit"), ("", "more")),
            (PresentationLink("Menu", "https://ok.example/menu"), PresentationLink("Long", LONG_URL)),
            (action(1),),
        ),
        embeds=False,
    )
    assert reply.embed is None
    assert reply.content == f"Pick one\n\n**Choices:** fruit\nmore\n\nLong: <{LONG_URL}>"
    assert reply.buttons == (Button("key1", "Save"), LinkButton("https://ok.example/menu", "Menu"))


def test_a_title_stands_above_and_cannot_be_markdown() -> None:
    presentation = Presentation("Saved.")
    assert embed_of(draw(presentation, title="Save *it*\n")).title == "Save *it*"
    assert draw(presentation, embeds=False, title="Save *it*").content == "**Save \\*it\\***\nSaved."


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u2800\ufeff"])
def test_nothing_to_show_is_done(text: str) -> None:
    assert embed_of(draw(Presentation(text))).description == "Done."
    assert draw(Presentation(text), embeds=False).content == "Done."
    assert embed_of(draw(Presentation(actions=(action(1),)))).description == "Done."


@pytest.mark.parametrize("blank", ["", " ", "\n", "\u200b", "\u3164\u2800", "\u00a0"])
def test_a_blank_label_or_value_is_shown_as_a_dash(blank: str) -> None:
    embed = embed_of(draw(Presentation(fields=fields((blank, "value"), ("label", blank)))))
    assert embed.fields == (EmbedField("–", "value"), EmbedField("label", "–"))


def test_a_new_emoji_alone_is_not_blank() -> None:
    assert embed_of(draw(Presentation("\U0001fa77"))).description == "\U0001fa77"


def test_an_action_without_a_key_has_no_button() -> None:
    assert draw(Presentation("x", actions=(Action("unknown", "Go", "t", {}), action(2)))).buttons == (
        Button("key2", "Save"),
    )


def test_a_blank_button_shows_its_tool_and_a_long_one_is_shortened() -> None:
    labels = ["\u200b ", "two\nlines", "x" * 200]
    reply = draw(Presentation("x", actions=tuple(action(n, label) for n, label in enumerate(labels))))
    assert [button.label for button in reply.buttons] == ["save_snack", "two lines", "x" * 79 + "…"]


@pytest.mark.parametrize(
    "url",
    ["http://ok.example", "https://u:p@ok.example", "https://r\u0430ypal.com", "https://a.bad.example", "x"],
)
def test_a_link_with_a_problem_is_dropped(url: str) -> None:
    assert draw(Presentation("x", links=(PresentationLink("Menu", url),))) == draw(Presentation("x"))


def test_a_link_that_is_no_button_is_a_line_under_the_text() -> None:
    links = (
        PresentationLink("Long", LONG_URL),
        PresentationLink("l" * 81, "https://ok.example/"),
        PresentationLink(LONG_URL, LONG_URL),
    )
    reply = draw(Presentation("Text", links=links))
    assert reply.buttons == ()
    label = "l" * 81
    assert embed_of(reply).description == (
        f"Text\n\nLong: <{LONG_URL}>\n{label}: <https://ok.example/>\nok.example: <{LONG_URL}>"
    )


def test_a_link_label_that_looks_like_another_address_shows_the_real_host() -> None:
    link = PresentationLink("https://bank.example", "https://ok.example/x")
    assert draw(Presentation("x", links=(link,))).buttons == (
        LinkButton("https://ok.example/x", "ok.example"),
    )


def test_a_link_button_is_written_in_ascii() -> None:
    link = PresentationLink("Menü", "https://münchen.de/käse")
    assert draw(Presentation("x", links=(link,))).buttons == (
        LinkButton("https://xn--mnchen-3ya.de/k%C3%A4se", "Menü"),
    )


def test_masked_links_in_text_labels_and_values_are_written_out() -> None:
    masked = "[menu](https://ok.example)"
    embed = embed_of(draw(Presentation(masked, fields((masked, masked)))))
    written = "menu (<https://ok.example>)"
    assert embed == Embed(description=written, fields=(EmbedField(written, written),))


def test_text_of_4000_stays_whole_and_longer_ends_in_an_ellipsis() -> None:
    assert embed_of(draw(Presentation("x" * 4_000))).description == "x" * 4_000
    embed = embed_of(draw(Presentation("x" * 4_001)))
    assert embed.description == "x" * 3_999 + "…"
    assert embed.footer == ""


def test_over_6000_in_all_fields_go_from_the_last_and_it_says_so() -> None:
    many = fields(*((str(number), "v" * 1_000) for number in range(10)))
    embed = embed_of(draw(Presentation("t" * 1_000, many)))
    assert [field.name for field in embed.fields] == ["0", "1", "2", "3"]
    assert embed.description == "t" * 1_000
    assert embed.footer == "(shortened)"


def test_exactly_6000_in_all_is_not_shortened() -> None:
    five = fields(*((str(number), "v" * 999) for number in range(5)))
    embed = embed_of(draw(Presentation("t" * 1_000, five)))
    assert (len(embed.fields), embed.footer) == (5, "")
    assert embed_of(draw(Presentation("t" * 1_001, five))).footer == "(shortened)"


def test_text_is_cut_for_links_that_have_to_be_written_out() -> None:
    links = (PresentationLink("a", LONG_URL), PresentationLink("b", LONG_URL))
    embed = embed_of(draw(Presentation("t" * 4_000, links=links)))
    assert embed.description.endswith(f"…\n\na: <{LONG_URL}>\nb: <{LONG_URL}>")
    assert embed.footer == "(shortened)"
    assert units(embed.description) == 4_096


def test_written_out_links_that_have_no_room_at_all_go_from_the_last() -> None:
    url = "https://ok.example/" + "x" * 2_000
    links = tuple(PresentationLink(f"link {number}", url) for number in range(10))
    embed = embed_of(draw(Presentation("t" * 4_000, links=links)))
    assert embed.description.startswith("t" * 400)
    assert embed.description.count(url) == 1
    assert embed.footer == "(shortened)"


def test_plain_text_loses_fields_before_text_and_says_so() -> None:
    content = draw(Presentation("t" * 900, fields(("a", "v" * 900), ("b", "v" * 900))), embeds=False).content
    assert content == "t" * 900 + "\n\n**a:** " + "v" * 900 + "\n(shortened)"
    content = draw(Presentation("t" * 3_000, fields(("a", "v"))), embeds=False).content
    assert content == "t" * 1_987 + "…\n(shortened)"
    assert units(content) == 2_000


def test_exactly_2000_of_plain_text_is_not_shortened() -> None:
    assert draw(Presentation("t" * 2_000), embeds=False).content == "t" * 2_000


def test_a_mass_ping_in_plain_text_pings_nobody() -> None:
    presentation = Presentation(
        "@everyone", fields(("@here", "@Everyone")), (PresentationLink("@here" * 30, LONG_URL),)
    )
    content = draw(presentation, embeds=False).content.lower()
    assert "@everyone" not in content
    assert "@here" not in content
    assert "@\u200beveryone" in content


def test_an_address_with_a_mass_ping_in_it_still_works() -> None:
    content = draw(Presentation("https://ok.example/@everyone"), embeds=False).content
    assert content == "<https://ok.example/%40everyone>"


def test_a_label_before_an_address_opens_no_reference_and_no_code() -> None:
    description = embed_of(draw(Presentation("x", links=(PresentationLink("[1] `", LONG_URL),)))).description
    assert description == f"x\n\n(1) ˋ: <{LONG_URL}>"


def test_a_label_cannot_put_what_follows_into_a_code_block() -> None:
    content = draw(Presentation("", fields(("```", "a"), ("b", "c"))), embeds=False).content
    assert content == "**```:** a\n```\n**b:** c"


def test_a_cut_inside_a_code_block_closes_it() -> None:
    embed = embed_of(draw(Presentation("```\n" + "x" * 5_000)))
    assert embed.description == "```\n" + "x" * 3_991 + "…\n```"
    value = embed_of(draw(Presentation(fields=fields(("a", "```py\n" + "x" * 1_100))))).fields[0].value
    assert value.endswith("…\n```")
    assert units(value) == 1_024


def test_a_code_block_left_open_cannot_swallow_the_links_below() -> None:
    embed = embed_of(draw(Presentation("```code", links=(PresentationLink("Long", LONG_URL),))))
    assert embed.description == f"```code\n```\n\nLong: <{LONG_URL}>"


def test_a_cut_leaves_no_half_link() -> None:
    assert shorten("x" * 10 + " <https://ok.example/abcdef>", 30) == "x" * 10 + " …"
    assert shorten("x" * 15 + " <@1234567890123456>", 20) == "x" * 15 + " …"
    assert shorten("a <https://ok.example/>", 30) == "a <https://ok.example/>"


def test_a_problem_is_one_silent_sentence() -> None:
    assert problem_reply("It failed. @everyone") == Reply(content="It failed. @\u200beveryone")
    assert units(problem_reply("x" * 3_000).content) == 2_000
    assert problem_reply(" ").content == "Done."


def test_lines_are_joined_to_pages_in_their_order() -> None:
    assert pages(["a", "b", "c"], 3) == ["a\nb", "c"]
    assert pages(["a", "", "b"], 100) == ["a\n\nb"]
    assert pages(["x" * 50], 30) == ["x" * 29 + "…"]
    assert pages([]) == []
    assert pages(["", " "]) == []


@given(st.lists(st.text(max_size=60), max_size=60), st.integers(20, 200))
def test_no_page_is_too_long_or_blank(lines: list[str], limit: int) -> None:
    made = pages(lines, limit)
    assert all(0 < units(page) <= limit and page.strip() for page in made)
