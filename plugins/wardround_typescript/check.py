"""The base of the checks on the syntax tree of a script."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.base import Check
from wardround.findings import Severity
from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.call_reader import CallReader

SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
COMPONENTS = (".vue", ".svelte")
_TEST_PATH = LazyPattern(
    r"(^|/)(__tests__|__mocks__|tests?|e2e|specs?|cypress|playwright|mocks|fixtures)/"
    r"|\.(\w*test|spec|stories|e2e|cy)\.[mc]?[jt]sx?$"
)


def is_test_path(path: str) -> bool:
    """Return True for the path of a test or of a file that supports tests."""
    return _TEST_PATH.search(path) is not None


class TreeCheck(Check):
    """A check on the syntax tree of a script; ``check`` runs on files that pass the prefilter.

    Attributes:
        KINDS: the suffixes of the files that are checked.
        WORDS: every file with a finding contains at least one of these words.
        ALSO: further lists of words; every file with a finding contains one word of each list.
        IN_TESTS: True if test files are checked as well.
    """

    CASE_PATH = "case.ts"
    KINDS: ClassVar[tuple[str, ...]] = SCRIPTS
    WORDS: ClassVar[tuple[str, ...]] = ()
    ALSO: ClassVar[tuple[tuple[str, ...], ...]] = ()
    IN_TESTS: ClassVar[bool] = False

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return cls.KINDS, cls.WORDS

    def run(self) -> None:
        path, text = self.source.path, self.source.text
        if not path.endswith(self.KINDS) or not self._may_match(text):
            return
        if not self.IN_TESTS and is_test_path(path):
            return
        self.check()

    def _may_match(self, text: str) -> bool:
        if self.WORDS and not any(word in text for word in self.WORDS):
            return False
        return all(any(word in text for word in words) for words in self.ALSO)

    @abstractmethod
    def check(self) -> None:
        """Report each defect of the file."""

    @cached_property
    def code(self) -> Code:
        from wardround.languages.script.code import code_of  # loads the parser

        return code_of(self.source.path, self.source.text)

    @cached_property
    def reader(self) -> CallReader:
        from wardround_typescript.analysis.call_reader import CallReader  # few checks need it

        return CallReader(self.source, self.code)

    def text(self, node: Node | None) -> str:
        """Return the source text of a node; empty for None."""
        return self.code.text(node)

    def report_node(self, node: Node, message: str, severity: Severity | None = None) -> None:
        """Report a defect at a node."""
        self.report(self.code.module.span(node), message, severity=severity)
