"""Projects that a person installed in editable mode are imported from the tree of the run."""

from __future__ import annotations

from pathlib import Path

from wardround.workflows.environments.source_folders import editable_folders, source_folders


def test_folders_of_the_project_come_first() -> None:
    assert source_folders("") == ("/tree/src", "/tree")
    assert source_folders("libs/core") == ("/tree/libs/core/src", "/tree/libs/core", "/tree/src", "/tree")


def test_editable_projects_of_the_work_tree_are_found_and_others_are_not(tmp_path: Path) -> None:
    root, packages = tmp_path / "repo", tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    for folder in ("repo/libs/core/src", "repo/apps/web/shop", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (packages / "core.pth").write_text(f"{root}/libs/core/src\n{tmp_path}/elsewhere\nimport os\n")
    mapping = {"shop": str(root / "apps" / "web" / "shop")}
    (packages / "__editable___shop_1_finder.py").write_text(f"MAPPING: dict[str, str] = {mapping!r}\nX = 1\n")
    (packages / "__editable___broken_1_finder.py").write_text("MAPPING = {run()}\n")

    assert editable_folders(tmp_path / "venv", root) == ("/tree/libs/core/src", "/tree/apps/web")
