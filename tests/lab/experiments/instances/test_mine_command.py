"""The command that mines instances."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.lab.corpora.conftest import commit_at
from wardround.cli.commands import invoke


def test_instances_are_counted_by_repository_and_reason(
    repo: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit_at(repo, 1, {"shop.py": "value = 0\n", "test_shop.py": ""}, "Start")
    test = "import shop\n\n\ndef test_value():\n    assert shop.value == 1\n"
    commit_at(repo, 2, {"shop.py": "value = 1\n", "test_shop.py": test}, "Fix the value of the shop")
    commit_at(
        repo, 3, {"shop.py": "value = 1  # one\n", "test_shop.py": test + "\n"}, "Fix a value of the shop"
    )
    out = tmp_path / "out"
    command = ["data", "mine", "--instances", "--passing", "files", "--python", sys.prefix, "--out", str(out)]

    assert invoke([*command, f"own/shop={repo.root}"]) == 0

    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("own/shop: 1 instances of 2 tries, 2 candidates, 3 commits, ")
    assert first.endswith(" CPU s each")
    assert second == "  1 rejected: its tests pass before the fix"
    assert last == f"{out}/instances.jsonl: 1 instances"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--instances", "--kind", "bug-fix"], "mine tasks and kinds with another command"),
        ([], "give --task NAME, --kind KIND or --instances"),
        (["--instances", "--python", "/missing"], "Directory '/missing' does not exist"),
        (["--instances", "--each", "0"], "0 is not in the range x>=1"),
        (["--instances", "--since", "soon"], "--since soon: write a day as YYYY-MM-DD"),
    ],
)
def test_wrong_options_are_one_sentence(
    repo: GitRepository,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    assert invoke(["data", "mine", *arguments, "--out", str(tmp_path / "out"), str(repo.root)]) == 2

    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
