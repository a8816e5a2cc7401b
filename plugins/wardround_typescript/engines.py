"""Rule engines with TypeScript rules."""

from __future__ import annotations

from wardround.rules.declarative import rules_folder

FOLDER = "typescript"


def engines() -> list[str]:
    """The engines whose folder contains a rule."""
    return [name for name in ("ast-grep", "semgrep") if any((rules_folder(FOLDER) / name).glob("*.yml"))]
