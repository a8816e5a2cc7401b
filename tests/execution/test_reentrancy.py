"""Reviews in threads of one process: several at once, without forks, signals or process-wide settings."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest

import wardround
from tests.conftest import GitRepository
from tests.variants import specialist, variant
from wardround import host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.checks.base import Check
from wardround.config.request import ReviewRequest
from wardround.execution.file_checks import CANCELLED
from wardround.execution.resources import Resources
from wardround.findings import RawFinding, Span
from wardround.host import PluginHost
from wardround.policy.gate import GateOutcome
from wardround.reports.json import as_dict
from wardround.review import review_once
from wardround.review_result import ReviewResult
from wardround.storage.result_cache import ResultCache
from wardround.tools.process import Processes
from wardround.tools.tool import Invocation, Tool

_ROUNDS = 3
_SHOP: Mapping[str, tuple[str, str]] = {
    "app/orders.py": (
        "def total(prices):\n    return sum(prices)\n",
        "import subprocess\n\n\ndef total(prices, seen=[]):\n    subprocess.run(prices, shell=True)\n"
        "    return sum(prises)\n",
    ),
    "web/Orders.tsx": (
        "export const Orders = () => null;\n",
        "export function Orders({ html }) {\n  return <p dangerouslySetInnerHTML={{ __html: html }} />;\n}\n",
    ),
    "db/0001.sql": ("SELECT 1;\n", "DELETE FROM orders;\nSELECT * FROM orders WHERE id = NULL;\n"),
    "Dockerfile": ("FROM alpine:3.20\n", "FROM alpine\nRUN curl http://example.org | sh\n"),
    "tests/test_orders.py": ("def test_a():\n    assert 1 + 1 == 2\n", "def test_a():\n    assert True\n"),
}
_BLOG: Mapping[str, tuple[str, str]] = {
    "app/orders.py": (
        "def title(post):\n    return post\n",
        "import pickle\n\n\ndef title(post):\n    if post is 'x':\n        return pickle.loads(post)\n",
    ),
    "web/Orders.tsx": (
        "export const Orders = () => null;\n",
        "export const Orders = (items) => items.map((i) => <li>{i == null ? eval(i.code) : i.name}</li>);\n",
    ),
    "db/0001.sql": (
        "SELECT 1;\n",
        "ALTER TABLE posts ADD COLUMN slug text NOT NULL;\nUPDATE posts SET a = 1;\n",
    ),
    "Dockerfile": ("FROM alpine:3.20\n", "FROM debian:latest\nADD . /\nUSER root\n"),
    "tests/test_orders.py": ("def test_b():\n    assert 2 == 2\n", "def test_b():\n    pass\n"),
}


@pytest.fixture
def uncached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep no results, so that every review checks every file."""
    monkeypatch.setattr(ResultCache, "open", classmethod(lambda cls: cls(None)))


