"""The TypeScript and React specialist: which files it claims, what it brings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks import Check, Source, run_each
from wardround.findings import RawResult
from wardround.late import Late, LateEach
from wardround.rules import Rule, declarative_rules
from wardround.specialists import Specialist
from wardround_typescript.comments import comments
from wardround_typescript.engines import FOLDER, engines

PATTERNS = ("*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue", "*.svelte")

_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="typescript",
        patterns=PATTERNS,
        interpreters=("node", "nodejs", "deno", "bun", "tsx", "ts-node"),
        tools=Late("wardround_typescript.tools:TOOLS"),
        checks=Late("wardround_typescript.checks:CHECKS"),
        change_checks=LateEach("wardround_typescript.changes.table:TABLE"),
        run_checks=_run_checks,
        rules=_declared,
        comments=comments,
    )


def _run_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    """Run the checks; those of comments only where the change may have parted one from its code."""
    if not source.path.endswith(_SCRIPTS) or ".min." in source.path:
        return ()
    from wardround_typescript.documented_check import JsDocCheck  # not needed to start the tools

    is_parted = _may_part(source)
    return run_each([one for one in checks if is_parted or not issubclass(one, JsDocCheck)], source)


def _may_part(source: Source) -> bool:
    if "/**" not in source.text:
        return False
    from wardround_typescript.touched import may_part

    return may_part(source.base_text or "", source.text)


def _declared() -> Sequence[Rule]:
    return [rule for engine in engines() for rule in declarative_rules(FOLDER, engine)]
