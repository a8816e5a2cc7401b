"""The events and lines that a run writes, even if tests write into the same files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wardround.workflows.test.recordings.session_lines import recorded_lines
from wardround.workflows.test.runs.session_events import Begun, Ended, EventFile, decode_events


def test_lines_that_are_not_events_are_ignored() -> None:
    lines = [
        b'{"event": "begun", "test": "a.py::a", "at": 1.5}',
        b"\xff\xfe",
        b"[" * 10_000,
        b'{"event": "other"}',
        b'{"event": "ended", "test": "a.py::a", "outcome": "great"}',
        b'{"event": "ended", "test": "a.py::a", "outcome": "passed", "frames": [["m.py", 3]]}',
        b'{"event": "ended", "test"',
    ]

    begun, ended = decode_events(lines)

    assert begun == Begun("a.py::a", 1.5)
    assert isinstance(ended, Ended)
    assert ended.frames == (("m.py", 3),)


def test_events_are_read_from_the_open_file_even_if_it_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "events"
    file = os.open(path, os.O_RDONLY | os.O_CREAT)
    reader = EventFile(file)
    with path.open("ab", buffering=0) as writer:
        writer.write(b'{"event": "begun", "test": "a", "at": 1}\n{"event": "beg')
        assert [type(item) for item in reader.new()] == [Begun]
        path.unlink()
        writer.write(b'un", "test": "b", "at": 2}\n')

    assert reader.new() == [Begun("b", 2.0)]
    os.close(file)


@pytest.mark.parametrize(
    ("content", "excess"),
    [
        (b'{"event":"stopped"}\n' * 500_001, "more than 500000 lines"),
        (b"x" * (33 << 20), "a line of more than 33554432 bytes"),
        ((b"x" * (1 << 20) + b"\n") * 65, "more than 67108864 bytes"),
        (
            b'{"event":"collected","tests":[' + b'"",' * 4_000_000 + b'""]}\n',
            "a line of more than 4000000 values",
        ),
    ],
    ids=["events", "line", "bytes", "values"],
)
def test_no_more_events_are_read_than_a_run_can_have(tmp_path: Path, content: bytes, excess: str) -> None:
    path = tmp_path / "events"
    path.write_bytes(content)
    file = os.open(path, os.O_RDONLY)
    reader = EventFile(file)

    assert len(reader.new()) <= 500_000
    assert (reader.excess, reader.new()) == (excess, [])
    os.close(file)


@pytest.mark.parametrize(
    "line",
    [
        b'{"event":"begun","test":"a","at":1e300}',
        b'{"event":"begun","test":"a","at":-1}',
        b'{"event":"ended","test":"a","outcome":"passed","seconds":1e999}',
        b'{"event":"ended","test":"a","outcome":"passed","attempts":1000000000}',
        b'{"event":"ended","test":"a","outcome":"failed","frames":[' + b'["",1],' * 100 + b'["",1]]}',
        b'{"event":"ended","test":"a","outcome":"failed","frames":[["a",-1]]}',
    ],
)
def test_events_out_of_range_are_ignored(line: bytes) -> None:
    assert list(decode_events([line])) == []


def test_recorded_lines_are_bounded() -> None:
    content = b'{"rows": [' + b'["",{}],' * 2_000_000 + b'["",{}]]}'

    assert recorded_lines(content) == ([], {})


def test_recorded_lines_have_test_phase_and_bits() -> None:
    content = b'{"rows": [["a.py::a[x|y]|run", {"/tree/m.py": "0a"}], ["", {"/tree/m.py": "02"}]]}'

    rows, branches = recorded_lines(content)

    assert [(row.test, row.phase, row.lines) for row in rows] == [("a.py::a[x|y]", "run", 10), ("", "run", 2)]
    assert branches == {}


def test_incomplete_lines_are_none() -> None:
    for content in (None, b"", b'{"rows": [["a', b'{"rows": [["a", {"m": "0g"}]]}', b"[]"):
        assert recorded_lines(content) == ([], {})
