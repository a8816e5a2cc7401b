"""The start of the program that observes tests and validates candidates, on a tree that it cannot write."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from wardround.change.repository import Repository
from wardround.sandbox.choices import AUTO, NONE
from wardround.sandbox.model import Limits, Outcome, State
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import INNER_ROOT
from wardround.workflows.environments.model import Environment, link_packages
from wardround.workflows.inner_program import program_command, program_view
from wardround.workflows.run_output import has_too_many_values

_FOLDER = ".wardround-candidates"
_WALL_FACTOR = 4
"""Elapsed time per CPU time, on a machine with other work."""
_MARGIN_S = 60.0
_MOST_RESULT_BYTES = 256 * 1024 * 1024
Row = TypeVar("Row")


class ProgramOptions(msgspec.Struct, frozen=True):
    """How a run starts.

    Attributes:
        environment: the interpreter and the packages of the project.
        environ: the caller's environment.
        log: the file for the output of pytest.
        isolation: ``auto``, or the name of a back end of the sandbox.
        project: the folder in which pytest runs, relative to the tree.
    """

    environment: Environment
    environ: Mapping[str, str]
    log: Path
    isolation: str = AUTO
    project: str = ""


class ProgramRun(msgspec.Struct, frozen=True):
    """The end of a run, with the lines that it wrote."""

    outcome: Outcome
    lines: tuple[bytes, ...]

    def rows(self, kind: type[Row]) -> Iterator[Row]:
        """Yield the lines that are rows of a kind; others, which code under test wrote, are ignored."""
        for line in self.lines:
            try:
                yield msgspec.json.decode(line, type=kind)
            except msgspec.DecodeError:
                continue

    @property
    def problem(self) -> str:
        """One sentence if the run did not end by itself."""
        outcome = self.outcome
        if outcome.state is not State.FINISHED:
            return outcome.detail or f"the run was {outcome.state}"
        if outcome.status:
            return f"the program exited with status {outcome.status}; its output is in {outcome.log}"
        return ""


def run_program(
    repository: Repository, base: str, values: Mapping[str, object], budget_s: float, options: ProgramOptions
) -> ProgramRun:
    """Run the program on a commit, which it can read but not write.

    Args:
        values: the request without the paths.
        budget_s: CPU time.

    Raises:
        GitError: the tree cannot be written.
    """
    with EphemeralTree(repository, base) as tree:
        root = str(tree.root) if options.isolation == NONE else INNER_ROOT
        link_packages(options.environment, tree.root)
        folder = tree.root / _FOLDER
        folder.mkdir()
        request = {**values, "root": root, "results": f"{root}/{_FOLDER}/results", "budget_s": budget_s}
        (folder / "request.json").write_text(json.dumps(request), "utf-8")
        outcome = _start(tree, root, budget_s, options)
        results = tree.read(f"{_FOLDER}/results", _MOST_RESULT_BYTES) or b""
    lines = () if has_too_many_values(results) else tuple(results.split(b"\n"))
    return ProgramRun(outcome, lines)


def _start(tree: EphemeralTree, root: str, budget_s: float, options: ProgramOptions) -> Outcome:
    folder = os.path.join(root, options.project)
    command = program_command("candidates.start", folder, f"{root}/{_FOLDER}/request.json")
    longest = _WALL_FACTOR * budget_s + 2 * _MARGIN_S
    limits = Limits(wall_s=longest, cpu_s=2 * budget_s + 2 * _MARGIN_S)
    view = program_view(options.environment.visible, root)
    visible = msgspec.structs.replace(view, fixed=(".",), writable=(_FOLDER,))
    return run(
        command, tree, limits, log=options.log, visible=visible, isolation=options.isolation,
        environ=options.environ,
    )  # fmt: skip
