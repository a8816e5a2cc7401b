"""Compare the findings, fingerprints and gates of the hook, the Action and the Jenkins step on real changes.

    python evals/parity.py choose --repositories DIR --count 40   # commits with each kind of file
    python evals/parity.py run --repositories DIR [--changes evals/parity.yml] [--only COMMIT,...]

DIR has the clones, ``owner+name/repo`` or ``owner/name``. Each change is reviewed by ``wardround hook`` as a
staged change and as a range that is pushed, by the steps of action.yml and by the stage of the Jenkinsfile,
run by the shells that run them there, and by ``wardround review --profile ci``. The hook has the commit
profile, in which fewer tools run: its findings have to be among those of CI. Other pairs have to be equal.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.ci_runs import Event, Runner, run_jenkins  # noqa: E402

CHANGES = ROOT / "evals" / "parity.yml"
KINDS = {
    "python": re.compile(r"\.py$"),
    "typescript": re.compile(r"\.[cm]?[jt]sx?$"),
    "sql": re.compile(r"\.sql$"),
    "docker": re.compile(r"(?:^|/)Dockerfile|docker-compose|(?:^|/)compose\.ya?ml$"),
    "yaml": re.compile(r"\.ya?ml$"),
}
MOST_FILES = 25
LEAST_LINES = {"python": 150, "typescript": 150, "sql": 10, "docker": 5, "yaml": 30}
MOST_COMMITS = 1500
SECONDS = 600
_PLACE = ("severity", "status", "file", "line", "column")


@dataclass(frozen=True)
class RealChange:
    """A commit of a repository, compared with its first parent."""

    repository: str
    commit: str
    kinds: str

    def clone(self, repositories: Path, folder: Path) -> Path:
        """Make a work tree that has the commit checked out."""
        workspace = folder / "workspace"
        source = find_repository(repositories, self.repository)
        run_git(folder, "clone", "-q", "--shared", "--no-checkout", str(source), str(workspace))
        run_git(workspace, "checkout", "-q", "--detach", self.commit)
        return workspace


@dataclass(frozen=True)
class Outcome:
    """The result of a review: findings by fingerprint, files without a review, gate and verdict."""

    findings: Mapping[str, Mapping[str, Any]]
    unreviewed: frozenset[tuple[str, ...]]
    gate: str
    verdict: str
    tools: frozenset[str]
    seconds: float

    @classmethod
    def of(cls, report: Mapping[str, Any], seconds: float) -> Outcome:
        findings = {finding["fingerprint"]: finding for finding in report["findings"]}
        gaps = frozenset((gap["file"], gap["tool"], gap["reason"]) for gap in report["unreviewed"])
        gate = report["gate"]["outcome"]
        verdict = f"{report['verdict']['name']} {report['verdict']['tier']}"
        tools = frozenset(run["tool"] for run in report["runs"])
        return cls(findings, gaps, gate, verdict, tools, seconds)

    def differences(self, other: Outcome) -> list[str]:
        """The parts in which two reviews of the same profile differ."""
        parts = ("findings", "unreviewed", "gate", "verdict", "tools")
        return [part for part in parts if getattr(self, part) != getattr(other, part)]

    def missing_from(self, other: Outcome) -> list[str]:
        """The findings that another review lacks, or has in another place or with another severity.

        A defect that several tools report has the name that the most specific of them gives: with more tools
        the rule may be another one, and the first is among the sources.
        """
        return [
            f"{finding['rule']} {finding['file']}:{finding['line']}"
            for fingerprint, finding in self.findings.items()
            if not _is_same(finding, other.findings.get(fingerprint))
        ]


def _is_same(finding: Mapping[str, Any], other: Mapping[str, Any] | None) -> bool:
    if other is None or finding["rule"] not in (other["rule"], *other["sources"]):
        return False
    return all(finding[part] == other[part] for part in _PLACE)


def run_git(folder: Path, *arguments: str) -> str:
    """Return the output of a command of git."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True, errors="replace"
    )
    return done.stdout