@pytest.fixture
def unforked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail on calls that only work once, or only in the main thread of a process."""

    def refuse(*arguments: object) -> NoReturn:
        raise AssertionError("a review in a thread changes its process")

    for module, name in (
        (os, "fork"),
        (os, "_exit"),
        (os, "chdir"),
        (signal, "signal"),
        (signal, "setitimer"),
    ):
        monkeypatch.setattr(module, name, refuse)


@pytest.fixture
def repositories(tmp_path: Path, repo: GitRepository) -> tuple[GitRepository, GitRepository]:
    """Two repositories with different changes to the same paths."""
    blog = GitRepository(tmp_path / "blog")
    blog.root.mkdir()
    blog.git("init", "-q")
    for repository, files in ((repo, _SHOP), (blog, _BLOG)):
        repository.commit({path: before for path, (before, _) in files.items()})
        repository.stage({path: after for path, (_, after) in files.items()})
    return repo, blog


def _review(root: Path, loaded: PluginHost, processes: Processes | None = None) -> ReviewResult:
    with Repository(root) as repository:
        change = repository.staged_change()
        source = GitChangeSource(repository, change)
        return review_once(source, loaded, ReviewRequest(), Resources(processes or Processes()))


def _report(result: ReviewResult) -> dict[str, Any]:
    """The report without what differs between two runs of the same change."""
    report = dict(as_dict(result))
    del report["timings"]
    report["runs"] = [{**run, "seconds": 0} for run in report["runs"]]
    return report


@pytest.mark.usefixtures("uncached", "unforked")
def test_two_reviews_at_the_same_time_report_what_each_reports_alone(
    repositories: tuple[GitRepository, GitRepository],
) -> None:
    loaded = host.load()
    alone = [_report(_review(repository.root, loaded)) for repository in repositories]
    assert all(report["findings"] for report in alone)
    with ThreadPoolExecutor(2) as pool:
        for _ in range(_ROUNDS):
            together = pool.map(lambda repository: _report(_review(repository.root, loaded)), repositories)
            assert list(together) == alone


@pytest.mark.usefixtures("uncached", "unforked")
def test_a_review_runs_in_an_executor_of_an_event_loop(
    repositories: tuple[GitRepository, GitRepository],
) -> None:
    root, loaded = repositories[0].root, host.load()

    async def reviewed() -> ReviewResult:
        return await asyncio.get_running_loop().run_in_executor(None, _review, root, loaded)

    loop = asyncio.new_event_loop()  # asyncio.run sets a signal handler
    try:
        result = loop.run_until_complete(reviewed())
    finally:
        loop.close()
    assert _report(result) == _report(_review(root, loaded))


class _Waiting(Check):
    """Waits until it is released. So it can be interrupted."""

    ID, NAME = "ACME001", "waiting"
    started = threading.Event()
    released = threading.Event()

    def run(self) -> None:
        self.started.set()
        self.released.wait(30)
        self.report(Span(1, 1, 1, 2), "waited")


def _run_in_thread(work: Callable[[], ReviewResult]) -> tuple[threading.Thread, list[ReviewResult]]:
    results: list[ReviewResult] = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    return thread, results


@pytest.mark.usefixtures("unforked")
def test_a_review_in_a_thread_can_be_cancelled(repo: GitRepository) -> None:
    repo.stage({"a.acme": "a\n", "b.acme": "b\n"})
    acme = specialist(name="acme", patterns=("*.acme",), checks=(_Waiting,))
    processes = Processes()
    thread, results = _run_in_thread(lambda: _review(repo.root, PluginHost([acme]), processes))
    assert _Waiting.started.wait(30)
    processes.stop()
    _Waiting.released.set()
    thread.join(30)
    (result,) = results
    assert result.gate.outcome is GateOutcome.INCONCLUSIVE
    assert [(u.file, u.reason) for u in result.unreviewed] == [("b.acme", CANCELLED)]


class _Sleeper(Tool):
    """A tool that does not end by itself."""

    name = "sleeper"
    program = "sh"
    success_codes = frozenset({0})
    install = ""

    def command(self, run: Invocation) -> list[str]:
        return [str(run.program), "-c", "sleep 600"]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        return []


@pytest.fixture
def sleeping(repo: GitRepository) -> Callable[[float], PluginHost]:
    """A host whose only tool does not end by itself, by its timeout."""
    repo.stage({"a.acme": "a\n"})
    return lambda timeout_s: PluginHost(
        [specialist(name="acme", patterns=("*.acme",), tools=(variant(_Sleeper(), timeout_s=timeout_s),))]
    )


@pytest.mark.usefixtures("unforked")
@pytest.mark.parametrize(
    ("timeout_s", "reason"),
    [(0.5, "timed out after 0.5 s"), (600.0, "sh was stopped, because the review was interrupted")],
    ids=["time-out", "cancelled"],
)
def test_a_tool_of_a_review_in_a_thread_is_ended(
    repo: GitRepository, sleeping: Callable[[float], PluginHost], timeout_s: float, reason: str
) -> None:
    processes = Processes()
    thread, results = _run_in_thread(lambda: _review(repo.root, sleeping(timeout_s), processes))
    if timeout_s > 1:
        _wait_until(lambda: bool(processes.running))
        processes.stop()
    thread.join(30)
    (result,) = results
    assert [u.reason for u in result.unreviewed] == [reason]
    assert not processes.running


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)


_PROCESS_WIDE = re.compile(
    r"\b(?:os\.(?:fork|_exit|chdir|umask|execve)|signal\.(?:signal|setitimer|alarm)|gc\.\w+"
    r"|sys\.set\w+|resource\.setrlimit)\("
)


_OWN_PROCESSES = {
    "sandbox/confinement",
    "workflows/wardround_in_sandbox/behaviour",
    "workflows/wardround_in_sandbox/builds",
    "workflows/wardround_in_sandbox/candidates",
    "workflows/wardround_in_sandbox/mutants",
    "workflows/wardround_in_sandbox/sessions",
}
"""Folders of programs that run as separate processes."""


def test_only_the_process_of_the_command_line_and_its_forks_have_process_wide_state() -> None:
    package = Path(wardround.__file__).parent
    users = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if _PROCESS_WIDE.search(file.read_text("utf-8"))
        and str(file.relative_to(package).parent) not in _OWN_PROCESSES
    }
    assert users == {
        "cli/process.py",
        "execution/fork_pool.py",
        "records/trial.py",
        "sandbox/process_control.py",  # in a forked child, before it starts a program
        "sandbox/unconfined.py",
    }
