"""Reasons are the same in every run."""

from __future__ import annotations

import tempfile

import pytest

from wardround.processors.normalize_message import normalize


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "was killed by SIGABRT: thread '<unknown>' (10545) has overflowed its stack",
            "was killed by SIGABRT: thread '<unknown>' has overflowed its stack",
        ),
        ("pid 4711 and PID: 12, process=7", "pid ... and PID: ..., process=..."),
        ("fault at 0x00007ffd1234 in f", "fault at 0x... in f"),
        ("[4711:0x5581] 12 ms: out of memory", "[...] ...: out of memory"),
        ("2026-11-23T07:20:33.12Z ERROR no", "... ERROR no"),
        ("cannot read /tmp/x7f3k2/a.json, stop", "cannot read /tmp/.../a.json, stop"),
        (f"no {tempfile.gettempdir()}/abc123: gone", f"no {tempfile.gettempdir()}/...: gone"),
    ],
)
def test_what_changes_between_runs_is_not_said(said: str, shown: str) -> None:
    assert normalize(said) == shown


@pytest.mark.parametrize(
    "said",
    [
        "timed out after 10 s",
        "exited with status 3: line 12, column 4",
        "it does not parse: line 101: too many levels of indentation (to Python 3.11: run it)",
        "it is larger than 16 MiB",
        "db/tmp/x and src/process.py",
        "TS2304 in a.ts(1,17)",
    ],
)
def test_other_numbers_stay(said: str) -> None:
    assert normalize(said) == said
