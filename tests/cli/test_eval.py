"""``wardround eval`` as a user meets it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wardround.cli.commands import invoke

_WARDROUND = [sys.executable, "-m", "wardround"]


def _run(tmp_path: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*_WARDROUND, "eval", *map(str, arguments)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def _case(name: str, line: str = "def f(xs=[]): ...", **values: Any) -> str:
    diff = f"--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+{line}\n"
    expected = [{"file": "a.py", "line": 1, "category": "mutable"}]
    return json.dumps({"id": name, "diff": diff, "expected": expected, **values})


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Three cases: one found, one missed, one clean."""
    file = tmp_path / "set.jsonl"
    lines = [
        _case("found"),
        _case("missed", "x = 1"),
        _case("clean", "y = 2", expected=[], meta={"kind": "k"}),
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_cases_are_counted_and_written_in_every_format(tmp_path: Path, cases: Path) -> None:
    done = _run(tmp_path, "cases", cases, "--only", "python", "--set-key", "kind", "--format", "text",
                "--format", "json=r.json", "--format", "html=r.html")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{cases}: 3 cases, 2 with defects, 1 clean, 3 added lines" in done.stdout
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert [item["set"] for item in report["sets"]] == ["k", "set"]
    assert report["total"]["recall"]["exact"]["value"] == 0.5
    assert report["categories"][0]["answered_by_rule"] == {"ruff/B006": 1}
    assert "<svg" in (tmp_path / "r.html").read_text("utf-8")


def test_a_second_run_goes_on_from_the_results(
    tmp_path: Path, cases: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    retained = tmp_path / "kept.jsonl"
    command = [
        "eval",
        "cases",
        str(cases),
        "--only",
        "python",
        "--format",
        "json",
        "--results",
        str(retained),
    ]
    assert invoke([*command, "--limit", "1"]) == 0
    with retained.open("ab") as file:
        file.write(b'{"key":"half')
    capfd.readouterr()
    assert invoke(command) == 0
    second = capfd.readouterr()
    assert second.err == f"{cases}: 1 of 3 cases were reviewed before\n"
    assert json.loads(second.out)["total"]["cases"] == 3
    assert invoke(command) == 0
    third = capfd.readouterr()
    assert third.err == f"{cases}: 3 of 3 cases were reviewed before\n"
    assert _without_seconds(third.out) == _without_seconds(second.out)


def _without_seconds(text: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text)
    report.pop("seconds")
    return report


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("cases", "absent.jsonl"),
            "absent.jsonl: No such file or directory; pass a file with one case per line",
        ),
        (("cases", "."), ".: Is a directory"),
        (
            ("cases", "set.jsonl", "--format", "pdf"),
            "--format pdf: unknown format; choose from text, json, html",
        ),
        (
            ("cases", "set.jsonl", "--format", "html=no/r.html"),
            "the folder no does not exist; create it first",
        ),
        (("cases", "set.jsonl", "--only", "nobody"), "unknown specialist 'nobody'"),
        (("cases", "set.jsonl", "--results", "set.jsonl"), "--results set.jsonl:1: this is not an outcome"),
        (("cases", "set.jsonl", "--results", "notes"), "--results notes: this is not a file of outcomes"),
        (("cases",), "Missing argument 'FILE...'"),
        (("regression", "absent"), "absent: no such folder"),
        (("regression",), "there is no evals/reviewer_regression here or above"),
    ],
)
def test_mistakes_are_one_sentence_and_status_2(
    tmp_path: Path, cases: Path, arguments: tuple[str, ...], says: str
) -> None:
    (tmp_path / "notes").write_text("not to be lost", encoding="utf-8")
    done = _run(tmp_path, *arguments)
    assert done.returncode == 2
    assert (tmp_path / "notes").read_text("utf-8") == "not to be lost"
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_regression_reports_what_is_not_as_expected(tmp_path: Path, cases: Path) -> None:
    done = _run(tmp_path, "regression", cases)
    assert done.returncode == 1
    assert "  missing  a.py:1 mutable\n" in done.stdout
    assert done.stdout.endswith("3 cases, 2 expected findings: 2 as expected, 1 not, 0 inconclusive\n")
    assert _run(tmp_path, "regression", cases, "--update").returncode == 1
    assert _run(tmp_path, "regression", cases).returncode == 0


def test_the_number_of_processes_changes_no_outcome(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    lines = ("def f(xs=[]): ...", "x = 1", "import os")
    file.write_text("\n".join(_case(str(n), lines[n % 3]) for n in range(120)), encoding="utf-8")
    found = []
    for jobs in ("1", "2"):
        done = _run(tmp_path, "cases", file, "--only", "python", "--jobs", jobs, "--results", f"{jobs}.jsonl",
                    "--format", f"json={jobs}.json")  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        report = json.loads((tmp_path / f"{jobs}.json").read_text("utf-8"))
        retained = [
            json.loads(line)["outcome"] for line in (tmp_path / f"{jobs}.jsonl").read_text().splitlines()
        ]
        found.append(
            (
                [item["rule"] for item in report["rules"]],
                sorted((item["id"], len(item["said"])) for item in retained),
            )
        )
    assert found[0] == found[1]
    assert len(found[0][1]) == 120


def test_an_interruption_leaves_no_traceback_and_reports_how_far_it_came(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join(_case(str(n)) for n in range(3000)), encoding="utf-8")
    results = tmp_path / "kept.jsonl"
    command = [*_WARDROUND, "eval", "cases", str(file), "--only", "python", "--results", str(results)]
    running = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and not (results.exists() and results.stat().st_size):
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in err
    reported = re.search(r"interrupted after (\d+) of 3000 cases; the same command goes on from there", err)
    assert reported is not None
    assert f"interrupted: {reported[1]} of 3000 cases were reviewed" in out
    retained = len(results.read_bytes().split(b"\n")) - 1
    assert retained - int(reported[1]) in (0, 1)  # the signal may come right behind the writing of one
