"""Mine the outcomes of a static tool's alerts from histories: acted on, edited away, or surviving.

Snapshots of a repository 18 months apart are checked with ruff alone, without the project's configuration or
waivers. Each alert is tracked to the next snapshot, and so is a plain line near it: lines are edited anyway,
and only outcomes that are more frequent for alerts than for plain lines (the placebo) count for a rule.

The outcomes are *survived* (also moved, also with the line edited), *fix* (the line changed among unchanged
lines), *indirect* fix (the line is unchanged, the alert is gone) and *rewrite* (the surrounding lines changed
too). A commit that removes many alerts at once is a sweep; its alerts are marked.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from wardround.change.git_process import GitProcess
from wardround.change.revisions import END
from wardround.errors import UsageError, WardroundError
from wardround.processors.counters import Counters, function_lengths, is_import, is_test
from wardround.tools.process import Processes, find_program, minimal_env
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory
from wardround_lab.corpora.line_mapping import DIFF, LineMaps, parsed, squeezed
from wardround_lab.corpora.records import write_whole

SELECTED = "E9,F,B,S,ASYNC,C4,SIM,PERF,RET,PT,UP,RUF,BLE,PLE,PLW,ARG,DTZ,TRY,G,N"
SNAPSHOTS = (1546300800, 1593561600, 1640995200, 1688169600, 1735689600, 1782864000)
"""The first of January 2019, July 2020, ... July 2026, UTC: six snapshots 18 months apart."""
SWEEP_OF_RULE = 8
SWEEP_OF_ALL = 60
_CONTEXT = 6
"""Context lines before and after, half of which must be unchanged for an edit to count as local."""
_NEAR, _FAR = 8, 20
"""Minimum and maximum distance of the placebo in lines."""
_TELLING = 12
"""Minimum length of a line, in characters, that identifies it in another file."""
_ELSEWHERE = {
    "vendor", "vendored", "_vendor", "third_party", "thirdparty", "extern", "fixtures", "docs", "doc",
    "build", "dist", "node_modules", "site-packages", "migrations",
}  # fmt: skip
_TIMEOUT_S = 900.0

Outcome = Literal["survived", "fix", "indirect", "rewrite"]


class AlertItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One alert and its outcome at the next snapshot.

    Attributes:
        window: number of the snapshot in which it was reported.
        key: a digest of rule and lines; the same in copies of the same code.
        sweep: it was removed together with many others.
        placebo: outcome of a plain line near it; empty if there is none.
    """

    repository: str
    window: int
    rule: str
    path: str
    line: int
    key: str
    outcome: Outcome
    sweep: bool
    placebo: Literal["survived", "fix", "rewrite", ""]
    is_test: bool
    lines: int
    in_file: int
    same_in_file: int
    same_in_repository: int
    no_fix: bool
    is_import: bool
    function_lines: int

    @property
    def is_fixed(self) -> bool:
        return self.outcome in ("fix", "indirect")

    @property
    def counters(self) -> Counters:
        return Counters(
            self.is_test, self.lines, self.in_file, self.same_in_file, self.same_in_repository, self.no_fix,
            self.is_import, self.function_lines,
        )  # fmt: skip


class AlertRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings by which the alerts of one repository were mined; the first line of its file."""

    repository: str
    head: str
    version: str
    selected: str = SELECTED
    snapshots: tuple[int, ...] = SNAPSHOTS
    format: int = 1


@dataclass(frozen=True, slots=True)
class Alert:
    """One complaint in a snapshot."""

    rule: str
    path: str
    line: int
    has_fix: bool


@dataclass(frozen=True)
class AlertSnapshot:
    """The Python files of a commit and ruff's alerts about them.

    Attributes:
        texts: path -> lines.
        alerts: those that count: without waived ones, and without asserts in tests.
        all_alerts: waived ones included, since they survive.
    """

    commit: str
    texts: Mapping[str, Sequence[str]]
    all_alerts: Sequence[Alert]

    @cached_property
    def alerts(self) -> list[Alert]:
        return [
            one
            for one in self.all_alerts
            if "# noqa" not in self.text(one.path, one.line).lower()
            and not (one.rule == "S101" and is_test(one.path))
        ]

    @cached_property
    def places(self) -> set[tuple[str, str, int]]:
        return {(one.rule, one.path, one.line) for one in self.all_alerts}

    @cached_property
    def function_lengths(self) -> dict[str, list[int]]:
        return {path: function_lengths(self.texts[path]) for path in {one.path for one in self.alerts}}

    def text(self, path: str, line: int) -> str:
        lines = self.texts.get(path, ())
        return lines[line - 1] if 0 < line <= len(lines) else ""


class AlertMining:
    """Mine repositories one after another; a finished one is not mined again."""

    def __init__(self, folder: Path, is_kept: Callable[[str], bool], progress: Callable[[str], None]) -> None:
        """Args:
            folder: directory of ``alerts/NAME.jsonl``.
            is_kept: returns True if a repository is held out and must not be mined.

        Raises:
            WardroundError: ruff is not installed.
        """
        program = find_program("ruff")
        if program is None:
            raise WardroundError("ruff is not installed; pip install --force-reinstall wardround")
        self._folder = folder / "alerts"
        self._is_kept = is_kept
        self._progress = progress
        self._ruff = RuffRunner(program)

    @property
    def version(self) -> str:
        return self._ruff.version

    def mine(self, place: Path, name: str | None = None) -> Path:
        """Return the file of a repository's alerts, mined now or by an earlier run.

        Raises:
            UsageError: the repository is held out for evaluation.
        """
        with RepositoryHistory(place, name, HistoryLimits()) as history:
            if self._is_kept(history.repository):
                raise UsageError(f"{history.repository} is held out for evaluation; do not mine it")
            recipe = AlertRecipe(history.repository, history.head, self._ruff.version)
            file = self._folder / f"{history.repository.replace('/', '+')}.jsonl"
            if not _is_made_by(recipe, file):
                items = self._items(history)
                _write(file, recipe, items)
        return file

    def _items(self, history: RepositoryHistory) -> list[AlertItem]:
        git = GitProcess(history.folder, os.environ)
        git.env["GIT_NO_REPLACE_OBJECTS"] = "1"
        found: dict[str, AlertItem] = {}
        before: AlertSnapshot | None = None
        for number, commit in _commits(git, history.head):
            self._progress(f"{history.repository}: snapshot {number + 1} of {len(SNAPSHOTS)}")
            now = self._snapshot(history, commit)
            if before is not None:
                maps = parsed(_output(git, *DIFF, END, before.commit, now.commit, "--", "*.py"))
                window = ObservationWindow(history, git, before, now, maps, number - 1)
                for item in window.items():
                    found.setdefault(item.key, item)
            before = now
        return list(found.values())

    def _snapshot(self, history: RepositoryHistory, commit: str) -> AlertSnapshot:
        texts: dict[str, Sequence[str]] = {}
        with tempfile.TemporaryDirectory(prefix="wardround-") as scratch:
            root = Path(scratch, "root")
            for path, blob in history.tree(commit, ["*.py"]):
                text = history.text(blob)
                if text is None or _ELSEWHERE & set(path.split("/")) or ".." in path.split("/"):
                    continue
                with suppress(OSError, UnicodeEncodeError):
                    file = root / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text, encoding="utf-8", newline="")
                    texts[path] = text.split("\n")
            root.mkdir(exist_ok=True)
            return AlertSnapshot(commit, texts, self._ruff.alerts(root, Path(scratch)))


class RuffRunner:
    """RuffRunner, run without any configuration."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._processes = Processes()

    @cached_property
    def version(self) -> str:
        said = self._run(["--version"], Path.cwd(), Path.cwd())
        return said.decode().split()[-1]

    def alerts(self, root: Path, scratch: Path) -> list[Alert]:
        """Return its alerts about every file below a directory, in order."""
        said = self._run(
            ["check", "--isolated", "--ignore-noqa", "--no-cache", "--quiet", "--no-respect-gitignore",
             "--select", SELECTED, "--output-format", "json", "."], root, scratch,
        )  # fmt: skip
        real = os.path.realpath(root)
        rows: list[dict[str, Any]] = json.loads(said)
        alerts = [
            Alert(
                row["code"],
                os.path.relpath(os.path.realpath(row["filename"]), real).replace(os.sep, "/"),
                row["location"]["row"],
                row["fix"] is not None,
            )
            for row in rows
            if row["code"] and row["code"] != "invalid-syntax"
        ]
        return sorted(alerts, key=lambda one: (one.path, one.line, one.rule))

    def _run(self, arguments: Sequence[str], folder: Path, scratch: Path) -> bytes:
        return self._processes.run(
            [str(self._program), *arguments],
            cwd=folder,
            timeout_s=_TIMEOUT_S,
            clean=frozenset({0, 1}),
            env=minimal_env(self._program, scratch, {}),
        )


