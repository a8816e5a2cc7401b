"""The findings of real commits as a user would meet them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wardround.change.change_source import ChangeSource, GitChangeSource
from wardround.change.encoding import escape_undecodable
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.config.schema import OWN_FILE
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import Finding
from wardround.host import PluginHost
from wardround.rules.judgements import FindingKey, key_id
from wardround.tools.tool import Profile
from wardround_lab.evaluation.judging.findings_review import ChangeFindings, findings_of_change
from wardround_lab.evaluation.judging.history import newest_commits
from wardround_lab.evaluation.judging.row_file import RowFile


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
        self._rows = RowFile(path, ReviewedCommit)

    @property
    def path(self) -> Path:
        return self._rows.path

    @property
    def commits(self) -> Sequence[ReviewedCommit]:
        return self._rows.rows

    @property
    def known(self) -> set[tuple[str, str]]:
        return {(commit.repository, commit.commit) for commit in self.commits}

    def add(self, reviewed: ReviewedCommit) -> None:
        self._rows.add(reviewed)

    def hits(self) -> list[Hit]:
        """Return the findings of all commits, one for each key, sorted."""
        return sorted({hit.key: hit for commit in self.commits for hit in reversed(commit.hits)}.values())

    def commit_of(self, hit: Hit) -> ReviewedCommit:
        return next(
            commit
            for commit in self.commits
            if (commit.repository, commit.commit) == (hit.repository, hit.commit)
        )


def scan(
    sources: Iterable[Source],
    commits: int,
    file: HitFile,
    host: PluginHost,
    progress: Callable[[str], None] = lambda text: None,
) -> None:
    """Review the newest commits of repositories, and append each to a file; commits that it already contains
    are skipped.
    """
    known = file.known
    with review_request() as request:
        for source in sources:
            for number, (base, commit) in enumerate(newest_commits(source.folder, commits), 1):
                if (source.name, commit) not in known:
                    progress(f"{source.name}: commit {number} of {commits}")
                    file.add(reviewed_commit(source, base, commit, host, request))


@contextmanager
def review_request(only: tuple[str, ...] = ()) -> Iterator[ReviewRequest]:
    """The request of a project that sets ``preview`` and nothing else.

    Args:
        only: the specialists that review; empty for all.
    """
    with tempfile.TemporaryDirectory(prefix="wardround-judge-") as folder:
        settings = Path(folder, OWN_FILE)
        settings.write_text("preview = true\n", encoding="utf-8")
        yield ReviewRequest(
            profile=Profile.COMMIT, config_file=settings, use_baseline=False, offline=True, only=only
        )


def reviewed_commit(
    source: Source,
    base: str,
    commit: str,
    host: PluginHost,
    request: ReviewRequest,
    findings: Callable[[ChangeSource, PluginHost, ReviewRequest], ChangeFindings] = findings_of_change,
) -> ReviewedCommit:
    """Review one commit; a crash is a result too."""
    blank = ReviewedCommit(source.name, str(source.folder), commit, base)
    try:
        with Repository(source.folder) as repository:
            change = repository.range(base, commit)
            done = findings(GitChangeSource(repository, change), host, request)
    except PLUGIN_EXCEPTIONS as crash:  # one commit must not end the scan of the others
        return msgspec.structs.replace(blank, trouble=f"{type(crash).__name__}: {crash}")
    hits = tuple(hit_of(source.name, commit, finding) for finding in done.findings)
    return msgspec.structs.replace(blank, added_lines=done.added_lines, hits=hits)


def hit_of(name: str, commit: str, finding: Finding) -> Hit:
    """Return a finding of a commit without the code."""
    return Hit(
        name, commit, escape_undecodable(finding.file), finding.span.line, finding.rule, finding.span.column,
        finding.span.end_line, finding.message, finding.specialist, finding.severity.label,
        finding.status.value, finding.masked,
    )  # fmt: skip
