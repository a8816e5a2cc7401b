"""A caller that is killed leaves no process, no mount, and no folder that the next run does not remove."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from benchmarks.sandbox import LONGEST_S, kill_once, make_bench
from tests.security.sandbox.host import needs_bubblewrap

pytestmark = needs_bubblewrap


@pytest.mark.parametrize("part", range(4))
def test_a_kill_at_a_random_moment_leaves_nothing(tmp_path: Path, part: int) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    bench = make_bench(folder, os.environ)
    moments = random.Random(part)

    for _ in range(5):
        moment = moments.uniform(0, LONGEST_S)
        assert kill_once(bench, moment) == [], f"killed after {moment:.3f} s"
