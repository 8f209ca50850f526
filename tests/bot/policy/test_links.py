import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.policy.links import LinkRules, ascii_url, read_hosts_file
from tests.support.discord_markdown import masked_links, shown_addresses

RULES = LinkRules(frozenset({"bad.example", "xn--bse-sna.example"}))


@pytest.mark.parametrize(
    "url",
    [
        "https://ok.example",
        "https://ok.example/a_b/c?x=1&y=%20#part",
        "HTTPS://Ok.Example/",
        "https://ok.example:8443/x",
        "https://en.wikipedia.org/wiki/Snack_(food)",
        "https://de.wikipedia.org/wiki/Käse?q=ö#Größe",
        "https://münchen.de/",
        "https://notbad.example/",
        "https://bad.example.org/",
        "https://[2001:db8::1]/",
        "https://[2001:db8::1]:8443/?a[]=1",
    ],
)
def test_an_honest_link_has_no_problem(url: str) -> None:
    assert RULES.problem(url) is None


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://ok.example/", "https"),
        ("ftp://ok.example/", "https"),
        ("javascript:alert(1)", "https"),
        ("//ok.example/", "https"),
        ("ok.example", "https"),
        ("", "https"),
        ("https://", "https"),
        ("https://user@ok.example/", "credentials"),
        ("https://user:pass@ok.example/", "credentials"),
        ("https://ok.example\\@evil.example/", "backslash"),
        ("https://xn--pple-43d.com/", "looks like"),
        ("https://r\u0430ypal.com/", "looks like"),
        ("https://bad.example/", "harmful"),
        ("https://deep.er.BAD.example:444/x", "harmful"),
        ("https://böse.example/", "harmful"),
        ("https://ok.example/a b", "spaces"),
        ("https://ok.example/a\u200bb", "invisible"),
        ("https://ok.example/\u202egnp.exe", "invisible"),
        ("https://ok.example/a](b", "markdown"),
        ("https://ok.example/a]:b:c", "markdown"),
        ("https://ok.example/%zz", "percent"),
        ("https://ok.example/#a#b", "fragment"),
        ("https://ok.example./", "host"),
        ("https://0x7f.1/", "host"),
        ("https://ok.example/" + "x" * 2_048, "longer"),
    ],
)
def test_any_other_has_one_and_says_which(url: str, word: str) -> None:
    assert word in (RULES.problem(url) or "no problem")


@given(st.text())
def test_no_text_at_all_breaks_the_rule(text: str) -> None:
    assert RULES.problem(text) is None or RULES.problem(text)
    assert RULES.problem(f"https://{text}") != ""


def test_an_address_is_written_in_ascii_for_a_button() -> None:
    assert ascii_url("HTTPS://München.de/Käse?ö#ß") == ("https://xn--mnchen-3ya.de/K%C3%A4se?%C3%B6#%C3%9F")


def test_a_hosts_file_gives_its_names() -> None:
    text = """\ufeff# bad ones
127.0.0.1 localhost
::1 ip6-localhost ip6-loopback
0.0.0.0 Bad.Example other.example. # two
0.0.0.0\tböse.example
plain.example
not_a host!
1.2.3.4"""
    assert read_hosts_file(text) == frozenset(
        {"bad.example", "other.example", "xn--bse-sna.example", "plain.example", "1.2.3.4"}
    )


