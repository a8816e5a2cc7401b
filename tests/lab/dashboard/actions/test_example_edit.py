"""Adding and editing one example: validated, atomic, and never over the edit of somebody else."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import msgspec
import pytest

from tests.lab.dashboard import curated
from wardround.errors import UsageError
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.dashboard.actions import example_edit
from wardround_lab.dashboard.actions.example_audit import secret_scan
from wardround_lab.dashboard.actions.example_edit import (
    add_example,
    create_file,
    open_line,
    replace_example,
    template_of,
)


@pytest.fixture(scope="module")
def scan() -> SecretScan:
    return secret_scan()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return curated.write(tmp_path / "data/a.jsonl", map(curated.curated, range(5)))


def edited(text: str, **changes: object) -> str:
    return json.dumps(json.loads(text) | changes)


def test_an_edit_changes_its_line_and_no_other_byte(file: Path, scan: SecretScan) -> None:
    file.chmod(0o640)
    before = file.read_bytes().splitlines()
    opened = open_line(file, 3)
    replace_example(file, 3, opened.digest, edited(opened.text, output="It is better."), scan)
    after = file.read_bytes().splitlines()
    assert [*after[:2], *after[3:]] == [*before[:2], *before[3:]]
    assert json.loads(after[2])["output"] == "It is better."
    assert file.stat().st_mode & 0o777 == 0o640
    assert os.listdir(file.parent) == ["a.jsonl"]


def test_an_example_is_added_at_the_end(file: Path, scan: SecretScan) -> None:
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    assert add_example(file, edited(template_of(file), output="New."), scan) == 6
    lines = file.read_bytes().splitlines()
    assert len(lines) == 6
    assert json.loads(lines[-1])["output"] == "New."


def test_a_new_file_begins_with_an_instruction(tmp_path: Path, scan: SecretScan) -> None:
    text = edited(template_of(None), instruction="Say it.", output="It.")
    created = create_file(tmp_path / "data", "mine.jsonl", text, scan)
    assert json.loads(created.read_text())["instruction"] == "Say it."
    with pytest.raises(UsageError, match=r"mine.jsonl: exists already"):
        create_file(tmp_path / "data", "mine.jsonl", text, scan)
    for name in ("../mine.jsonl", "mine.txt", ".hidden.jsonl", "a/b.jsonl", ""):
        with pytest.raises(UsageError, match="a new file has a name of letters"):
            create_file(tmp_path / "data", name, text, scan)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not a record: "),
        ("[]", "not a record: "),
        ('{"a": 1}', "not a record: unknown record with the keys a"),
        ('{"instruction": "x"}', "missing required field `output`"),
        ('{"instruction": "x", "output": "y", "note": "z"}', "contains unknown field `note`"),
        ('{"instruction": "x", "output": 3}', "Expected `str`, got `int`"),
        ('{"prompt": "x", "completion": "y"}', "of kind prompt, and the file has instruction"),
        (
            f'{{"instruction": "use {curated.SECRET}", "output": "y", "path": "a.py"}}',
            r"holds a secret \(secrets/",
        ),
    ],
)
def test_what_is_no_record_of_the_file_is_refused(
    file: Path, scan: SecretScan, text: str, complaint: str
) -> None:
    before = file.read_bytes()
    for write in (
        lambda: add_example(file, text, scan),
        lambda: replace_example(file, 2, open_line(file, 2).digest, text, scan),
    ):
        with pytest.raises(UsageError, match=complaint) as refusal:
            write()
        assert curated.SECRET not in str(refusal.value)
    assert file.read_bytes() == before


def test_an_edit_over_the_edit_of_somebody_else_is_refused(file: Path, scan: SecretScan) -> None:
    mine, theirs = open_line(file, 3), open_line(file, 3)
    replace_example(file, 3, theirs.digest, edited(theirs.text, output="Theirs."), scan)
    with pytest.raises(UsageError, match=r"a.jsonl: line 3 changed since it was opened; open it again"):
        replace_example(file, 3, mine.digest, edited(mine.text, output="Mine."), scan)
    assert json.loads(file.read_bytes().splitlines()[2])["output"] == "Theirs."


def test_a_line_that_moved_is_not_overwritten(file: Path, scan: SecretScan) -> None:
    opened = open_line(file, 3)
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[1:]))
    before = file.read_bytes()
    with pytest.raises(UsageError, match="line 3 changed since it was opened"):
        replace_example(file, 3, opened.digest, opened.text, scan)
    assert file.read_bytes() == before


def test_edits_of_two_people_at_once_are_both_kept(file: Path, scan: SecretScan) -> None:
    opened = [open_line(file, number) for number in range(1, 6)]

    def edit(number: int) -> None:
        line = opened[number]
        replace_example(file, number + 1, line.digest, edited(line.text, output=f"Edit {number}."), scan)

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    outputs = [json.loads(line)["output"] for line in file.read_bytes().splitlines()]
    assert outputs == [f"Edit {number}." for number in range(5)]


def test_another_program_that_writes_meanwhile_is_noticed(
    file: Path, scan: SecretScan, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_line(file, 3)
    encode = example_edit._encode

    def encode_late(example: example_edit.Example) -> bytes:
        with file.open("ab") as stream:
            stream.write(msgspec.json.encode(curated.curated(9)) + b"\n")
        return encode(example)

    monkeypatch.setattr(example_edit, "_encode", encode_late)
    with pytest.raises(UsageError, match=r"a.jsonl was changed since it was opened"):
        replace_example(file, 3, opened.digest, opened.text, scan)
    assert len(file.read_bytes().splitlines()) == 6
    assert os.listdir(file.parent) == ["a.jsonl"]


def test_a_full_disk_leaves_the_file_as_it_was(
    file: Path, scan: SecretScan, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UsageError, match="No space left on device; the file is unchanged"):
        add_example(file, template_of(file), scan)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == ["a.jsonl"]


def test_a_line_that_is_no_record_can_be_repaired(file: Path, scan: SecretScan) -> None:
    with file.open("ab") as stream:
        stream.write(b'{"instruction": "cut off\n')
    opened = open_line(file, 6)
    assert opened.text == '{"instruction": "cut off'
    replace_example(file, 6, opened.digest, edited(template_of(file), output="Whole."), scan)
    assert json.loads(file.read_bytes().splitlines()[5])["output"] == "Whole."


def test_a_line_that_is_not_there_is_named(file: Path) -> None:
    with pytest.raises(UsageError, match=r"a.jsonl: line 9 does not exist; choose one of the list"):
        open_line(file, 9)
