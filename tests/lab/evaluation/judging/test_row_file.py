"""Files of results from which a later run resumes."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.errors import UsageError
from wardround_lab.evaluation.judging.hits import ReviewedCommit
from wardround_lab.evaluation.judging.row_file import RowFile


def row(number: int) -> ReviewedCommit:
    return ReviewedCommit("team/shop", "/clone", f"{number:040}", "b" * 40)


def test_rows_are_read_back_and_another_process_reads_the_new_ones(tmp_path: Path) -> None:
    writer, reader = (
        RowFile(tmp_path / "a.jsonl", ReviewedCommit),
        RowFile(tmp_path / "a.jsonl", ReviewedCommit),
    )
    writer.add(row(1))
    reader.read_new()
    writer.add(row(2))
    reader.read_new()
    reader.read_new()
    assert reader.rows == [row(1), row(2)] == RowFile(tmp_path / "a.jsonl", ReviewedCommit).rows


def test_half_a_line_is_not_a_row_and_only_a_writer_removes_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    RowFile(path, ReviewedCommit).add(row(1))
    complete = path.read_bytes()
    path.write_bytes(complete + b'{"repository":"te')
    again = RowFile(path, ReviewedCommit)
    assert again.rows == [row(1)]
    assert path.read_bytes() != complete
    again.add(row(2))
    assert RowFile(path, ReviewedCommit).rows == [row(1), row(2)]


def test_a_file_of_something_else_is_rejected_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"notes\n")
    with pytest.raises(UsageError, match="not a file of ReviewedCommit; choose a new file"):
        RowFile(path, ReviewedCommit)
    assert path.read_bytes() == b"notes\n"
