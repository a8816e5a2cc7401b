"""A review whose language model is an exchange of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository

pytestmark = pytest.mark.usefixtures("without_slow_tools")

HEAD = 'x = 1\n\n\ndef limit(values):\n    """Return the first ten."""\n    return values[:11]\n'
CLAIM = {"file": "app.py", "line": 6, "quote": "values[:11]", "severity": "warn",
         "message": "Eleven values are returned.", "kind": "logic"}  # fmt: skip
ANSWERS = [{"question": 1, "answer": "unclear", "quote": "", "message": ""}]
"""To the question about the bound of the slice."""
OPTIONS = ("--profile", "ci", "--base", "HEAD~1")


@pytest.fixture
def change(repo: GitRepository) -> GitRepository:
    repo.commit({"app.py": "x = 1\n"})
    repo.commit({"app.py": HEAD}, "Return the first ten values")
    return repo


def respond(folder: Path, semantic: str, verdict: str = "upheld") -> int:
    """Answer every request without an answer, and return how many there were."""
    open_requests = [item for item in folder.iterdir() if not (item / "answer.json").exists()]
    for request in open_requests:
        prompt = json.loads((request / "request.json").read_text())["prompt"]
        answer = semantic if prompt.startswith("# semantic") else '{"findings": []}'
        if prompt.startswith("# refutation"):
            answer = json.dumps({"claims": [{"claim": 1, "verdict": verdict, "reason": "r", "quote": ""}]})
        (request / "answer.json").write_text(answer)
    return len(open_requests)


def from_model(report: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [
        (f["rule"], f["file"], f["line"]) for f in report["findings"] if f["specialist"] == "language-model"
    ]


def test_a_review_waits_for_answers_and_continues_with_them(change: GitRepository, tmp_path: Path) -> None:
    folder = tmp_path / "exchange"
    first = change.report(*OPTIONS, "--exchange", folder)
    waiting = {s["plane"] for s in first["signals"] if s["status"] == "inconclusive"}
    assert "semantic" in waiting
    assert from_model(first) == []
    text = change.wardround("review", *OPTIONS, "--exchange", folder).stdout
    assert "not answered yet; write answer.json next to" in " ".join(text.split())
    assert respond(folder, f"```json\n{json.dumps({'findings': [CLAIM], 'answers': ANSWERS})}\n```") == 6
    second = change.report(*OPTIONS, "--exchange", folder)
    assert from_model(second) == []
    assert respond(folder, "") == 1
    third = change.report(*OPTIONS, "--exchange", folder)
    assert from_model(third) == [("language-model/semantic", "app.py", 6)]
    assert respond(folder, "") == 0


def test_a_refuted_claim_is_not_a_finding(change: GitRepository, tmp_path: Path) -> None:
    folder = tmp_path / "exchange"
    for _ in range(2):
        change.report(*OPTIONS, "--exchange", folder)
        respond(folder, json.dumps({"findings": [CLAIM], "answers": ANSWERS}), "refuted")
    assert from_model(change.report(*OPTIONS, "--exchange", folder)) == []


def test_answers_are_checked_like_those_of_an_endpoint(change: GitRepository, tmp_path: Path) -> None:
    folder = tmp_path / "exchange"
    for answer in (json.dumps({"findings": [CLAIM | {"quote": "not in the change"}]}), "I approve this."):
        change.report(*OPTIONS, "--exchange", folder)
        respond(folder, answer)
    report = change.report(*OPTIONS, "--exchange", folder)
    assert from_model(report) == []
    (semantic,) = (signal for signal in report["signals"] if signal["plane"] == "semantic")
    assert semantic["status"] == "inconclusive"
    assert any("the answer is not JSON" in reason for reason in semantic["reasons"])


def test_the_exchange_is_in_the_record_and_replays(change: GitRepository, tmp_path: Path) -> None:
    folder, record = tmp_path / "exchange", tmp_path / "r.intoto.jsonl"
    for _ in range(2):
        change.report(*OPTIONS, "--exchange", folder)
        respond(folder, json.dumps({"findings": [CLAIM], "answers": ANSWERS}))
    assert from_model(change.report(*OPTIONS, "--exchange", folder, "--record", record))
    done = change.wardround("replay", record, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_with_tracked_files_is_rejected(change: GitRepository) -> None:
    change.commit({"answers/0123456789abcdef/answer.json": '{"findings": []}'})
    done = change.wardround("review", *OPTIONS, "--exchange", change.root / "answers")
    assert done.returncode == 2
    assert "git tracks files there" in done.stderr


def test_a_configuration_can_name_the_exchange(change: GitRepository, tmp_path: Path) -> None:
    settings = "[language-model]\nmodel = 'exchange'\nprofiles = ['commit']\nplanes = ['semantic']\n"
    change.commit({".wardround.toml": settings})
    change.stage({"app.py": HEAD + "\n\ndef last(values):\n    return values[-2]\n"})
    change.wardround("review", env={"XDG_STATE_HOME": str(tmp_path)})
    (request,) = (tmp_path / "wardround" / "exchange").iterdir()
    assert "values[-2]" in (request / "request.md").read_text()


def test_secrets_are_not_written(change: GitRepository, tmp_path: Path) -> None:
    token = "ghp_" + "Zk4tR9wQx7LmN2pVb8Yc" + "D5fGh1JsUaEoXi"
    change.commit({"app.py": HEAD + f'\nTOKEN = "{token}"\n'})
    change.report(*OPTIONS, "--exchange", tmp_path / "exchange")
    assert list((tmp_path / "exchange").iterdir())
    assert all(token not in file.read_text() for file in (tmp_path / "exchange").glob("*/*"))