@pytest.mark.parametrize(
    ("label", "url", "shown"),
    [
        ("Our menu", "https://ok.example/menu", "Our menu"),
        (" two\n lines ", "https://ok.example/", "two lines"),
        ("❤️ 👩‍💻", "https://ok.example/", "❤️ 👩‍💻"),
        ("", "https://ok.example/menu", "ok.example"),
        ("\u200b \u2800", "https://ok.example/menu", "ok.example"),
        ("ok.example", "https://ok.example/menu", "ok.example"),
        ("www.ok.example", "https://ok.example/menu", "www.ok.example"),
        ("OK.example/menu", "https://ok.example/menu/", "OK.example/menu"),
        ("https://ok.example/menu", "https://ok.example/menu", "https://ok.example/menu"),
        ("münchen.de", "https://xn--mnchen-3ya.de/", "xn--mnchen-3ya.de"),
        ("münchen.de", "https://münchen.de/", "münchen.de"),
        ("menu.pdf", "https://ok.example/menu.pdf", "menu.pdf"),
        ("Node.js, e.g. v1.2", "https://ok.example/", "Node.js, e.g. v1.2"),
        ("https://bank.example", "https://ok.example/", "ok.example"),
        ("http://ok.example", "https://ok.example/", "ok.example"),
        ("bank.example", "https://ok.example/", "ok.example"),
        ("Go to bank.example now", "https://ok.example/", "ok.example"),
        ("you@bank.example", "https://ok.example/", "ok.example"),
        ("ok.example", "https://evil.ok.example/", "evil.ok.example"),
        ("ok.example/login", "https://ok.example/elsewhere", "ok.example"),
        ("BANK.EXAMPLE", "https://ok.example/", "ok.example"),
        ("ｂａｎｋ．example", "https://ok.example/", "ok.example"),
        ("bank。example", "https://ok.example/", "ok.example"),
        ("bank\u2024example", "https://ok.example/", "ok.example"),
        ("ba\u200bnk.exa\u200dmple", "https://ok.example/", "ok.example"),
        ("**bank**.ex||ample||", "https://ok.example/", "ok.example"),
        ("bank\\.example", "https://ok.example/", "ok.example"),
        ("1.2.3.4", "https://ok.example/", "ok.example"),
        ("bank.xn--p1ai", "https://ok.example/", "ok.example"),
        ("b\u0430nk.example", "https://bank.example/", "bank.example"),
    ],
)
def test_a_label_that_looks_like_another_address_is_replaced_by_the_real_host(
    label: str, url: str, shown: str
) -> None:
    assert RULES.label(label, url) == shown


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("[menu](https://ok.example/a)", "menu (<https://ok.example/a>)"),
        (
            "a [x](https://ok.example) b [y](https://ok.example)",
            "a x (<https://ok.example>) b y (<https://ok.example>)",
        ),
        ("[menu](http://ok.example/a)", "menu"),
        ("[menu](https://u:p@ok.example/a)", "menu"),
        ("[menu](https://sub.bad.example)", "menu"),
        ("[menu](javascript:alert(1))", "menu"),
        ("[menu](https:ok.example)", "menu"),
        ("[menu](https\\://ok.example)", "menu"),
        ("[menu](//ok.example)", "menu"),
        ("[bank.example](https://ok.example)", "ok.example (<https://ok.example>)"),
        ("[https://bank.example](https://ok.example)", "ok.example (<https://ok.example>)"),
        ("[https://bank.example/](http://ok.example)", "<https://bank.example/>"),
        ("[https://ok.example](https://ok.example)", "<https://ok.example>"),
        ("[](https://ok.example)", "<https://ok.example>"),
        ("[\u2800](https://ok.example)", "<https://ok.example>"),
        ('[menu](<https://ok.example/a> "bank.example")', "menu (<https://ok.example/a>)"),
        ("[menu](https://ok.example/a 'title')", "menu (<https://ok.example/a>)"),
        ("[menu]( \n https://ok.example/a \n )", "menu (<https://ok.example/a>)"),
        ("[two\n\nlines](https://ok.example/a)", "two\n\nlines (<https://ok.example/a>)"),
        ("[menu](https://ok.example/a_(b))", "menu (<https://ok.example/a_(b)>)"),
        ("[menu](https://ok.example/(a)", "menu (<https://ok.example/(a>)"),
        ("[menu](https://ok.example/a", "[menu] (<https://ok.example/a>"),
        ("[a [b] c](https://ok.example)", "a [b] c (<https://ok.example>)"),
        ("[bank.example ] x](https://ok.example)", "ok.example (<https://ok.example>)"),
        ("[[bank.example]](https://ok.example)", "ok.example (<https://ok.example>)"),
        ("[a [b](https://ok.example/b) c](https://ok.example)", "ok.example (<https://ok.example>)"),
        ("\\[menu](https://ok.example)", "menu (<https://ok.example>)"),
        ("[menu\\](https://ok.example)", "menu (<https://ok.example>)"),
        ("[menu]\u200b(https://ok.example)", "menu (<https://ok.example>)"),
        ("[menu]\u200d(https://ok.example)", "menu (<https://ok.example>)"),
        ("[menu](ht\u200btps://ok.example)", "menu (<https://ok.example>)"),
        ("[foo [a\\]](javascript:x)(https://ok.example)", "foo [a\\] (<https://ok.example>)"),
        ("h[](http://x.example)ttps://bad.example", "(link removed)"),
        ("[x][1]\n\n[1]: https://ok.example", "[x][1]\n\n[1] : <https://ok.example>"),
        ("> [bank.example]: <http://ok.example>", "> [bank.example]: (link removed)"),
        ("`[menu](https://ok.example)`", "`menu (<https://ok.example>)`"),
        ("items[0](x) and [note](see below)", "items[0] (x) and [note] (see below)"),
        ("[\\[1]: https://ok.example", "[\\[1] : <https://ok.example>"),
        ("[1]: \\https://ok.example", "[1] : <https://ok.example>"),
        ("[note]: something", "[note]: something"),
        ("<me@ok.example> <<+44 1> <+441> <@1> <@!2> <#3>", "me@ok.example <<+44 1> +441 <@1> <@!2> <#3>"),
        (
            "<<me@ok.example>> <a:b:1> </a b:2> <t:1:R> <id:home>",
            "me@ok.example <a:b:1> </a b:2> <t:1:R> <id:home>",
        ),
        ("see\n[note]:\n", "see\n[note] :\n"),
    ],
)
def test_a_masked_link_shows_where_it_goes(text: str, tidied: str) -> None:
    assert RULES.tidy(text) == tidied


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("See https://ok.example/a.", "See <https://ok.example/a>."),
        ("(https://ok.example/a_(b))", "(<https://ok.example/a_(b)>)"),
        (
            "**https://ok.example**, ||https://ok.example||",
            "**<https://ok.example>**, ||<https://ok.example>||",
        ),
        ("<https://ok.example/a.>", "<https://ok.example/a.>"),
        ("\\<https://ok.example>", "<https://ok.example>"),
        ("<<https://ok.example>>", "<https://ok.example>>"),
        ('"https://ok.example","https://bad.example"', '"<https://ok.example>","(link removed)"'),
        ("http://ok.example/a, or", "(link removed), or"),
        ("<HTTP://ok.example>", "(link removed)"),
        ("https://user@ok.example", "(link removed)"),
        ("steam://run/1 discord://x", "(link removed) (link removed)"),
        ("https://r\u0430ypal.com!", "(link removed)!"),
        ("https://ok.example/half…", "…"),
        ("<https://ok.example/half…", "…"),
        ("It must begin with https://.", "It must begin with https:\u200b//."),
        ("`https://ok.example`", "`<https://ok.example>`"),
        ("no link: a://b, e.g. ok.example", "no link: a://b, e.g. ok.example"),
    ],
)
def test_a_bare_address_stands_in_angle_brackets_or_is_removed(text: str, tidied: str) -> None:
    assert RULES.tidy(text) == tidied


