"""Tests that a tool's messages name files as the repository has them."""

from __future__ import annotations

from pathlib import Path

from wardround.execution.tool_runner import _folder_remover


def test_folders_of_the_run_are_taken_out_of_messages(tmp_path: Path) -> None:
    root = tmp_path / "head" / "all"
    text = f"open {root}/a/b.yml: see {tmp_path}/home/c.yml"

    assert _folder_remover(root, tmp_path)(text) == "open a/b.yml: see snapshot/home/c.yml"


def test_folders_are_found_where_the_temporary_one_is_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)

    assert _folder_remover(link / "head", link)(f"open {real}/head/b.yml: no such file") == (
        "open b.yml: no such file"
    )
