"""A judge of two rules: one that is worth raising and one that is wrong."""

from __future__ import annotations

from typing import Any

from wardround.processors.judge.features import FEATURES
from wardround.processors.judge.model import Judge, JudgeFile, Regression, Thresholds
from wardround.processors.judge.rates import GROUPS, RateTable, VerdictCounts

GOOD = "ruff/F401"
NOISY = "ruff/B007"
BAD = "ruff/B006"
_COUNTS = {
    GOOD: VerdictCounts(40, 38, 0),
    NOISY: VerdictCounts(40, 4, 0),
    BAD: VerdictCounts(40, 0, 38),
}
_ALL = VerdictCounts(120, 42, 38)


def judge(**values: Any) -> Judge:
    """Return a judge whose probabilities are the smoothed shares of the rules."""
    none: dict[str, dict[str, VerdictCounts]] = {name: {} for name in GROUPS}
    file = JudgeFile(
        repositories=9,
        until="2026-11-27",
        rates=RateTable(_ALL, {**none, "rule": _COUNTS, "tool": {"ruff": _ALL}}),
        worth=_rule_regression("worth"),
        wrong=_rule_regression("wrong"),
        thresholds=Thresholds(warning=0.4, note=0.05, wrong=0.3),
        **values,
    )
    return Judge("default", "0" * 64, file)


def _rule_regression(verdict: str) -> Regression:
    weights = dict.fromkeys(FEATURES, 0.0)
    return Regression(0.0, {**weights, f"rule-{verdict}": 1.0})
