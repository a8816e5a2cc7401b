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
    sum_over_sets,
)

SCHEMA = "wardround.eval/1"


def render(measured: MeasuredSet) -> str:
    """Render the complete report; all values but ``seconds`` are equal in every run over the same cases."""
    score = measured.score
    rules, categories = sum_over_sets(score)
    report = {
        "schema": SCHEMA,
        "tool": {"name": "wardround", "version": measured.version},
        "source": measured.source,
        "settings": dict(measured.settings),
        "interrupted": bool(measured.interrupted),
        "seconds": round(measured.seconds, 3),
        "total": _set(score.total),
        "sets": [_set(score.sets[name]) for name in sorted(score.sets)],
        "rules": [_rule(rule) for rule in sorted(rules, key=lambda r: r.rule)],
        "rules_by_set": [{"set": name, **_rule(rule)} for (name, _), rule in sorted(score.rules.items())],
        "categories": [_category(category) for category in sorted(categories, key=lambda c: c.category)],
        "categories_by_set": [
            {"set": name, **_category(category)} for (name, _), category in sorted(score.categories.items())
        ],
        "unreviewed": [
            {"tool": tool, "reason": reason, "cases": count}
            for (tool, reason), count in sorted(score.unreviewed.items())
        ],
        "unusable": [{"case": location, "reason": reason} for location, reason in score.unusable],
        "crashed": [{"case": location, "reason": reason} for location, reason in score.crashed],
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


def _set(item: SetScore) -> dict[str, Any]:
    rates: Sequence[tuple[str, tuple[str, ...]]] = (
        ("all", ()), ("warn_and_above", ("warn", "error")), ("error", ("error",)),
    )  # fmt: skip
    found = {name: item.rate(*levels) for name, levels in rates}
    return {
        "set": item.name,
        "cases": item.cases,
        "defect_cases": item.defect_cases,
        "clean_cases": item.clean_cases,
        "unusable_cases": item.unusable,
        "crashed_cases": item.crashed,
        "not_fully_reviewed_cases": item.not_fully_reviewed,
        "added_lines": item.added_lines,
        "recall": _recall(item.recall),
        "recall_of_anchors": _recall(item.anchored),
        "cases_found": {"exact": _share(item.found_cases(0)), "near": _share(item.found_cases(NEAR))},
        "alerts": {name: item.shown[name] for name in ("error", "warn", "info")},
        "alerts_per_100_added_lines": {n: None if v is None else round(v, 4) for n, v in found.items()},
        "precision": _share(item.precision),
        "false_alarms": _share(item.false_alarms),
        "held_back": dict(sorted(item.held_back.items())),
        "seconds_per_case": round(item.seconds / max(item.cases, 1), 4),
    }


def _rule(item: RuleScore) -> dict[str, Any]:
    return {
        "rule": item.rule,
        "defect_class": item.defect_class,
        "severity": item.severity,
        "shown": item.shown,
        "exact": item.exact,
        "near": item.right,
        "in_defect_cases": item.in_defects,
        "in_clean_cases": item.in_clean,
        "held_back": item.held_back,
        "precision": _share(item.precision),
    }


def _category(item: CategoryScore) -> dict[str, Any]:
    return {
        "category": item.category,
        "recall": _recall(item.recall),
        "answered_by_rule": dict(sorted(item.by_rule.items())),
        "answered_by_defect_class": dict(sorted(item.by_class.items())),
    }
