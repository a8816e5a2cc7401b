"""How much of other linters' suites comes through, by rule and in all.

    wardround eval cases CASES.jsonl --only typescript --all-rules --results RESULTS.jsonl
    python evals/suites/coverage.py CASES.jsonl RESULTS.jsonl

Only a finding of a rule about the same defect counts (``defects.py``), on the very line; what a rule that is
off by default says is told apart. Cases that depend on options are left out. A rule is covered where one of
its places is found. A fixture the parser refuses, mostly as it holds snippets that declare one name twice,
is counted apart, except for rules about what no parser takes.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from defects import DEFECTS

from wardround import host

SYNTAX = "syntax-error"


@dataclass(slots=True)
class Count:
    """What was counted for one rule of a suite, or for all."""

    places: int = 0
    found: int = 0
    found_by_default: int = 0
    valid: int = 0
    reported: int = 0
    reported_by_default: int = 0
    refused: int = 0


def main(cases: str, results: str) -> None:
    """Print a line for each rule about a defect, and one for each suite."""
    shown = {rule.id for rule in host.load().catalogue.listed() if rule.is_shown}
    said = {one["id"]: one["said"] for one in _outcomes(results)}
    counts: dict[str, dict[str, Count]] = defaultdict(lambda: defaultdict(Count))
    for case in _lines(cases):
        meta = case["meta"]
        codes = DEFECTS[meta["set"]].get(meta["rule"])
        if codes is not None and not meta["configured"] and case["id"] in said:
            wanted = {*codes, *meta["codes"]}
            _count(counts[meta["set"]][meta["rule"]], case, said[case["id"]], wanted, shown)
    for suite, rules in sorted(counts.items()):
        _print(suite, rules)


def _lines(file: str) -> Iterator[dict[str, Any]]:
    with open(file, encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _outcomes(file: str) -> Iterator[dict[str, Any]]:
    return (line["outcome"] for line in _lines(file))


def _count(
    count: Count, case: dict[str, Any], said: Iterable[dict[str, Any]], wanted: set[str], shown: set[str]
) -> None:
    """Add what was said about one case."""
    sources = [(one["line"], source) for one in said for source in one["sources"]]
    if SYNTAX not in wanted and any(source.endswith(SYNTAX) for _, source in sources):
        count.refused += 1
        return
    about = [(line, source) for line, source in sources if source.partition("/")[2] in wanted]
    found = {line for line, _ in about}
    by_default = {line for line, source in about if source in shown}
    places = {expected["line"] for expected in case["expected"]}
    count.places += len(places)
    count.found += len(places & found)
    count.found_by_default += len(places & by_default)
    if not places:
        count.valid += 1
        count.reported += bool(found)
        count.reported_by_default += bool(by_default)


def _print(suite: str, rules: dict[str, Count]) -> None:
    for rule, one in sorted(rules.items()):
        print(f"{suite:20} {rule:40} {one.found_by_default:4} {one.found:4} of {one.places:4}   "
              f"valid {one.reported_by_default:2} {one.reported:2} of {one.valid:3}")  # fmt: skip
    with_places = [one for one in rules.values() if one.places]
    for name, found in (("by default", "found_by_default"), ("with all rules", "found")):
        covered = [one for one in with_places if getattr(one, found)]
        share = sum(getattr(one, found) for one in covered) / max(1, sum(one.places for one in covered))
        mean = sum(getattr(one, found) / one.places for one in covered) / max(1, len(covered))
        reported = sum(getattr(one, found.replace("found", "reported")) for one in rules.values())
        valid = sum(one.valid for one in rules.values())
        print(f"{suite} {name}: {len(covered)} of {len(with_places)} rules covered, "
              f"{share:.1%} of their places found, {mean:.1%} as the mean over rules, "
              f"{reported} of {valid} valid cases reported ({reported / max(1, valid):.1%}), "
              f"{sum(one.refused for one in rules.values())} refused by the parser")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
