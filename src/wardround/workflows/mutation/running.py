"""The run of mutants of the changed lines against the tests that run these lines, in the sandbox."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.run_evidence import RunState
from wardround.sandbox.choices import AUTO, NONE
from wardround.sandbox.model import Limits, Outcome, State
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import INNER_ROOT
from wardround.workflows.environments.model import Environment, link_packages
from wardround.workflows.inner_program import program_command, program_view
from wardround.workflows.mutation.choice import Mutant, choose_mutants, mutants_of
from wardround.workflows.mutation.result import MutationResult, TriedMutant
from wardround.workflows.run_output import MOST_VALUES, has_too_many_values
from wardround.workflows.test.python_code.edited_statements import edited_lines

_FOLDER = ".wardround-mutation"
_MARGIN_S = 30.0
"""Time for the last mutant and the end of the run, beyond the budget."""


class MutationOptions(msgspec.Struct, frozen=True):
    """The most that a mutation run does.

    Attributes:
        budget_s: elapsed time.
        most: mutants.
        isolation: ``auto``, or the name of a back end of the sandbox.
    """

    budget_s: float = 60.0
    most: int = 100
    isolation: str = AUTO


def mutate_change(
    repository: Repository,
    change: Change,
    side: str,
    tests: Sequence[str],
    environment: Environment,
    options: MutationOptions,
    log: Path,
    *,
    environ: Mapping[str, str],
    project: str = "",
    progress: Callable[[str], None] = lambda text: None,
) -> MutationResult:
    """Try mutants of the changed lines of Python functions.

    The tests run once unchanged, to find those that pass and the changed lines that each runs; then those of
    a mutant run until the first that fails.

    Args:
        side: the head of the change: a commit, or the index.
        tests: ids of the tests that the change can affect, relative to the tree.
        log: the file for the output of the first run.
        environ: the caller's environment.
        project: the folder in which pytest runs, relative to the tree.

    Raises:
        GitError: the tree cannot be written.
    """
    with EphemeralTree(repository, side) as tree:
        contents = _contents(tree, change)
        possible = [
            mutant
            for path, text in contents.items()
            for mutant in mutants_of(path, text, _lines(repository, change, path, text))
        ]
        mutants = choose_mutants(possible, options.most)
        if not mutants or not tests:
            return MutationResult(RunState.COMPLETE, possible=len(possible))
        progress(f"{len(mutants)} mutants of the changed lines, {len(tests)} tests")
        root = str(tree.root) if options.isolation == NONE else INNER_ROOT
        link_packages(environment, tree.root)
        _write_request(tree.root, root, mutants, contents, tests, options)
        outcome = _start(tree, root, project, environment, options, log, environ)
        results = tree.read(f"{_FOLDER}/results") or b""
    return _result(mutants, len(possible), results, outcome)


def _contents(tree: EphemeralTree, change: Change) -> dict[str, str]:
    """Return the contents of the changed Python files that can be edited by offsets."""
    found: dict[str, str] = {}
    for file in change.files:
        data = tree.read(file.path) if file.path.endswith(".py") and file.is_regular else None
        if data is None or data.startswith(b"\xef\xbb\xbf"):
            continue
        try:
            found[file.path] = data.decode()
        except UnicodeDecodeError:
            continue
    return found


def _lines(repository: Repository, change: Change, path: str, text: str) -> frozenset[int]:
    file = change.file(path)
    if file is None:
        return frozenset()
    old = repository.blobs.get(file.base_blob) if file.base_blob is not None else None
    return edited_lines(file, "" if old is None else old.decode("utf-8", "replace"), text)


def _write_request(
    tree: Path, root: str, mutants: Sequence[Mutant], contents: Mapping[str, str], tests: Sequence[str],
    options: MutationOptions,
) -> None:  # fmt: skip
    lines: dict[str, set[int]] = {}
    for mutant in mutants:
        lines.setdefault(mutant.path, set()).update(mutant.edit.lines)
    values = {
        "root": root,
        "results": f"{root}/{_FOLDER}/results",
        "budget_s": options.budget_s,
        "tests": list(tests),
        "lines": {path: sorted(some) for path, some in lines.items()},
        "mutants": [_mutant_request(mutant, contents[mutant.path]) for mutant in mutants],
    }
    folder = tree / _FOLDER
    folder.mkdir()
    (folder / "request.json").write_text(json.dumps(values), "utf-8")


def _mutant_request(mutant: Mutant, text: str) -> dict[str, object]:
    """Return a mutant with the offsets of its edit in bytes."""
    start = len(text[: mutant.edit.start].encode())
    end = start + len(text[mutant.edit.start : mutant.edit.end].encode())
    return {
        "path": mutant.path,
        "lines": mutant.edit.lines,
        "start": start,
        "end": end,
        "after": mutant.edit.after,
    }


def _start(
    tree: EphemeralTree,
    root: str,
    project: str,
    environment: Environment,
    options: MutationOptions,
    log: Path,
    environ: Mapping[str, str],
) -> Outcome:
    folder = os.path.join(root, project)
    command = program_command("mutants.start", folder, f"{root}/{_FOLDER}/request.json")
    longest = options.budget_s + _MARGIN_S
    limits = Limits(wall_s=longest, cpu_s=longest * (os.cpu_count() or 1))
    visible = program_view(environment.visible, root)
    return run(command, tree, limits, log=log, visible=visible, isolation=options.isolation, environ=environ)


class _First(msgspec.Struct, frozen=True):
    """The run of the tests without an edit; it is slow if the time limit was reached first."""

    first: dict[str, object] = {}
    is_slow: bool = False


class _One(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The run of the tests of one mutant, by its number."""

    mutant: int
    is_noticed: bool
    tests: int


