"""A project with a fault, several patches of it, and their selection in a run."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tests.conftest import GitRepository
from wardround import host
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.instance import Instance
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.thread import select
from wardround.authoring.sequence import Header, SequenceStore, Settings
from wardround.authoring.stage_loading import contributed_stage
from wardround.authoring.stages import CodePointer, Patch, PatchedFile
from wardround.authoring.steps.route import Route, StageNames
from wardround.authoring.work import Work
from wardround.change.repository import Repository
from wardround.config.language_model import EndpointSettings

CODE = '''\
def label(item):
    """Return the label of an item, in lower case."""
    return item["name"].lower()


def title(item):
    return label(item).title()
'''
TESTS = """\
from shop import label, title


def test_label():
    assert label({"name": "Tea"}) == "tea"


def test_label_of_a_long_name():
    assert len(label({"name": "Maß"})) >= 3


def test_title():
    assert title({"name": "TEA"}) == "Tea"


def test_label_without_a_name():
    assert label({}) == ""
"""
FAILING = "tests/test_shop.py::test_label_without_a_name"
FILES = {
    "shop.py": CODE,
    "tests/test_shop.py": TESTS,
    "conftest.py": "",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = ["pytest"]\n',
}
FAULT = 'item["name"].lower()'
LOWER = 'item.get("name", "").lower()'
GUARDED = '(item["name"] if "name" in item else "").lower()'
CASEFOLD = 'item.get("name", "").casefold()'
BROKEN = '""'
ENDPOINT_OF_NOBODY: Mapping[str, EndpointSettings] = {}


class Selected(msgspec.Struct, frozen=True):
    """The result of a selection.

    Attributes:
        index: that of the selected patch.
        reasons: the lines of the report.
        steps: the names of the effects that ran.
    """

    index: int
    reasons: tuple[str, ...]
    steps: tuple[str, ...]


def replacement(expression: str, before: str = "") -> Patch:
    """Return the patch that returns an expression, with lines before the statement."""
    text = CODE.replace(f"    return {FAULT}", f"{before}    return {expression}")
    return Patch(
        (PatchedFile("shop.py", text),), "hidden-author", "a reason", {"operator": "hidden-operator"}
    )


def selected(
    repo: GitRepository,
    folder: Path,
    name: str,
    patches: Sequence[Patch],
    *,
    failing: tuple[str, ...] = (FAILING,),
    isolation: str = "",
    endpoints: Mapping[str, EndpointSettings] = ENDPOINT_OF_NOBODY,
) -> Selected:
    """Select one of the patches in a new sequence."""
    instance = Instance(repo.git("rev-parse", "HEAD").strip(), "Labels of items without a name", failing)
    settings = Settings(isolation=isolation)
    header = Header(instance, settings, Route(StageNames(), "a test", endpoints), "1.0")
    environ = {**os.environ, "VIRTUAL_ENV": sys.prefix}
    sequence_id, sequence = SequenceStore(folder / "sequences").begin(header)

    async def run(repository: Repository) -> tuple[Patch, tuple[str, ...]]:
        work = Work(repository, instance, settings, sequence, host.load(), environ, folder)
        inputs = RunInputs(work, header, EndpointAccess(environ), "")
        inputs.report.pointers = (CodePointer("shop.py", 1, 3, "label"),)
        async with inputs.opened:
            stage = await contributed_stage("wardround_selections", name, inputs)
            found = await select(stage, list(patches), instance.id)
        return found, tuple(inputs.report.selections)

    with Repository(repo.root) as repository:
        patch, reasons = asyncio.run(run(repository))
    lines = (folder / "sequences" / f"{sequence_id}.jsonl").read_text().splitlines()[1:]
    steps = tuple(str(json.loads(line)["step"]) for line in lines)
    return Selected(list(patches).index(patch), reasons, steps)
