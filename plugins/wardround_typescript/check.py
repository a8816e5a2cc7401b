"""What every check on the syntax tree of a script is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.base import Check
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
COMPONENTS = (".vue", ".svelte")
_TEST_PATH = LazyPattern(
    r"(^|/)(__tests__|__mocks__|tests?|e2e|specs?|cypress|playwright|mocks|fixtures)/"
    r"|\.(\w*test|spec|stories|e2e|cy)\.[mc]?[jt]sx?$"
)


def is_test_path(path: str) -> bool:
    """Whether a script is a test or made for tests."""
    return _TEST_PATH.search(path) is not None


class TreeCheck(Check):
    """A check on ``self.code``; ``look`` runs where the words say that it may find something.

    Attributes:
        KINDS: the endings of the files it is for.
        WORDS: of which one stands in every file it can say something about.
        ALSO: further lists of words, of each of which one stands there.
        IN_TESTS: whether it looks at test files too.
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
        if not path.endswith(self.KINDS) or not self._may_speak(text):
            return
        if not self.IN_TESTS and is_test_path(path):
            return
        self.look()

    def _may_speak(self, text: str) -> bool:
        if self.WORDS and not any(word in text for word in self.WORDS):
            return False
        return all(any(word in text for word in words) for words in self.ALSO)

    @abstractmethod
    def look(self) -> None:
        """Report what is wrong."""

    @cached_property
    def code(self) -> Code:
        from wardround.languages.script.code import code_of  # loads the parser

        return code_of(self.source.path, self.source.text)

    def say(self, node: Node, message: str, severity: Severity | None = None) -> None:
        """Report a node."""
        self.report(self.code.module.span(node), message, severity=severity)
