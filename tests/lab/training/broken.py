"""Windows of changes in which one word is always the defect."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import yaml

from tests.lab.training import tiny
from wardround.training_tasks import LineDefect, Window

BAD, GOOD = "omicron", "sigma"


def windows(repositories: int = 4, each: int = 24) -> list[Window]:
    """Pairs of every origin: a line that contains ``omicron`` is broken, one with ``sigma`` is not."""
    return [
        window
        for repository in range(repositories)
        for number in range(each)
        for window in _pair(repository, number)
    ]


def _pair(repository: int, number: int) -> list[Window]:
    reported = random.Random(f"{repository}:{number}")
    before, after = (reported.sample(tiny.WORDS[:8], 2) for _ in range(2))
    other = reported.choice(tiny.WORDS[:8])
    kind = "real" if number % 3 == 0 else "injected"
    shift = number % 4
    context = [f"    {word}" for word in (*before, *after)]
    created = []
    for bad in (True, False):
        removed, come = (
            (f"{other} {GOOD}", f"{other} {BAD}") if bad else (f"{other} {BAD}", f"{other} {GOOD}")
        )
        lines = (*context[:shift], f"    {removed}", f"    {come}", *context[shift:])
        marks = " " * shift + "-+" + " " * (4 - shift)
        fault = LineDefect(shift + 1, "operator" if kind == "injected" else "")
        created.append(
            Window(
                f"own/r{repository}", 1_000 * (1 + repository), f"f{number}.py@{repository}", kind,
                f"{number}", marks, lines, (fault,) if bad else (),
            )
        )  # fmt: skip
    if kind == "real":
        clean = msgspec.structs.replace(
            created[1], origin="clean", pair=f"{number}c", group=f"c{number}@{repository}"
        )
        created.append(clean)
    return created


def records(folder: Path, made: list[Window]) -> Path:
    """A file of windows with the audit of it."""
    path = folder / "records.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(item) + b"\n" for item in made))
    tiny.write_audit(path, held=("own/r3",))
    return path


def recipe(folder: Path, described: Path, **training: Any) -> Path:
    """A recipe with records in the same folder: r0 and r1 train, r2 validates, r3 evaluates."""
    if not (folder / "records.jsonl").exists():
        records(folder, windows())
    content = {
        "kind": "lines", "name": "tiny-lines", "specialist": "python", "task": "python-defects",
        "base": str(described), "window": 60, "lora": {"rank": 4, "alpha": 8, "layers": [2, 3]},
        "data": {
            "records": ["records.jsonl"], "train": ["own/r0", "own/r1"], "validation": ["own/r2"],
            "evaluation": ["own/r3"], "until": "1970-01-02", "since": "1970-01-01",
        },
        "training": {
            "steps": 8, "batch": 8, "checkpoint": 3, "validate": 4, "precision": "float32", "rate": 0.01,
        } | training,
    }  # fmt: skip
    del content["data"]["until"], content["data"]["since"]  # type: ignore[attr-defined]
    path = folder / "recipe.yml"
    path.write_text(yaml.safe_dump(content))
    return path
