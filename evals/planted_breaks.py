"""Measure what is found of planted breaks, and what is reported for real commits.

    python evals/planted_breaks.py CLONE ... [--count 15] [--seed 1] [--tools] [--show]
    python evals/planted_breaks.py --commits 300 CLONE ...

The first form plants breaking changes in a copy of each clone's head (see ``break_planting.py``): each is one
commit that changes a definition and leaves its uses in other files unchanged. A break is found if a finding
names the changed definition and a file that uses it. The change-level checks of all specialists run; of other
rules than CT*, only those count that are about removed names. ``--tools`` runs ty, pyright, tsc and griffe on
the same breaking changes: one is found if a tool reports a new result in a file that uses the definition, or,
for griffe, about the definition. They need to be on the PATH.

The second form prints the findings of the contract checks for the newest commits of the main branch, for
manual judgement. Nothing is written into a clone, nothing is downloaded.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from evals.break_planting import planted
from evals.planting.checkout import Break, Checkout
from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import FileStatus
from wardround.change.repository import Repository
from wardround.change.side_view import SideView
from wardround.checks.source import ChangedFileView, ChangeView
from wardround.context.code_graph.change_graphs import ChangeGraphs, open_graphs
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.findings import RawFinding
from wardround.host import load
from wardround.rules.maturity import Maturity

_RELATED = frozenset({"PY084", "TS098", "PY013"})
"""The rules of other specialists that are about removed names."""
_LIMIT = UpdateLimit(600.0)


def _git(root: Path, *argv: str) -> str:
    base = ["git", "-C", str(root), "-c", "user.name=eval", "-c", "user.email=eval@example.org"]
    return subprocess.run([*base, *argv], capture_output=True, text=True, check=True).stdout


@dataclass(frozen=True)
class CommitView:
    """The files of a commit that is not checked out; implements ``RepositoryView``."""

    side: SideView
    root: Path
    commit: str

    def read(self, path: str) -> str | None:
        return self.side.read(path)

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        return self.side.paths(patterns)

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        """Search the objects of the commit, where a review searches the work tree."""
        requested = [part for word in words for part in ("-e", word)]
        argv = [
            "git",
            "-C",
            str(self.root),
            "grep",
            "-l",
            "-w",
            "-z",
            "-F",
            *requested,
            self.commit,
            "--",
            *patterns,
        ]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        return sorted(name.partition(":")[2] for name in done.stdout.split("\0") if name)


def findings(root: Path, base: str, head: str, names: Sequence[str]) -> list[RawFinding]:
    """Return what the change-level checks of some specialists report for a change."""
    with Repository(root) as repository:
        change = repository.between(repository.commit(base), repository.commit(head))
        source = GitChangeSource(repository, change)
        texts = FileTexts(source, change)
        files = [
            ChangedFileView(
                file.path, file.base_path, file.is_added_line,
                (lambda: None) if file.status is FileStatus.DELETED else partial(texts.head, file.path),
                partial(texts.base, file.path),
            )
            for file in change.files if file.is_regular and not file.fragment
        ]  # fmt: skip
        opened: list[ChangeGraphs | None] = []

        def graphs() -> ChangeGraphs | None:
            if not opened:
                opened.append(open_graphs(repository, change, source, _LIMIT))
            return opened[0]

        project = CommitView(SideView(source, "head"), root, head)
        view = ChangeView(tuple(files), project, (), None, open_graphs=graphs)
        found = [] if not files else list(_run(view, names))
        for graph in opened:
            if graph is not None:
                graph.close()
        return found


def _run(view: ChangeView, names: Sequence[str]) -> Iterator[RawFinding]:
    for specialist in load().specialists:
        if specialist.name not in names or not specialist.change_checks:
            continue
        for check_type in specialist.change_checks.candidates_for_change(view.files):
            if specialist.name == "contract" or check_type.ID in _RELATED:
                check = check_type(view)
                check.run()
                yield from check.results


def copied(clone: Path, folder: Path) -> Path:
    """Export the text files of the head of a clone into a new repository with one commit."""
    root = folder / clone.name
    root.mkdir()
    listed = subprocess.run(
        ["git", "-C", clone, "ls-tree", "-r", "HEAD"], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 3) for line in listed.stdout.splitlines()]
    blobs = [(oid, path.strip('"')) for mode, kind, oid, path in rows if kind == "blob" and mode != "120000"]
    request = "".join(f"{oid}\n" for oid, _ in blobs)
    env = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    out = subprocess.run(
        ["git", "-C", clone, "cat-file", "--batch"],
        input=request.encode(),
        capture_output=True,
        env=env,
        check=True,
    ).stdout
    at = 0
    for _, path in blobs:
        end = out.index(b"\n", at)
        header = out[at:end].split()
        at = end + 1
        if header[1] == b"missing":
            continue
        size = int(header[2])
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(out[at : at + size])
        at += size + 1
    _git(root, "init", "-q")
    _git(root, "add", "-A", "-f")
    _git(root, "commit", "-q", "-m", "base")
    return root


def applied(root: Path, item: Break) -> str:
    """Commit a break on top of the copied head and return the commit."""
    _git(root, "checkout", "-q", "-f", "--detach", "base")
    for path, text in item.edits.items():
        target = root / path
        if text is None:
            target.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    _git(root, "add", "-A", "-f")
    _git(root, "commit", "-q", "-m", "break")
    return _git(root, "rev-parse", "HEAD").strip()


def is_found(item: Break, reported: Sequence[RawFinding]) -> str:
    """Return the rule that finds a break; empty for none."""
    name = re.compile(rf"(?<!\w){re.escape(item.name)}(?!\w)")
    for finding in reported:
        locations = f"{finding.file} {finding.message}"
        if (name.search(finding.message) or finding.file in item.edits) and (
            any(use in locations for use in item.uses) or " more" in finding.message
        ):
            return finding.code
    return ""


# Other tools


class Tools:
    """The type checkers and griffe alone, on the files that a break is about."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def found(self, item: Break, head: str) -> list[str]:
        """Return the tools that report something new about a break."""
        files = [use for use in item.uses if (self._root / use).is_file()][:6]
        found = []
        for tool, argv in self._commands(item.language, files).items():
            if files and shutil.which(argv[0]) is not None and self._is_reported(argv, files, head):
                found.append(tool)
        if item.language == "python" and shutil.which("griffe") and self._griffe(item):
            found.append("griffe")
        return found

    def _commands(self, language: str, files: list[str]) -> dict[str, list[str]]:
        """Return tool -> command line for some files of a language."""
        match language:
            case "python":
                return {
                    "ty": ["ty", "check", "--output-format", "concise", *files],
                    "pyright": ["pyright", *files],
                }
            case "typescript":
                options = [
                    "--noEmit",
                    "--allowJs",
                    "--jsx",
                    "preserve",
                    "--skipLibCheck",
                    "--pretty",
                    "false",
                ]
                scripts = [file for file in files if file.endswith((".ts", ".tsx"))]
                config = self._config(scripts)
                return {"tsc": ["tsc", "-p", config] if config else ["tsc", *options, *scripts]}
            case _:
                return {}

    def _is_reported(self, argv: list[str], files: list[str], head: str) -> bool:
        """Return True if a tool has a message about one of the files at the head alone."""
        after = self._messages(argv)
        _git(self._root, "checkout", "-q", "-f", "--detach", "base")
        before = self._messages(argv)
        _git(self._root, "checkout", "-q", "-f", "--detach", head)
        return any(use in line for line in after - before for use in files)

    def _config(self, scripts: Sequence[str]) -> str:
        """Write a configuration with the options of the nearest one that includes a few files only."""
        if not scripts:
            return ""
        folder = (self._root / scripts[0]).parent
        while folder != self._root and not (folder / "tsconfig.json").is_file():
            folder = folder.parent
        if not (folder / "tsconfig.json").is_file():
            return ""
        listed = ", ".join(f'"{self._root / script}"' for script in scripts)
        target = folder / "tsconfig.break.json"
        target.write_text(
            '{"extends": "./tsconfig.json", "compilerOptions": {"noEmit": true, "skipLibCheck": true, '
            f'"composite": false, "incremental": false, "types": []}}, "include": [], "files": [{listed}]}}'
        )
        return str(target)

    def _messages(self, argv: Sequence[str]) -> set[str]:
        try:
            done = subprocess.run(
                argv, cwd=self._root, capture_output=True, text=True, timeout=180, check=False
            )
        except subprocess.TimeoutExpired:
            return set()
        return {re.sub(r"[:(]\d+[:,]\d+\)?", "", line) for line in done.stdout.splitlines()}

    def _griffe(self, item: Break) -> bool:
        path = next(iter(item.edits))
        parts = path.split("/")
        top = next(
            (
                at
                for at in range(len(parts))
                if (self._root / "/".join(parts[: at + 1]) / "__init__.py").is_file()
            ),
            None,
        )
        if top is None:
            return False
        argv = ["griffe", "check", parts[top], "-s", "/".join(parts[:top]) or ".", "-a", "base"]
        try:
            done = subprocess.run(
                argv, cwd=self._root, capture_output=True, text=True, timeout=180, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return bool(re.search(rf"(?<!\w){re.escape(item.name)}(?!\w)", done.stdout + done.stderr))


# Commands


class Row(NamedTuple):
    """A breaking change with the rule that finds it, the stable rule that does, and the other tools that
    do.
    """

    repository: str
    broken: Break
    rule: str
    stable: str
    tools: list[str]


def measure(clones: Sequence[Path], count: int, seed: int, *, with_tools: bool, show: bool) -> None:
    """Plant breaks and print the shares that are found, by kind, by language and by tool."""
    rows: list[Row] = []
    names = [specialist.name for specialist in load().specialists]
    with tempfile.TemporaryDirectory() as folder:
        for clone in clones:
            root = copied(clone, Path(folder))
            _git(root, "branch", "-f", "base")
            for plant in planted(Checkout.of(root), count, seed):
                head = applied(root, plant)
                reported = findings(root, "base", head, names)
                rule = is_found(plant, reported)
                stable = is_found(plant, [each for each in reported if _is_stable(each.code)])
                tools = Tools(root).found(plant, head) if with_tools else []
                rows.append(Row(clone.name, plant, rule, stable, tools))
                if show or not rule:
                    where = f"in {list(plant.edits)}, used in {plant.uses[:2]} {tools}"
                    shown = f"{rule or 'MISSED':7} {clone.name} {plant.language} {plant.kind}: {plant.name}"
                    print(f"{shown} {where}", flush=True)
    _print_table(rows, with_tools)


def _is_stable(code: str) -> bool:
    """Return True for a rule that runs without ``preview``."""
    specialist = {"CT": "contract", "PY": "python", "TS": "typescript"}[code[:2]]
    return load().catalogue.rule(f"{specialist}/{code}").maturity is Maturity.STABLE


def _print_table(rows: Sequence[Row], with_tools: bool) -> None:
    for title, key in (
        ("kind", lambda row: f"{row.broken.language} {row.broken.kind}"),
        ("language", lambda row: row.broken.language),
        ("repository", lambda row: row.repository), ("all", lambda row: "all"),
    ):  # fmt: skip
        groups = defaultdict(list)
        for row in rows:
            groups[key(row)].append(row)
        for name, group in sorted(groups.items()):
            tools = Counter(tool for row in group for tool in row.tools)
            listed = (
                "  ".join(f"{tool} {number}" for tool, number in sorted(tools.items())) if with_tools else ""
            )
            found = sum(bool(row.rule) for row in group)
            stable = sum(bool(row.stable) for row in group)
            print(f"{title:10} {name:40} {found:4} (stable rules {stable:4}) of {len(group):4}  {listed}")
    print("rules", dict(Counter(row.rule or "missed" for row in rows)))


def read_commits(clones: Sequence[Path], count: int) -> None:
    """Print the findings of the contract checks for the newest commits, an equal number of each clone."""
    total, share = 0, -(-count // len(clones))
    with tempfile.TemporaryDirectory() as folder:
        for clone in clones:
            root = Path(folder) / clone.parent.name if clone.name == "repo" else Path(folder) / clone.name
            subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", clone, root], check=True)
            listed = _git(
                root, "log", "--first-parent", "--no-merges", "--format=%H %P", f"-{share}"
            ).splitlines()
            seconds = []
            for line in listed:
                head, *parents = line.split()
                if not parents:
                    continue
                began = time.perf_counter()
                for finding in findings(root, parents[0], head, ["contract"]):
                    level = "" if finding.severity is None else finding.severity.name.lower()
                    place = f"{finding.code} {level} {finding.file}:{finding.span.line}"
                    print(f"{root.name} {head[:10]} {place} {finding.message}", flush=True)
                seconds.append(time.perf_counter() - began)
                total += 1
            if seconds:
                middle = sorted(seconds)[len(seconds) // 2]
                times = f"median {middle:.2f} s, worst {max(seconds):.2f} s"
                print(f"# {root.name}: {len(seconds)} commits, {times}", flush=True)
    print(f"{total} commits")


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tools", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--commits", type=int, default=0)
    given = parser.parse_args()
    if given.commits:
        read_commits(given.clones, given.commits)
    else:
        measure(given.clones, given.count, given.seed, with_tools=given.tools, show=given.show)
    return 0


if __name__ == "__main__":
    sys.exit(main())
