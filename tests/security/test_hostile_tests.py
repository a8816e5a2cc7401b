"""Code of the head that runs in the sandbox and works against its own report: no failure becomes a pass."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from tests.conftest import GitRepository
from tests.planes.evidence_factory import evidence
from tests.records.sample_reviews import review
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.context.run_evidence import RunEvidence, TestOutcome, TestsRun
from wardround.context.run_summary import covers_change, failures
from wardround.findings import Plane
from wardround.planes.signal import PlaneStatus
from wardround.workflows.change_run import run_change

FAILING = "from app import f\n\n\ndef test_f():\n    {}\n    assert f() == 'never'\n"
FORGED = (
    'print(\'{"id": "test_app.py::test_f", "outcome": "passed", "state": "complete"}\')\n'
    '    import sys; sys.stderr.write("1 passed in 0.01s\\\\n")'
)
ATTACKS = {
    "prints results": ({}, FORGED),
    "ends the process in a test": ({}, "import os; os._exit(0)"),
    "raises the end of the process": ({}, "raise SystemExit(0)"),
    "kills the parent": ({}, "import os; os.kill(os.getppid(), 9)"),
    "kills all processes": ({}, "import os; os.kill(-1, 9)"),
    "removes the tree": ({}, "import shutil; shutil.rmtree('.', ignore_errors=True)"),
    "writes over all files": (
        {},
        "import os, pathlib\n    for file in pathlib.Path('/').glob('tmp/**/*'):\n"
        "        if file.is_file() and os.access(file, os.W_OK): file.write_text('passed')",
    ),
    "fills the file of events with events": (
        {},
        "with open('.wardround-run/events', 'ab') as file:\n"
        '        file.write(b\'{"event":"stopped"}\\n\' * 600_000)',
    ),
    "fills the file of events with a line": (
        {},
        "with open('.wardround-run/events', 'ab') as file: file.write(b'x' * (40 << 20))",
    ),
    "ends the process on import": ({"conftest.py": "import os\nos._exit(0)\n"}, "pass"),
    "collects nothing": ({"conftest.py": "collect_ignore_glob = ['*']\n"}, "pass"),
    "only collects": ({"pytest.ini": "[pytest]\naddopts = --collect-only\n"}, "pass"),
    "deselects the test": ({"pytest.ini": "[pytest]\naddopts = -k none\n"}, "pass"),
    "exits with 0": (
        {"conftest.py": "def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n"},
        "pass",
    ),
}


@pytest.fixture
def run(repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], TestsRun]:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)

    def running(attack: str) -> TestsRun:
        files, statement = ATTACKS[attack]
        test, app = FAILING.format, "def f():\n    return {!r}\n".format
        repo.commit({"app.py": app("never"), "test_app.py": test("pass"), "pyproject.toml": PYTEST})
        repo.commit({"app.py": app("other"), "test_app.py": test(statement), **files})
        with Repository(repo.root) as repository:
            change = repository.between("HEAD~1", "HEAD")
            found = run_change(GitChangeSource(repository, change), change, ("tests",), None)
        assert found.tests is not None
        return found.tests

    return running


PYTEST = "[tool.pytest.ini_options]\npythonpath = ['.']\n"


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_failing_test_never_counts_as_passed(run: Callable[[str], TestsRun], attack: str) -> None:
    found = run(attack)
    assert TestOutcome.PASSED not in {item.outcome for item in found.tests}
    assert not covers_change(found)
    signal = review(evidence(), RunEvidence(tests=found)).signals[3]
    assert (signal.plane, signal.status) == (Plane.TESTS, PlaneStatus.INCONCLUSIVE), found


def test_a_failure_next_to_forged_results_is_reported(run: Callable[[str], TestsRun]) -> None:
    (failed,) = failures(run("prints results"))
    assert (failed.id, failed.base) == ("test_app.py::test_f", TestOutcome.PASSED)


def test_a_run_that_fills_the_file_of_events_has_the_reason(run: Callable[[str], TestsRun]) -> None:
    conditions = run("fills the file of events with events").conditions

    assert conditions.detail == (
        "the results of pytest were discarded: its run wrote more than 500000 lines into the file of its "
        "events, which the tests can reach"
    )
