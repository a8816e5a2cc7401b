"""The answers of rules to the same cases: a rule that reports a case answers that it has the problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wardround.host import PluginHost
from wardround_lab.evaluation.batch import CaseBatch, CaseOutcome, Settings
from wardround_lab.evaluation.cases import Case
from wardround_lab.evaluation.narrow_questions.cases import QuestionCase


def rule_answers(
    cases: Sequence[QuestionCase], host: PluginHost, jobs: int, progress: Callable[[str], None]
) -> Mapping[str, bool]:
    """Return the name of each case whose question names rules -> True if one of them reports it.

    Rules that are off by default count, too.
    """
    chosen = [case for case in cases if case.question.rules]
    batch = CaseBatch(host, Settings(jobs=jobs, all_rules=True), progress)
    outcomes = batch.review([_to_change_case(case) for case in chosen], "questions")
    return {
        case.name: _is_reported(outcome, _rule_ids(case, host))
        for case, outcome in zip(chosen, outcomes, strict=True)
    }


def _to_change_case(case: QuestionCase) -> Case:
    before = {file.path: _read_lines(file.base) for file in case.files}
    after = {file.path: _read_lines(file.head) for file in case.files}
    return Case(case.name, case.name, "", before, after)


def _read_lines(lines: Sequence[str]) -> str | None:
    """Return the content at base or head; None for a file that does not exist there."""
    return "\n".join(lines) + "\n" if lines else None


def _rule_ids(case: QuestionCase, host: PluginHost) -> frozenset[str]:
    return frozenset(rule.id for name in case.question.rules for rule in host.catalogue.resolve(name))


def _is_reported(outcome: CaseOutcome, rules: frozenset[str]) -> bool:
    return any(not rules.isdisjoint((found.rule, *found.sources)) for found in outcome.said)
