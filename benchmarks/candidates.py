"""Measure how many candidates per CPU second are validated on instances: commits with tests that fail.

    VIRTUAL_ENV=DIR python benchmarks/candidates.py INSTANCES [--budget S] [--cold] [--json docs/cost.json]

INSTANCES is a JSON list of objects with ``repo`` (a clone), ``base`` (a commit), ``failing`` (ids of tests),
and perhaps ``fix``, a commit whose change must be accepted. The candidates are the edits of
`wardround test --mutate` in all functions that the failing tests run, again and again until there are enough.
With ``--cold`` each candidate that no test fails, and each accepted fix, is committed, and its whole suite
runs by pytest itself: a test that passed before must pass then.

Exit status: 1 if the median is below ``RATE``, or a candidate does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import figures
import msgspec

from wardround.authoring.repair.model import Candidate, Observation, Validation
from wardround.authoring.repair.observation import observe
from wardround.authoring.repair.validation import validate
from wardround.change.repository import Repository
from wardround.config.sandbox_settings import SandboxSettings
from wardround.languages.python.module import is_test_path
from wardround.workflows.environments.lookup import environment_of
from wardround.workflows.environments.model import Environment
from wardround.workflows.mutation.choice import mutants_of
from wardround.workflows.test.project.projects import DetectedProject

RATE = 300.0
"""Candidates per second of processor time."""
_MOST = 20_000
_OBSERVATION_S = 60.0
_MOST_COLD = 3


class Instance(msgspec.Struct, frozen=True):
    """A commit of a clone with the ids of tests that fail there."""

    repo: str
    base: str
    failing: tuple[str, ...]
    fix: str = ""


class Setup(msgspec.Struct, frozen=True):
    """An open repository at the base of an instance."""

    instance: Instance
    repository: Repository
    environment: Environment
    log: Path

    def observe(self, base: str) -> Observation:
        return observe(
            self.repository, base, self.instance.failing, self.environment, _OBSERVATION_S,
            environ=os.environ, log=self.log,
        )  # fmt: skip

    def validate(self, candidates: list[Candidate], observation: Observation, budget_s: float) -> Validation:
        return validate(
            self.repository, self.instance.base, candidates, observation, self.environment, budget_s,
            environ=os.environ, log=self.log, most_plausible=_MOST,
        )  # fmt: skip

    def content(self, path: str) -> str:
        data = self.repository.tree(self.instance.base).read(path)
        return (data or b"").decode()


def candidates_of(setup: Setup, observation: Observation) -> Iterator[Candidate]:
    """Yield the edits of the lines that the failing tests run."""
    lines: dict[str, set[int]] = {}
    for test in observation.failing:
        for path, numbers in test.lines.items():
            lines.setdefault(path, set()).update(numbers)
    for path, numbers in sorted(lines.items()):
        for mutant in mutants_of(path, setup.content(path), numbers):
            edit = mutant.edit
            yield Candidate(path, "", edit.start, edit.end, edit.after, edit.kind.name, 0.0)


def fix_of(setup: Setup) -> Iterator[Candidate]:
    """Yield the fix as one edit, if it changes one file."""
    base, fix = setup.instance.base, setup.instance.fix
    changed = [
        file.path
        for file in setup.repository.between(base, fix).files
        if file.path.endswith(".py") and not is_test_path(file.path)
    ] if fix else []  # fmt: skip
    if len(changed) == 1:
        old = setup.content(changed[0])
        new = (setup.repository.tree(fix).read(changed[0]) or b"").decode()
        start = _common_length(old, new)
        end = _common_length(old[start:][::-1], new[start:][::-1])
        yield Candidate(changed[0], "", start, len(old) - end, new[start : len(new) - end], "fix", 1.0)


def _common_length(text: str, other: str) -> int:
    """Return how many characters at the start are equal."""
    differing = (at for at, (left, right) in enumerate(zip(text, other, strict=False)) if left != right)
    return next(differing, min(len(text), len(other)))


def measure(setup: Setup, budget_s: float, *, is_cold: bool) -> dict[str, Any]:
    """Return the figures of one instance."""
    observation = setup.observe(setup.instance.base)
    edits = list(candidates_of(setup, observation))
    if observation.problem or not edits:
        return {"problem": observation.problem or "no edit"}
    fixes = list(fix_of(setup))
    accepted = setup.validate(fixes, observation, budget_s) if fixes else Validation(0)
    found = setup.validate(list(islice(cycle(edits), _MOST)), observation, budget_s)
    plausible = sorted({item.index % len(edits) for item in found.results if item.is_plausible})
    checked = [edits[at] for at in plausible[:_MOST_COLD]]
    checked += [fixes[0] for item in accepted.results if item.is_plausible]
    held = [is_sound(setup, observation, candidate) for candidate in checked] if is_cold else []
    return {
        "problem": found.problem,
        "observation_s": observation.cpu_s,
        "tests": len(observation.tests),
        "edits": len(edits),
        "tried": found.tried,
        "cpu_s": found.cpu_s,
        "rate": found.tried / found.cpu_s,
        "reimported": found.reimported,
        "late": found.late,
        "crashed": found.crashed,
        "fixes": len(fixes),
        "fix_imported": accepted.reimported,
        "fixes_accepted": sum(item.is_plausible for item in accepted.results),
        "unstable": len(found.unstable),
        "passed_first": len({item.index % len(edits) for item in found.results}),
        "plausible": len(plausible),
        "cold": len(held),
        "held": sum(held),
    }


def is_sound(setup: Setup, before: Observation, candidate: Candidate) -> bool:
    """Return True if all tests that passed, and those that failed, pass in a run of the whole suite."""
    text = setup.content(candidate.path)
    edited = text[: candidate.start] + candidate.replacement + text[candidate.end :]
    commit = setup.repository.commit_files(
        setup.instance.base, {candidate.path: edited.encode()}, "A candidate"
    )
    after = setup.observe(commit)
    passing = {test.id for test in after.passing}
    expected = {test.id for test in (*before.passing, *before.failing)}
    missing = sorted(expected - passing)
    if missing:
        print(f"  does not hold: {candidate.path} {candidate.start} {candidate.operator}: {missing[:3]}")
    return not missing


def results(instances: list[Instance], arguments: argparse.Namespace) -> Iterator[Mapping[str, Any]]:
    for instance in instances:
        with tempfile.TemporaryDirectory() as scratch, Repository(Path(instance.repo)) as repository:
            environment = environment_of(
                DetectedProject("", "python"), repository, SandboxSettings(), side=instance.base
            )
            setup = Setup(instance, repository, environment, Path(scratch) / "log")
            row = measure(setup, arguments.budget, is_cold=arguments.cold)
        print(Path(instance.repo).name, instance.base[:8], json.dumps(row), flush=True)
        if not row["problem"]:
            yield row


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("instances", type=Path)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of processor time")
    parser.add_argument("--cold", action="store_true")
    figures.add_json_option(parser)
    arguments = parser.parse_args()
    rows = list(
        results(msgspec.json.decode(arguments.instances.read_bytes(), type=list[Instance]), arguments)
    )
    rate = statistics.median(row["rate"] for row in rows)
    cold, held = (sum(row[name] for row in rows) for name in ("cold", "held"))
    print(
        f"{len(rows)} instances, median {rate:.0f} candidates a second; {held} of {cold} hold in a cold run"
    )
    figures.write(arguments.json, "candidates", {"instances": len(rows), "rate": rate})
    return int(rate < RATE or held < cold)


if __name__ == "__main__":
    sys.exit(main())
