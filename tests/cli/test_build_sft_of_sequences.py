"""Conversations whose rewards reach a value become training records, which the audit reads as others."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.conftest import GitRepository
from wardround.authoring.stages import Message, Patch, PatchedFile
from wardround_lab.experiments.instances.instance_file import encode_instances
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.recorded_sequence import RecordedSequence
from wardround_lab.experiments.storage.model import Run, SequenceHeader
from wardround_lab.experiments.storage.sql import open_sql_storage

TIME = "2026-01-02T03:04:05Z"
WORDS = ("label", "total", "parser", "cache", "header", "cookie", "stream", "matrix")
SECRET = "ghp_" + "k3Jq9ZxT7bWm2RvLs8Yd4NcHf6PgQa4gOOvN"
SEED = "1"
"""Holds the newer repository out."""


def instance(number: int) -> MinedInstance:
    return MinedInstance(
        id=f"{number:016x}",
        repository=f"owner/{'new' if number > 3 else 'old'}",
        commit="1" * 40,
        parent="2" * 40,
        base="3" * 40,
        date=f"202{number}-05-01T00:00:00Z",
        text="",
        gold="",
    )


def conversation(number: int, secret: str = "") -> list[Message]:
    word = WORDS[number]
    question = {
        "task": f"Correct the {word} of {word}s",
        "context": f"def {word}(x):\n    return x[{number}]",
    }
    edit = {"file": f"{word}.py", "find": "x", "replace": f"def {word}(x):\n    return '{secret}'"}
    answer = json.dumps({"edits": [edit], "reason": f"The {word}."})
    return [
        Message("task", "Correct it"),
        Message("user", json.dumps(question)),
        Message("assistant", "I would rather not."),
        Message("user", "The answer cannot be used: it has no JSON document with edits"),
        Message("assistant", f"Certainly!\n```json\n{answer}\n```"),
        Message("user", json.dumps({"task": "Propose tests"})),
        Message("assistant", '{"tests": []}'),
    ]


def record(folder: Path, secrets: dict[int, str] | None = None) -> list[MinedInstance]:
    """Store a sequence for each word, of which the last one did not solve its task."""
    instances = [instance(number) for number in range(len(WORDS))]
    with closing(open_sql_storage(folder / "lab.sqlite")) as storage:
        ids = tuple(mined.id for mined in instances)
        storage.begin_run(
            Run(id="r-1", experiment="e", created=TIME, version="1", instances=ids, instances_digest="d")
        )
        for number, mined in enumerate(instances):
            header = SequenceHeader(
                run="r-1", experiment="e", configuration={}, instance=mined.id,
                repository=mined.repository, created=TIME,
            )  # fmt: skip
            sequence = RecordedSequence.open(storage, header)
            messages = conversation(number, (secrets or {}).get(number, ""))
            sequence.record_messages(messages)
            edit = json.loads(messages[4].content.split("```json\n")[1].removesuffix("\n```"))["edits"][0]
            patch = Patch((PatchedFile(edit["file"], f"{edit['replace']}\n"),), "m")
            sequence.record_selected(patch)
            sequence.record_rewards(solved=float(number < 7))
            sequence.end("completed")
    (folder / "instances.jsonl").write_bytes(encode_instances(instances))
    return instances


def build(repo: GitRepository, folder: Path, *arguments: str) -> Any:
    return repo.wardround(
        "data", "build-sft", "--sequences", folder / "lab.sqlite", "--out", folder / "sft",
        "--eval-share", "0.4", *arguments,
    )  # fmt: skip


def test_solved_tasks_become_records_and_the_audit_finds_secrets_in_them(
    repo: GitRepository, tmp_path: Path
) -> None:
    record(tmp_path, {2: SECRET})
    arguments = ("--reward", "solved>=1", "--instances", str(tmp_path / "instances.jsonl"))
    done = build(repo, tmp_path, *arguments, "--since", "2024-01-01", "--seed", SEED)
    assert done.returncode == 0, done.stderr
    assert "7 conversations with a patch that reaches solved>=1" in done.stdout
    train, evaluation = (tmp_path / "sft" / name for name in ("train.jsonl", "eval.jsonl"))
    records = [msgspec.json.decode(line) for line in train.read_bytes().splitlines()]
    by_task = {json.loads(found["messages"][0]["content"])["task"]: found for found in records}
    assert sorted(by_task) == [f"Correct the {word} of {word}s" for word in sorted(WORDS[:4])]
    found = by_task["Correct the total of totals"]
    assert [message["role"] for message in found["messages"]] == ["user", "assistant"]
    answer = json.loads(found["messages"][1]["content"])
    assert (answer["edits"][0]["file"], answer["reason"]) == ("total.py", "The total.")
    assert (found["origin"]["repository"], found["origin"]["time"]) == ("owner/old", 1619827200)

    audit = repo.wardround("data", "audit", train, "--eval", evaluation)
    assert audit.returncode == 1
    assert "1 of 7 items hold a secret" in audit.stdout + audit.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--sequences needs --reward NAME>=X"),
        (("--reward", "solved", "--instances", "instances.jsonl"), "is not a condition"),
        (("--reward", "solved>=1", "--instances", "few.jsonl"), "is in no file of instances; add the file"),
    ],
)
def test_bad_input_is_one_sentence(
    repo: GitRepository, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    instances = record(tmp_path)
    (tmp_path / "few.jsonl").write_bytes(encode_instances(instances[1:]))
    paths = (str(tmp_path / part) if part.endswith(".jsonl") else part for part in arguments)
    done = build(repo, tmp_path, *paths)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