def find_repository(repositories: Path, name: str) -> Path:
    """Return the clone of a repository."""
    for folder in (repositories / name.replace("/", "+") / "repo", repositories / name):
        if folder.exists():
            return folder
    raise SystemExit(f"{name} is not in {repositories}; clone it there")


def hook_report(workspace: Path, stage: str, env: Mapping[str, str]) -> tuple[dict[str, Any], float]:
    """Review a work tree by the hook and return the report."""
    return _report(workspace, ["hook", "--stage", stage], env)


def _report(
    workspace: Path, arguments: Sequence[str], env: Mapping[str, str]
) -> tuple[dict[str, Any], float]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        argv = [sys.executable, "-m", "wardround", *arguments, "--format", f"json={file}", "--format", "text"]
        begun = time.monotonic()
        done = subprocess.run(
            argv, cwd=workspace, env={**os.environ, **env}, capture_output=True, timeout=SECONDS, check=False
        )
        if not file.exists():
            raise SystemExit(
                f"{' '.join(argv[2:5])}: status {done.returncode}: {done.stderr.decode()[-500:]}"
            )
        return json.loads(file.read_text()), time.monotonic() - begun


def outcomes(change: RealChange, repositories: Path) -> dict[str, Outcome]:
    """Review a change in each way."""
    with tempfile.TemporaryDirectory(prefix="parity-") as name:
        folder = Path(name)
        workspace = change.clone(repositories, folder)
        base = run_git(workspace, "rev-parse", f"{change.commit}^1").strip()
        found = dict(_of_ci(workspace, folder, base, change.commit))
        pushed = {"PRE_COMMIT_FROM_REF": base, "PRE_COMMIT_TO_REF": change.commit}
        found["pre-push"] = Outcome.of(*hook_report(workspace, "pre-push", pushed))
        run_git(workspace, "reset", "-q", "--soft", base)
        found["hook"] = Outcome.of(*hook_report(workspace, "pre-commit", {}))
        return found


def _of_ci(workspace: Path, folder: Path, base: str, head: str) -> Iterator[tuple[str, Outcome]]:
    begun = time.monotonic()
    ran = Runner(folder / "runner", timeout=SECONDS).run(workspace, Event.push(base, head))
    yield "action", Outcome.of(ran.report, time.monotonic() - begun)
    begun = time.monotonic()
    done, reports = run_jenkins(
        workspace, folder / "jenkins", {"GIT_PREVIOUS_SUCCESSFUL_COMMIT": base}, timeout=SECONDS
    )
    file = reports / "report.json"
    if not file.exists():
        raise SystemExit(f"the stage of Jenkins: status {done.returncode}: {done.stderr[-500:]}")
    yield "jenkins", Outcome.of(json.loads(file.read_text()), time.monotonic() - begun)
    range_of = ["review", "--profile", "ci", "--config-from", "base", "--base", base, "--head", head]
    yield "review", Outcome.of(*_report(workspace, range_of, {}))


def compare(found: Mapping[str, Outcome]) -> list[str]:
    """The differences that no setting explains."""
    lines = []
    for other in ("jenkins", "review"):
        parts = found["action"].differences(found[other])
        lines += [f"action and {other} differ in {part}" for part in parts]
    hooks = found["hook"].differences(found["pre-push"])
    lines += [f"the staged change and the pushed range differ in {part}" for part in hooks]
    lacking = found["hook"].missing_from(found["action"])
    return lines + [f"only the hook has {finding}" for finding in lacking]


