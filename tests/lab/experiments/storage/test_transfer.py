"""Export and import: the same from every kind of storage, and nothing of a damaged file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.lab.experiments.storage.places import firestore, storage, storage_url
from tests.lab.experiments.storage.sample_sequences import (
    add,
    entry,
    found,
    header,
    message,
    outcome,
    reward,
    run,
)
from wardround_lab.experiments.storage.export import exported_lines
from wardround_lab.experiments.storage.model import Entry, EntryKind, SequenceQuery
from wardround_lab.experiments.storage.opening import open_storage
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage, StorageError
from wardround_lab.experiments.storage.transfer import Imported, import_file
from wardround_lab.experiments.storage.transfer_file import TransferError, TransferFile
from wardround_lab.experiments.storage.transfer_lines import CountLine, SequenceLine, entry_line

__all__ = ["firestore", "storage", "storage_url"]  # fixtures


@pytest.fixture
def own(tmp_path: Path) -> Iterator[SequenceStorage]:
    """An empty storage in a file."""
    with closing(open_storage(str(tmp_path / "own.sqlite"), {})) as opened:
        yield opened


def fill(storage: SequenceStorage) -> None:
    for item in (run("first"), run("second"), run("without sequences")):
        storage.begin_run(item)
    add(
        storage,
        header("i1"),
        message("\u6f22\u202e\u009b", "system"),
        Entry(EntryKind.RESULT, "spaced", msgspec.Raw(b' {"a":\n 1} '), "key:1"),
        entry(EntryKind.RESULT, "plain", {"a": 1}, "key:2"),
        reward("recall", 0.5),
        outcome(),
    )
    add(storage, header("i2", run="second", created="2030-02-01T00:00:00Z"), message("b"))
    storage.begin(header("i3", run="unknown"))


def written(storage: SequenceStorage, file: Path, **conditions: Any) -> Path:
    """The file of an export."""
    file.write_bytes(b"".join(exported_lines(storage, SequenceQuery(**conditions))))
    return file


def test_an_export_of_every_storage_is_imported_as_it_was(
    storage: SequenceStorage, own: SequenceStorage, tmp_path: Path
) -> None:
    fill(own)
    file = written(own, tmp_path / "lab.jsonl")
    assert import_file(storage, TransferFile(file)) == Imported(3, 3, 6)
    assert written(storage, tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
    assert list(storage.find(SequenceQuery())) == list(own.find(SequenceQuery()))
    assert import_file(storage, TransferFile(file)) == Imported(0, 0, 0)


def test_an_export_with_conditions_has_the_runs_of_its_sequences(
    own: SequenceStorage, tmp_path: Path
) -> None:
    fill(own)
    file = written(own, tmp_path / "lab.jsonl", run="second")
    with closing(open_storage(str(tmp_path / "other.sqlite"), {})) as other:
        assert import_file(other, TransferFile(file)) == Imported(1, 1, 1)
        assert [item.id for item in other.runs()] == ["second"]


def test_an_import_adds_what_is_missing_and_leaves_what_is_more(own: SequenceStorage, tmp_path: Path) -> None:
    fill(own)
    file = written(own, tmp_path / "lab.jsonl")
    with closing(open_storage(str(tmp_path / "other.sqlite"), {})) as other:
        add(other, header("i1"), message("\u6f22\u202e\u009b", "system"))
        add(other, header("i2", run="second"), message("b"), message("more"))
        assert import_file(other, TransferFile(file)) == Imported(3, 1, 4)
        assert [summary.entries for summary in other.find(SequenceQuery(experiment="localization"))].count(
            5
        ) == 1
        assert len(other.entries(header("i2", run="second").id)) == 2


@pytest.mark.parametrize("kind", ["entries", "run"])
def test_a_file_that_contradicts_the_storage_is_one_sentence_and_adds_nothing(
    own: SequenceStorage, tmp_path: Path, kind: str
) -> None:
    fill(own)
    file = written(own, tmp_path / "lab.jsonl")
    with closing(open_storage(str(tmp_path / "other.sqlite"), {})) as other:
        if kind == "run":
            other.begin_run(run("without sequences", version="2"))
        else:
            add(other, header("i2", run="second"), message("another"))
        before = list(other.find(SequenceQuery()))
        with pytest.raises(
            TransferError, match=r"lab.jsonl:\d+: the storage has (another run|other entries)"
        ):
            import_file(other, TransferFile(file))
        assert list(other.find(SequenceQuery())) == before


def _without(number: int) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: lines[: number - 1] + lines[number:]


_REWARD = [
    msgspec.json.encode(line) + b"\n"
    for line in (SequenceLine(header(), 1), entry_line(entry(EntryKind.REWARD, "r", "x")), CountLine(0, 1, 1))
]
_DAMAGES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "a changed content": (
        lambda lines: [line.replace(b'{"a":1}', b'{"a":2}') for line in lines],
        r":7: the content does not have its digest: it was changed",
    ),
    "a changed digest": (
        lambda lines: [line.replace(b'"digest":"', b'"digest":"0') for line in lines],
        r":\d+: the content does not have its digest",
    ),
    "a line that is no JSON": (lambda lines: [*lines[:5], b"{\n", *lines[5:]], r":6: this line is not valid"),
    "a line of another form": (
        lambda lines: [*lines[:5], b'{"line":"entry","more":1}\n', *lines[5:]],
        r":6: this line is not valid",
    ),
    "bytes that are not text": (lambda lines: [*lines[:5], b'"\xff"\n'], r":6: this line is not valid"),
    "a text that is no string": (
        lambda lines: [line.replace(b'"is_text":false', b'"is_text":true') for line in lines],
        r":\d+: (this line is not valid|the content does not have its digest)",
    ),
    "a missing entry": (_without(6), r":\d+: this is not an entry, which is expected here"),
    "a missing sequence": (lambda lines: [*lines[:-3], lines[-1]], r":\d+: (the counts|this )"),
    "a missing run": (_without(2), r":\d+: the counts differ"),
    "no first line": (_without(1), r":1: this is not the schema"),
    "no last line": (lambda lines: lines[:-1], r":\d+: the file ends before its last line"),
    "half a line at the end": (lambda lines: [*lines[:-1], lines[-1][:9]], r":\d+: this line is not valid"),
    "lines after the last": (lambda lines: [*lines, lines[1]], r":\d+: lines follow the last one"),
    "no line": (lambda lines: [], r":1: the file ends where the schema is expected"),
    "another schema": (lambda lines: [lines[0].replace(b"/1", b"/2"), *lines[1:]], r":1: its schema is not"),
    "a reward that is no number": (lambda lines: [lines[0], *_REWARD], r":2: sequence \w+: the content of"),
}  # fmt: skip


@pytest.mark.parametrize("damage", _DAMAGES)
def test_a_damaged_file_is_one_sentence_with_its_line_and_adds_nothing(
    own: SequenceStorage, tmp_path: Path, damage: str
) -> None:
    fill(own)
    file = written(own, tmp_path / "lab.jsonl")
    change, expected = _DAMAGES[damage]
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))
    with closing(open_storage(str(tmp_path / "other.sqlite"), {})) as other:
        with pytest.raises(TransferError, match=expected) as refused:
            import_file(other, TransferFile(file))
        assert (other.runs(), found(other)) == ([], [])
    assert str(refused.value).startswith(f"{file}:")
    assert "\n" not in str(refused.value)


def test_an_interrupted_import_is_completed_by_the_next(
    own: SequenceStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(own)
    file = written(own, tmp_path / "lab.jsonl")
    with closing(open_storage(str(tmp_path / "other.sqlite"), {})) as other:
        with monkeypatch.context() as patched:
            patched.setattr(type(other), "append", _full)
            with pytest.raises(StorageError, match="full"):
                import_file(other, TransferFile(file))
        import_file(other, TransferFile(file))
        assert written(other, tmp_path / "again.jsonl").read_bytes() == file.read_bytes()


def _full(*arguments: object) -> None:
    raise StorageError("full")


def test_a_file_that_is_missing_is_one_sentence(own: SequenceStorage, tmp_path: Path) -> None:
    with pytest.raises(TransferError) as refused:
        import_file(own, TransferFile(tmp_path / "nowhere"))
    assert str(refused.value) == (
        f"{tmp_path}/nowhere: No such file or directory; name a file that lab export wrote"
    )
