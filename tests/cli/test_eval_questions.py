"""``wardround eval questions`` with a model on loopback, and with the exchange of files."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.models.conftest import decoders
from tests.models.making import SILENT
from tests.planes.language_model.loopback import Behaviour, Received, answers, by_plane, endpoint, respond
from wardround.cli.commands import invoke

__all__ = ["decoders"]

ERRORS = ("--question", "error-hidden", "--limit", "3")


class Done(NamedTuple):
    """A command that ended."""

    returncode: int
    stdout: str
    stderr: str


Evaluate = Callable[..., Done]


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Evaluate:
    """Runs the command in an empty folder."""

    def run(*arguments: str | Path) -> Done:
        monkeypatch.chdir(tmp_path)
        capfd.readouterr()
        status = invoke(["eval", "questions", *map(str, arguments)])
        written = capfd.readouterr()
        return Done(status, written.out, written.err)

    return run


def given(question: dict[str, Any], answer: str) -> dict[str, Any]:
    """An answer that quotes the line of the question."""
    return {
        "question": question["question"],
        "answer": answer,
        "quote": question["at"],
        "message": "So it is.",
    }


def answering(decide: Callable[[dict[str, Any]], str]) -> Behaviour:
    """Answer each question of a request."""

    def send(request: Received, connection: socket.socket) -> None:
        found = [given(question, decide(question)) for question in request.input["questions"]]
        answers(json.dumps({"findings": [], "answers": found}))(request, connection)

    return send


def hides(question: dict[str, Any]) -> str:
    """Decide by the name of the exception."""
    return "yes" if "Exception" in question["at"] else "no"


def test_answers_are_compared_with_the_cases_and_with_the_rules(tmp_path: Path, evaluate: Evaluate) -> None:
    with endpoint(answering(hides)) as server:
        done = evaluate("--model", "m", "--url", server.url, *ERRORS, "--format", "json=m.json")
    assert (done.returncode, done.stderr.strip()) == (0, "m.json: the measurement was written")
    measured = json.loads((tmp_path / "m.json").read_text())
    (score,) = measured["questions"]
    assert (score["name"], score["cases"]) == ("python/error-hidden", 6)
    assert (score["accuracy"]["hits"], score["accuracy"]["of"]) == (5, 6)
    assert (score["found"]["hits"], score["passed"]["hits"]) == (2, 3)
    assert score["rules"]["of"] == 6
    assert score["rules"]["hits"] >= 4
    assert [line.split()[-1] for line in done.stdout.splitlines()] == [
        "m",
        "python/error-hidden",
        "python",
        "all",
    ]
    assert len(server.received) == 6
    assert {item.plane for item in server.received} == {"semantic"}


def test_each_request_is_that_of_a_review(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARDROUND_MODEL_KEY", "k-1")
    with endpoint(answering(hides)) as server:
        evaluate("--model", "m", "--url", server.url, *ERRORS, "--no-rules")
    request = server.received[0]
    assert request.headers["authorization"] == "Bearer k-1"
    (question,) = request.input["questions"]
    assert question["file"] == request.input["hunks"][0]["file"]
    assert "## Questions" in request.document["messages"][0]["content"]


def test_several_cases_share_a_request(tmp_path: Path, evaluate: Evaluate) -> None:
    with endpoint(answering(hides)) as server:
        arguments = ("--model", "m", "--url", server.url, "--batch", "4", "--no-rules")
        done = evaluate(*arguments, *ERRORS, "--format", "json=m.json")
    assert done.returncode == 0
    assert sorted(len(item.input["questions"]) for item in server.received) == [2, 4]
    score = json.loads((tmp_path / "m.json").read_text())["total"]
    assert (score["accuracy"]["hits"], score["accuracy"]["of"]) == (5, 6)


def test_a_seed_chooses_the_cases(evaluate: Evaluate) -> None:
    def chosen(*arguments: str) -> set[str]:
        with endpoint(answering(hides)) as server:
            done = evaluate("--model", "m", "--url", server.url, "--no-rules", *ERRORS, *arguments)
        assert done.returncode == 0
        return {json.dumps(item.input["hunks"]) for item in server.received}

    seeded = chosen("--seed", "7")
    assert len(seeded) == 6
    assert chosen("--seed", "7") == seeded
    assert chosen("--seed", "8") != seeded != chosen()


def test_a_seed_without_a_limit_is_refused(evaluate: Evaluate) -> None:
    done = evaluate("--model", "m", "--url", "http://localhost:1/v1", "--seed", "7")
    assert done.returncode == 2
    assert "--seed needs --limit" in done.stderr


def test_open_and_invalid_answers_are_counted(tmp_path: Path, evaluate: Evaluate) -> None:
    def decide(question: dict[str, Any]) -> str:
        return "unclear" if "Exception" in question["at"] else "maybe"

    with endpoint(answering(decide)) as server:
        arguments = ("--model", "m", "--url", server.url, "--no-rules", *ERRORS, "--format", "json=m.json")
        done = evaluate(*arguments)
    score = json.loads((tmp_path / "m.json").read_text())["total"]
    assert done.returncode == 0
    assert (score["unclear"]["hits"], score["invalid"]["hits"], score["accuracy"]["of"]) == (2, 4, 0)
    assert len(server.received) == 2 + 2 * 4


def test_a_base_model_is_queried_the_same(tmp_path: Path, evaluate: Evaluate) -> None:
    def send(request: Received, connection: socket.socket) -> None:
        is_base = request.document["model"] == "base"
        answering(lambda question: "no" if is_base else hides(question))(request, connection)

    with endpoint(send) as server:
        arguments = ("--model", "m", "--base-model", "base", "--url", server.url, "--no-rules", *ERRORS)
        evaluate(*arguments, "--format", "json=m.json")
    score = json.loads((tmp_path / "m.json").read_text())["total"]
    assert (score["accuracy"]["hits"], score["base"]["hits"]) == (5, 3)


def test_a_request_without_an_answer_is_reported(evaluate: Evaluate) -> None:
    with endpoint(by_plane(respond(401, b"{}"))) as server:
        done = evaluate("--model", "m", "--url", server.url, "--no-rules", *ERRORS)
    assert done.returncode == 4
    assert "6 cases without an answer: status 401: the key is missing or wrong" in done.stdout


def test_answers_of_files_are_read_when_the_command_runs_again(tmp_path: Path, evaluate: Evaluate) -> None:
    arguments = ("--exchange", tmp_path / "x", "--batch", "8", "--no-rules", *ERRORS)
    first = evaluate(*arguments)
    assert first.returncode == 4
    (folder,) = (tmp_path / "x").iterdir()
    questions = json.loads((folder / "request.json").read_text())["input"]["questions"]
    document = {"findings": [], "answers": [given(question, hides(question)) for question in questions]}
    (folder / "answer.json").write_text(json.dumps(document))
    second = evaluate(*arguments)
    assert second.returncode == 0
    assert "83% [44, 97]" in second.stdout.splitlines()[1]


def test_wrong_options_name_the_way_out(evaluate: Evaluate) -> None:
    wrong = {
        ("--model", "m"): "give both --model and --url",
        ("--url", "http://127.0.0.1:1/v1", "--exchange", "x", "--model", "m"): "cannot go together",
        ("--exchange", "x", "--base-model", "b"): "--base-model needs --url",
        ("--exchange", "x", "--question", "nothing"): "unknown id nothing",
        ("--exchange", "x", "--specialist", "cobol"): "unknown specialist cobol",
        ("--exchange", "x", "--format", "html=m.html"): "write json=FILE",
    }
    for arguments, message in wrong.items():
        done = evaluate(*arguments)
        assert done.returncode == 2
        assert message in done.stderr


def test_a_local_model_is_measured_without_an_endpoint(
    tmp_path: Path, decoders: Path, evaluate: Evaluate
) -> None:
    local = ("--model", f"local:{SILENT}", "--model-folder", decoders, "--limit", "1", "--no-rules")
    done = evaluate(*local, "--question", "error-hidden", "--format", "json=m.json")
    assert done.returncode == 0, done.stdout
    score = json.loads((tmp_path / "m.json").read_text())["total"]
    assert (score["cases"], score["invalid"]["hits"]) == (2, 2)


def test_an_unknown_local_model_is_named(evaluate: Evaluate) -> None:
    done = evaluate("--model", "local:nobody", "--no-rules", *ERRORS)
    assert done.returncode == 2
    assert "--model: local model 'nobody': it is not installed" in done.stderr
