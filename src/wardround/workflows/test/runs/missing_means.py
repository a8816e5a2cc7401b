"""Tests that fail because a run lacks a prerequisite: a socket, a plugin, a compiled module, other files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import msgspec

from wardround.context.run_evidence import RunState, TestOutcome
from wardround.lazy import LazyPattern
from wardround.workflows.test.runs.project_run import ProjectResult, RawResult

_NO_SOCKET = LazyPattern(r"Address family not supported by protocol|EAFNOSUPPORT")
_NO_FILE = LazyPattern(r"ENOENT|No such file or directory|FileNotFoundError|Cannot find module")
_NO_FIXTURE = LazyPattern(r"fixture '(\w{1,60})' not found")
_NO_ASYNC = LazyPattern(r"async def functions are not natively supported")
_NO_GIT = LazyPattern(r"fatal: not a git repository")
_NO_MODULE = LazyPattern(r"No module named '([\w.]{1,200})'")
_NO_NAME = LazyPattern(r"cannot import name '(\w{1,100})' from (?:[a-z ]{1,40})?'([\w.]{1,200})'")
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)
_WITHOUT_SOCKETS = (
    "it opens an internet socket; if it needs one, commit loopback = true in [tool.wardround.sandbox]"
)
_WITHOUT_GIT = "it reads the git repository, and the tree of a run has none; skip it where there is no .git"
_WITHOUT_ASYNC = "the environment has no plugin for asynchronous tests; install pytest-asyncio or anyio in it"
_PLUGINS = {
    "aiohttp_client": "pytest-aiohttp", "benchmark": "pytest-benchmark",
    "data_regression": "pytest-regressions", "datadir": "pytest-datadir", "faker": "Faker",
    "file_regression": "pytest-regressions", "freezer": "pytest-freezer", "fs": "pyfakefs",
    "httpbin": "pytest-httpbin", "httpserver": "pytest-httpserver", "httpx_mock": "pytest-httpx",
    "mocker": "pytest-mock", "qtbot": "pytest-qt", "requests_mock": "requests-mock",
    "respx_mock": "respx", "snapshot": "syrupy", "socket_disabled": "pytest-socket",
    "subtests": "pytest-subtests",
}  # fmt: skip
"""Fixtures, and the packages that provide them."""
_COMPILED = (".c", ".cc", ".cpp", ".cxx", ".f90", ".pyx", ".rs", "module.c")


class RunMeans(msgspec.Struct, frozen=True):
    """The means of the tests of a run.

    Attributes:
        has_loopback: internet sockets, on an interface of the run.
        submodules: returns the paths of submodules, whose files no run has.
        paths: returns the paths of the files of the tree.
    """

    has_loopback: bool
    submodules: Callable[[], Sequence[str]]
    paths: Callable[[], Collection[str]]


def explain_missing_means(result: ProjectResult, means: RunMeans) -> ProjectResult:
    """Return the result of a run with the reason of failures that state a missing prerequisite.

    A test that failed for lack of a socket, a package or the like was not run, as the configuration or the
    environment can have it. A failure for lack of a submodule remains one: it is the same before the change.
    """
    lacking: dict[str, RawResult] = {}
    uncollected: dict[str, RawResult] = {}
    for test, raw in result.results.items():
        without = _explain_missing_prerequisite(raw, means) if raw.outcome in _FAILURES else None
        if without is not None:
            lacking[test] = without
        advice = _advice(raw.detail, means) if raw.outcome is TestOutcome.NOT_RUN else ""
        if advice:
            uncollected[test] = msgspec.structs.replace(raw, detail=f"{raw.detail}; {advice}")
    if lacking or uncollected:
        result = msgspec.structs.replace(result, results={**result.results, **lacking, **uncollected})
    return _partial(result, [raw for raw in lacking.values() if raw.outcome is TestOutcome.NOT_RUN])


def _partial(result: ProjectResult, not_run: Sequence[RawResult]) -> ProjectResult:
    """Return the result as one of a part of the tests, if some were not run."""
    if not not_run:
        return result
    detail = result.detail or f"{_count_phrase(not_run)} not run: {not_run[0].detail}"
    return msgspec.structs.replace(result, state=RunState.PARTIAL, detail=detail)


def _count_phrase(tests: Sequence[RawResult]) -> str:
    return "1 test was" if len(tests) == 1 else f"{len(tests)} tests were"


def _explain_missing_prerequisite(item: RawResult, means: RunMeans) -> RawResult | None:
    """Return a failed test with its missing prerequisite; None if its failure does not state that."""
    reason = _reason(item.excerpt, means)
    if reason:
        return msgspec.structs.replace(item, outcome=TestOutcome.NOT_RUN, detail=reason)
    if _NO_FILE.search(item.excerpt):
        for path in means.submodules():
            if path in item.excerpt:
                detail = f"it reads the submodule {path}, whose files are not in the tree of a run"
                return msgspec.structs.replace(item, detail=detail)
    return None


def _reason(excerpt: str, means: RunMeans) -> str:
    """Return the reason why a failed test could not run; empty if its failure states none."""
    if not means.has_loopback and _NO_SOCKET.search(excerpt):
        return _WITHOUT_SOCKETS
    if _NO_GIT.search(excerpt):
        return _WITHOUT_GIT
    if _NO_ASYNC.search(excerpt):
        return _WITHOUT_ASYNC
    fixture = _NO_FIXTURE.search(excerpt)
    if fixture and fixture[1] in _PLUGINS:
        return f"the environment has no fixture {fixture[1]}; install {_PLUGINS[fixture[1]]} in it"
    module = _missing_module(excerpt)
    return _not_built(module, means.paths()) if module else ""


def _missing_module(text: str) -> str:
    """Return the module that an import error names; empty for other messages."""
    name = _NO_NAME.search(text)
    if name:
        return f"{name[2]}.{name[1]}"
    module = _NO_MODULE.search(text)
    return module[1] if module else ""


def _not_built(module: str, paths: Collection[str]) -> str:
    """Return the reason for which a compiled module of the project is missing; empty for any other module."""
    names = tuple(f"/{module.replace('.', '/')}{suffix}" for suffix in _COMPILED)
    source = next((path for path in sorted(paths) if f"/{path}".endswith(names)), "")
    if not source:
        return ""
    return f"the module {module} is compiled from {source} and was not built; build it in the work tree"


def _advice(detail: str, means: RunMeans) -> str:
    """Return advice about tests that could not be collected because of a missing module; empty for others."""
    module = _missing_module(detail)
    if not module or "; " in detail:
        return ""
    paths = means.paths()
    if built := _not_built(module, paths):
        return built
    if _NO_NAME.search(detail):
        return ""
    top = module.partition(".")[0]
    is_own = any(f"/{path}".rpartition(f"/{top}")[2][:1] in ("/", ".") for path in paths if top in path)
    return "" if is_own else "install it in the environment of the project"
