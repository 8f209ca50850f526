import pytest

from bot.errors import UrlRefused
from bot.policy.lookalikes import ascii_host, is_lookalike


@pytest.mark.parametrize(
    "host",
    [
        "xn--pple-43d.com",
        "r\u0430ypal.com",
        "\u0430\u0440\u0440\u04cf\u0435.com",
        "xn--80ak6aa92e.com",
        "www.xn--80ak6aa92e.com",
        "\u03bf\u03c5.com",
        "g\u0261gle.com",
        "f\u0131sh.example",
        "p\u1ea1ypal.com",
        "bank\u30ce.example",
        "\u0561\u0585.example",
        "\u2c83\u2c9f.example",
        "xn--a",
        "xn--abc-",
        "xn--" + "\u00dcnchen".encode("punycode").decode() + ".de",
        "xn--99999999.example",
        "ex\u0301\u0301ample.com",
        "snack\u2044menu.example",
        "\U0001f355.example",
    ],
)
def test_a_host_that_can_be_taken_for_another_is_a_lookalike(host: str) -> None:
    assert is_lookalike(ascii_host(host))


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "paypa1.com",
        "m\u00fcnchen.de",
        "caf\u00e9-42.example",
        "\u0142\u00f3d\u017a.example",
        "\u043f\u0440\u0438\u043c\u0435\u0440.com",
        "\u0441\u043e\u0440.\u0440\u0444",
        "\u03b5\u03bb\u03bb\u03ac\u03b4\u03b1.example",
        "\u65e5\u672c\u8a9e\u30ab\u30ca.jp",
        "\ud55c\uad6d.kr",
        "\u0645\u062b\u0627\u0644.example",
        "\u0909\u0926\u093e\u0939\u0930\u0923.example",
        "1.2.3.4",
    ],
)
def test_an_honest_host_is_none(host: str) -> None:
    assert not is_lookalike(ascii_host(host))


def test_unicode_labels_become_lower_case_punycode() -> None:
    assert ascii_host("WWW.M\u00dcNCHEN.de") == "www.xn--mnchen-3ya.de"


@pytest.mark.parametrize(
    "host", ["\uff45vil.com", "fa\u00df.de", "g\u2024co.example", "x\u03c2.gr", "\u2460.com", "\u13a0.com"]
)
def test_labels_that_browsers_map_to_others_are_refused(host: str) -> None:
    with pytest.raises(UrlRefused):
        ascii_host(host)
