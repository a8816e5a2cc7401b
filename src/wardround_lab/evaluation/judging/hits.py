"""The findings of real commits as a user would meet them, in a file from which a later run resumes."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wardround import review
from wardround.change.change_source import GitChangeSource
from wardround.change.encoding import escape_undecodable
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.config.schema import OWN_FILE
from wardround.errors import PLUGIN_EXCEPTIONS, UsageError
from wardround.findings import Finding, Status
from wardround.host import PluginHost
from wardround.rules.judgements import FindingKey
from wardround.tools.process import Processes
from wardround.tools.tool import Profile

MOST_ADDED_LINES = 2000
"""Commits that add more are mostly generated or vendored code."""
_SEARCHED = 5
"""The number of commits of the log for each one that is reviewed."""
_INTRODUCED = (Status.NEW, Status.CAUSED)


class Hit(msgspec.Struct, frozen=True, order=True):
    """One finding of one commit, without the code.

    Attributes:
        repository: its public name.
        severity: as the review reported it; readers do not see it.
        masked: the lines contain a secret, so that they are never printed.
    """

    repository: str
    commit: str
    path: str
    line: int
    rule: str
    column: int
    end_line: int
    message: str
    specialist: str
    severity: str
    status: str
    masked: bool = False

    @property
    def key(self) -> FindingKey:
        return FindingKey(self.repository, self.commit, self.path, self.line, self.rule)

    @property
    def id(self) -> str:
        """A short name, the same on every machine."""
        return key_id(self.key)


def key_id(key: FindingKey) -> str:
    """Return 16 hex digits that identify a finding."""
    parts = (key.repository, key.commit, key.path, str(key.line), key.rule)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class ReviewedCommit(msgspec.Struct, frozen=True):
    """Result of the review of one commit.

    Attributes:
        folder: the git repository on this machine.
        trouble: why the review failed; empty if it did not.
    """

    repository: str
    folder: str
    commit: str
    base: str
    added_lines: int = 0
    hits: tuple[Hit, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A repository whose commits are reviewed, under its public name."""

    name: str
    folder: Path


class HitFile:
    """The reviewed commits of a file; each is on disk when ``add`` returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.commits: list[ReviewedCommit] = []
        if path.exists():
            self._read()

    def _read(self) -> None:
        try:
            content = self.path.read_bytes()
            complete, _, rest = content.rpartition(b"\n")
            if rest:  # a run that was killed wrote half a line
                with self.path.open("r+b") as file:
                    file.truncate(len(content) - len(rest))
            self.commits = [msgspec.json.decode(row, type=ReviewedCommit) for row in complete.splitlines()]
        except OSError as cause:
            raise UsageError(f"--results {self.path}: {cause.strerror}; choose another file") from cause
        except msgspec.MsgspecError as cause:
            raise UsageError(
                f"--results {self.path}: this is not a file of reviewed commits; choose a new file"
            ) from cause

    @property
    def known(self) -> set[tuple[str, str]]:
        return {(one.repository, one.commit) for one in self.commits}

    def add(self, reviewed: ReviewedCommit) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(reviewed) + b"\n")
        except OSError as cause:
            raise UsageError(f"--results {self.path}: {cause.strerror}; choose another file") from cause
        self.commits.append(reviewed)

    def hits(self) -> list[Hit]:
        """Return the findings of all commits, one for each key, sorted."""
        return sorted({hit.key: hit for one in self.commits for hit in reversed(one.hits)}.values())

    def commit_of(self, hit: Hit) -> ReviewedCommit:
        return next(
            one for one in self.commits if (one.repository, one.commit) == (hit.repository, hit.commit)
        )


def newest_commits(folder: Path, count: int) -> list[tuple[str, str]]:
    """Return (parent, commit) of the newest commits with one parent that add a reviewable number of lines.

    The lines of each commit are counted apart: a clone may lack large objects, and git stops at the first.
    """
    log = _git(folder, "log", "--no-merges", f"-n{_SEARCHED * count}", "--format=%P %H")
    pairs = [tuple(row.split()) for row in log.splitlines()]
    found: list[tuple[str, str]] = []
    for pair in pairs:
        if len(found) == count:
            break
        if len(pair) == 2 and 0 < _added(_git(folder, "diff", "--shortstat", *pair)) <= MOST_ADDED_LINES:
            found.append((pair[0], pair[1]))
    return found


def _git(folder: Path, *arguments: str) -> str:
    """Return what git printed; nothing if it failed."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    return done.stdout if done.returncode == 0 else ""


def _added(stat: str) -> int:
    words = stat.replace(",", " ").split()
    return next((int(words[n - 1]) for n, word in enumerate(words) if word.startswith("insertion")), 0)


def scan(
    sources: Iterable[Source],
    commits: int,
    file: HitFile,
    host: PluginHost,
    progress: Callable[[str], None] = lambda text: None,
) -> None:
    """Review the newest commits of repositories, and append each to a file; those that it has are skipped."""
    known = file.known
    with _request() as request:
        for source in sources:
            for number, (base, commit) in enumerate(newest_commits(source.folder, commits), 1):
                if (source.name, commit) not in known:
                    progress(f"{source.name}: commit {number} of {commits}")
                    file.add(reviewed_commit(source, base, commit, host, request))


@contextmanager
def _request() -> Iterator[ReviewRequest]:
    """The request of a project that sets ``preview`` and nothing else."""
    with tempfile.TemporaryDirectory(prefix="wardround-judge-") as folder:
        settings = Path(folder, OWN_FILE)
        settings.write_text("preview = true\n", encoding="utf-8")
        yield ReviewRequest(profile=Profile.COMMIT, config_file=settings, use_baseline=False, offline=True)


def reviewed_commit(
    source: Source, base: str, commit: str, host: PluginHost, request: ReviewRequest
) -> ReviewedCommit:
    """Review one commit; a crash is a result too."""
    blank = ReviewedCommit(source.name, str(source.folder), commit, base)
    try:
        with Repository(source.folder) as repository:
            change = repository.range(base, commit)
            done = review.run_review(GitChangeSource(repository, change), change, host, request, Processes())
    except PLUGIN_EXCEPTIONS as crash:  # one commit must not end the scan of the others
        return msgspec.structs.replace(blank, trouble=f"{type(crash).__name__}: {crash}")
    names = set(done.reviewed)
    added = sum(file.added_lines for file in change.files if file.path in names)
    hits = _hits(source.name, commit, done.visible)
    return msgspec.structs.replace(blank, added_lines=added, hits=hits)


def _hits(name: str, commit: str, findings: Sequence[Finding]) -> tuple[Hit, ...]:
    return tuple(
        Hit(
            name, commit, escape_undecodable(one.file), one.span.line, one.rule, one.span.column,
            one.span.end_line, one.message, one.specialist, one.severity.label, one.status.value, one.masked,
        )
        for one in findings
        if one.status in _INTRODUCED
    )  # fmt: skip
