"""Measure behaviour differences on pairs of commits: how many functions are compared, and what is shown.

    python evals/behaviour.py run CLONES --environments DIR --out FILE [--kind KIND ...] [--minutes N]
    python evals/behaviour.py show --out FILE [--kind KIND ...]
    python evals/behaviour.py report --out FILE
    python evals/behaviour.py rules CLONES --out FILE
    python evals/behaviour.py cost CLONES --environments DIR --out FILE [--count N]

CLONES is a folder with the clones that ``behaviour_commits.yml`` names, and DIR one with a virtual
environment of the same name for each. The pairs (see ``behaviour_corpus.py``) are built as objects of a
clone, without a branch.

``run`` calls ``wardround behaviour`` once a pair, the kinds and the repositories in turn, so that a run that
is stopped has some of each. FILE receives one line of JSON per pair; pairs that it already contains are
skipped. ``show`` prints the differences for reading, and ``report`` the table, with the judgements of
``behaviour_judgements.yml``, for the fresh repositories and for those used for tuning apart. ``rules`` counts
the judgements by the rule under which a review reports the difference, in the form of ``precision.yml``.
``cost`` measures the CPU time of the tests with and without recording.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml
from msgspec.structs import replace

from evals.behaviour_corpus import KINDS, Clone, changed_functions, pair

_HERE = Path(__file__).parent
_COMMITS = _HERE / "behaviour_commits.yml"
_JUDGEMENTS = _HERE / "behaviour_judgements.yml"
_LONGEST_S = 600

Row = dict[str, Any]


def _alternate_clones(clones: Path) -> Iterator[tuple[Clone, str, str]]:
    """Yield clone, kind and commit: one of each repository and kind in turn, then a second one of each, and
    so on.
    """
    repositories = yaml.safe_load(_COMMITS.read_text("utf-8"))
    columns = []
    for kind in KINDS:
        for name, listed in repositories.items():
            clone = Clone(clones / name, listed.get("add", {}), listed.get("omit", ()))
            columns.append([(clone, kind, str(commit)) for commit in listed.get(kind, ())])
    for line in zip_longest(*columns):
        yield from (entry for entry in line if entry is not None)


def run(arguments: argparse.Namespace) -> None:
    done = {row["key"] for row in _rows(arguments.out)}
    end = time.monotonic() + 60 * arguments.minutes
    for clone, kind, listed in _alternate_clones(arguments.clones):
        commit = listed.split()[0]
        key = f"{clone.folder.name} {kind} {commit}"
        if key in done or kind not in arguments.kind or not clone.folder.exists():
            continue
        if time.monotonic() > end:
            break
        row = {
            "key": key,
            "listed": listed,
            "version": _version(),
            **_compare_commit(clone, kind, commit, arguments.environments),
        }
        with arguments.out.open("a") as stream:
            stream.write(json.dumps(row) + "\n")
        print(_line(row), flush=True)


def _version() -> str:
    """Return the commit of the code that is measured."""
    done = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"], cwd=_HERE, capture_output=True, text=True
    )
    return done.stdout.strip()


def _compare_commit(clone: Clone, kind: str, commit: str, environments: Path) -> Row:
    try:
        base, head = pair(clone, kind, commit)
    except (subprocess.CalledProcessError, ValueError) as cause:
        return {"status": -1, "error": f"the pair could not be built: {cause}"}
    row: Row = {"base": base, "head": head, "changed": len(changed_functions(clone, base, head))}
    command = ("behaviour", "--base", base, "--head", head, "--format", "json")
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "wardround", *command],
            cwd=clone.folder, capture_output=True, text=True, check=False, timeout=_LONGEST_S,
            env={**os.environ, "VIRTUAL_ENV": str(environments / clone.folder.name)},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {**row, "status": -1, "error": "it took too long"}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    row["cpu_s"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row |= {"wall_s": time.monotonic() - begun, "status": done.returncode}
    try:
        return {**row, "run": json.loads(done.stdout)}
    except ValueError:
        return {**row, "error": (done.stderr or done.stdout)[-600:]}


def _line(row: Row) -> str:
    found = row.get("run")
    if found is None:
        return f"{row['key'][:60]}: {row['error']}"
    shown = [difference["function"] for difference in found["differences"]]
    counts = f"{len(found['compared'])} compared, {len(found['not_compared'])} not, {row['wall_s']:.0f} s"
    state = found["conditions"]["state"]
    return f"{row['key'][:60]}: {state}, {counts}, differing: {', '.join(shown) or 'none'}"


def _rows(out: Path) -> list[Row]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def _kind(row: Row) -> str:
    return str(row["key"].split()[1])


def _ran(row: Row) -> bool:
    """Return True if tests of the base started, so that something could be compared."""
    return "run" in row and row["run"]["conditions"]["state"] in ("complete", "partial")


def show(arguments: argparse.Namespace) -> None:
    """Print the differences that have no judgement yet."""
    judged = _judgements()
    for row in _rows(arguments.out):
        if _kind(row) not in arguments.kind or not _ran(row):
            continue
        for difference in row["run"]["differences"]:
            if identity(row, difference) in judged:
                continue
            place = f"{difference['path']}:{difference['line']}"
            print(f"\n{identity(row, difference)}  [{difference['origin']}]\n  {place} {difference['call']}")
            if difference["through"]:
                print(f"  through {difference['through']}")
            print(
                f"  before {_observed_effects(difference['before'])}\n  after  "
                f"{_observed_effects(difference['after'])}"
            )


def _observed_effects(mapping: Mapping[str, Any]) -> str:
    result = (
        f"raised {mapping['raised']}" if mapping["raised"] is not None else f"returned {mapping['returned']}"
    )
    effects = "; ".join(mapping["arguments"])
    return (
        result
        + (f" | {effects}" if effects else "")
        + (f" | printed {mapping['printed']!r}" if mapping["printed"] else "")
    )


def identity(row: Row, difference: Mapping[str, Any]) -> str:
    name, kind, commit = row["key"].split()
    return f"{name} {kind} {commit[:10]} {difference['function']}"


def _judgements() -> dict[str, str]:
    """Return identity -> ``bug``, ``true`` or ``false`` with a reason."""
    return dict(yaml.safe_load(_JUDGEMENTS.read_text("utf-8")) or {}) if _JUDGEMENTS.exists() else {}


def _share(part: int, total: int) -> str:
    """Return a share with its 95% interval by Wilson."""
    if not total:
        return "0 of 0"
    z, p = 1.96, part / total
    center = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{part} of {total}: {p:.2f} ({max(0.0, center - half):.2f} to {min(1.0, center + half):.2f})"


def report(arguments: argparse.Namespace) -> None:
    """Print the figures of each part of the corpus, and the versions that were measured."""
    repositories = yaml.safe_load(_COMMITS.read_text("utf-8"))
    parts: dict[str, list[Row]] = defaultdict(list)
    for row in _rows(arguments.out):
        listed = repositories.get(row["key"].split()[0])
        if listed is not None and _kind(row) in arguments.kind:
            parts[listed.get("part", "tuning")].append(row)
    for part, rows in sorted(parts.items()):
        versions = Counter(row.get("version", "") for row in rows)
        print(f"\n## {part}: versions {', '.join(f'{item} ({count})' for item, count in versions.items())}\n")
        _print_kind(rows)


def _print_kind(every: Sequence[Row]) -> None:
    judged = _judgements()
    rows = [row for row in every if _ran(row)]
    print(f"{len(rows)} pairs with tests that start; {len(every) - len(rows)} others\n")
    print("| repository | pairs | functions | compared | differences | read | true |")
    print("|---|---|---|---|---|---|---|")
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["key"].split()[0]].append(row)
    for name, group in sorted(groups.items()):
        print(_table_row(name, group, judged))
    print(_table_row("all", rows, judged), "\n")
    for kind in KINDS:
        print(_kind_line(kind, [row for row in rows if _kind(row) == kind], judged))
    compared, functions = _functions([row for row in rows if _kind(row) != "identical"])
    print(f"\nreplayed: {_share(compared, functions)}")
    read = [judged[key] for key in _identities(rows) if key in judged]
    right = sum(not verdict.startswith("false") for verdict in read)
    print(f"true among those read: {_share(right, len(read))}")


def _functions(rows: Sequence[Row]) -> tuple[int, int]:
    compared = sum(len(row["run"]["compared"]) for row in rows)
    return compared, compared + sum(len(row["run"]["not_compared"]) for row in rows)


def _identities(rows: Sequence[Row]) -> list[str]:
    return [identity(row, difference) for row in rows for difference in row["run"]["differences"]]


def _table_row(name: str, rows: Sequence[Row], judged: Mapping[str, str]) -> str:
    compared, functions = _functions(rows)
    shown = _identities(rows)
    read = [judged[key] for key in shown if key in judged]
    right = sum(not verdict.startswith("false") for verdict in read)
    return f"| {name} | {len(rows)} | {functions} | {compared} | {len(shown)} | {len(read)} | {right} |"


def _kind_line(kind: str, rows: Sequence[Row], judged: Mapping[str, str]) -> str:
    """Return the shares of pairs that show something, a false difference, and the bug."""
    showing = [row for row in rows if row["run"]["differences"]]

    def having(prefix: str) -> int:
        return sum(any(judged.get(key, "").startswith(prefix) for key in _identities([row])) for row in rows)

    parts = [f"{kind}: shows something {_share(len(showing), len(rows))}"]
    parts.append(f"a false one {_share(having('false'), len(rows))}")
    if kind in ("reversed", "repaired"):
        parts.append(f"the bug {_share(having('bug'), len(rows))}")
    return "; ".join(parts)


def rules(arguments: argparse.Namespace) -> None:
    """Print the correct ones and all of the differences judged in the fresh parts, by the rule of a
    review.
    """
    repositories = yaml.safe_load(_COMMITS.read_text("utf-8"))
    judged = _judgements()
    counts: dict[str, list[bool]] = defaultdict(list)
    for row in filter(_ran, _rows(arguments.out)):
        name = row["key"].split()[0]
        if "part" not in repositories.get(name, {}):
            continue
        for difference in row["run"]["differences"]:
            if (judgement := judged.get(identity(row, difference))) is not None:
                rule = _rule(Clone(arguments.clones / name), row, difference)
                counts[rule].append(not judgement.startswith("false"))
    for rule, right in sorted(counts.items()):
        print(f"{rule}: {{kind: run, right: {sum(right)}, of: {len(right)}, evaluation: evals/behaviour.py}}")


def _rule(clone: Clone, row: Row, difference: Mapping[str, Any]) -> str:
    """Return the rule under which a review of the commit reports the difference."""
    import msgspec

    from wardround.context.run_evidence import BehaviourDifference
    from wardround.context.surface.published_functions import published_in
    from wardround.context.surface.sides import TextSide
    from wardround.planes.behaviour_findings import BehaviourReading, behaviour_result
    from wardround.planes.stated_behaviour import unchanged_by

    item = msgspec.convert(difference, BehaviourDifference)
    listed = clone.git("ls-tree", "-r", "--name-only", row["head"]).splitlines()
    settings = ("pyproject.toml", "setup.cfg", "setup.py")
    texts = {path: clone.text(row["head"], path) or "" if path in settings else "" for path in listed}
    reading = BehaviourReading(
        head=lambda path: clone.text(row["head"], path),
        stated="" if _kind(row) == "reversed" else unchanged_by([_message(clone, row)]),
        published=published_in(TextSide(texts), {(item.path, item.function)}),
    )
    return f"run/{behaviour_result(item, reading).code}"


def _message(clone: Clone, row: Row) -> str:
    return clone.git("show", "-s", "--format=%B", row["key"].split()[2])


def cost(arguments: argparse.Namespace) -> None:
    """Print the CPU time of the tests of ordinary commits with recording, without it, and the quotient."""
    done = {row["key"]: row for row in _rows(arguments.out)}
    for clone, kind, listed in _alternate_clones(arguments.clones):
        key = f"{clone.folder.name} {listed}"
        if kind != "ordinary" or key in done or len(done) >= arguments.count or not clone.folder.exists():
            continue
        measured = _measure_commit(clone, listed, arguments.environments)
        if measured is None:
            continue
        done[key] = {"key": key, **measured}
        with arguments.out.open("a") as stream:
            stream.write(json.dumps(done[key]) + "\n")
        print(done[key], flush=True)
    rows = [row for row in done.values() if row["plain_s"] >= 1]
    if rows:
        quotients = sorted(row["recorded_s"] / row["plain_s"] for row in rows)
        total = sum(row["recorded_s"] for row in rows) / sum(row["plain_s"] for row in rows)
        median, above = statistics.median(quotients), sum(quotient > 1.25 for quotient in quotients)
        print(f"{len(rows)} pairs of up to five functions and tests of 1 s or more:")
        print(f"  recorded/plain in all {total:.2f}, median {median:.2f}, highest {quotients[-1]:.2f}")
        print(f"  above 1.25: {above}")


def _measure_commit(clone: Clone, commit: str, environments: Path) -> Row | None:
    """Return CPU seconds, the lower ones of two runs each; None unless one to five functions are recorded."""
    from wardround.change.repository import Repository
    from wardround.workflows.behaviour.compare import _reader
    from wardround.workflows.behaviour.limits import DEFAULT_LIMITS
    from wardround.workflows.behaviour.stages import Stages
    from wardround.workflows.behaviour.targets import find_targets
    from wardround.workflows.environments.existing_python import existing_python

    base, head = pair(clone, "ordinary", commit)
    environ = {**os.environ, "VIRTUAL_ENV": str(environments / clone.folder.name)}
    environment = existing_python(clone.folder, environ)
    with Repository(clone.folder) as repository:
        change = repository.range(base, head)
        targets = find_targets(change, _reader(repository), "", 5).targets
        if not 1 <= len(targets) <= 5:
            return None
        seconds: dict[bool, list[float]] = {True: [], False: []}
        for is_recorded in (False, True, True, False):
            chosen = (
                targets
                if is_recorded
                else tuple(replace(target, base_path="missing.py") for target in targets)
            )
            stages = Stages(repository, environment, chosen, DEFAULT_LIMITS, "auto", environ)
            outcome = stages.record(base, ()).outcome
            seconds[is_recorded].append(outcome.cpu_s)
    return {"functions": len(targets), "plain_s": min(seconds[False]), "recorded_s": min(seconds[True])}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("run", "show", "report", "rules", "cost"))
    parser.add_argument("clones", type=Path, nargs="?")
    parser.add_argument("--environments", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--count", type=int, default=20)
    arguments = parser.parse_args()
    arguments.kind = arguments.kind or list(KINDS)
    arguments.environments = arguments.environments and arguments.environments.resolve()
    if arguments.step in ("run", "cost") and not (arguments.clones and arguments.environments):
        parser.error(f"{arguments.step} needs CLONES and --environments DIR")
    {"run": run, "show": show, "report": report, "rules": rules, "cost": cost}[arguments.step](arguments)


if __name__ == "__main__":
    main()
