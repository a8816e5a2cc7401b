"""Short texts whose first word determines their class."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import yaml

from tests.lab.training import tiny
from wardround.text.task_kinds import KINDS
from wardround.training_tasks import LabelledText

WORD_OF = dict(zip(KINDS, tiny.WORDS, strict=False))
"""Class -> the first word of its texts."""


def texts(repositories: int = 8, each: int = 6) -> list[LabelledText]:
    """Texts of every class in every repository."""
    return [
        LabelledText(
            f"own/r{repository}", 1_000 * (1 + repository), f"{kind}{number}",
            _text(kind, repository, number), kind,
        )
        for repository in range(repositories)
        for kind in KINDS
        for number in range(each)
    ]  # fmt: skip


def _text(kind: str, repository: int, number: int) -> str:
    drawn = random.Random(f"{kind}:{repository}:{number}")
    return " ".join([WORD_OF[kind], *drawn.sample(tiny.WORDS[8:], 5)])


def records(folder: Path, made: list[LabelledText]) -> Path:
    """A file of texts with its audit."""
    path = folder / "records.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(text) + b"\n" for text in made))
    tiny.write_audit(path, held=tuple(f"own/r{number}" for number in range(3, 8)))
    return path


def recipe(folder: Path, described: Path, **training: Any) -> Path:
    """A recipe over records next to it: r0 and r1 train, r2 validates, r3 to r7 evaluate."""
    if not (folder / "records.jsonl").exists():
        records(folder, texts())
    content = {
        "kind": "texts", "name": "tiny-texts", "specialist": "text", "task": "kind", "base": str(described),
        "window": 16, "lora": {"rank": 4, "alpha": 8, "layers": [2, 3]},
        "data": {
            "records": ["records.jsonl"], "train": ["own/r0", "own/r1"], "validation": ["own/r2"],
            "evaluation": [f"own/r{number}" for number in range(3, 8)],
        },
        "training": {
            "steps": 8, "batch": 8, "checkpoint": 3, "validate": 4, "precision": "float32", "rate": 0.01,
        } | training,
    }  # fmt: skip
    path = folder / "recipe.yml"
    path.write_text(yaml.safe_dump(content))
    return path
