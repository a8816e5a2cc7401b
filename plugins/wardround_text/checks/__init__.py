"""The text specialist's checks."""

from __future__ import annotations

from wardround.checks.base import Check
from wardround_text.checks.submodules.submodule_runs_command import SubmoduleRunsCommand
from wardround_text.checks.unicode.bidirectional_control import BidirectionalControl
from wardround_text.checks.unicode.invisible_character import InvisibleCharacter
from wardround_text.checks.unicode.look_alike_identifier import LookAlikeIdentifier
from wardround_text.checks.unicode.misleading_encoding import MisleadingEncoding

CHECKS: tuple[type[Check], ...] = (
    MisleadingEncoding,
    BidirectionalControl,
    InvisibleCharacter,
    LookAlikeIdentifier,
    SubmoduleRunsCommand,
)
