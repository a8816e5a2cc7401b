"""Narrow questions in a review of a real repository, from the change to the report and its record."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_language_model import ENV, configuration, findings
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import (
    NOTHING,
    Behaviour,
    Endpoint,
    Received,
    answers,
    by_plane,
    endpoint,
    verdicts,
)

pytestmark = pytest.mark.usefixtures("without_slow_tools")

BEFORE = '''import requests


def rates():
    """Return the rates of today."""
    answer = requests.get("https://rates.example.org", timeout=5)
    answer.raise_for_status()
    return answer.json()
'''
AFTER = '''import requests


def rates():
    """Return the rates of today."""
    try:
        answer = requests.get("https://rates.example.org", timeout=5)
        answer.raise_for_status()
    except Exception:
        return {}
    return answer.json()
'''


@pytest.fixture
def change(repo: GitRepository) -> GitRepository:
    """A repository whose next commit hides errors."""
    repo.commit({"rates.py": BEFORE})
    return repo


def review(repo: GitRepository, server: Endpoint, *arguments: str | Path) -> dict[str, Any]:
    repo.commit({".wardround.toml": configuration(server)})
    repo.commit({"rates.py": AFTER}, "Return no rates without an answer")
    return repo.report("--profile", "ci", "--base", "HEAD~1", *arguments, env=ENV)


def reading(request: Received, connection: socket.socket) -> None:
    """Answer that errors are hidden, and no to every other question."""
    found = [
        {
            "question": question["question"],
            "answer": "yes" if question["text"].startswith("Does this handler hide") else "unclear",
            "quote": question["at"],
            "message": "A failure looks like an answer without rates.",
        }
        for question in request.input.get("questions", [])
    ]
    answers(json.dumps({"findings": [], "answers": found}))(request, connection)


def only(behaviour: Behaviour) -> Behaviour:
    return by_plane(NOTHING, semantic=behaviour)


def test_an_answer_becomes_a_finding_at_the_quoted_line(change: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "r.intoto.jsonl"
    with endpoint(reading) as server:
        report = review(change, server, "--record", record)
        done = change.wardround("replay", record, cwd=tmp_path)
    (found,) = findings(report)
    assert (found["rule"], found["file"], found["line"]) == ("language-model/semantic", "rates.py", 9)
    assert found["message"] == "A failure looks like an answer without rates. (error-hidden)"
    assert (done.returncode, done.stderr) == (0, "")


def test_the_questions_are_about_the_lines_of_the_change(change: GitRepository) -> None:
    with endpoint(reading) as server:
        review(change, server)
    (request,) = server.requests("semantic")
    question = next(
        item for item in request.input["questions"] if item["text"].startswith("Does this handler")
    )
    assert (question["file"], question["line"], question["at"]) == ("rates.py", 9, "except Exception:")


def test_a_refuted_answer_is_not_a_finding(change: GitRepository) -> None:
    with endpoint(reading, second=(verdicts("refuted"),)) as server:
        assert findings(review(change, server)) == []


def test_a_skipped_question_is_reported_to_people_and_does_not_fail_the_plane(change: GitRepository) -> None:
    with endpoint(only(NOTHING)) as server:
        report = review(change, server)
        done = change.wardround("review", "--profile", "ci", "--base", "HEAD~1", env=ENV)
    signals = {signal["plane"]: signal["status"] for signal in report["signals"]}
    assert signals["semantic"] == "reviewed"
    assert "unresolved" in done.stdout


def test_the_shown_prompt_has_the_questions_and_sends_nothing(change: GitRepository) -> None:
    with endpoint(reading) as server:
        review(change, server)
        sent = server.requests("semantic")[0].document
        done = change.wardround(
            "review", "--profile", "ci", "--base", "HEAD~1", "--show-prompt", "semantic", env=ENV
        )
        assert len(server.requests("semantic")) == 1
    assert json.loads(done.stdout) == sent
