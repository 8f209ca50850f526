"""What a trick says about itself: read, checked with every problem at once, stored, fingerprinted."""

from bot.manifest.commands import Choice, Command, Option, OptionType, Surface, Visibility
from bot.manifest.fingerprint import ToolDefinition, definition_hash
from bot.manifest.models import Endpoints, EventType, Manifest, ManifestTool
from bot.manifest.names import RESERVED_COMMANDS, qualified_name
from bot.manifest.reading import dump_manifest, foreign_origins, load_manifest, read_manifest
from bot.manifest.settings import (
    SelectOption,
    Setting,
    SettingType,
    SettingValue,
    effective_settings,
    is_blank,
    missing_settings,
    setting_problem,
)

__all__ = [
    "RESERVED_COMMANDS",
    "Choice",
    "Command",
    "Endpoints",
    "EventType",
    "Manifest",
    "ManifestTool",
    "Option",
    "OptionType",
    "SelectOption",
    "Setting",
    "SettingType",
    "SettingValue",
    "Surface",
    "ToolDefinition",
    "Visibility",
    "definition_hash",
    "dump_manifest",
    "effective_settings",
    "foreign_origins",
    "is_blank",
    "load_manifest",
    "missing_settings",
    "qualified_name",
    "read_manifest",
    "setting_problem",
]
