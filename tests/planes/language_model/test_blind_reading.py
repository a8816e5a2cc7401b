"""The measurement on commits with later repairs counts the answered changes, the repairs and the verdicts."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evals import blind_reading

Run = Callable[..., list[str]]

_CHANGES = """\
- id: c01
  repository: shop/orders
  commit: "1111111111111111111111111111111111111111"
  defects:
  - {file: app.py, line: 3, fix: "2", sentence: "The tax is left out."}
  - {file: app.py, line: 9, fix: "3", sentence: "The rate is read twice."}
- {id: c02, repository: shop/rates, commit: "4444444444444444444444444444444444444444"}
- id: c03
  repository: shop/rates
  commit: "5555555555555555555555555555555555555555"
  defects:
  - {file: app.py, line: 1, fix: "6", sentence: "No reader answered the requests of this change."}
"""
_FINDING = {"rule": "language-model/semantic", "plane": "semantic", "file": "app.py", "severity": "warn"}
_FOUND = _FINDING | {"line": 3, "message": "no tax", "claim": {"quote": "total = price"}}
_LINTED = _FOUND | {"rule": "ruff/F841", "message": "unused"}
_DROPPED = {"file": "app.py", "severity": "warn", "quote": "rate = read()", "line": 9}
_REFUTED = _DROPPED | {
    "message": "read twice", "reason": "refuted", "second_pass": {"verdict": "refuted"},
}  # fmt: skip
_ELSEWHERE = _DROPPED | {"message": "quotes no line", "reason": "quote not found"}
_UNANSWERED = {"plane": "perf", "problems": ["not answered yet"], "dropped": []}


@pytest.fixture
def measurement(tmp_path: Path) -> Path:
    """Return the folder of a measurement of three changes; the last one has no answer."""
    (tmp_path / "changes.yml").write_text(_CHANGES, "utf-8")
    semantic = {"plane": "semantic", "problems": [], "dropped": [_REFUTED, _ELSEWHERE]}
    _write_change(tmp_path, "c01", {"findings": [_FOUND, _LINTED], "language_model": [semantic]})
    _write_change(tmp_path, "c02", {"findings": [], "language_model": [_UNANSWERED]})
    _write_change(tmp_path, "c03", {"findings": [], "language_model": [_UNANSWERED]})
    for name in ("c01", "c02"):
        (tmp_path / "exchange" / "functions" / name / "first" / "answer.json").write_text("{}", "utf-8")
    return tmp_path


def _write_change(out: Path, name: str, report: Mapping[str, Any]) -> None:
    requests = {"first": {}, "second": {"aspect": "semantic"}}
    for folder, given in requests.items():
        place = out / "exchange" / "functions" / name / folder
        place.mkdir(parents=True)
        request = {"prompt": "# perf, version 5\n\nReview.", "input": given}
        (place / "request.json").write_text(json.dumps(request), "utf-8")
    (out / "reports" / "functions").mkdir(parents=True, exist_ok=True)
    (out / "reports" / "functions" / f"{name}.json").write_text(json.dumps(report), "utf-8")


@pytest.fixture
def run(measurement: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command, and returns the printed lines."""

    def run_command(*arguments: str) -> list[str]:
        folders = ["--out", str(measurement), "--changes", str(measurement / "changes.yml")]
        monkeypatch.setattr(sys, "argv", ["blind_reading.py", *arguments, *folders])
        blind_reading.main()
        return [line.strip() for line in capsys.readouterr().out.splitlines()]

    return run_command


def _judge(measurement: Path, run: Run) -> str:
    """Judge all claims but the last one worth raising; each states the defect of its line."""
    run("claims")
    claims = [json.loads(line) for line in (measurement / "claims.jsonl").read_text("utf-8").splitlines()]
    for claim in claims:
        claim |= {"verdict": "worth", "meets": ["c01.1" if claim["line"] == 3 else "c01.2"], "why": "read"}
    file = measurement / "judged.jsonl"
    file.write_text("".join(json.dumps(claim) + "\n" for claim in claims), "utf-8")
    return str(file)


def test_a_judge_reads_the_claims_of_the_first_pass_without_their_outcome(
    measurement: Path, run: Run
) -> None:
    run("claims")
    text = (measurement / "claims.jsonl").read_text("utf-8")
    claims = [json.loads(line) for line in text.splitlines()]
    assert sorted((claim["id"], claim["line"], claim["message"]) for claim in claims) == [
        ("c01", 3, "no tax"),
        ("c01", 9, "read twice"),
    ]
    assert "refuted" not in text


def test_repairs_are_counted_in_the_answered_changes_only(measurement: Path, run: Run) -> None:
    lines = run("report", "--judged", _judge(measurement, run))
    assert "functions: 2 answered changes of 2 repositories" in lines
    assert "2 claims judged, 0 not judged; 1 planes without a complete answer" in lines
    assert any(line.startswith("later repairs met, first pass, all: 2 of 2") for line in lines)
    assert any(line.startswith("later repairs met, after the second pass, all: 1 of 2") for line in lines)
    assert "missed: c01.2" in lines


def test_worth_claims_that_the_second_pass_refutes_are_counted(measurement: Path, run: Run) -> None:
    lines = run("report", "--judged", _judge(measurement, run))
    assert any(line.startswith("worth claims that the second pass removes: 1 of 2, 0.50") for line in lines)
    assert "wrong claims that the second pass removes: 0 of 0" in lines


def test_a_claim_without_a_verdict_is_reported_as_not_judged(measurement: Path, run: Run) -> None:
    (measurement / "none.jsonl").write_text("", "utf-8")
    lines = run("report", "--judged", str(measurement / "none.jsonl"))
    assert any(line.startswith("0 claims judged, 2 not judged") for line in lines)


def test_open_requests_are_listed_by_plane_and_pass(run: Run) -> None:
    assert run("open")[-1] == "4 requests without an answer"
    assert run("open", "--pass", "first", "--plane", "perf")[-1] == "1 requests without an answer"
    assert run("open", "--pass", "first", "--plane", "semantic")[-1] == "0 requests without an answer"


def test_a_change_is_reviewed_again_once_it_has_a_new_answer(measurement: Path, run: Run) -> None:
    report = measurement / "reports" / "functions" / "c01.json"
    requests = ("requests", "--clones", str(measurement / "clones"), "--id", "c01")
    answer = measurement / "exchange" / "functions" / "c01" / "first" / "answer.json"
    os.utime(answer, (1, 1))
    os.utime(report, (2, 2))
    assert run(*requests) == ["functions c01: no new answers"]
    os.utime(answer, (3, 3))
    (line,) = run(*requests)
    assert line.startswith("functions c01: no clone of shop/orders")


def test_an_unknown_id_is_an_error(measurement: Path, run: Run) -> None:
    with pytest.raises(SystemExit, match=r"c99: not in changes\.yml"):
        run("requests", "--clones", str(measurement), "--id", "c99")


def test_each_change_of_the_list_is_a_commit_with_own_id() -> None:
    changes = blind_reading.listed_changes(blind_reading.CHANGES)
    assert len({change.id for change in changes}) == len(changes) > 0
    assert all(len(change.commit) == 40 for change in changes)
    assert all(len(defect.fix) == 40 for change in changes for defect in change.defects)
