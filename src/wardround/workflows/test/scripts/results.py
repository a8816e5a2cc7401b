"""The results of JavaScript tests in the reports of vitest, jest, mocha and ``node --test``."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

import msgspec

from wardround.context.run_evidence import TestOutcome
from wardround.lazy import LazyPattern
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
        id: the path of its file, and its titles after ``>``; only the path if the file could not be loaded.
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
        return tuple(_READERS[framework](_complete_surrogates(content), root))
    except (msgspec.DecodeError, UnicodeError) as cause:
        raise ReportUnreadable(f"the report of {framework} cannot be read: {cause}") from cause


def _complete_surrogates(content: bytes) -> bytes:
    """Replace escapes of half a character, which ``JSON.stringify`` writes and JSON readers reject."""
    if b"\\ud" not in content.lower():
        return content
    text = _ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], content.decode())
    return text.encode()


def _jest(content: bytes, root: str) -> Iterator[ScriptResult]:
    for suite in msgspec.json.decode(content, type=_JestReport).testResults:
        file = _relative(suite.name, root)
        if suite.status == "failed" and not any(
            assertion.status == "failed" for assertion in suite.assertionResults
        ):
            yield ScriptResult(file, file, TestOutcome.ERROR, excerpt=_shorten_excerpt(suite.message or ""))
        for assertion in suite.assertionResults:
            messages = "\n".join(filter(None, assertion.failureMessages or ()))
            outcome = _OUTCOMES.get(assertion.status, TestOutcome.NOT_RUN)
            name = _SEPARATOR.join((file, *assertion.ancestorTitles, assertion.title))
            yield ScriptResult(
                name, file, outcome, (assertion.duration or 0) / 1000, _shorten_excerpt(messages)
            )


def _mocha(content: bytes, root: str) -> Iterator[ScriptResult]:
    report = msgspec.json.decode(content, type=_MochaReport)
    pending = {(test.file, test.fullTitle) for test in report.pending}
    for test in report.tests:
        file = _relative(test.file or "", root)
        problem = test.err.stack or test.err.message or ""
        outcome = TestOutcome.FAILED if problem else TestOutcome.PASSED
        if (test.file, test.fullTitle) in pending:
            outcome = TestOutcome.SKIPPED
        name = f"{file}{_SEPARATOR}{test.fullTitle or test.title}"
        yield ScriptResult(name, file, outcome, (test.duration or 0) / 1000, _shorten_excerpt(problem))


def _node(content: bytes, root: str) -> Iterator[ScriptResult]:
    decoder = msgspec.json.Decoder(_NodeTest)
    for line in content.splitlines():
        item = decoder.decode(line)
        file = _relative(item.file, root)
        if item.group and (item.passed or _OF_SUBTESTS.search(item.problem)):
            continue
        is_file = item.titles[-1:] in ([item.file], [file])
        if is_file and item.passed:
            continue
        outcome = TestOutcome.PASSED if item.passed else TestOutcome.FAILED
        outcome = TestOutcome.SKIPPED if item.skipped else outcome
        name = file if is_file else _SEPARATOR.join((file, *item.titles))
        yield ScriptResult(name, file, outcome, item.milliseconds / 1000, _shorten_excerpt(item.problem))


_READERS: dict[str, Callable[[bytes, str], Iterator[ScriptResult]]] = {
    "vitest": _jest, "jest": _jest, "mocha": _mocha, "node:test": _node,
}  # fmt: skip
FRAMEWORKS = tuple(_READERS)
"""The frameworks whose tests are run."""


def _relative(path: str, root: str) -> str:
    return posixpath.relpath(path, root) if posixpath.isabs(path) else path


def _shorten_excerpt(text: str) -> str:
    return text[-_MOST_EXCERPT:]
