from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.model import Symbol
from wardround.findings import Severity
from wardround.rules.cases import change
from wardround_contract.analysis.definitions import (
    FileVersions,
    RemovedDefinition,
    removed_definitions,
    sides_of,
)
from wardround_contract.analysis.remaining_uses import RemainingUses, is_dynamic
from wardround_contract.analysis.uses import RemainingUse
from wardround_contract.check import BrokenUseCheck

_GLOBALS = frozenset(
    {
        "fetch",
        "crypto",
        "process",
        "console",
        "window",
        "document",
        "performance",
        "require",
        "module",
        "exports",
    }
    | {"structuredClone", "URL", "Buffer", "describe", "it", "test", "expect", "jest", "vi", "global", "self"}
    | {"beforeEach", "afterEach", "beforeAll", "afterAll", "localStorage", "navigator", "location", "history"}
)
"""Names that scripts have without a definition."""


class RemovedDefinitionInUse(BrokenUseCheck):
    """A method, an attribute or a local definition is removed or renamed, and code still uses it.

    The use raises AttributeError, is ``undefined`` or fails to compile. Change it in the same commit, or keep
    the old name as an alias. A use in the file of a class whose base is unknown is not reported.

    Uses count where scopes, imports and base classes lead to the definition; those by name alone are a hint,
    where no other definition, key or dependency of the repository has the name. Imports of missing names are
    reported by PY084 and TS098, undefined names in a Python module by ruff's F821.
    """

    ID = "CT001"
    NAME = "removed-definition-in-use"
    DEFECT_CLASS = "removed-definition-in-use"
    SEVERITY = Severity.WARN
    PATHS = (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
    PREFILTER = "wardround_contract.prefilters:removes_a_name"
    VALID = [
        change(
            {
                "mail/box.py": (
                    """
                    class Box:
                        def send_all(self): ...
                    """,
                    """
                    class Base:
                        def send_all(self): ...


                    class Box(Base):
                        pass
                    """,
                ),
            },
            others={
                "app.py": """
                from mail.box import Box

                Box().send_all()
                """,
            },
        ),
        change(
            {
                "mail/box.py": (
                    """
                    class Box:
                        def send_all(self): ...
                    """,
                    """
                    class Box:
                        def post_all(self): ...

                        send_all = post_all
                    """,
                ),
            },
            others={
                "app.py": """
                from mail.box import Box

                Box().send_all()
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "mail/box.py": (
                    """
                    class Box:
                        def send_all(self): ...
                    """,
                    """
                    class Box:
                        «def post_all(self): ...»
                    """,
                ),
            },
            others={
                "app.py": """
                from mail.box import Box

                Box().send_all()
                """,
            },
        ),
        change(
            {
                "src/box.ts": (
                    """
                    export enum Box {
                      Sent = "sent",
                      Waiting = "waiting",
                    }
                    """,
                    """
                    export enum Box {
                      «Sent = "sent",»
                    }
                    """,
                ),
            },
            others={
                "src/app.ts": """
                import { Box } from "./box"

                export const first = Box.Waiting
                """,
            },
        ),
    ]

    def run(self) -> None:
        removed = [removal for sides in sides_of(self.change) for removal in self._relevant_removals(sides)]
        graphs = self.change.graphs() if removed else None
        if graphs is None:
            return
        uses = RemainingUses(self.change, graphs)
        for removal in removed:
            self._inspect(removal, uses)

    def _relevant_removals(self, sides: FileVersions) -> Sequence[RemovedDefinition]:
        """Return the definitions that a file loses, without the members of a removed class and those that
        other rules report.
        """
        text = sides.file.text
        if text is None:
            return ()
        removed = removed_definitions(sides)
        names = {definition.symbol.name for definition in removed}
        return [
            definition
            for definition in removed
            if definition.symbol.owner_name not in names and _is_relevant(sides, text, definition.symbol)
        ]

    def _inspect(self, removed: RemovedDefinition, remaining: RemainingUses) -> None:
        uses, severity = remaining.resolve(removed), Severity.WARN
        if removed.symbol.owner_name:
            named = remaining.by_name(removed, uses)
            is_inherited = remaining.may_be_inherited(removed)
            if not uses or is_inherited:
                own = removed.sides.file.path if is_inherited else ""
                uses, severity = [location for location in named if location.path != own], Severity.INFO
            else:
                uses = named or uses
        if uses:
            self._report_uses(removed, uses, severity)

    def _report_uses(
        self, removed: RemovedDefinition, uses: Sequence[RemainingUse], severity: Severity
    ) -> None:
        symbol, file = removed.symbol, removed.sides.file
        new = _new_name(removed)
        if new is None:
            self.report_removed_definition(file, symbol.line, f"`{symbol.name}` is removed", uses, severity)
        else:
            what = f"`{symbol.name}` is renamed to `{new.own_name}`"
            self.report_changed_definition(file, new.line, what, uses, severity)


def _is_relevant(sides: FileVersions, text: str, symbol: Symbol) -> bool:
    """Return True if nothing else at the head provides a name, and no other rule reports its removal."""
    is_python = language_of(sides.base.path) == "python"
    if not symbol.owner_name:
        is_reported_elsewhere = is_python or symbol.exported
        if is_reported_elsewhere or symbol.name in _GLOBALS:
            return False
    if _is_bound(text, symbol, is_python=is_python):
        return False
    return not is_dynamic(text, sides.head, symbol.owner_name)


def _new_name(removed: RemovedDefinition) -> Symbol | None:
    """Return the only new definition with the same body."""
    symbol, sides = removed.symbol, removed.sides
    before = {known.name for known in sides.base.symbols}
    same: dict[str, list[Symbol]] = defaultdict(list)
    for candidate in sides.head.symbols[1:]:
        if candidate.name not in before and candidate.owner_name == symbol.owner_name:
            same[candidate.body_digest].append(candidate)
    found = same.get(symbol.body_digest, []) if symbol.body_digest else []
    return found[0] if len(found) == 1 else None


def _is_bound(text: str, symbol: Symbol, *, is_python: bool) -> bool:
    """Return True if the module may still bind a name, in a form that is not a definition of its own."""
    name = re.escape(symbol.own_name)
    set_ = rf"\b(?:setattr|add_to_class|delattr)\([^\n]*['\"]{name}['\"]|^\s+['\"]{name}['\"],?\s*$"
    quoted = set_ if is_python else rf"['\"]{name}['\"]\s*[:\]]"
    pattern = rf"\.{name}\s*(?::[^=\n]+)?=(?!=)|{quoted}"
    if not symbol.owner_name:
        pattern += rf"|\b(?:as|for|import)\s+{name}\b"
    return bool(re.search(pattern, text, re.MULTILINE))