def _result(mutants: Sequence[Mutant], possible: int, data: bytes, outcome: Outcome) -> MutationResult:
    if has_too_many_values(data):
        detail = f"no mutant was tried: the run wrote more than {MOST_VALUES} values into its results"
        return MutationResult(RunState.FAILED, possible=possible, detail=detail)
    lines = data.split(b"\n")
    try:
        run = msgspec.json.decode(lines[0], type=_First)
    except msgspec.DecodeError:
        run = _First()
    tried = tuple(islice(_mutant_results(mutants, lines[1:]), len(mutants)))
    if not run.first.get("outcomes"):
        state = RunState.REFUSED if outcome.state is State.REFUSED else RunState.FAILED
        return MutationResult(state, possible=possible, detail=_failure(outcome, is_slow=run.is_slow))
    unfinished = outcome.state is not State.FINISHED or not data.endswith(b'"end"\n')
    detail = f"the time ended after {len(tried)} mutants" if unfinished else ""
    return MutationResult(RunState.PARTIAL if unfinished else RunState.COMPLETE, tried, possible, detail)


def _mutant_results(mutants: Sequence[Mutant], lines: Iterable[bytes]) -> Iterator[TriedMutant]:
    """Yield the results; other lines, which a test wrote, are ignored."""
    for line in lines:
        try:
            item = msgspec.json.decode(line, type=_One)
        except msgspec.DecodeError:
            continue
        if 0 <= item.mutant < len(mutants):
            mutant = mutants[item.mutant]
            kind = mutant.edit.kind.name.lower().replace("_", "-")
            yield TriedMutant(
                mutant.path, mutant.edit.line, kind, *mutant.edit.shown, item.is_noticed, item.tests
            )


def _failure(outcome: Outcome, *, is_slow: bool) -> str:
    if outcome.state is not State.FINISHED:
        return f"no mutant was tried: {outcome.detail}"
    if is_slow:
        return "no mutant was tried, as the time ended before the tests without an edit did"
    return f"no mutant was tried, as pytest ran no test (see {outcome.log})"
