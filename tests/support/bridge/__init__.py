"""A Discord for bots in other processes: simcord's world behind a real HTTP API and a real gateway."""

from tests.support.bridge.application import Application
from tests.support.bridge.faults import Hold
from tests.support.bridge.handle import Handle
from tests.support.bridge.process import BotProcess
from tests.support.bridge.rest import RestRequest
from tests.support.bridge.server import Bridge

__all__ = ["Application", "BotProcess", "Bridge", "Handle", "Hold", "RestRequest"]
