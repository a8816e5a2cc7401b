"""The TypeScript and React specialist: its files, tools and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from wardround.checks.base import ChangeCheck, Check, run_sequentially
from wardround.checks.lazy import LazyPattern, LazySequence
from wardround.checks.registry import CheckRegistry, candidate_checks
from wardround.checks.source import SourceFile
from wardround.errors import CannotReview
from wardround.findings import RawFinding, Span
from wardround.rules.declarative import declarative_rules
from wardround.rules.model import Rule
from wardround.specialists import Comment, Specialist
from wardround.tools.tool import Tool
from wardround_typescript.engines import FOLDER, engines
from wardround_typescript.syntax.comments import comments

PATTERNS = ("*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue", "*.svelte")

_REFUTABLE = frozenset(
    {"code-injection", "sql-injection", "shell-injection", "html-injection", "async-endpoint-handler",
     "effect-request-race", "undefined-name", "raise-without-from", "children-as-prop", "debounce-in-render",
     "derived-state", "derived-state-in-effect", "hooks-order", "test-body-ignored",
     "unstable-selector", "work-in-render"}
)  # fmt: skip
_OF_VUE_3 = "oxlint-vue/no-deprecated-"
"""Prefix of the defect classes of what Vue 3 removed."""
_MAX_CHARACTERS = 1_000_000
"""Length in characters of a text whose checks take 5 s of processor time for ordinary code."""
_SUFFIX = LazyPattern(r"\.(?:[mc]?[jt]s|[jt]sx|vue|svelte)$")


class TypescriptSpecialist(Specialist):
    """Reviews TypeScript and JavaScript, React, Vue and Svelte."""

    name = "typescript"
    patterns = PATTERNS
    interpreters = ("node", "nodejs", "deno", "bun", "tsx", "ts-node")
    comment_signs = ("//", "/*", "{/*", "<!--")
    tools = LazySequence[Tool]("wardround_typescript.tools:TOOLS")
    checks = CheckRegistry[type[Check]]("wardround_typescript.checks")
    change_checks = CheckRegistry[type[ChangeCheck]]("wardround_typescript.checks", "change")

    def run_checks(self, checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
        """Run the checks; those of comments only where the change may separate a comment from its code."""
        suffix = _SUFFIX.search(source.path)
        if suffix is None:  # a script by its ``#!`` line
            return self.run_checks(checks, replace(source, path=f"{source.path}.js"))
        if len(source.text) > _MAX_CHARACTERS:
            raise CannotReview("it is too large for these checks; split it, or leave it out with exclude")
        candidates = list(candidate_checks(checks, suffix[0], source))
        if "/**" in source.text and not _may_part(source):
            from wardround_typescript.docdrift.jsdoc_check import JsDocCheck  # not needed for the tools

            candidates = [check for check in candidates if not issubclass(check, JsDocCheck)]
        return run_sequentially(candidates, source)

    def rules(self) -> Sequence[Rule]:
        return [rule for engine in engines() for rule in declarative_rules(FOLDER, engine)]

    def comments(self, text: str) -> Iterable[Comment]:
        return comments(text)

    def declines(self, path: str, text: str) -> str:
        from wardround_typescript.generated_files import declines

        return declines(path, text)

    def refutes(
        self, path: str, text: str, defect_class: str, span: Span, read: Callable[[str], str | None]
    ) -> bool:
        if defect_class not in _REFUTABLE and not defect_class.startswith(_OF_VUE_3):
            return False
        from wardround_typescript.false_positives import refutes  # only for such findings

        return refutes(path, text, defect_class, span, read)


def _may_part(source: SourceFile) -> bool:
    from wardround_typescript.prefilters import may_part

    return may_part(source.base_text or "", source.text)
