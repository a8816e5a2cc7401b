"""The values that the steps of the pipeline take and return, and the interface of a step."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import msgspec

from wardround.change.diff import Change, ChangedFile
from wardround.config.schema import Config, FailLevel, FilterMode
from wardround.context.test_data import TestData
from wardround.execution.model import Results
from wardround.findings import Finding, RawFinding, Severity, Unreviewed
from wardround.processors.baseline_file import Baseline, BaselineEntry
from wardround.processors.dismissals_file import Dismissal, Dismissals
from wardround.processors.statements import StatementIndexes
from wardround.rules.catalogue import Catalogue
from wardround.rules.model import Rule
from wardround.specialists import Specialist
from wardround.tools.ignore_comments import IgnoreComments

if TYPE_CHECKING:
    from wardround.processors.judge.model import Judge
    from wardround.processors.triage import Triage


class ChangeTexts(Protocol):
    """The contents of the changed files, by their path at the head."""

    def head(self, path: str) -> str | None:
        """Return the text after the change; None if there is none, or it is not UTF-8."""

    def readable(self, path: str, *, base: bool = False) -> str | None:
        """Return the text at base or head in any encoding; None if there is none."""

    def head_bytes(self, path: str) -> bytes | None:
        """Return the content after the change; None if there is none."""

    def base_bytes(self, path: str) -> bytes | None:
        """Return the content before the change; None for an added file."""


class SideResults(msgspec.Struct, frozen=True):
    """The results of tools and checks at base and head of a change."""

    head: Results
    base: Results


class PipelineInputs(msgspec.Struct, frozen=True, dict=True):
    """Everything that the steps know besides the findings.

    Attributes:
        change: as it was reviewed.
        results: results of tools and checks.
        unwaived_results: the same for copies without the ignore comments of tools that hold for changed code.
        reviewers: path at the head -> the specialists that reviewed it.
        unreviewed: required reviews that did not happen.
        specialists: all that are loaded.
        ignore_comments: the comments by which their tools ignore findings.
        texts: contents of the changed files.
        other_text: path -> the content of any file at the head.
        tracked_paths: the paths at the head; called by the steps that need them.
        test_data: the test data of the project, by the configuration that applies.
        is_trusted: the configuration of the change itself applies.
        added_entries: entries of the baseline and the dismissals that the change adds, where its own apply.
        today: the date by which dismissals age.
        ranks: open findings are ranked and folded.
        judge: loads the judge, None where it is off; called only if there are findings to judge.
        model_results: results of a language model; the code is that of the rule.
        run_results: results of a run of the change; the code is that of the rule.
        run_covered: the files whose changed lines the run covered or did not cover.
    """

    change: Change
    results: SideResults
    unwaived_results: SideResults
    reviewers: Mapping[str, Sequence[Specialist]]
    unreviewed: Sequence[Unreviewed]
    specialists: Sequence[Specialist]
    ignore_comments: IgnoreComments
    catalogue: Catalogue
    config: Config
    fail_level: FailLevel
    filter_mode: FilterMode
    is_trusted: bool
    texts: ChangeTexts
    other_text: Callable[[str], str | None]
    tracked_paths: Callable[[], Collection[str]]
    test_data: TestData
    baseline: Baseline
    dismissals: Dismissals
    today: datetime.date
    ranks: bool
    judge: Callable[[], Judge | None]
    model_results: Sequence[RawFinding] = ()
    run_results: Sequence[RawFinding] = ()
    run_covered: Collection[str] = frozenset()
    added_entries: frozenset[BaselineEntry | Dismissal] = frozenset()

    @cached_property
    def files(self) -> Mapping[str, ChangedFile]:
        """The changed files by path."""
        return {file.path: file for file in self.change.files}

    @cached_property
    def statements(self) -> StatementIndexes:
        """The statements of the changed files, each file indexed once."""
        return StatementIndexes(self.texts, self.ignore_comments)

    @property
    def blocking_severity(self) -> Severity:
        """The least severity that blocks; of a review in which none does, the highest."""
        return Severity.ERROR if self.fail_level == "none" else Severity.from_label(self.fail_level)


class Candidate(msgspec.Struct, frozen=True):
    """A classified result of a tool or check, before duplicates are merged.

    Attributes:
        was_unparsed: the old version of the file could not be parsed, so it was not compared.
        is_hidden: it was reported only without the ignore comments of changed code.
    """

    finding: Finding
    result: RawFinding
    was_unparsed: bool = False
    is_hidden: bool = False


class ReviewFindings(msgspec.Struct, frozen=True):
    """The findings of a review, if the pipeline has processed them.

    Attributes:
        candidates: the findings that the review may report; empty once duplicates are merged.
        notices: findings about suppressions and configuration, until they join the other findings.
        content_names: for each of ``findings``, its identity without its path.
        unparsed_data: test data that is broken on purpose.
        mask_text: masks the secrets in a text.
        former_names: former names of rules in suppressions -> the current rules.
        removed_names: names in suppressions that only removed rules had.
        notes: sentences for people that are not findings.
        judge: the id of the judge that estimated them; empty if none did.
        triage: the order of the open findings; None where everything is shown in the order of positions.
    """

    candidates: tuple[Candidate, ...] = ()
    findings: tuple[Finding, ...] = ()
    notices: tuple[Finding, ...] = ()
    content_names: tuple[str, ...] = ()
    unparsed_data: frozenset[str] = frozenset()
    unreviewed: tuple[Unreviewed, ...] = ()
    mask_text: Callable[[str], str] = str
    former_names: Mapping[str, Sequence[Rule]] = {}
    removed_names: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    judge: str = ""
    triage: Triage | None = None


class Processor(Protocol):
    """One step of the pipeline: a pure function of its arguments."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        """Return the findings after this step."""
