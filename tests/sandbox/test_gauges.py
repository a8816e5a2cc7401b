"""Samples count every process of a run and every byte of its tree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from wardround.sandbox.gauges import TreeGauge, sample_processes

MIB = 1 << 20


def test_descendants_are_counted_with_their_memory_and_processor_time() -> None:
    program = "import os\nx = os.urandom(32 << 20)\nos.fork()\nprint('ready', flush=True)\nos.read(0, 1)"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as item:
        assert item.stdout is not None
        item.stdout.readline()
        item.stdout.readline()

        counted = sample_processes(item.pid, 100, 1 << 40)
        shared = sample_processes(item.pid, 100, 1)

        assert counted.threads == 2
        assert counted.memory_bytes > 64 * MIB
        assert 32 * MIB < shared.memory_bytes < 64 * MIB
        assert counted.cpu_s > 0
        item.kill()


def test_a_process_that_ended_has_no_resources() -> None:
    item = subprocess.Popen(["true"])
    item.wait()

    assert sample_processes(item.pid, 100, 1).memory_bytes == 0


def test_counting_stops_above_the_limit() -> None:
    assert sample_processes(os.getppid(), 0, 1 << 40).threads > 0


def test_a_tree_exceeds_its_limit_once_its_files_do(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    gauge = TreeGauge(tree, 2 * MIB, recount_s=0)
    assert not gauge.is_exceeded()

    (tree / "a").mkdir()
    (tree / "a" / "b").write_bytes(os.urandom(3 * MIB))

    assert gauge.is_exceeded()


def test_a_tree_too_deep_to_count_exceeds_its_limit(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(40):
        os.mkdir("d" * 200, dir_fd=folder)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    gauge = TreeGauge(tmp_path, 1 << 40, recount_s=0)

    assert gauge.is_exceeded()

    subprocess.run(["rm", "-rf", tmp_path / ("d" * 200)], check=True)
