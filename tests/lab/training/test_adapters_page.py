"""The commands of docs/adapters.md, as they are written there, with a tiny decoder."""

from __future__ import annotations

import glob
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.installed import require_installed

require_installed("torch", "peft", "accelerate", "onnxruntime_genai", "onnx_ir", "matplotlib")

from tests.lab.training import conversations  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.inference.metadata import PromotionState, read_metadata  # noqa: E402
from wardround_lab.training.chat.recipe import read_chat_recipe  # noqa: E402

PAGE = Path(__file__).parents[3] / "docs" / "adapters.md"
_BEGINNINGS = {"bug": "fix", "feature": "feat", "test": "test"}
_THINGS = ("basket", "invoice", "customer", "warehouse", "voucher", "delivery", "refund", "ledger", "queue")
_PLACES = ("page", "report", "table", "search", "export", "import", "header")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with clones of six repositories whose commits state their kind."""
    for number in range(6):
        _clone(tmp_path / "clones" / f"r{number}", number)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _clone(place: Path, number: int) -> None:
    place.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    licence = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"
    (place / "LICENSE").write_text(f"MIT License\n\n{licence}\n")
    lines = []
    for commit in range(24):
        kind = list(_BEGINNINGS.values())[commit % 3]
        thing = _THINGS[(commit + number) % len(_THINGS)]
        message = f"{kind}: the {thing} of the {_PLACES[commit % 7]} needs part {number} {commit} again"
        when = 1_600_000_000 + 1000 * commit + number
        lines += [
            "commit refs/heads/main", f"committer a <a@example.org> {when} +0000", f"data {len(message)}",
            message, *([f"M 644 inline LICENSE\ndata {len((place / 'LICENSE').read_text())}",
                        (place / "LICENSE").read_text()] if not commit else []),
            f"M 644 inline file.txt\ndata {len(str(commit))}", str(commit), "",
        ]  # fmt: skip
    stream = "\n".join(lines).encode()
    subprocess.run(["git", "-C", str(place), "fast-import", "--quiet"], input=stream, check=True)
    subprocess.run(["git", "-C", str(place), "symbolic-ref", "HEAD", "refs/heads/main"], check=True)


def _write_recipe(folder: Path) -> None:
    """Write the recipe of the page with another base, and fewer steps."""
    content: dict[str, Any] = yaml.safe_load(_blocks("yaml")[0])
    content["base"] = str(conversations.base(folder))
    content["training"] |= {"steps": 3, "threads": 1, "precision": "float32"}
    content["answer"] |= {"items": 20}
    content["export"] |= {"prompts": 2, "tokens": 2, "agreement": 0.1}
    (folder / "recipe.yml").write_text(yaml.safe_dump(content))


def test_the_eight_commands_lead_to_a_shadow_with_reasons(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = [shlex.split(line) for line in _blocks("sh")[0].splitlines()]
    assert len(commands) == 8
    _write_recipe(project)
    for command in commands:
        assert command[0] == "wardround"
        arguments = [found for word in command[1:] for found in (sorted(glob.glob(word)) or [word])]
        expected = 1 if "promote" in arguments else 0
        status = invoke(arguments)
        captured = capsys.readouterr()
        assert status == expected, f"{shlex.join(command)}: {captured.out} {captured.err}"
        if "promote" in arguments:
            assert "There is no baseline 'rules' to compare with." in captured.out
    assert read_metadata(project / "runs" / "0" / "model").state is PromotionState.SHADOW


def test_the_recipe_of_the_page_is_valid(tmp_path: Path) -> None:
    (tmp_path / "recipe.yml").write_text(_blocks("yaml")[0])
    recipe = read_chat_recipe(tmp_path / "recipe.yml")
    assert f'model = "local:{recipe.name}"' in _blocks("toml")[0]
