from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.transport.addresses import AddressPolicy, is_public


@pytest.mark.parametrize(
    "address",
    [
        *["1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "172.32.0.1", "192.0.1.0", "198.20.0.1"],
        *["223.255.255.255", "168.63.129.15", "2606:4700:4700::1111", "2a00:1450:4001::1", "2001:4860::8888"],
    ],
)
def test_an_address_of_the_public_internet_is_permitted(address: str):
    assert AddressPolicy().permits(address)


@pytest.mark.parametrize(
    "address",
    [
        # of this machine, this network and other special ones
        *["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.255", "10.0.0.1", "172.16.0.1", "172.31.255.255"],
        *["192.168.1.1", "100.64.0.1", "100.100.100.200", "100.127.255.255", "169.254.169.254"],
        *["168.63.129.16", "192.0.0.8", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1"],
        *["192.88.99.1", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1"],
        *["224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"],
        *["::", "::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "100::1", "100:0:0:1::1"],
        *["5f00::1", "2001:db8::1", "2001:2::1", "2001:10::1", "2001:20::1", "3fff::1", "2620:4f:8000::1"],
        # IPv6 that carries an IPv4 address, a public one too
        *["::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1"],
        *["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:808:808::1"],
        *["2001:0:7f00:1::", "2001::53aa:64c:0:7f01:fefe"],
        *["2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1", "fe80::5efe:10.0.0.1"],
        # with a zone
        *["fe80::1%eth0", "2606:4700:4700::1111%1", "::1%lo"],
    ],
)
def test_an_address_that_is_special_or_stands_for_another_is_refused(address: str):
    assert not AddressPolicy().permits(address)


@pytest.mark.parametrize(
    "text",
    [
        *["", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "1.1.1.1/32", " 1.1.1.1"],
        *["1.1.1.1\n", "1.1.1", "[::1]", "1.1.1.1:443", "１.1.1.1", "::1::", "example.com"],
    ],
)
def test_what_is_no_plain_address_is_refused(text: str):
    assert not AddressPolicy().permits(text)


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_a_private_ipv4_address_is_refused_in_every_notation_of_ipv6(address: IPv4Address):
    number = int(address)
    carriers = [
        number,
        0xFFFF << 32 | number,
        0xFFFF << 48 | number,
        0x64_FF9B << 96 | number,
        0x64_FF9B_0001 << 80 | number,
        0x2002 << 112 | number << 80,
        0x2001_0000 << 96 | number ^ 0xFFFF_FFFF,
        0x2606_4700 << 96 | 0x5EFE << 32 | number,
    ]
    assert not any(is_public(IPv6Address(carrier)) for carrier in carriers)


@given(st.one_of(st.ip_addresses(), st.text()))
def test_nothing_is_permitted_that_the_standard_library_calls_private(address: object):
    text = str(address)
    if AddressPolicy().permits(text):
        parsed = ip_address(text)
        assert parsed.is_global
        assert not parsed.is_multicast
        assert not parsed.is_reserved


def test_networks_can_be_allowed_beside_the_public_ones():
    policy = AddressPolicy([ip_network("127.0.0.1/32"), ip_network("fd00::/8")])
    assert policy.permits("127.0.0.1")
    assert policy.permits("fd00::1")
    assert policy.permits("1.1.1.1")
    assert not policy.permits("127.0.0.2")
    assert not policy.permits("::ffff:127.0.0.1")
    assert not policy.permits("10.0.0.1")
