"""``wardround exchange``: requests and answers as lines of JSON over the standard streams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_exchange import CLAIM, HEAD, from_model
from tests.conftest import SCRIPTS, GitRepository
from tests.planes.language_model.loopback import open_answers

OPTIONS = ("--profile", "ci", "--base", "HEAD~1")
FINDINGS = {"findings": [CLAIM]}
NOTHING: dict[str, Any] = {"findings": []}
TIMEOUT_S = 120
Answerer = Callable[[dict[str, Any]], Any]


@pytest.fixture
def change(repo: GitRepository) -> GitRepository:
    repo.commit({"app.py": "x = 1\n"})
    repo.commit({"app.py": HEAD}, "Return the first ten values")
    return repo


@contextmanager
def started(repo: GitRepository, *arguments: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [SCRIPTS / "wardround", "exchange", *OPTIONS, *arguments], cwd=repo.root, env=os.environ,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def plane(request: dict[str, Any]) -> str:
    text: str = request["prompt"]
    return text.removeprefix("# ").partition(",")[0]


def semantic_claims(request: dict[str, Any]) -> Any:
    """Make one claim in the semantic plane, and uphold it."""
    if plane(request) == "refutation":
        return {"claims": [{"claim": 1, "verdict": "upheld", "reason": "r", "quote": ""}]}
    return FINDINGS if plane(request) == "semantic" else NOTHING


def send(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def answer(process: subprocess.Popen[bytes], request: dict[str, Any], content: Any) -> None:
    send(process, json.dumps({"digest": request["digest"], "answer": content}).encode())


def drive(process: subprocess.Popen[bytes], answerer: Answerer) -> list[dict[str, Any]]:
    """Answer each request at once, and return them."""
    assert process.stdout is not None
    requests = []
    for line in process.stdout:
        requests.append(json.loads(line))
        answer(process, requests[-1], answerer(requests[-1]))
    return requests


def ended(process: subprocess.Popen[bytes]) -> str:
    """The messages of a process that ends by itself."""
    assert process.stderr is not None
    messages = process.stderr.read().decode()
    process.wait(TIMEOUT_S)
    return messages


def test_a_script_answers_and_the_review_ends(change: GitRepository, tmp_path: Path) -> None:
    report, record = tmp_path / "report.json", tmp_path / "r.intoto.jsonl"
    with started(change, "--format", "text", "--format", f"json={report}", "--record", record) as process:
        requests = drive(process, semantic_claims)
        messages = ended(process)
    assert process.returncode in (0, 1, 4), messages
    assert from_model(json.loads(report.read_text())) == [("language-model/semantic", "app.py", 6)]
    assert "Eleven values are returned." in messages
    assert [plane(request) for request in requests].count("refutation") == 1
    assert requests[0].keys() == {"digest", "prompt", "input", "answer-schema", "schema"}
    done = change.wardround("replay", record, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_requests_are_those_of_files(change: GitRepository, tmp_path: Path) -> None:
    change.report(*OPTIONS, "--exchange", tmp_path / "exchange")
    files = [json.loads(file.read_text()) for file in tmp_path.glob("exchange/*/request.json")]
    for file in files:
        del file["answer-file"]
    with started(change) as process:
        lines = drive(process, lambda request: NOTHING | {"answers": open_answers(request["input"])})
    assert sorted(lines, key=str) == sorted(files, key=str)


def test_answers_count_in_any_order_as_documents_or_texts(change: GitRepository, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with started(change, "--format", f"json={report}") as process:
        assert process.stdout is not None
        requests = [json.loads(process.stdout.readline()) for _ in range(6)]
        for request in reversed(requests):
            text = f"Here it is:\n```json\n{json.dumps(semantic_claims(request))}\n```"
            answer(process, request, text)
        drive(process, semantic_claims)
        process.wait(TIMEOUT_S)
    assert from_model(json.loads(report.read_text())) == [("language-model/semantic", "app.py", 6)]


def test_the_end_of_input_leaves_the_rest_inconclusive(change: GitRepository, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with started(change, "--format", f"json={report}") as process:
        assert process.stdout is not None
        assert process.stdin is not None
        for request in [json.loads(process.stdout.readline()) for _ in range(6)]:
            if plane(request) != "semantic":
                answer(process, request, NOTHING)
        process.stdin.close()
        process.wait(TIMEOUT_S)
    signals = {item["plane"]: item for item in json.loads(report.read_text())["signals"]}
    assert any(
        "not answered before the end of the answers" in item for item in signals["semantic"]["reasons"]
    )
    failed = [name for name, item in signals.items() if "not answered" in str(item.get("reasons"))]
    assert failed == ["semantic"]


def test_ignored_lines_are_reported_and_change_nothing(change: GitRepository, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with started(change, "--format", f"json={report}") as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        send(process, b"")
        for line in (b"{", b"[]", b'{"digest": 1}', b'{"digest": "sha256:0", "answer": {}}', b"\xff"):
            send(process, line)
        send(process, b'{"answer": "' + b"x" * 3_000_000 + b'"}')
        answer(process, first, semantic_claims(first))
        answer(process, first, semantic_claims(first))
        drive(process, semantic_claims)
        messages = ended(process).splitlines()
    ignored = [line for line in messages if line.endswith("; the line is ignored")]
    form = 'it is not {"digest": ..., "answer": ...}; the line is ignored'
    assert [line.removeprefix("wardround: answers, ") for line in ignored] == [
        f"line 2: {form}",
        f"line 3: {form}",
        f"line 4: {form}",
        "line 5: no open request has the digest sha256:0; the line is ignored",
        f"line 6: {form}",
        "line 7: it has more than 2097152 bytes; the line is ignored",
        f"line 9: no open request has the digest {first['digest']}; the line is ignored",
    ]
    assert from_model(json.loads(report.read_text())) == [("language-model/semantic", "app.py", 6)]


def test_a_reader_that_closes_its_end_leaves_all_planes_inconclusive(
    change: GitRepository, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    with started(change, "--format", f"json={report}") as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(TIMEOUT_S)
    reasons = json.dumps(json.loads(report.read_text())["signals"])
    assert "not answered: nothing reads the requests" in reasons


def test_an_answer_that_nothing_reads_the_requests_for_does_not_block(
    change: GitRepository, tmp_path: Path
) -> None:
    """The requests are larger than the pipe, and their reader sends a lot before it reads anything."""
    body = "".join(f"    value_{number} = values[{number}]\n" for number in range(900))
    change.commit({".wardround.toml": "[language-model]\ninput-tokens = 100000\n"})
    change.commit({"app.py": f"def limit(values):\n{body}    return value_1\n"})
    with started(change) as process:
        for _ in range(200):
            send(process, b'{"digest": "sha256:0", "answer": "' + b"x" * 10_000 + b'"}')
        requests = drive(process, lambda request: NOTHING)
        process.wait(TIMEOUT_S)
    assert sum(len(json.dumps(request)) for request in requests) > 65_536
    assert process.returncode in (0, 1, 4)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it(change: GitRepository, number: signal.Signals) -> None:
    with started(change) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        messages = ended(process)
    assert process.returncode == 128 + number
    assert "Traceback" not in messages


def test_a_wait_ends_with_its_time(change: GitRepository) -> None:
    with started(change, "--wait", "0.2") as process:
        messages = " ".join(ended(process).split())
    assert "not answered within 0.2 s" in messages


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--format", "json"), "--format json: standard output has the requests; add =FILE"),
        (("--staged",), "--staged and --base cannot go together; name the change in one way"),
    ],
)
def test_options_that_do_not_fit(change: GitRepository, arguments: tuple[str, ...], message: str) -> None:
    done = change.wardround("exchange", *OPTIONS, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
