from urllib.parse import urlsplit

import httpx
import pytest
import yarl
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UrlRefused
from bot.urls import Url, read_url

LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
NAME = st.lists(LABEL, min_size=1, max_size=4).map(".".join)
HOST = st.one_of(
    NAME.filter(lambda name: not name.rpartition(".")[2].isdigit() and name.rpartition(".")[2][:2] != "0x"),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]"),
)
PIECE = st.one_of(
    st.sampled_from("ABCxyz019._~!$&'()*+,;=:@/?-[]"), st.integers(0, 255).map(lambda byte: f"%{byte:02x}")
)
TARGET = st.lists(PIECE, max_size=12).map("".join)
PORT = st.one_of(st.just(""), st.integers(1, 65_535).map(lambda port: f":{port}"))


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://trick.example.com", Url("https", "trick.example.com", 443, "/")),
        ("https://Trick.EXAMPLE.com/mcp", Url("https", "trick.example.com", 443, "/mcp")),
        ("https://trick.example.com:8443/a/b?c=d&e", Url("https", "trick.example.com", 8443, "/a/b?c=d&e")),
        ("https://trick.example.com?a=/../", Url("https", "trick.example.com", 443, "/?a=/../")),
        ("https://trick.example.com/%2F@x/:y;z", Url("https", "trick.example.com", 443, "/%2F@x/:y;z")),
        ("https://xn--bcher-kva.example/", Url("https", "xn--bcher-kva.example", 443, "/")),
        ("https://xn--0.example/", Url("https", "xn--0.example", 443, "/")),
        ("https://1.1.1.1/", Url("https", "1.1.1.1", 443, "/")),
        ("https://[2606:4700:0::1111]:444/", Url("https", "2606:4700::1111", 444, "/")),
        ("https://localhost:443/", Url("https", "localhost", 443, "/")),
    ],
)
def test_a_plain_url_is_read(text: str, url: Url):
    assert read_url(text) == url


@pytest.mark.parametrize(
    ("url", "text", "origin", "netloc", "host_port"),
    [
        (
            Url("https", "a.example", 443, "/x"),
            *("https://a.example/x", "https://a.example", "a.example", "a.example:443"),
        ),
        (
            Url("https", "a.example", 444, "/"),
            *("https://a.example:444/", "https://a.example:444", "a.example:444", "a.example:444"),
        ),
        (
            Url("http", "::1", 80, "/"),
            *("http://[::1]/", "http://[::1]", "[::1]", "[::1]:80"),
        ),
        (
            Url("http", "::1", 443, "/"),
            *("http://[::1]:443/", "http://[::1]:443", "[::1]:443", "[::1]:443"),
        ),
    ],
)
def test_its_parts_are_written_in_one_way(url: Url, text: str, origin: str, netloc: str, host_port: str):
    assert (str(url), url.origin, url.netloc, url.host_port) == (text, origin, netloc, host_port)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not of the form"),
        ("trick.example.com/mcp", "is not of the form"),
        ("//trick.example.com/mcp", "is not of the form"),
        ("https:/trick.example.com", "is not of the form"),
        ("https:///mcp", "is not of the form"),
        ("ftp://trick.example.com/", "is not of the form"),
        ("HTTPS://trick.example.com/", "is not of the form"),
        ("javascript:alert(1)", "is not of the form"),
        ("http://trick.example.com/", "must begin with https"),
        ("https://trick.example.com/" + "a" * 2_048, "is longer than"),
        ("https://trick.example.com\\@evil.example/", "backslash"),
        ("https://trick.example.com/a\\b", "backslash"),
        ("https://trick.example.com/#", "fragment"),
        ("https://trick.example.com/?", "empty query"),
        ("https://trick.example.com?", "empty query"),
        ("https://user@trick.example.com/", "credentials"),
        ("https://user:pass@trick.example.com/", "credentials"),
        ("https://@trick.example.com/", "credentials"),
        ("https://trick.example.com@evil.example?x", "credentials"),
        ("https://trick.example.com/a b", "percent-encoded"),
        (" https://trick.example.com/", "percent-encoded"),
        ("https://trick.example.com/\n", "percent-encoded"),
        ("https://trick.example.com/\x7f", "percent-encoded"),
        ("https://trick.example.com/ä", "percent-encoded"),
        ("https://trick.example.com/\ud800", "percent-encoded"),
        ("https://bücher.example/", "percent-encoded"),
        ("https://ｅxample.com/", "percent-encoded"),
        ("https://trick.example.com/<a>", "percent-encoded"),
        ("https://trick.example.com/%", "percent-encoded"),
        ("https://trick.example.com/%2", "percent-encoded"),
        ("https://trick.example.com/%zz", "percent-encoded"),
        ("https://trick.example.com/a/../b", ". or .."),
        ("https://trick.example.com/./a", ". or .."),
        ("https://trick.example.com/a/%2e%2E/b", ". or .."),
        ("https://trick.example.com/a/.%2e", ". or .."),
        ("https://trick.example.com:/", "port"),
        ("https://trick.example.com:0/", "port"),
        ("https://trick.example.com:0443/", "port"),
        ("https://trick.example.com:65536/", "port"),
        ("https://trick.example.com:+443/", "port"),
        ("https://trick.example.com:443:443/", "port"),
        ("https://[::1]443/", "port"),
        ("https://[::1]:/", "port"),
        ("https://[::1/", "bracket"),
        ("https://[127.0.0.1]/", "brackets"),
        ("https://[v1.a]/", "brackets"),
        ("https://[]/", "brackets"),
        ("https://[fe80::1%lo]/", "zone"),
        ("https://[fe80::1%25lo]/", "zone"),
        ("https://::1/", "odd spelling"),
        ("https://trick.example.com./", "odd spelling"),
        ("https://trick..example.com/", "odd spelling"),
        ("https://.example.com/", "odd spelling"),
        ("https://-a.example.com/", "odd spelling"),
        ("https://a-.example.com/", "odd spelling"),
        ("https://a_b.example.com/", "odd spelling"),
        ("https://a%2eexample.com/", "odd spelling"),
        ("https://" + "a" * 64 + ".example/", "odd spelling"),
        ("https://" + "a." * 127 + "example/", "odd spelling"),
        ("https://127.0.0.01/", "odd spelling"),
        ("https://256.1.1.1/", "odd spelling"),
        ("https://127.1/", "looks like a number"),
        ("https://2130706433/", "looks like a number"),
        ("https://0x7f000001/", "looks like a number"),
        ("https://0X7F.0.0.0x1/", "looks like a number"),
        ("https://1.1.1.1.1/", "looks like a number"),
        ("https://a.0x/", "looks like a number"),
    ],
)
def test_anything_else_is_refused_with_the_reason(text: str, reason: str):
    with pytest.raises(UrlRefused) as caught:
        read_url(text)
    assert reason in caught.value.reason
    assert caught.value.detail == f"The address {caught.value.reason}."
    assert caught.value.sent is False