def run(changes: Sequence[RealChange], repositories: Path) -> int:
    """Print a line for each change and the number of differences."""
    print("| change | kinds | hook | Action | Jenkins | gate of hook, Action, Jenkins | differences |")
    print("|---|---|---|---|---|---|---|")
    total, less = 0, 0
    for change in changes:
        found = outcomes(change, repositories)
        differences = compare(found)
        total += len(differences)
        less += len(found["action"].findings) - len(found["hook"].findings)
        counts = [str(len(found[name].findings)) for name in ("hook", "action", "jenkins")]
        gates = ", ".join(found[name].gate for name in ("hook", "action", "jenkins"))
        row = [
            f"{change.repository} {change.commit[:12]}",
            change.kinds,
            *counts,
            gates,
            "; ".join(differences) or "0",
        ]
        print(f"| {' | '.join(row)} |", flush=True)
    print(
        f"\n{len(changes)} changes, {total} differences; {less} findings only of the tools of the profile ci"
    )
    return 1 if total else 0


def chosen_changes(repositories: Path, count: int) -> Iterator[RealChange]:
    """Yield commits, in turn with each kind of file, that add many lines to files of the kind."""
    clones = sorted(path.parent for path in repositories.glob("*+*/repo"))
    queues = {kind: _commits_of_kind(clones, kind) for kind in KINDS}
    chosen: set[str] = set()
    while len(chosen) < count and queues:
        for kind in list(queues):
            change = next((change for change in queues[kind] if change.commit not in chosen), None)
            if change is None:
                del queues[kind]
            elif len(chosen) < count:
                chosen.add(change.commit)
                yield change


def _commits_of_kind(clones: Sequence[Path], kind: str) -> Iterator[RealChange]:
    for clone in clones:
        yield from _newest_of(clone / "repo", clone.name.replace("+", "/"), kind)


def _newest_of(source: Path, name: str, kind: str) -> Iterator[RealChange]:
    """Yield the newest commits of a kind, more of one repository for kinds that few repositories have."""
    wanted = 6 if kind in ("sql", "docker") else 1
    listed = _git_or_nothing(
        source, "log", "--no-merges", "--no-renames", f"-{MOST_COMMITS}", "--format=%x00%H", "--numstat",
        "HEAD",
    )  # fmt: skip
    for entry in listed.split("\0")[1:]:
        commit, _, lines = entry.partition("\n")
        added = dict(_added_lines(lines))
        of_kind = sum(count for file, count in added.items() if KINDS[kind].search(file))
        if len(added) <= MOST_FILES and of_kind >= LEAST_LINES[kind]:
            touched = [other for other, pattern in KINDS.items() if any(map(pattern.search, added))]
            yield RealChange(name, commit, ",".join(touched))
            wanted -= 1
            if not wanted:
                return


def _added_lines(numstat: str) -> Iterator[tuple[str, int]]:
    """Yield the files of a commit with the number of added lines."""
    for line in numstat.splitlines():
        count, _, rest = line.partition("\t")
        if count.isdecimal():
            yield rest.partition("\t")[2], int(count)


def _git_or_nothing(folder: Path, *arguments: str) -> str:
    """Return the output of a command of git; empty for a clone that lacks its head."""
    try:
        return run_git(folder, *arguments)
    except subprocess.CalledProcessError:
        return ""


def main() -> int:
    """Choose changes or compare the reviews of those that are listed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["choose", "run"])
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--changes", type=Path, default=CHANGES)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--only", default="", help="changes whose commits begin so, separated by commas")
    arguments = parser.parse_args()
    if arguments.command == "choose":
        for change in chosen_changes(arguments.repositories, arguments.count):
            entry = f"repository: {change.repository}, commit: {change.commit}, kinds: '{change.kinds}'"
            print(f"- {{{entry}}}", flush=True)
        return 0
    changes = [RealChange(**entry) for entry in yaml.safe_load(arguments.changes.read_text())]
    beginnings = tuple(arguments.only.split(","))
    return run([c for c in changes if c.commit.startswith(beginnings)], arguments.repositories)


if __name__ == "__main__":
    sys.exit(main())
