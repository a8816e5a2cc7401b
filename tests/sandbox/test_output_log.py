"""The log of a run is cut at its limit, and written to no file of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.sandbox.output_log import TAIL_BYTES, OutputLog


def test_output_above_the_limit_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "new" / "output.log"
    with OutputLog(path, 5) as log:
        assert log.write("stdout", b"abc")
        assert log.write("stderr", b"de")
        assert not log.write("stdout", b"f")

        assert (log.tail("stdout"), log.tail("stderr")) == ("abc", "de")
    assert path.read_bytes() == b"abcde"


def test_the_end_of_a_long_stream_is_retained(tmp_path: Path) -> None:
    with OutputLog(tmp_path / "output.log", 10**6) as log:
        log.write("stdout", b"x" * TAIL_BYTES + b"\xffend")

        assert log.tail("stdout").endswith("\ufffdend")
        assert len(log.tail("stdout")) == TAIL_BYTES


def test_a_log_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "output.log").symlink_to(tmp_path / "other")

    with pytest.raises(OSError, match="symbolic"):
        OutputLog(tmp_path / "output.log", 10)

    assert not (tmp_path / "other").exists()
