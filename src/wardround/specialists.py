"""The specialist: the object that reviews one kind of file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wardround.checks.base import ChangeCheck, Check, run_sequentially
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding, Span
from wardround.lazy import LazyPattern
from wardround.rules.model import Rule
from wardround.text.globs import matches_any_case
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.tool import Profile, Tool
from wardround.tools.type_checker import TypeChecker

_COMMENT_LEADERS = LazyPattern(r"(?:^|\s)(#|//|--|/\*|<!--|;|%)\s*(?=wardround:)")


class Comment(msgspec.Struct, frozen=True):
    """A comment of a source file: its 1-based line and its text."""

    line: int
    text: str
    column: int = 1


def leader_comments(text: str) -> Iterable[Comment]:
    """Return the comments that could address wardround, by the usual comment signs; for languages without a
    parser.
    """
    for number, line in enumerate(text.split("\n"), 1):
        match = _COMMENT_LEADERS.search(line)
        if match:
            yield Comment(number, line[match.end() :].removesuffix("*/").removesuffix("-->").strip(),
                          match.start(1) + 1)  # fmt: skip


class CaseOutline(msgspec.Struct, frozen=True):
    """A test of a file.

    Attributes:
        line: in its span, 1-based.
        assertions: their number over all parameter sets.
        asserted: the sources of the assertions.
        is_skipped: it does not run, or may fail.
    """

    line: int
    assertions: int
    asserted: frozenset[str] = frozenset()
    is_skipped: bool = False


SyntaxCheck = Callable[[str], str | None]
"""Returns why a text does not parse, with the line; None if it does."""

StatementOf = Callable[[int], tuple[int, int]]
"""The first and last line of the statement that contains a line."""


def lines_as_statements(text: str) -> StatementOf:
    """Treat every line as a statement, where nothing better is known."""
    return lambda line: (line, line)


class Specialist:
    """Reviews one kind of file. A plugin derives a class, sets its attributes and overrides what differs.

    Each object is a separate specialist, compared by identity.

    Attributes:
        name: the prefix of its rules, and its name in the configuration.
        patterns: glob patterns of the files it claims, matched against the name, or against the full path if
            the pattern has a slash.
        interpreters: regular expressions for the program of a ``#!`` line, where the name is not decisive.
        content_sniffed: glob patterns of files that ``claims_text`` decides about, whatever their suffix.
        reviews_all_text: True if it reads text of any kind and encoding, and claims every file unless it
            overrides ``claims_text``; other content is then not unreviewed.
        reviews_history: True if its checks that find secrets read each commit of a range: a secret stays in
            the history when a later commit removes it.
        tools: its tools; ``lazy.LazySequence`` defers their import, as that of checks.
        borrowed_tools: tools of other specialists that also review its files; only results with codes whose
            tool map names this specialist count.
        type_checkers: those that infer the types of its files for ``wardround types``, the preferred first.
        checks: the checks of its own, in any order.
        change_checks: the checks of the change as such, whatever files it touches.
        uses_code_graph: True if they call ``ChangeView.graphs``, whose update adds to their time budget.
        comment_signs: the signs that begin a comment at the end of a line of its files.
        options: a ``msgspec.Struct`` type: the keys of ``[tool.wardround.<name>]``.
        models: the names of the models that its checks use.
        profiles: the profiles of the reviews in which it takes part.
        ignore_comments: those of programs that are not its tools, and that projects use for its files.
        planes: the planes that judge its files by its own result, without which they are inconclusive; None:
            those of its checks, and those of its change checks by their results.
        further_planes: planes that judge its files by the results of others, as tests do for source.
        change_planes: the planes that require its checks of the change; None: those of these checks.
    """

    name: str
    patterns: tuple[str, ...]
    interpreters: tuple[str, ...] = ()
    content_sniffed: tuple[str, ...] = ()
    reviews_all_text: bool = False
    reviews_history: bool = False
    tools: Sequence[Tool] = ()
    borrowed_tools: Sequence[Tool] = ()
    type_checkers: Sequence[TypeChecker] = ()
    checks: Sequence[type[Check]] = ()
    change_checks: Sequence[type[ChangeCheck]] = ()
    uses_code_graph: bool = False
    comment_signs: tuple[str, ...] = ("#",)
    options: type[Any] | None = None
    models: tuple[str, ...] = ()
    profiles: frozenset[Profile] = frozenset(Profile)
    ignore_comments: tuple[IgnoreComment, ...] = ()
    planes: frozenset[Plane] | None = None
    further_planes: frozenset[Plane] = frozenset()
    change_planes: frozenset[Plane] | None = None

    def run_checks(self, checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
        """Run checks over one file; override it to parse once for all of them."""
        return run_sequentially(checks, source)

    def adds_test(self, path: str, text: str, added: Collection[int], words: frozenset[str]) -> bool:
        """Return True if the added lines of a file are a test that runs and asserts something.

        Args:
            added: their 1-based numbers.
            words: names of changed modules and definitions; the test uses one of them.
        """
        return False

    def is_in_test(self, path: str, text: str, line: int) -> bool:
        """Return True if a line, 1-based, belongs to a test that code outside of it cannot call.

        A comment there by which a tool expects an error is an assertion, and no ignore comment.
        """
        return False

    def tests_in(self, path: str, text: str) -> Mapping[str, CaseOutline] | None:
        """Return the tests of a file by their names; None if it cannot be parsed."""
        return {}

    def rules(self) -> Sequence[Rule]:
        """Return the rules of its tools that are declared outside the tool map (declarative rules)."""
        return ()

    def claims_text(self, path: str, content: bytes) -> bool:
        """Return True if it reviews a file whose name and ``#!`` line are not decisive."""
        return False

    def declines(self, path: str, text: str) -> str:
        """Return the reason why it cannot review a file it claims, which is then unreviewed; empty if it
        can.

        The reason refers to the file as "it" and states what to do.
        """
        return ""

    def comments(self, text: str) -> Iterable[Comment]:
        """Return the comments of a file, for suppressions."""
        return leader_comments(text)

    def statement_locator(self, text: str) -> StatementOf:
        """Return the locator of the statement around each line, so that a finding keeps its identity when
        reformatted.
        """
        return lines_as_statements(text)

    def syntax_check(self, path: str, text: str) -> SyntaxCheck | None:
        """Return the parser of a file, which a fix must not break; None if there is none for it.

        Args:
            text: before the fix. The parser reads the text after it in the same dialect.
        """
        return None

    def needs_utf8(self, content: bytes) -> bool:
        """Return True if its language rejects content that is not UTF-8."""
        return False

    def refutes(
        self, path: str, text: str, defect_class: str, span: Span, read: Callable[[str], str | None]
    ) -> bool:
        """Return True if a finding of a tool or another specialist is known to be wrong.

        Args:
            read: path -> the content of another file.
        """
        return False

    def environment(self, root: Path, options: Any) -> Path | None:
        """Return the project's own virtual environment, if it has one."""
        return None

    @property
    def planes_of_files(self) -> frozenset[Plane]:
        """The planes that judge its files by its own result."""
        return frozenset(check.PLANE for check in self.checks) if self.planes is None else self.planes

    @property
    def planes_of_change(self) -> frozenset[Plane]:
        """The planes that require its checks of the change."""
        declared = self.change_planes
        return frozenset(check.PLANE for check in self.change_checks) if declared is None else declared

    @property
    def has_comment_reader(self) -> bool:
        """True if it reads comments by the syntax of its language, not by the usual comment signs."""
        return type(self).comments is not Specialist.comments

    @property
    def uses_environment(self) -> bool:
        """True if it searches for a virtual environment of the project."""
        return type(self).environment is not Specialist.environment

    def claims_name(self, path: str) -> bool:
        """Return True if it reviews the file because of its name."""
        claims_all = self.reviews_all_text and type(self).claims_text is Specialist.claims_text
        return claims_all or matches_any_case(path, tuple(self.patterns))

    def sniffs_content(self, path: str) -> bool:
        """Return True if the content decides for a file of this name."""
        return matches_any_case(path, tuple(self.content_sniffed))

    def claims_content(self, path: str, content: bytes) -> bool:
        """Return True if it reviews a file because of its content, although its name does not match."""
        if self.interpreters and content.startswith(b"#!"):
            words = content.split(b"\n", 1)[0][2:].decode("utf-8", "replace").split()
            program = _interpreter(words)
            if any(re.fullmatch(pattern, program) for pattern in self.interpreters):
                return True
        return self.claims_text(path, content)

    def claims(self, path: str, text: str) -> bool:
        """Return True if it reviews a file, for its tools that others borrow for other files too."""
        return self.claims_name(path) or self.claims_content(path, text.encode("utf-8", "surrogateescape"))


def _interpreter(words: Sequence[str]) -> str:
    """Return the program that a ``#!`` line starts, through ``env`` and its options."""
    names = [word.rpartition("/")[2] for word in words]
    if names and names[0] == "env":
        names = [name for name in names[1:] if not name.startswith("-") and "=" not in name]
    return names[0] if names else ""