def test_plain_http_is_for_exactly_the_development_hosts():
    hosts = frozenset({"127.0.0.1:8080", "localhost:80", "[::1]:8080"})
    for text in (
        "http://127.0.0.1:8080/mcp",
        "http://localhost/",
        "http://[0::1]:8080/",
        "http://LOCALHOST:80/",
    ):
        assert read_url(text, hosts).scheme == "http"
    for text in (
        "http://127.0.0.1/",
        "http://127.0.0.1:8081/",
        "http://localhost:8080/",
        "http://a.example/",
    ):
        with pytest.raises(UrlRefused):
            read_url(text, hosts)
    assert read_url("https://a.example/", hosts).scheme == "https"


@given(HOST, PORT, TARGET)
def test_every_parser_reads_an_accepted_url_alike(host: str, port: str, target: str):
    try:
        url = read_url(f"https://{host}{port}/{target}")
    except UrlRefused:
        return
    text = str(url)
    assert read_url(text) == url
    split, ours, engine = urlsplit(text), httpx.URL(text), yarl.URL(text, encoded=True)
    assert split.hostname == engine.raw_host == url.host
    assert ours.raw_host.decode() == url.host
    assert (split.port or 443) == (ours.port or 443) == engine.port == url.port
    assert str(ours) == str(engine) == text
    assert ours.raw_path.decode() == engine.raw_path_qs == url.target
    assert engine.host_port_subcomponent == url.netloc


@given(st.one_of(st.text(), st.text().map("https://".__add__), st.text().map("https://a.example/".__add__)))
def test_every_text_is_read_or_refused_and_nothing_else_happens(text: str):
    try:
        url = read_url(text)
    except UrlRefused:
        return
    assert url.scheme == "https"
    assert str(url).isascii()
    assert httpx.URL(str(url)).raw_host.decode() == url.host


@given(HOST, PORT, TARGET)
def test_ordinary_urls_are_not_refused_for_their_host(host: str, port: str, target: str):
    assert read_url(f"https://{host}{port}/").port == int(port.removeprefix(":") or 443)
