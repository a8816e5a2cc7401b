"""Suppressions: comments that waive one rule at one position, with a reason.

``wardround: ignore[RULE] reason`` on the line of a finding or on the line above it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import decode_any_encoding
from wardround.findings import Finding, Status
from wardround.lazy import LazyPattern
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.notices import new_notice
from wardround.rules.catalogue import Catalogue
from wardround.rules.model import Rule
from wardround.rules.off_in import is_off_in
from wardround.rules.removed import is_removed, removal_note
from wardround.rules.renamed import former_names, is_former_name, renaming_note
from wardround.specialists import Comment, Specialist
from wardround.text.redaction import redact_tokens

_ADDRESSED = LazyPattern(r"wardround:\s*(.*)", re.DOTALL)
_IGNORE = LazyPattern(r"ignore\s*\[([^\]]*)\]\s*(.*)", re.DOTALL)


class ApplySuppressions:
    """Waive the findings that suppressions cover; a suppression that is wrong or unused becomes a notice."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        for path, reviewers in sorted(inputs.reviewers.items()):
            content = inputs.texts.head_bytes(path)
            if content is not None and b"wardround:" in content:
                comments = _comment_reader(reviewers).comments(decode_any_encoding(content) or "")
                review = _FileSuppressions(path, reviewers, inputs).apply(review, comments)
        keys = inputs.config.rule_keys
        former = {key: inputs.catalogue.resolve(key) for key in keys & former_names().keys()} if keys else {}
        removed = (key for key in keys if is_removed(key) and key not in former)
        notes = (
            renaming_note({**former, **review.former_names}),
            removal_note({*removed, *review.removed_names}),
        )
        return replace(review, notes=(*review.notes, *filter(None, notes)))


class _FileSuppressions:
    """The suppressions of one file.

    Attributes:
        specialist: reads the comments of the file.
    """

    def __init__(self, path: str, reviewers: Sequence[Specialist], inputs: PipelineInputs) -> None:
        self._path = path
        self._inputs = inputs
        self._specialist = _comment_reader(reviewers)
        self._trust = SuppressionTrust(path, self._specialist, inputs)

    def apply(self, review: ReviewFindings, comments: Iterable[Comment]) -> ReviewFindings:
        suppressions, malformed = read(comments)
        message = (
            "this is not a valid suppression, so it waives nothing; write wardround: ignore[RULE] reason"
        )
        notices = (self._notice("invalid-suppression", (bad.line, bad.column), message) for bad in malformed)
        review = replace(review, notices=(*review.notices, *notices))
        for suppression in suppressions:
            review = self._apply_suppression(review, suppression)
        return review

    def _apply_suppression(self, review: ReviewFindings, suppression: Suppression) -> ReviewFindings:
        named = _NamedRules.of(suppression.rules, self._inputs.catalogue)
        review = named.recorded_in(review)
        if not named.rules:
            return review
        unknown = named.unknown
        notices = [self._unknown_rules(suppression, unknown)] if unknown else []
        if not suppression.reason:
            return _add_notices(review, [*notices, self._report_missing_reason(suppression)])
        ids = {rule.id for rules in named.rules.values() for rule in rules}
        covered = [finding for finding in review.findings if self._covers_finding(suppression, ids, finding)]
        if covered:
            return self._waive(review, suppression, covered, notices)
        if self._was_rule_checked(ids - self._rules_off_by_maturity(named.rules)):
            notices.append(self._unused_suppression_notice(suppression))
        return _add_notices(review, notices)

    def _waive(
        self,
        review: ReviewFindings,
        suppression: Suppression,
        covered: Sequence[Finding],
        notices: Sequence[Finding],
    ) -> ReviewFindings:
        """Waive the covered findings that the suppression may waive."""
        waived = [finding for finding in covered if self._trust.is_trusted(suppression, finding)]
        if waived != covered:
            notices = [*notices, self._untrusted_notice(suppression)]
        findings = (
            self._suppress(suppression, finding) if finding in waived else finding
            for finding in review.findings
        )
        return _add_notices(replace(review, findings=tuple(findings)), notices)

    def _covers_finding(self, suppression: Suppression, rules: set[str], finding: Finding) -> bool:
        is_here = finding.file == self._path and suppression.covers(finding.span.line)
        return is_here and bool(rules & {finding.rule, *finding.sources})

    def _suppress(self, suppression: Suppression, finding: Finding) -> Finding:
        """Return the finding as suppressed; waived by the change if it adds the suppression, or the code to
        it.
        """
        file = self._inputs.files[self._path]
        is_of_change = file.is_added_line(suppression.line) or file.is_added_line(finding.span.line)
        return replace(finding, status=Status.SUPPRESSED, is_silenced=finding.is_introduced and is_of_change)

    def _was_rule_checked(self, rules: set[str]) -> bool:
        """Return True if a tool or check of one of the rules ran in this profile."""
        results = self._inputs.results.head
        return any(results.is_reviewed_by(rule.partition("/")[0], self._path) for rule in rules)

    def _rules_off_by_maturity(self, resolved: Mapping[str, Sequence[Rule]]) -> set[str]:
        """The ids of preview and deprecated rules, and of those off in such files, that do not run for the
        file.
        """
        settings = self._inputs.config.for_file(self._path)
        return {
            rule.id
            for rules in resolved.values()
            for rule in rules
            if (
                not rule.maturity.runs(preview=settings.preview)
                or is_off_in(rule.id, self._path, preview=settings.preview)
            )
            and settings.severity(rule.id, None) is None
        }

    def _unknown_rules(self, suppression: Suppression, names: Sequence[str]) -> Finding:
        message = f"suppression names no known rule: {', '.join(names)}; wardround rules lists them"
        return self._notice("invalid-suppression", suppression.position, message)

    def _report_missing_reason(self, suppression: Suppression) -> Finding:
        message = "suppression has no reason, so it waives nothing; write one after the bracket"
        return self._notice("suppression-without-reason", suppression.position, message)

    def _untrusted_notice(self, suppression: Suppression) -> Finding:
        is_added = self._inputs.files[self._path].is_added_line(suppression.line)
        added = "a suppression" if is_added else "code to a suppression"
        message = (
            f"this change adds {added} of {', '.join(suppression.rules)}, which does not apply to this change"
        )
        return replace(self._notice("config-changed", suppression.position, message), status=Status.NEW)

    def _unused_suppression_notice(self, suppression: Suppression) -> Finding:
        message = f"nothing here breaks {', '.join(suppression.rules)}; remove the suppression"
        return self._notice("unused-suppression", suppression.position, message)

    def _notice(self, code: str, position: tuple[int, int], message: str) -> Finding:
        return new_notice(self._inputs, code, self._path, position, message, self._specialist)


