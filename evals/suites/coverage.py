"""Coverage of other linters' suites, by rule and in total.

    wardround eval cases CASES.jsonl --only typescript --all-rules --results RESULTS.jsonl
    python evals/suites/coverage.py CASES.jsonl RESULTS.jsonl

Only a finding of a rule about the same defect counts (``defects.py``), on the exact line. An invalid case is
found if one of its lines is; since some cases have a hundred lines and most have one, the share of all lines
is printed too. A rule is covered if one of its cases is found. Shares of cases and lines are over the covered
rules; for valid cases, over all rules.

Cases that depend on options are excluded. A fixture that the parser rejects, mostly because its snippets
declare one name twice, is counted separately, except for rules about syntax errors.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from defects import DEFECTS

from wardround import host

SYNTAX = "syntax-error"


@dataclass(slots=True)
class Found:
    """Counts of the findings in the cases of one rule."""

    cases: int = 0
    lines: int = 0
    valid: int = 0


@dataclass(slots=True)
class Count:
    """Totals of one rule of a suite, and the number found by default and with all rules."""

    cases: int = 0
    lines: int = 0
    valid: int = 0
    refused: int = 0
    by_default: Found = field(default_factory=Found)
    by_all: Found = field(default_factory=Found)


def main(cases: str, results: str) -> None:
    """Print a line for each rule about a defect, and two for each suite."""
    shown = {rule.id for rule in host.load().catalogue.all_rules() if rule.is_shown}
    said = {case["id"]: case["said"] for case in _outcomes(results)}
    counts: dict[str, dict[str, Count]] = defaultdict(lambda: defaultdict(Count))
    for case in _lines(cases):
        meta = case["meta"]
        codes = DEFECTS[meta["set"]].get(meta["rule"])
        if codes is not None and not meta["configured"] and case["id"] in said:
            wanted = {*codes, *meta["codes"]}
            _add_case(counts[meta["set"]][meta["rule"]], case, said[case["id"]], wanted, shown)
    for suite, rules in sorted(counts.items()):
        _print_coverage(suite, rules)


def _lines(file: str) -> Iterator[dict[str, Any]]:
    with open(file, encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _outcomes(file: str) -> Iterator[dict[str, Any]]:
    return (line["outcome"] for line in _lines(file))


def _add_case(
    count: Count, case: dict[str, Any], said: Iterable[dict[str, Any]], wanted: set[str], shown: set[str]
) -> None:
    """Add the findings of one case."""
    sources = [(finding["line"], source) for finding in said for source in finding["sources"]]
    is_about_syntax = SYNTAX in wanted and bool(case["expected"])
    if not is_about_syntax and any(source.endswith(SYNTAX) for _, source in sources):
        count.refused += 1
        return
    about = [(line, source) for line, source in sources if source.partition("/")[2] in wanted]
    expected = {place["line"] for place in case["expected"]}
    count.cases += bool(expected)
    count.lines += len(expected)
    count.valid += not expected
    _note(count.by_all, expected, {line for line, _ in about})
    _note(count.by_default, expected, {line for line, source in about if source in shown})


def _note(found: Found, expected: set[int], lines: set[int]) -> None:
    found.cases += bool(expected & lines)
    found.lines += len(expected & lines)
    found.valid += bool(lines and not expected)


def _print_coverage(suite: str, rules: dict[str, Count]) -> None:
    for rule, one in sorted(rules.items()):
        print(f"{suite:20} {rule:40} cases {one.by_default.cases:3} {one.by_all.cases:3} of {one.cases:3}   "
              f"lines {one.by_default.lines:3} {one.by_all.lines:3} of {one.lines:3}   "
              f"valid {one.by_default.valid:2} {one.by_all.valid:2} of {one.valid:3}   "
              f"refused {one.refused}")  # fmt: skip
    for name, found in (("by default", "by_default"), ("with all rules", "by_all")):
        pairs = [(rule, getattr(rule, found)) for rule in rules.values()]
        covered = [(one, its) for one, its in pairs if its.cases]
        rules_with_cases = sum(bool(rule.cases) for rule in rules.values())
        print(f"{suite} {name}: {len(covered)} of {rules_with_cases} rules covered; "
              f"of their cases {_share(covered, 'cases')}, of their lines {_share(covered, 'lines')} found; "
              f"of valid cases {_share(pairs, 'valid')} reported; "
              f"{sum(rule.refused for rule in rules.values())} cases refused by the parser")  # fmt: skip


def _share(pairs: Sequence[tuple[Count, Found]], what: str) -> str:
    """``found of there is (share)`` of cases, lines or valid cases."""
    there = sum(getattr(one, what) for one, _ in pairs)
    found = sum(getattr(its, what) for _, its in pairs)
    return f"{found} of {there} ({found / max(1, there):.1%})"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
