"""The TypeScript and React specialist: which files it claims, what it brings."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.late import Late
from wardround.rules import Rule, declarative_rules
from wardround.specialists import Specialist
from wardround_typescript.comments import comments
from wardround_typescript.engines import FOLDER, engines

PATTERNS = ("*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue", "*.svelte")


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="typescript",
        patterns=PATTERNS,
        interpreters=("node", "nodejs", "deno", "bun", "tsx", "ts-node"),
        tools=Late("wardround_typescript.tools:TOOLS"),
        rules=_declared,
        comments=comments,
    )


def _declared() -> Sequence[Rule]:
    return [rule for engine in engines() for rule in declarative_rules(FOLDER, engine)]