class SuppressionTrust:
    """The suppressions of a file that apply if the configuration of the target does.

    A suppression applies to the findings for which the base has it: code of the base under a comment of the
    base. If both were moved, each suppression of the base applies to one finding that existed before. The
    base decides and not the target, since a comment waives the code next to it, and the old code is at the
    base.
    """

    def __init__(self, path: str, specialist: Specialist, inputs: PipelineInputs) -> None:
        self._path = path
        self._specialist = specialist
        self._inputs = inputs
        self._remaining: Counter[tuple[tuple[str, ...], str]] | None = None

    def is_trusted(self, suppression: Suppression, finding: Finding) -> bool:
        """Return True if a suppression may waive a finding that it covers."""
        if self._inputs.is_trusted:
            return True
        file = self._inputs.files[self._path]
        if not file.is_added_line(suppression.line) and not file.is_added_line(finding.span.line):
            return True
        if self._remaining is None:
            self._remaining = self._base_suppressions()
        is_existing = finding.status is Status.EXISTING
        self._remaining[suppression.rules, suppression.reason] -= is_existing
        return is_existing and self._remaining[suppression.rules, suppression.reason] >= 0

    def _base_suppressions(self) -> Counter[tuple[tuple[str, ...], str]]:
        text = self._inputs.texts.readable(self._path, base=True) or ""
        suppressions, _ = read(self._specialist.comments(text))
        return Counter((suppression.rules, suppression.reason) for suppression in suppressions)


class _NamedRules(NamedTuple):
    """The rules that the names in a suppression denote.

    Attributes:
        rules: name -> its rules, none for an unknown name; without the names of removed rules.
        former: those of the names under which rules were known before.
        removed: the names of removed rules.
    """

    rules: dict[str, list[Rule]]
    former: dict[str, list[Rule]]
    removed: frozenset[str]

    @classmethod
    def of(cls, names: Iterable[str], catalogue: Catalogue) -> _NamedRules:
        """Return the rules of some names."""
        resolved = {name: catalogue.resolve(name) for name in names}
        former = {name: rules for name, rules in resolved.items() if rules and is_former_name(name, rules)}
        removed = frozenset(name for name, rules in resolved.items() if not rules and is_removed(name))
        rules = {name: found for name, found in resolved.items() if name not in removed}
        return cls(rules, former, removed)

    @property
    def unknown(self) -> list[str]:
        """The names without a rule, quoted."""
        return [repr(redact_tokens(name)) for name, rules in self.rules.items() if not rules]

    def recorded_in(self, review: ReviewFindings) -> ReviewFindings:
        """Return a review that has the former names and those of removed rules."""
        if self.former:
            review = replace(review, former_names={**review.former_names, **self.former})
        if self.removed:
            review = replace(review, removed_names=review.removed_names | self.removed)
        return review


def _add_notices(review: ReviewFindings, notices: Iterable[Finding]) -> ReviewFindings:
    return replace(review, notices=(*review.notices, *notices))


def _comment_reader(specialists: Sequence[Specialist]) -> Specialist:
    """Return the specialist that reads the comments of a file, preferably one of its language."""
    return min(specialists, key=lambda s: (s.reviews_all_text, not s.has_comment_reader))


class Suppression(msgspec.Struct, frozen=True):
    """One comment.

    Attributes:
        rules: the names in its brackets, verbatim.
        reason: empty if there is none, so that it waives nothing.
        column: 1-based, where the comment starts.
    """

    line: int
    column: int
    rules: tuple[str, ...]
    reason: str

    @property
    def position(self) -> tuple[int, int]:
        """The line and the column."""
        return self.line, self.column

    def covers(self, line: int) -> bool:
        """Return True for the line of the comment and the next one."""
        return line in (self.line, self.line + 1)


class MalformedSuppression(msgspec.Struct, frozen=True):
    """A comment that is addressed to wardround and is not a suppression; its column is 1-based."""

    line: int
    column: int
    text: str


def read(comments: Iterable[Comment]) -> tuple[list[Suppression], list[MalformedSuppression]]:
    """Return the suppressions among the comments of a file, and the malformed ones."""
    suppressions: list[Suppression] = []
    malformed: list[MalformedSuppression] = []
    for comment in comments:
        addressed = _ADDRESSED.match(comment.text)
        if addressed is None:
            continue
        match = _IGNORE.match(addressed[1].strip())
        names = tuple(name.strip() for name in match[1].split(",") if name.strip()) if match else ()
        if match is None or not names:
            malformed.append(MalformedSuppression(comment.line, comment.column, comment.text))
            continue
        reason = match[2].strip().lstrip("-:").strip()
        suppressions.append(Suppression(comment.line, comment.column, names, reason))
    return suppressions, malformed
