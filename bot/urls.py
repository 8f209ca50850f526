"""Reading the URL of a trick, strictly: what is not plainly one host and one path is refused.

Parsers disagree on odd URLs, and a disagreement is how a request reaches a host that nobody checked. So a
URL is accepted only in the one spelling that every parser reads alike.
"""

import ipaddress
import re
from dataclasses import dataclass

from bot.errors import UrlRefused

MAX_URL = 2_048
_SHAPE = re.compile(r"(https?)://([^/?#@\\\s]+)(/[^?#\\\s]*)?(\?[^#\\\s]*)?")
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_TARGET = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%/?\[\]-]*")


@dataclass(frozen=True, slots=True)
class Url:
    """One accepted URL. `host` is lower case, an IPv6 address without brackets."""

    scheme: str
    host: str
    port: int
    target: str
    """The path with its query; at least `/`."""

    @property
    def origin(self) -> str:
        """Scheme, host and port as one string, the port left out where it is the scheme's own."""
        return f"{self.scheme}://{self.netloc}"

    @property
    def netloc(self) -> str:
        """The host as it stands in a `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.scheme) else f"{host}:{self.port}"

    @property
    def host_port(self) -> str:
        """`host:port`, the port always there: the form of `network.development_hosts`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        return self.origin + self.target


def read_url(text: str, development_hosts: frozenset[str] = frozenset()) -> Url:
    """Read `text` as the HTTPS URL of a trick; plain HTTP only for a host in `development_hosts`.

    Raises `UrlRefused`, whose reason completes "the address …".
    """
    url = _split(text)
    if url.scheme == "http" and url.host_port not in development_hosts:
        raise UrlRefused("must begin with https://")
    return url


def origin_of(text: str) -> str:
    """The origin of a URL whose scheme was judged before. Raises `UrlRefused`."""
    return _split(text).origin


def _split(text: str) -> Url:
    if len(text) > MAX_URL:
        raise UrlRefused(f"is longer than {MAX_URL} characters")
    if "\\" in text:
        raise UrlRefused("contains a backslash")
    if "#" in text:
        raise UrlRefused("contains a fragment (#…)")
    if not text.isascii() or any(char <= " " or char == "\x7f" for char in text):
        raise UrlRefused("contains characters that do not belong into a URL; write them percent-encoded")
    if "@" in text.partition("://")[2].partition("/")[0].partition("?")[0]:
        raise UrlRefused("contains credentials (user@host)")
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise UrlRefused("is not of the form https://host/path")
    scheme, authority, path, query = match.groups()
    if query == "?":
        raise UrlRefused("ends with an empty query (?)")
    target = (path or "/") + (query or "")
    if _TARGET.fullmatch(target) is None or re.search(r"%(?![0-9A-Fa-f]{2})", target):
        raise UrlRefused("contains characters that do not belong into a URL; write them percent-encoded")
    if any(part in (".", "..") for part in re.sub("%2e", ".", path or "/", flags=re.I).split("/")):
        raise UrlRefused("contains . or .. as a part of its path")
    host, port = _authority(authority, _default_port(scheme))
    return Url(scheme, host, port, target)


def _authority(authority: str, default_port: int) -> tuple[str, int]:
    if authority.startswith("["):
        host, closed, rest = authority[1:].partition("]")
        if not closed:
            raise UrlRefused("has a bracket that is not closed")
        return _ipv6(host), _port(rest.removeprefix(":") if rest else None, default_port, rest)
    host, colon, port = authority.partition(":")
    return _host(host), _port(port if colon else None, default_port, colon + port)


def _port(digits: str | None, default: int, written: str) -> int:
    if digits is None:
        return default
    if not written.startswith(":") or not re.fullmatch(r"[1-9][0-9]{0,4}", digits) or int(digits) > 65_535:
        raise UrlRefused("has a port that is not a number from 1 to 65535")
    return int(digits)


def _ipv6(host: str) -> str:
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        raise UrlRefused("has brackets around something that is no IPv6 address") from None
    if address.scope_id is not None:
        raise UrlRefused("has an address with a zone")
    return address.compressed


def _host(host: str) -> str:
    name = host.lower()
    if re.fullmatch(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}", name):
        try:
            return str(ipaddress.IPv4Address(name))
        except ValueError:
            raise UrlRefused("has an IPv4 address in an odd spelling") from None
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise UrlRefused("has a host name in an odd spelling")
    if re.fullmatch(r"[0-9]+|0x[0-9a-f]*", labels[-1]):
        raise UrlRefused("has a host that looks like a number in an odd spelling")
    return name


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80