def test_mentions_markdown_and_scripts_stay_as_they_are() -> None:
    text = "# Hi\n> **a** `b` <@123> <#4> <t:1700000000:R> <:e:1> </x:1>\n\n\tمی\u200cخواهم 👩‍💻 ❤️ [x] (y)"
    assert RULES.tidy(text) == text


def test_characters_that_only_hide_or_turn_text_are_taken_out() -> None:
    assert RULES.tidy("a\u202eb\u2066c\u200bd\ufeffe\x00f\x1bg\r\nh") == "abcdefg\nh"


PIECES = st.sampled_from(
    [
        *("[", "]", "(", ")", "](", "<", ">", "\\", "`", "```", '"', "'", " ", "\n", "…", "!", "*", "_", "|"),
        *(
            "https://",
            "http://",
            "https:",
            "//",
            "HTTPS://",
            "steam://",
            "discord://",
            "javascript:",
            "mailto:",
        ),
        *(
            "ok.example",
            "bad.example",
            "bank.example",
            "r\u0430ypal.com",
            "user@",
            "/path",
            "/a_(b)",
            "?q=1",
            "#x",
        ),
        *("\u200b", "\u200d", "\u202e", "\ufe0f", "\u2800", "]: ", "[1]: ", "label", "a", "1"),
        *("[bank.example](https://ok.example)", "[x](http://ok.example)", "<https://ok.example>"),
    ]
)
MARKDOWN = st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join)


@settings(max_examples=500, deadline=None)
@given(MARKDOWN)
def test_tidy_text_holds_no_masked_link_and_no_address_with_a_problem(text: str) -> None:
    tidied = RULES.tidy(text)
    assert masked_links(tidied) == []
    assert [address for address in shown_addresses(tidied) if RULES.problem(address)] == []


@settings(max_examples=500, deadline=None)
@given(MARKDOWN)
def test_tidying_twice_never_opens_what_was_closed(text: str) -> None:
    again = RULES.tidy(RULES.tidy(text))
    assert masked_links(again) == []
    assert [address for address in shown_addresses(again) if RULES.problem(address)] == []


def test_the_reader_of_links_finds_a_disguised_one() -> None:
    assert [link.address for link in masked_links("a [bank.example](<https://evil.example> 't')")] == [
        "https://evil.example"
    ]
    assert shown_addresses("x http://a.example, <https://b.example/>") == [
        "http://a.example",
        "https://b.example/",
    ]


@pytest.mark.parametrize(
    "text",
    ["[" * 4_000, "](" * 2_000, "[a](https://ok.example/" * 200, "<" * 4_000, "\\" * 4_000, ']("' * 1_300],
)
def test_hostile_repetition_is_tidied_too(text: str) -> None:
    assert masked_links(RULES.tidy(text)[:200]) == []
