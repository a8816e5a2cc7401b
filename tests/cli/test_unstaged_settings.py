"""Settings that are modified and not staged: the staged ones count, and one line reports that."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import GitRepository

BAD = "import os\n"


def line(name: str) -> str:
    return (
        f"wardround: reviewed with the staged {name}, which differs from the work tree; "
        f"git add {name} to use what is there\n"
    )


@pytest.fixture
def changed(repo: GitRepository) -> GitRepository:
    repo.commit({"pyproject.toml": '[project]\nname = "x"\n', "README": "x\n"})
    repo.stage({"pkg/a.py": BAD})
    return repo


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".wardround.toml", 'fail-level = "warn"\n'),
        ("pkg/.wardround.toml", '[rules]\n"ruff/F401" = "off"\n'),
        ("pyproject.toml", '[tool.wardround]\nfail-level = "warn"\n'),
        (".wardround-baseline.json", '{"schema": "wardround.baseline/1", "findings": []}'),
        (".wardround-dismissals.json", '{"schema": "wardround.dismissals/1", "dismissed": []}'),
        (".wardround.toml", "no TOML"),
    ],
)
def test_one_line_names_the_file(changed: GitRepository, name: str, text: str) -> None:
    changed.write(name, text)
    for command in ("review", "hook"):
        done = changed.wardround(command)
        assert (done.returncode, done.stderr) == (0, line(name))


def test_staged_it_counts_and_nothing_is_printed(changed: GitRepository) -> None:
    changed.stage({".wardround.toml": 'fail-level = "warn"\n'})
    done = changed.wardround("review")
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project]\nname = "y"\n'), ("other/.wardround.toml", "fold = true\n"),
        ("pkg/b.py", BAD), ("pyproject.toml", '[project]\r\nname = "x"\r\n'),
    ],
)  # fmt: skip
def test_what_reports_wardround_the_same_is_not_named(changed: GitRepository, name: str, text: str) -> None:
    changed.write(name, text)
    assert changed.wardround("review").stderr == ""


def test_another_change_reads_other_settings(changed: GitRepository) -> None:
    changed.write(".wardround.toml", 'fail-level = "warn"\n')
    assert changed.wardround("review", "--config-from", "base").stderr == ""
    assert changed.wardround("review", "--worktree").stderr == ""


def test_no_report_for_a_machine_depends_on_it(changed: GitRepository) -> None:
    before = changed.report()
    changed.write(".wardround.toml", 'fail-level = "warn"\n')
    after = changed.report()
    for report in (before, after):
        del report["timings"], report["runs"]
    assert json.dumps(before) == json.dumps(after)


def test_baseline_and_dismissals_state_that_they_are_to_be_staged(changed: GitRepository) -> None:
    changed.wardround("review")
    first = changed.wardround("dismiss", "--shown").stdout.split(" ")[0]
    dismissed = changed.wardround("dismiss", first, "--reason", "kept").stdout
    assert (
        "; git add .wardround-dismissals.json and commit it: reviews read the staged version\n" in dismissed
    )
    written = changed.wardround("baseline", "write").stdout
    assert "; git add .wardround-baseline.json and commit it: reviews read the staged version\n" in written
    assert ".wardround-baseline.json, .wardround-dismissals.json" in changed.wardround("review").stderr
    changed.git("add", "--all")
    done = changed.wardround("review")
    assert "1 suppressed" in done.stdout
    assert done.stderr == ""
