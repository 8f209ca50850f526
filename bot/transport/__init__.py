"""HTTP to tricks: signed, pinned to public addresses, bounded in time and size."""

from bot.transport.addresses import AddressPolicy
from bot.transport.replies import read_body
from bot.transport.resolver import Resolver, SystemResolver
from bot.transport.sender import Endpoint, SignedSender
from bot.transport.transport import SECONDS, Transport

__all__ = [
    "SECONDS",
    "AddressPolicy",
    "Endpoint",
    "Resolver",
    "SignedSender",
    "SystemResolver",
    "Transport",
    "read_body",
]
