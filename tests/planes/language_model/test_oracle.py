"""The measurement that returns comments as answers of a model counts what becomes of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evals import oracle, oracle_model
from tests.conftest import GitRepository

_BEFORE = '''\
"""Orders."""


def total(prices: list[int], rate: int) -> int:
    """Return the price of an order with tax."""
    result = 0
    for price in prices:
        if price < 0:
            continue
        if price > 1000:
            result += 1000
        else:
            result += price
    audit(result)
    return result * rate
'''
_AFTER = _BEFORE.replace("    audit(result)\n", "").replace("result * rate", "result // rate")
_OTHER = '"""Rates."""\n\nRATE = 3\n'
_DIVISION = {"path": "app.py", "line": 14, "needs": [["head", "app.py", 4, 14]]}
_AUDIT = {"path": "app.py", "line": 14, "side": "base", "needs": [["base", "app.py", 14, 14]]}
_RATE = {"path": "app.py", "line": 14, "needs": [["head", "app.py", 14, 14], ["head", "rates.py", 3, 3]]}


def _case(repo: GitRepository, tmp_path: Path, *comments: Mapping[str, Any]) -> list[str]:
    """Commit a change, and return the arguments that measure these comments on it."""
    base = repo.commit({"app.py": _BEFORE, "rates.py": _OTHER})
    head = repo.commit({"app.py": _AFTER})
    written = [comment | {"needs": [_needed(*need) for need in comment["needs"]]} for comment in comments]
    case = {"repository": "shop/orders", "base": base, "head": head, "comments": written}
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case) + "\n", "utf-8")
    (tmp_path / "clones").mkdir()
    (tmp_path / "clones" / "shop+orders").symlink_to(repo.root)
    return [str(file), "--clones", str(tmp_path / "clones")]


def _needed(side: str, path: str, first: int, last: int) -> dict[str, Any]:
    return {"side": side, "path": path, "first": first, "last": last}


def _measured(
    arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[str]]:
    """Run the measurement, and return its exit status and the words of each printed line."""
    monkeypatch.setattr(sys, "argv", ["oracle", *arguments])
    with pytest.raises(SystemExit) as ended:
        oracle.main()
    assert isinstance(ended.value.code, int), ended.value.code
    return ended.value.code, [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_comments_are_findings_at_their_lines_and_answerable_if_their_lines_are_sent(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = _case(repo, tmp_path, _DIVISION, _AUDIT, _RATE)
    status, printed = _measured([*arguments, "--context", "hunks", "functions"], monkeypatch, capsys)
    assert printed[:5] == [
        "3 comments on 1 changes of 1 repositories; not measured: 0",
        "hunks answerable 1 of 3 0.33 [0.06, 0.79]",
        "1 other code of a changed file",
        "1 code of another file",
        "hunks right line 3 of 3 1.00 [0.44, 1.00]",
    ]
    assert printed[5:8] == [
        "functions answerable 2 of 3 0.67 [0.21, 0.94]",
        "1 code of another file",
        "functions right line 3 of 3 1.00 [0.44, 1.00]",
    ]
    assert status == 0


def test_malformed_refuted_and_injected_claims_are_returned_and_become_no_findings(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = _case(repo, tmp_path, _DIVISION)
    status, printed = _measured([*arguments, "--context", "functions"], monkeypatch, capsys)
    counts = [line.split() for line in printed[-3:]]
    assert [(words[0], words[-3]) for words in counts] == [
        ("malformed:", "0"), ("refuted:", "0"), ("injected:", "0"),
    ]  # fmt: skip
    assert all(int(words[1]) >= 6 for words in counts), printed
    assert status == 0


def test_a_hostile_claim_that_is_upheld_is_counted_and_fails_the_measurement(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(oracle_model, "REMARK", "")
    arguments = _case(repo, tmp_path, _DIVISION)
    status, printed = _measured([*arguments, "--context", "functions"], monkeypatch, capsys)
    refuted = printed[-2].split()
    assert refuted[0] == "refuted:"
    assert int(refuted[-3]) > 0
    assert status == 1


def test_comments_without_their_commits_are_counted_and_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {"repository": "shop/orders", "base": "0" * 40, "head": "1" * 40}
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case | {"comments": [{"path": "app.py", "line": 1}]}) + "\n", "utf-8")
    status, printed = _measured([str(file), "--clones", str(tmp_path)], monkeypatch, capsys)
    assert printed[0] == "0 comments on 0 changes of 0 repositories; not measured: 1"
    assert status == 0
