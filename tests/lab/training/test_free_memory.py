"""The memory that a training can use: of the machine, or of the control group."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround_lab.training import free_memory as module


@pytest.mark.parametrize(("allowed", "free"), [("max", 8192), ("5000", 4000), ("900000", 8192), (None, 8192)])
def test_the_memory_of_a_control_group_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: str | None, free: int
) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 16 kB\nMemAvailable:    8 kB\nBuffers: 1 kB\n")
    if allowed is not None:
        (tmp_path / "memory.max").write_text(f"{allowed}\n")
        (tmp_path / "memory.current").write_text("1000\n")
    monkeypatch.setattr(module, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(module, "_GROUP", tmp_path)
    assert module.free_memory() == free
