"""Examples for the judge: the judged findings that the present version reports, with their facts and text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wardround.change.change_source import GitChangeSource
from wardround.change.encoding import escape_undecodable
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import INTRODUCED, Finding
from wardround.host import PluginHost
from wardround.processors.judge.facts import FactsOfFindings, FindingFacts
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.rules.judgements import FindingKey
from wardround_lab.evaluation.judging.findings_review import processed_change
from wardround_lab.evaluation.judging.history import git_output
from wardround_lab.evaluation.judging.hits import Source
from wardround_lab.evaluation.judging.rates import rule_of

_AROUND = 12
"""Lines of code before and after a finding."""
_WIDTH = 200


class JudgedExample(msgspec.Struct, frozen=True):
    """One finding of a reviewed commit.

    Attributes:
        code: the lines around it; empty where they may hold a secret. They are never committed.
        first_line: line number of the first line of ``code``.
    """

    key: FindingKey
    message: str
    facts: FindingFacts
    code: tuple[str, ...] = ()
    first_line: int = 1
    end_line: int = 1
    column: int = 1


class ReviewedExamples(msgspec.Struct, frozen=True):
    """The findings of a commit that has judged ones.

    Attributes:
        day: day of the commit, in days since 1970.
        examples: all that the review reports, judged or not.
        trouble: why the review failed; empty if it did not.
    """

    repository: str
    commit: str
    day: int = 0
    examples: tuple[JudgedExample, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class JudgedCommit:
    """A commit with judged findings."""

    source: Source
    commit: str


def judged_commits(keys: Iterable[FindingKey], folders: Mapping[str, Path]) -> list[JudgedCommit]:
    """Return the commits of judged findings whose repository has a clone, sorted."""
    commits: dict[str, set[str]] = defaultdict(set)
    for key in keys:
        commits[key.repository].add(key.commit)
    return [
        JudgedCommit(Source(name, folders[name]), commit)
        for name in sorted(commits)
        if name in folders
        for commit in sorted(commits[name])
    ]


def examples_of(item: JudgedCommit, host: PluginHost, request: ReviewRequest) -> ReviewedExamples:
    """Review a commit, and return its findings; a crash is a result too."""
    name, folder = item.source.name, item.source.folder
    blank = ReviewedExamples(name, item.commit, day=_day(folder, item.commit))
    base = git_output(folder, "log", "-1", "--format=%P", item.commit).split()
    if len(base) != 1:
        return msgspec.structs.replace(blank, trouble="the clone does not have the commit and its parent")
    try:
        with Repository(folder) as repository:
            change = repository.range(base[0], item.commit)
            origin = GitChangeSource(repository, change)
            found = tuple(_examples(name, item.commit, *processed_change(origin, host, request)))
    except PLUGIN_EXCEPTIONS as crash:  # one commit must not end the run over the others
        return msgspec.structs.replace(blank, trouble=f"{type(crash).__name__}: {crash}")
    return msgspec.structs.replace(blank, examples=found)


def no_longer_reported(keys: Iterable[FindingKey], reviewed: Iterable[ReviewedExamples]) -> set[FindingKey]:
    """Return the judged findings of reviewed commits that their review does not report.

    A finding of a renamed rule is reported under its present id.
    """
    rows = [commit for commit in reviewed if not commit.trouble]
    commits = {(row.repository, row.commit) for row in rows}
    found = {current_key(example.key) for row in rows for example in row.examples}
    return {key for key in keys if (key.repository, key.commit) in commits and current_key(key) not in found}


def current_key(key: FindingKey) -> FindingKey:
    """Return the key with the present id of its rule."""
    return msgspec.structs.replace(key, rule=rule_of(key))


def _day(folder: Path, commit: str) -> int:
    seconds = git_output(folder, "log", "-1", "--format=%ct", commit).strip()
    return int(seconds or 0) // 86_400


def _examples(
    name: str, commit: str, review: ReviewFindings, inputs: PipelineInputs
) -> Iterator[JudgedExample]:
    facts = FactsOfFindings(review.findings, inputs)
    for finding in review.findings:
        if finding.status in INTRODUCED:
            key = FindingKey(name, commit, escape_undecodable(finding.file), finding.span.line, finding.rule)
            first, code = _code(finding, inputs)
            yield JudgedExample(
                key,
                finding.message,
                facts.of(finding),
                code,
                first,
                finding.span.end_line,
                finding.span.column,
            )


def _code(finding: Finding, inputs: PipelineInputs) -> tuple[int, tuple[str, ...]]:
    if finding.masked:
        return 1, ()
    lines = (inputs.texts.head(finding.file) or "").split("\n")
    first = max(0, finding.span.line - 1 - _AROUND)
    return first + 1, tuple(line[:_WIDTH] for line in lines[first : finding.span.line + _AROUND])
