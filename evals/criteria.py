"""Evaluate the judge of acceptance criteria on hand-written ticket/change pairs.

    python evals/criteria.py                 # precision and recall of "met", by file, language and kind
    python evals/criteria.py --errors        # the criteria whose state differs from the expected one
    python evals/criteria.py --pair ID       # each criterion of one pair with its spans

``criteria/first.yml`` was written before the judge, ``criteria/second.yml`` after it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from wardround.context.ticket.model import Criterion, Ticket
from wardround.planes.criteria import judge_criteria
from wardround.planes.criterion.added_code import AddedLine, ChangedSource
from wardround.planes.criterion.results import CriterionResult, CriterionState

PAIRS = Path(__file__).resolve().parent / "criteria"
MET = CriterionState.MET


class Judged(NamedTuple):
    """A criterion of a pair with its expected and its actual state."""

    file: str
    pair: dict[str, Any]
    text: str
    expected: CriterionState
    result: CriterionResult

    @property
    def is_right(self) -> bool:
        """True if the state is the expected one."""
        return self.result.state is self.expected


def load(path: Path) -> list[dict[str, Any]]:
    """The pairs of one file."""
    return list(yaml.safe_load(path.read_text("utf-8")))


def judged(pairs: Sequence[dict[str, Any]], file: str = "") -> Iterator[Judged]:
    """Judge every criterion of the pairs."""
    for pair in pairs:
        criteria = tuple(
            Criterion(f"c{number}", " ".join(one["text"].split()), "section")
            for number, one in enumerate(pair["criteria"], 1)
        )
        results = judge_criteria(Ticket(pair["id"], "", "file", criteria=criteria), sources(pair))
        for one, result in zip(pair["criteria"], results, strict=True):
            yield Judged(file, pair, one["text"], CriterionState(one["expect"]), result)


def sources(pair: dict[str, Any]) -> tuple[ChangedSource, ...]:
    """The changed files of a pair."""
    removed = pair.get("removed", {})
    return tuple(
        ChangedSource(path, _lines(text), tuple(removed.get(path, "").splitlines()), (), is_test)
        for key, is_test in (("files", False), ("tests", True))
        for path, text in pair.get(key, {}).items()
    )


def _lines(text: str) -> tuple[AddedLine, ...]:
    return tuple(AddedLine(number, line) for number, line in enumerate(text.splitlines(), 1))


def report(name: str, rows: Sequence[Judged]) -> str:
    """One line of figures."""
    claimed = [row for row in rows if row.result.state is MET]
    true = [row for row in rows if row.expected is MET]
    hits = sum(row.expected is MET for row in claimed)
    right = sum(row.is_right for row in rows)
    return (
        f"{name:<24} {len(rows):>3} criteria  met: precision {_share(hits, len(claimed))} "
        f"({hits}/{len(claimed)}), recall {_share(hits, len(true))} ({hits}/{len(true)})  "
        f"all states right {_share(right, len(rows))} ({right}/{len(rows)})"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "  - "


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--errors", action="store_true", help="list the criteria that are judged otherwise")
    parser.add_argument("--pair", metavar="ID", help="show one pair")
    options = parser.parse_args()
    rows = [row for path in sorted(PAIRS.glob("*.yml")) for row in judged(load(path), path.stem)]
    if options.errors or options.pair:
        _show(
            [row for row in rows if row.pair["id"] == options.pair or (options.errors and not row.is_right)]
        )
        return 0
    print(f"{len({row.pair['id'] for row in rows})} pairs")
    print(report("all", rows))
    for title, key in (("file", lambda row: row.file), ("language", lambda row: row.pair["language"])):
        for value in sorted({key(row) for row in rows}):
            print(report(f"{title} {value}", [row for row in rows if key(row) == value]))
    hostile = [row for row in rows if "adversarial" in row.pair]
    print(report("adversarial", hostile))
    print(report("others", [row for row in rows if "adversarial" not in row.pair]))
    return 0


def _show(rows: Sequence[Judged]) -> None:
    for row in rows:
        print(f"{row.pair['id']}: expected {row.expected}, got {row.result.state}: {row.text}")
        print(f"    {row.result.reason}; {[(s.file, s.line, s.end_line) for s in row.result.spans]}")


if __name__ == "__main__":
    sys.exit(main())
