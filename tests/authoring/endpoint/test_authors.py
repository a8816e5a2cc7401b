"""The authors that an endpoint can have: samples, a probe, and tests with the patch."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.authoring.endpoint.author_runs import TASK, run_author
from tests.authoring.shop_project import GOOD, answer_with
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import Behaviour, Received, answers, by_plane, reset, respond
from wardround.authoring.endpoint.roles import ExchangeFailed

OTHER = {**GOOD, "replace": '    return str(item.get("name", "")).lower()'}
REFUSES = {"error": {"message": "temperature is not supported", "param": "temperature"}}
LABELS = "tests/test_labels.py"


def labels_file(*bodies: str, path: str = LABELS) -> dict[str, str]:
    tests = (f"def test_{number}():\n    {body}\n" for number, body in enumerate(bodies))
    return {"file": path, "find": "", "replace": "\n\n".join(("from shop import label, total\n", *tests))}


def combined(**values: Any) -> Behaviour:
    return answers(answer_with(**{"tests": [], **values}))


def test_samples_differ_by_seed_and_temperature_and_equal_patches_are_one(
    repo: GitRepository, tmp_path: Path
) -> None:
    both = threading.Barrier(2, timeout=10)

    def together(behaviour: Behaviour) -> Behaviour:
        def send(request: Received, connection: socket.socket) -> None:
            both.wait()
            behaviour(request, connection)

        return send

    found = run_author(
        repo, tmp_path, "samples",
        answers(answer_with(edits=[OTHER])), together(answers(answer_with(edits=[GOOD]))),
        together(answers("I would rather not.")), answers(answer_with(edits=[GOOD])), samples=3,
    )  # fmt: skip
    bodies = [request.document for request in found.server.received]
    assert {body["seed"] for body in bodies} == {0, 1, 2}
    assert {body["temperature"] for body in bodies} == {0.8}
    assert {request.input["sample"] for request in found.server.received} == {"1 of 3", "2 of 3", "3 of 3"}
    first, second = found.patches
    assert (first.metadata["samples"], second.metadata["samples"], first.metadata["of"]) == (2, 1, 3)
    assert 'item.get("name", "").lower()' in str(first.files[0].text)


def test_a_refused_temperature_is_left_out(repo: GitRepository, tmp_path: Path) -> None:
    refusal = respond(400, json.dumps(REFUSES).encode())
    found = run_author(repo, tmp_path, "samples", refusal, answers(answer_with(edits=[GOOD])), samples=1)
    assert "temperature" not in found.server.received[-1].document
    assert len(found.patches) == 1


def test_the_single_author_sends_no_number_of_a_sample(repo: GitRepository, tmp_path: Path) -> None:
    found = run_author(repo, tmp_path, "endpoint", answers(answer_with(edits=[GOOD])))
    (request,) = found.server.received
    assert sorted(request.input) == ["attempts", "constraints", "context", "failing_tests", "task"]
    assert (request.document["temperature"], request.document["seed"]) == (0, 0)


def test_a_probe_runs_once_and_its_values_are_a_message(repo: GitRepository, tmp_path: Path) -> None:
    probe = {"test": "tests/test_shop.py::test_label", "file": "shop.py", "line": 11, "expression": "item"}
    request = answer_with(probe=probe)
    found = run_author(
        repo, tmp_path, "endpoint-with-probe",
        answers(answer_with(probe={**probe, "expression": "import os"})),
        answers(request), answers(request), answers(answer_with(edits=[GOOD], probe=None)),
    )  # fmt: skip
    inputs = [request.input for request in found.server.received]
    assert [content.get("probe") is not None for content in inputs] == [False, False, True, True]
    assert inputs[2]["probe"]["result"] == {"values": ["{'name': 'Tea'}"], "outcome": "passed", "problem": ""}
    roles = [message.role for message in found.messages]
    assert roles == [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert "'import os' is no expression of Python" in found.messages[2].content
    assert "the one run was made" in found.messages[7].content
    assert len(found.patches) == 1


def test_proposed_tests_are_sorted_by_what_they_show_at_the_base(repo: GitRepository, tmp_path: Path) -> None:
    written = labels_file(
        'assert label({}) == ""',
        'assert label({"name": "A"}) == "a"',
        "assert missing({}) == 1",
        "from shop import missing",
        "assert total([1], extra=2)",
    )
    behaviour = by_plane(
        reset,
        author=answers(answer_with(edits=[GOOD], reason="No name.")),
        proposer=answers(json.dumps({"tests": [written], "reason": "Labels."})),
    )
    found = run_author(repo, tmp_path, "fix-and-tests", behaviour)

    (tests,) = found.report.proposed_tests
    assert tests.ids == (f"{LABELS}::test_0", f"{LABELS}::test_4")
    assert "KeyError" in tests.tests[0].failure
    assert tests.tests[0].source == 'def test_0():\n    assert label({}) == ""'
    reasons = {test.id.rpartition("::")[2]: test.reason for test in tests.rejected}
    assert reasons["test_1"] == "it passes, although the task is not done"
    assert reasons["test_2"].startswith("it fails by its own fault: NameError: name 'missing' is not defined")
    assert reasons["test_3"].startswith("it fails by its own fault: ImportError")
    (patch,) = found.patches
    assert (patch.metadata["proposed_tests"], patch.metadata["proposed_tests_passed"]) == (2, 1)
    assert [file.path for file in patch.files] == ["shop.py"]
    assert repo.git("status", "--short") == ""
    author, proposer = sorted(found.server.received, key=lambda request: request.plane)
    assert author.input["task"] == proposer.input["task"] == TASK
    assert "attempts" not in proposer.input


def test_a_file_that_cannot_be_collected_has_no_test(repo: GitRepository, tmp_path: Path) -> None:
    broken = {"file": LABELS, "find": "", "replace": "import missing\n\n\ndef test_0():\n    assert 1\n"}
    found = run_author(repo, tmp_path, "fix-with-tests", combined(edits=[GOOD], tests=[broken]))
    (tests,) = found.report.proposed_tests
    assert tests.tests == ()
    assert "No module named 'missing'" in tests.rejected[0].reason
    assert found.patches[0].metadata["proposed_tests"] == 0


@pytest.mark.parametrize(
    ("tests", "problem"),
    [
        ([labels_file("pass", path="shop_tests.txt")], "pytest collects no tests from"),
        ([{**GOOD, "replace": "    return 1"}], 'pytest collects no tests from "shop.py"'),
        ([labels_file("pass", path="conftest.py")], "conftest.py"),
        ([{"file": "tests/test_new.py", "find": "", "replace": "x = 1\n"}], "no new test that pytest"),
        (
            [{"file": "tests/test_shop.py", "find": " == 1.5", "replace": " == 2\n\n\ndef test_a(): pass"}],
            "changes or removes",
        ),
        ([{"file": "../test_a.py", "find": "", "replace": "def test_a(): pass\n"}], "is not a path"),
    ],
    ids=["text", "product", "conftest", "no test", "changed test", "outside"],
)
def test_other_files_than_tests_are_refused_and_the_patch_remains(
    repo: GitRepository, tmp_path: Path, tests: list[dict[str, str]], problem: str
) -> None:
    found = run_author(repo, tmp_path, "fix-with-tests", combined(edits=[GOOD], tests=tests))
    assert problem in found.messages[2].content
    (reported,) = found.report.proposed_tests
    assert problem in reported.problem
    assert (reported.tests, reported.files) == ((), ())
    assert [file.path for file in found.patches[0].files] == ["shop.py"]


def test_a_fault_of_the_proposer_is_raised_after_both_requests_are_sent(
    repo: GitRepository, tmp_path: Path
) -> None:
    behaviour = by_plane(respond(401), author=answers(answer_with(edits=[GOOD])))
    with pytest.raises(ExchangeFailed, match=r"proposer: .*status 401"):
        run_author(repo, tmp_path, "fix-and-tests", behaviour)
