"""Our own cases, whose findings are known exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.variants import specialist
from wardround import host
from wardround.checks.base import Check
from wardround.errors import UsageError
from wardround.findings import Span
from wardround.host import PluginHost
from wardround_lab.evaluation.batch import Settings
from wardround_lab.evaluation.regression import (
    FOLDER,
    case_files,
    compare_cases,
    default_folder,
    render,
    update,
)

_ROOT = Path(__file__).parents[3]


def test_the_cases_of_this_repository_are_as_expected() -> None:
    found = compare_cases(case_files(_ROOT / FOLDER), host.load(), Settings())
    assert [item for item in found if item.wrong or item.inconclusive] == [], render(found)


class _Bad(Check):
    """Says that a line is bad."""

    ID = "T001"
    NAME = "bad"

    def run(self) -> None:
        for number, line in enumerate(self.source.lines, 1):
            if "bad" in line:
                self.report(Span(number, 1, number, 2), "bad")


_HOST = PluginHost([specialist("own", ("*.txt",), checks=(_Bad,))])


def _cases(tmp_path: Path, *expected: list[dict[str, Any]]) -> Path:
    diff = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,3 @@\n+good\n+bad\n+bad\n"
    lines = [
        json.dumps({"id": n, "diff": diff, "expected": item, "meta": {"m": 1}})
        for n, item in enumerate(expected)
    ]
    file = tmp_path / "own" / "set.jsonl"
    file.parent.mkdir()
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _place(line: int, **values: str) -> dict[str, Any]:
    return {"file": "a.txt", "line": line, "category": "c", **values}


def test_missing_and_unexpected_findings_are_reported(tmp_path: Path) -> None:
    file = _cases(
        tmp_path,
        [_place(2), _place(3, rule="own/T001", severity="warn")],
        [_place(1), _place(2)],
        [_place(2, rule="own/T009"), _place(3, severity="error")],
    )
    found = compare_cases(case_files(tmp_path), _HOST, Settings())
    assert [item.wrong for item in found] == [False, True, True]
    assert render(found).split("\n") == [
        f"{file}:2 (1)",
        "  missing  a.txt:1 c",
        "  unexpected  a.txt:3 warn own/T001: bad",
        f"{file}:3 (2)",
        "  missing  a.txt:2 own/T009",
        "  missing  a.txt:3 error c",
        "  unexpected  a.txt:2 warn own/T001: bad",
        "  unexpected  a.txt:3 warn own/T001: bad",
        "3 cases, 6 expected findings: 1 as expected, 2 not, 0 inconclusive",
        "",
    ]


def test_an_update_writes_the_findings_and_keeps_the_rest(tmp_path: Path) -> None:
    file = _cases(tmp_path, [_place(2), _place(3)], [_place(1), _place(2, note="kept")])
    before = file.read_text("utf-8").split("\n")
    assert update([file], compare_cases([file], _HOST, Settings())) == [file]
    after = file.read_text("utf-8").split("\n")
    assert after[0] == before[0]
    values = json.loads(after[1])
    assert values["expected"] == [
        _place(2, note="kept"),
        {"file": "a.txt", "line": 3, "category": "bad", "rule": "own/T001", "severity": "warn"},
    ]
    assert values["meta"] == {"m": 1}
    assert [case.wrong for case in compare_cases([file], _HOST, Settings())] == [False, False]


def test_directories_without_cases_and_unknown_profiles_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no case file in it"):
        case_files(tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        case_files(tmp_path / "absent")
    with pytest.raises(UsageError, match="here or above; pass a directory"):
        default_folder(tmp_path)
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"id": 1, "diff": "x", "meta": {"profile": "night"}}), encoding="utf-8")
    with pytest.raises(UsageError, match=r"meta\.profile is 'night'; write commit or ci"):
        compare_cases([file], _HOST, Settings())
