"""The text specialist's checks."""

from __future__ import annotations

from wardround.checks.base import Check
from wardround_text.checks.bidirectional import BidirectionalControl
from wardround_text.checks.declared_encoding import DeclaredEncoding
from wardround_text.checks.invisible import InvisibleCharacter
from wardround_text.checks.look_alike import LookAlikeIdentifier
from wardround_text.checks.submodule_command import SubmoduleCommand

CHECKS: tuple[type[Check], ...] = (
    DeclaredEncoding,
    BidirectionalControl,
    InvisibleCharacter,
    LookAlikeIdentifier,
    SubmoduleCommand,
)
