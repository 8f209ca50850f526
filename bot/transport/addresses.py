"""Which addresses are on the public internet, in every notation that can stand for another one.

`ipaddress.is_global` is not enough: it calls NAT64, 6to4, IPv4-compatible, multicast and site-local addresses
global. So the rule is the other way round: of IPv6 only the global unicast block is public, and from it and
from IPv4 everything goes that the IANA special-purpose registries take out.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network

_REFUSED_IPV4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # carrier-grade NAT
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # metadata and agents of Azure
            "169.254.0.0/16",  # link-local, with the metadata of most clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # automatic multicast tunnels
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarking
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, with broadcast
        ),
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_REFUSED_IPV6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID and others
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which carries an IPv4 address
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
"""The first half of an interface id that carries an IPv4 address (RFC 5214, section 6.1)."""


class AddressPolicy:
    """Which addresses a connection may go to: public ones, and those in the networks `allowed`."""

    def __init__(self, allowed: Iterable[Network] = ()) -> None:
        self._allowed = tuple(allowed)

    def permits(self, address: str) -> bool:
        """Whether a connection to `address` is allowed; false too for what is no plain IP address."""
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        if any(parsed in network for network in self._allowed):
            return True
        return is_public(parsed)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether `address` belongs to one host of the public internet and stands for no other address."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED_IPV4)
    return (
        address.scope_id is None
        and address in _GLOBAL_UNICAST
        and not any(address in network for network in _REFUSED_IPV6)
        and (int(address) >> 32) & 0xFFFF_FFFF not in _ISATAP
    )
