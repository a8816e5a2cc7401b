"""What each check is for. Not to be edited: ``wardround.checks.index`` writes it."""

from __future__ import annotations

from wardround.checks.registry import CheckEntry

TABLE: tuple[CheckEntry, ...] = (
    ("TX001", "declared_encoding:DeclaredEncoding", (), (), ""),
    ("TX002", "bidirectional:BidirectionalControl", (), (), ""),
    ("TX003", "invisible:InvisibleCharacter", (), (), ""),
    ("TX004", "look_alike:LookAlikeIdentifier", (), (), ""),
    ("TX005", "submodule_command:SubmoduleCommand", (), (), ""),
)
