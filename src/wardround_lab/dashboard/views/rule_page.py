"""One rule: its documentation, the reactions to its findings, and the newest of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from wardround import host
from wardround.errors import UsageError
from wardround.processors.dismissals_file import Dismissal
from wardround.records.store import Query, StoredRecord, opened_if_present
from wardround.reports.explanation import render_rule
from wardround.rules.judgement_files import load_judgements
from wardround.rules.reading_counts import reading_counts
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.record_content import FindingContent, RecordContents
from wardround_lab.dashboard.views.rule_list import RuleRow, current_id, rule_list, stored_dismissals

MOST_FINDINGS = 50
_COLUMNS = 100
_LINES = 1000


class ShownFinding(msgspec.Struct, frozen=True):
    """A finding and the record that has it."""

    record: StoredRecord
    finding: FindingContent


class RulePage(msgspec.Struct, frozen=True):
    """One rule.

    Attributes:
        documentation: as ``wardround explain`` prints it; empty if the rule is not known here.
        findings: the newest ones.
        reasons: the reasons of its readings, with their meaning and number, the most frequent first.
    """

    row: RuleRow
    documentation: str
    findings: Sequence[ShownFinding]
    dismissals: Sequence[Dismissal]
    reasons: Sequence[tuple[str, str, int]]


def rule_page(stores: Stores, contents: RecordContents, rule: str) -> RulePage:
    """Return the page of a rule.

    Raises:
        UsageError: it is neither known nor has any finding.
    """
    documentation = _documentation(rule)
    rows = {row.rule: row for row in rule_list(stores, contents).rows}
    if rule not in rows and not documentation:
        raise UsageError(f"unknown rule {rule!r}; choose one of the list of rules")
    readings = [item for item in load_judgements(stores.judgements) if current_id(item.rule) == rule]
    reasons = Counter(item.reason for item in readings)
    return RulePage(
        row=rows.get(rule, RuleRow(rule)),
        documentation=documentation,
        findings=_newest_findings(stores, contents, rule),
        dismissals=[entry for entry in stored_dismissals(stores) if current_id(entry.rule) == rule],
        reasons=[(code.value, code.meaning, number) for code, number in reasons.most_common()],
    )


def _documentation(rule: str) -> str:
    loaded = host.load()
    counts = reading_counts()
    return "\n".join(
        render_rule(found, loaded.same_defect(found), _COLUMNS, _LINES, counts.get(found.id))
        for found in loaded.catalogue.resolve(rule)
    )


def _newest_findings(stores: Stores, contents: RecordContents, rule: str) -> Sequence[ShownFinding]:
    with opened_if_present(stores.records) as records:
        newest = [] if records is None else contents.newest(records, Query())
    found = [
        ShownFinding(record, finding)
        for record, content in newest
        for finding in content.findings
        if finding.is_introduced and current_id(finding.rule) == rule
    ]
    return found[:MOST_FINDINGS]