class ObservationWindow:
    """Two consecutive snapshots and the mapping of the lines of the first to the second."""

    def __init__(
        self, history: RepositoryHistory, git: GitProcess, old: AlertSnapshot, new: AlertSnapshot,
        maps: LineMaps, number: int,
    ) -> None:  # fmt: skip
        self._history = history
        self._git = git
        self._old = old
        self._new = new
        self._maps = maps
        self._number = number

    def items(self) -> Iterator[AlertItem]:
        """Return the alerts of the first snapshot whose file still exists or that moved to another file."""
        followed = [(one, became) for one in self._old.alerts if (became := self._became(one)) is not None]
        swept = self._swept([(one, became) for one, became in followed if became != "survived"])
        in_file = Counter(one.path for one in self._old.alerts)
        same_in_file = Counter((one.path, one.rule) for one in self._old.alerts)
        same = Counter(one.rule for one in self._old.alerts)
        for one, became in followed:
            lines = self._old.texts[one.path]
            yield AlertItem(
                repository=self._history.repository,
                window=self._number,
                rule=one.rule,
                path=one.path,
                line=one.line,
                key=self._key(one),
                outcome=became,
                sweep=one in swept,
                placebo=self._placebo(one),
                is_test=is_test(one.path),
                lines=len(lines),
                in_file=in_file[one.path],
                same_in_file=same_in_file[one.path, one.rule],
                same_in_repository=same[one.rule],
                no_fix=not one.has_fix,
                is_import=is_import(self._old.text(one.path, one.line)),
                function_lines=self._old.function_lengths[one.path][one.line - 1]
                if one.line <= len(lines)
                else 0,
            )

    def _became(self, one: Alert) -> Outcome | None:
        """Return the outcome of an alert; None if the file was deleted and the alert did not move."""
        file = self._maps.of(one.path)
        text = squeezed(self._old.text(one.path, one.line))
        if file.path is not None:
            hunk = file.hunk_of(one.line)
            if hunk is None:
                line = file.line(one.line)
                return "survived" if (one.rule, file.path, line) in self._new.places else "indirect"
            came = range(hunk.new_start, hunk.new_start + hunk.new_count)
            if any((one.rule, file.path, line) in self._new.places for line in came):
                return "survived"
        if self._moved_alert(one.rule, text, file.path):
            return "survived"
        return None if file.path is None else self._edited(one.path, one.line)

    def _moved_alert(self, rule: str, text: str, path: str | None) -> bool:
        to = self._added_alerts.get((rule, text), set())
        return bool(to) if len(text) >= _TELLING else path in to

    @cached_property
    def _added_alerts(self) -> dict[tuple[str, str], set[str]]:
        """Return (rule, text of the line) -> the files with such an alert on an added line."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for one in self._new.all_alerts:
            if self._maps.is_added(one.path, one.line):
                found[one.rule, squeezed(self._new.text(one.path, one.line))].add(one.path)
        return found

    def _edited(self, path: str, line: int) -> Literal["fix", "rewrite"]:
        """Classify the edit of a removed line: with its surroundings, or local."""
        file = self._maps.of(path)
        last = len(self._old.texts[path])
        around = [n for n in range(line - _CONTEXT, line + _CONTEXT + 1) if 0 < n <= last and n != line]
        stayed = sum(1 for n in around if file.hunk_of(n) is None)
        return "fix" if 2 * stayed >= len(around) else "rewrite"

    def _placebo(self, one: Alert) -> Literal["survived", "fix", "rewrite", ""]:
        line = self._plain_line(one)
        file = self._maps.of(one.path)
        if line is None or file.path is None:
            return ""
        if file.hunk_of(line) is None:
            return "survived"
        text = squeezed(self._old.text(one.path, line))
        to = self._maps.texts.get(text, set())
        if to if len(text) >= _TELLING else file.path in to:
            return "survived"
        return self._edited(one.path, line)

    def _plain_line(self, one: Alert) -> int | None:
        """Return a random line of code 8 to 20 lines away without an alert."""
        near = [
            n
            for n in (
                *range(one.line - _FAR, one.line - _NEAR + 1),
                *range(one.line + _NEAR, one.line + _FAR + 1),
            )
            if self._is_plain(one.path, n)
        ]
        seed = f"{self._history.repository} {self._number} {one.rule} {one.path} {one.line}"
        return random.Random(seed).choice(near) if near else None  # noqa: S311  (a placebo, not a secret)

    def _is_plain(self, path: str, line: int) -> bool:
        text = self._old.text(path, line).strip()
        return bool(text) and not text.startswith("#") and (path, line) not in self._complained

    @cached_property
    def _complained(self) -> set[tuple[str, int]]:
        return {(one.path, one.line) for one in self._old.all_alerts}

    def _key(self, one: Alert) -> str:
        around = [squeezed(self._old.text(one.path, one.line + off)) for off in (-1, 0, 1)]
        return hashlib.sha256("\0".join((one.rule, *around)).encode("utf-8", "replace")).hexdigest()[:20]

    def _swept(self, gone: Sequence[tuple[Alert, Outcome]]) -> set[Alert]:
        """Return the alerts that were removed in sweeps."""
        indirect = Counter(one.rule for one, became in gone if became == "indirect")
        swept = {one for one, became in gone if became == "indirect" and indirect[one.rule] >= SWEEP_OF_RULE}
        by_commit: dict[str, list[Alert]] = defaultdict(list)
        removed = [one for one, became in gone if became != "indirect"]
        for one, commit in zip(removed, self._removing(removed), strict=True):
            if commit is not None:
                by_commit[commit].append(one)
        for ones in by_commit.values():
            rules = Counter(one.rule for one in ones)
            is_large = len(ones) >= SWEEP_OF_ALL
            swept |= {one for one in ones if is_large or rules[one.rule] >= SWEEP_OF_RULE}
        return swept

    def _removing(self, gone: Sequence[Alert]) -> Iterator[str | None]:
        """Return, for each alert, the first commit on the main line in which its line occurs less often."""
        memo: dict[str, Counter[str]] = {}

        def counted(blob: str) -> Counter[str]:
            if blob not in memo:
                memo[blob] = Counter(squeezed(line) for line in (self._history.text(blob) or "").split("\n"))
            return memo[blob]

        path = None
        for one in gone:  # in the order of their paths
            if one.path != path:
                memo.clear()
                path = one.path
                here = Counter(squeezed(line) for line in self._old.texts[path])
            text = squeezed(self._old.text(one.path, one.line))
            yield next(
                (
                    commit
                    for commit, blob in self._touched.get(one.path, ())
                    if blob is None or counted(blob)[text] < here[text]
                ),
                None,
            )

    @cached_property
    def _touched(self) -> dict[str, list[tuple[str, str | None]]]:
        """Path -> (commit of the main line, blob after it), oldest first."""
        printed = _output(
            self._git, "-c", "core.quotePath=false", "log", "--first-parent", "--diff-merges=first-parent",
            "--raw", "--no-renames", "--no-abbrev", "--reverse", "--format=%H",
            f"{self._old.commit}..{self._new.commit}", "--", "*.py",
        )  # fmt: skip
        found: dict[str, list[tuple[str, str | None]]] = defaultdict(list)
        commit = ""
        for line in printed.decode("utf-8", "replace").splitlines():
            if not line.startswith(":"):
                commit = line or commit
                continue
            fields, _, path = line.partition("\t")
            blob = fields.split()[3]
            found[path].append((commit, None if set(blob) == {"0"} else blob))
        return found


def read_items(file: Path) -> tuple[AlertRecipe, list[AlertItem]]:
    """Read the alerts of one repository.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        first, *rest = file.read_bytes().splitlines()
        decoder = msgspec.json.Decoder(AlertItem)
        return msgspec.json.decode(first, type=AlertRecipe), [decoder.decode(line) for line in rest]
    except (OSError, ValueError, msgspec.MsgspecError) as cause:
        raise UsageError(f"{file}: not a file of mined alerts: {cause}; mine it again") from cause


def _is_made_by(recipe: AlertRecipe, file: Path) -> bool:
    with suppress(OSError, msgspec.MsgspecError), file.open("rb") as stream:
        return msgspec.json.decode(stream.readline(), type=AlertRecipe) == recipe
    return False


def _write(file: Path, recipe: AlertRecipe, items: Sequence[AlertItem]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(items, key=lambda one: (one.window, one.path, one.line, one.rule, one.key))
    write_whole(file, (msgspec.json.encode(one) + b"\n" for one in (recipe, *ordered)))


def _commits(git: GitProcess, head: str) -> Iterator[tuple[int, str]]:
    """Return the last commit of the main line before each snapshot's time, without duplicates."""
    seen = set()
    for number, moment in enumerate(SNAPSHOTS):
        found = git.output("rev-list", "-1", "--first-parent", f"--before={moment}", END, head, "--").strip()
        if found and found not in seen:
            seen.add(found)
            yield number, found


def _output(git: GitProcess, *arguments: str) -> bytes:
    return os.fsencode(git.output(*arguments, literal=False))
