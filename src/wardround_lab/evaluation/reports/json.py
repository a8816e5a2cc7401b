"""The score as one JSON object, schema ``wardround.eval/1``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from wardround.text.escaping import json_text
from wardround_lab.evaluation.reports import MeasuredSet
from wardround_lab.evaluation.scoring import (
    NEAR,
    CategoryScore,
    Recall,
    RuleScore,
    SetScore,
    Share,
    over_sets,
)

SCHEMA = "wardround.eval/1"


def render(measured: MeasuredSet) -> str:
    """Render the complete report; all values but ``seconds`` are equal in every run over the same cases."""
    score = measured.score
    rules, categories = over_sets(score)
    report = {
        "schema": SCHEMA,
        "tool": {"name": "wardround", "version": measured.version},
        "source": measured.source,
        "settings": dict(measured.settings),
        "interrupted": bool(measured.interrupted),
        "seconds": round(measured.seconds, 3),
        "total": _set(score.total),
        "sets": [_set(score.sets[name]) for name in sorted(score.sets)],
        "rules": [_rule(one) for one in sorted(rules, key=lambda r: r.rule)],
        "rules_by_set": [{"set": name, **_rule(one)} for (name, _), one in sorted(score.rules.items())],
        "categories": [_category(one) for one in sorted(categories, key=lambda c: c.category)],
        "categories_by_set": [
            {"set": name, **_category(one)} for (name, _), one in sorted(score.categories.items())
        ],
        "unreviewed": [
            {"tool": tool, "reason": reason, "cases": count}
            for (tool, reason), count in sorted(score.unreviewed.items())
        ],
        "unusable": [{"case": place, "reason": reason} for place, reason in score.unusable],
        "crashed": [{"case": place, "reason": reason} for place, reason in score.crashed],
    }
    return json_text(msgspec.json.format(msgspec.json.encode(report), indent=1)) + "\n"


def _share(share: Share) -> dict[str, Any]:
    low, high = share.interval
    value = share.value
    return {
        "hits": share.hits,
        "of": share.of,
        "value": None if value is None else round(value, 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def _recall(recall: Recall) -> dict[str, Any]:
    return {
        "exact": _share(Share(recall.exact, recall.expected)),
        "near": _share(Share(recall.near, recall.expected)),
        "exact_by_rule_of_that_name": _share(Share(recall.named, recall.expected)),
        "near_with_held_back": _share(Share(recall.near_held_back, recall.expected)),
    }


def _set(one: SetScore) -> dict[str, Any]:
    rates: Sequence[tuple[str, tuple[str, ...]]] = (
        ("all", ()), ("warn_and_above", ("warn", "error")), ("error", ("error",)),
    )  # fmt: skip
    found = {name: one.rate(*levels) for name, levels in rates}
    return {
        "set": one.name,
        "cases": one.cases,
        "defect_cases": one.defect_cases,
        "clean_cases": one.clean_cases,
        "unusable_cases": one.unusable,
        "crashed_cases": one.crashed,
        "not_fully_reviewed_cases": one.not_fully_reviewed,
        "added_lines": one.added_lines,
        "recall": _recall(one.recall),
        "recall_of_anchors": _recall(one.anchored),
        "cases_found": {"exact": _share(one.cases_found(0)), "near": _share(one.cases_found(NEAR))},
        "alerts": {name: one.shown[name] for name in ("error", "warn", "info")},
        "alerts_per_100_added_lines": {n: None if v is None else round(v, 4) for n, v in found.items()},
        "precision": _share(one.precision),
        "false_alarms": _share(one.false_alarms),
        "held_back": dict(sorted(one.held_back.items())),
        "seconds_per_case": round(one.seconds / max(one.cases, 1), 4),
    }


def _rule(one: RuleScore) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "defect_class": one.defect_class,
        "severity": one.severity,
        "shown": one.shown,
        "exact": one.exact,
        "near": one.right,
        "in_defect_cases": one.in_defects,
        "in_clean_cases": one.in_clean,
        "held_back": one.held_back,
        "precision": _share(one.precision),
    }


def _category(one: CategoryScore) -> dict[str, Any]:
    return {
        "category": one.category,
        "recall": _recall(one.recall),
        "answered_by_rule": dict(sorted(one.by_rule.items())),
        "answered_by_defect_class": dict(sorted(one.by_class.items())),
    }
