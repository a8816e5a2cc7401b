"""A kill of a process of a run leaves nothing: no process, no mount, no folder after the next run."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from benchmarks.sandbox import Kill, kill_once, make_bench
from tests.security.sandbox.host import WORKING


@pytest.mark.parametrize("isolation", WORKING)
@pytest.mark.parametrize("part", range(4))
def test_a_kill_at_a_random_moment_leaves_nothing(tmp_path: Path, isolation: str, part: int) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    bench = make_bench(folder, os.environ)
    moments = random.Random(part)

    for _ in range(5):
        kill = Kill.drawn(moments)
        assert kill_once(bench, kill, isolation) == [], kill
