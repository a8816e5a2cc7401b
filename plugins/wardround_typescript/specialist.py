"""The TypeScript and React specialist: which files it claims, what it brings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from wardround.checks.base import Check, run_sequentially
from wardround.checks.lazy import LazyPattern, LazySequence
from wardround.checks.registry import CheckRegistry, candidate_checks
from wardround.checks.source import SourceFile
from wardround.errors import CannotReview
from wardround.findings import RawFinding, Span
from wardround.rules.declarative import declarative_rules
from wardround.rules.model import Rule
from wardround.specialists import Specialist
from wardround_typescript.engines import FOLDER, engines
from wardround_typescript.syntax.comments import comments

PATTERNS = ("*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue", "*.svelte")

_DOUBTED = frozenset(
    {"code-injection", "sql-injection", "shell-injection", "async-endpoint-handler", "undefined-name"}
)
_LONGEST_TEXT = 400_000
"""Characters whose syntax tree is walked within a commit."""
_ENDING = LazyPattern(r"\.(?:[mc]?[jt]s|[jt]sx|vue|svelte)$")


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="typescript",
        patterns=PATTERNS,
        interpreters=("node", "nodejs", "deno", "bun", "tsx", "ts-node"),
        tools=LazySequence("wardround_typescript.tools:TOOLS"),
        checks=CheckRegistry("wardround_typescript.checks"),
        change_checks=CheckRegistry("wardround_typescript.checks", "change"),
        run_checks=_run_checks,
        rules=_declared,
        comments=comments,
        refutes=_refutes,
        declines=_declines,
    )


def _run_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run the checks; those of comments only where the change may have parted one from its code."""
    kind = _ENDING.search(source.path)
    if kind is None:  # a script by its ``#!`` line
        return _run_checks(checks, replace(source, path=f"{source.path}.js"))
    if len(source.text) > _LONGEST_TEXT:
        raise CannotReview("it is too large for these checks; split it, or leave it out with exclude")
    asked = list(candidate_checks(checks, kind[0], source))
    if "/**" in source.text and not _may_part(source):
        from wardround_typescript.docdrift.jsdoc_check import JsDocCheck  # not needed to start the tools

        asked = [one for one in asked if not issubclass(one, JsDocCheck)]
    return run_sequentially(asked, source)


def _declines(path: str, text: str) -> str:
    from wardround_typescript.generated_files import declines

    return declines(path, text)


def _refutes(path: str, text: str, defect_class: str, span: Span, read: Callable[[str], str | None]) -> bool:
    if defect_class not in _DOUBTED:
        return False
    from wardround_typescript.false_positives import refutes  # only where somebody complains

    return refutes(path, text, defect_class, span, read)


def _may_part(source: SourceFile) -> bool:
    from wardround_typescript.prefilters import may_part

    return may_part(source.base_text or "", source.text)


def _declared() -> Sequence[Rule]:
    return [rule for engine in engines() for rule in declarative_rules(FOLDER, engine)]
