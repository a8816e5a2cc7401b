"""The results of JavaScript tests in the reports of vitest, jest, mocha and ``node --test``."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.context.run_evidence import TestOutcome
from wardround.workflows.run_output import MOST_VALUES, has_too_many_values

_SEPARATOR = " > "
_MOST_EXCERPT = 4000
_OF_SUBTESTS = LazyPattern(r"^\d+ subtests? failed")
_ESCAPE = LazyPattern(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")
_OUTCOMES = {
    "passed": TestOutcome.PASSED, "failed": TestOutcome.FAILED, "pending": TestOutcome.SKIPPED,
    "skipped": TestOutcome.SKIPPED, "todo": TestOutcome.SKIPPED, "disabled": TestOutcome.SKIPPED,
}  # fmt: skip


class ReportUnreadable(ValueError):
    """A report of a framework is missing or has another form."""


class ScriptResult(msgspec.Struct, frozen=True):
    """The result of one test.

    Attributes:
        id: the path of its file, and its titles after ``>``; the path alone if the file could not be loaded.
        excerpt: the end of its failure, as the framework wrote it.
    """

    id: str
    file: str
    outcome: TestOutcome
    seconds: float = 0.0
    excerpt: str = ""


class _Assertion(msgspec.Struct, frozen=True):
    status: str
    title: str
    ancestorTitles: list[str] = []  # noqa: N815  (the name in the report)
    duration: float | None = None
    failureMessages: list[str | None] | None = None  # noqa: N815


class _Suite(msgspec.Struct, frozen=True):
    name: str
    status: str = ""
    message: str | None = ""
    assertionResults: list[_Assertion] = []  # noqa: N815


class _JestReport(msgspec.Struct, frozen=True):
    testResults: list[_Suite]  # noqa: N815


class _MochaError(msgspec.Struct, frozen=True):
    message: str | None = None
    stack: str | None = None


class _MochaTest(msgspec.Struct, frozen=True):
    title: str
    fullTitle: str = ""  # noqa: N815
    file: str | None = None
    duration: float | None = None
    err: _MochaError = _MochaError()


class _MochaReport(msgspec.Struct, frozen=True):
    tests: list[_MochaTest]
    pending: list[_MochaTest] = []


class _NodeTest(msgspec.Struct, frozen=True):
    file: str
    titles: list[str]
    passed: bool
    skipped: bool
    group: bool
    milliseconds: float
    problem: str


def file_of(test: str) -> str:
    """Return the file of a test by its id."""
    return test.partition(_SEPARATOR)[0]


def read_results(framework: str, content: bytes | None, root: str) -> tuple[ScriptResult, ...]:
    """Return the results in a report, by file and in its order.

    Args:
        framework: ``vitest``, ``jest``, ``mocha`` or ``node:test``.
        root: the absolute path of the tree in which the tests ran.

    Raises:
        ReportUnreadable: it is not a report of this framework.
    """
    if content is None:
        raise ReportUnreadable(f"{framework} wrote no report")
    if has_too_many_values(content):
        raise ReportUnreadable(f"the report of {framework} has more than {MOST_VALUES} values")
    try:
        return tuple(_READERS[framework](_with_whole_characters(content), root))
    except (msgspec.DecodeError, UnicodeError) as cause:
        raise ReportUnreadable(f"the report of {framework} cannot be read: {cause}") from cause


def _with_whole_characters(content: bytes) -> bytes:
    """Replace escapes of half a character, which ``JSON.stringify`` writes and JSON readers refuse."""
    if b"\\ud" not in content.lower():
        return content
    text = _ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], content.decode())
    return text.encode()


def _jest(content: bytes, root: str) -> Iterator[ScriptResult]:
    for suite in msgspec.json.decode(content, type=_JestReport).testResults:
        file = _relative(suite.name, root)
        if suite.status == "failed" and not any(one.status == "failed" for one in suite.assertionResults):
            yield ScriptResult(file, file, TestOutcome.ERROR, excerpt=_excerpt(suite.message or ""))
        for one in suite.assertionResults:
            messages = "\n".join(filter(None, one.failureMessages or ()))
            outcome = _OUTCOMES.get(one.status, TestOutcome.NOT_RUN)
            name = _SEPARATOR.join((file, *one.ancestorTitles, one.title))
            yield ScriptResult(name, file, outcome, (one.duration or 0) / 1000, _excerpt(messages))


def _mocha(content: bytes, root: str) -> Iterator[ScriptResult]:
    report = msgspec.json.decode(content, type=_MochaReport)
    pending = {(one.file, one.fullTitle) for one in report.pending}
    for one in report.tests:
        file = _relative(one.file or "", root)
        problem = one.err.stack or one.err.message or ""
        outcome = TestOutcome.FAILED if problem else TestOutcome.PASSED
        if (one.file, one.fullTitle) in pending:
            outcome = TestOutcome.SKIPPED
        name = f"{file}{_SEPARATOR}{one.fullTitle or one.title}"
        yield ScriptResult(name, file, outcome, (one.duration or 0) / 1000, _excerpt(problem))


def _node(content: bytes, root: str) -> Iterator[ScriptResult]:
    decoder = msgspec.json.Decoder(_NodeTest)
    for line in content.splitlines():
        one = decoder.decode(line)
        file = _relative(one.file, root)
        if one.group and (one.passed or _OF_SUBTESTS.search(one.problem)):
            continue
        is_file = one.titles[-1:] in ([one.file], [file])
        if is_file and one.passed:
            continue
        outcome = TestOutcome.PASSED if one.passed else TestOutcome.FAILED
        outcome = TestOutcome.SKIPPED if one.skipped else outcome
        name = file if is_file else _SEPARATOR.join((file, *one.titles))
        yield ScriptResult(name, file, outcome, one.milliseconds / 1000, _excerpt(one.problem))


_READERS: dict[str, Callable[[bytes, str], Iterator[ScriptResult]]] = {
    "vitest": _jest, "jest": _jest, "mocha": _mocha, "node:test": _node,
}  # fmt: skip
FRAMEWORKS = tuple(_READERS)
"""The frameworks whose tests are run."""


def _relative(path: str, root: str) -> str:
    return posixpath.relpath(path, root) if posixpath.isabs(path) else path


def _excerpt(text: str) -> str:
    return text[-_MOST_EXCERPT:]
