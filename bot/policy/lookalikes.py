"""Hosts whose name can be mistaken for another one, judged by the letters alone, without any look-up.

A host is a lookalike when one of its labels, written out in Unicode,
- is no proper internationalised label: `xn--` that does not decode to exactly one spelling, or a character
  that is no letter, mark or digit;
- mixes scripts (Han, kana, Bopomofo and Hangul may stand together; ASCII digits and hyphens with anything);
- is in a script that no living orthography needs;
- has a Latin letter beyond those of the Latin-1 and Latin Extended-A blocks, or a dotless i;
- is made of nothing but Cyrillic, Greek, Armenian or Georgian letters that look Latin, below a domain that
  is not itself written in another script.

This follows the spirit of Unicode Technical Standard 39 (sections 4 and 5) and of what browsers do before
they show a name in Unicode. Names of plain ASCII are never lookalikes here: `paypa1` needs a list of brands.
"""

import unicodedata

from bot.errors import UrlRefused

_EAST_ASIAN = frozenset({"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL"})
_SCRIPTS = _EAST_ASIAN | {
    *(
        "LATIN",
        "CYRILLIC",
        "GREEK",
        "ARMENIAN",
        "GEORGIAN",
        "HEBREW",
        "ARABIC",
        "SYRIAC",
        "THAANA",
        "ETHIOPIC",
    ),
    *("DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM"),
    *("SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR", "KHMER"),
}
_LOOKS_LATIN = {
    "CYRILLIC": frozenset("асԁеһіјӏорԛѕԝхуъьҽпгѵѡ"),
    "GREEK": frozenset("αγικνορτυωχηϲ"),
    "ARMENIAN": frozenset("ագզէլհյոսւօ"),
    "GEORGIAN": frozenset("იოყძხჽჿ"),
}
_DOTLESS = frozenset("\u0131\u0138")


def ascii_host(host: str) -> str:
    """`host` in lower case with its Unicode labels as punycode (RFC 3492).

    Raises `UrlRefused` for a label that browsers would map to another spelling first.
    """
    if host.isascii():
        return host.lower()
    return ".".join(_ascii_label(label) for label in host.lower().split("."))


def is_lookalike(host: str) -> bool:
    """Whether the ASCII form `host` can be mistaken for another host."""
    labels = host.split(".")
    below_ascii = not labels[-1].startswith("xn--")
    return any(label.startswith("xn--") and _misleads(label, below_ascii) for label in labels)


def mixes_scripts(word: str) -> bool:
    """Whether the letters of `word` are of scripts that no language writes together.

    Latin beside Han, kana, Bopomofo or Hangul is how those languages are written, and no disguise.
    """
    scripts = {_script(char) for char in word if char.isalpha()}
    return len(scripts) > 1 and not scripts <= _EAST_ASIAN | {"LATIN"}


def _ascii_label(label: str) -> str:
    if label.isascii():
        return label
    if unicodedata.normalize("NFKC", label) != label or label.casefold() != label:
        raise UrlRefused("has a host name in an odd spelling")
    return "xn--" + label.encode("punycode").decode()


def _misleads(label: str, below_ascii: bool) -> bool:
    try:
        written = label.removeprefix("xn--").encode().decode("punycode")
        if written.isascii() or _ascii_label(written) != label:
            return True
    except (UnicodeError, ValueError, OverflowError, UrlRefused):
        return True
    others = [char for char in written if char not in "0123456789-"]
    if any(unicodedata.category(char)[0] not in "LM" and not char.isdecimal() for char in others):
        return True
    scripts = {_script(char) for char in others}
    if not scripts <= _SCRIPTS or (len(scripts) > 1 and not scripts <= _EAST_ASIAN):
        return True
    if scripts == {"LATIN"}:
        return any(char > "\u017f" or char in _DOTLESS for char in others)
    return below_ascii and _all_look_latin(written, scripts)


def _script(char: str) -> str:
    return unicodedata.name(char, "").replace("-", " ").partition(" ")[0]


def _all_look_latin(written: str, scripts: set[str]) -> bool:
    latin = _LOOKS_LATIN.get(next(iter(scripts)), frozenset[str]())
    base = unicodedata.normalize("NFD", written)
    return all(char in latin for char in base if char.isalpha())
