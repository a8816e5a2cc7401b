"""Return real review comments as the answers of a language model, and measure what becomes of them.

    python -m evals.oracle FILE ... --clones DIR [--context SIZE ...] [--each]

No model is used: each change is reviewed with the profile ``ci`` in a scratch clone of ``DIR/OWNER+NAME``,
against a server on loopback. The first pass of every plane that was sent the line of a comment returns a
neutral claim that quotes it as it was sent; the second pass upholds it. Static tools are stopped at once.

``FILE`` has one JSON object per line, as ``oracle_comments.jsonl`` and ``pull_requests.jsonl``. Printed for
each size of the context, with 95% intervals that resample repositories:

- answerable: the request of one plane contains all lines that a reader needs for the comment; - right line:
  the comment is a finding at its line; for a removed line at the one that follows it, for an unchanged one at
  the nearest changed line.

Every response also has malformed claims, claims that the second pass refutes, and claims that contain a
verdict or reference lines outside of the input. None of them may become a finding; if one does, the exit
status is 1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import msgspec

from evals.oracle_cases import Case, Change, Comment, NeededLines, load
from evals.oracle_model import HOSTILE, REMARK, LoopbackModel, Place, Remark, Request, loopback_model, message
from wardround.config.language_model import ContextSize
from wardround_lab.evaluation.judging.rates import repository_interval

SIZES: Sequence[ContextSize] = get_args(ContextSize)
_INTRODUCED = ("new", "caused")
_CONFIGURATION = """\
tool-timeout = 0.01
records = "off"

[language-model]
url = "{url}"
model = "{model}"
context = "{context}"
"""

ANSWERABLE, RIGHT_LINE = "answerable", "right line"


@dataclass(frozen=True)
class Finding:
    """A finding of the language model in a report."""

    path: str
    line: int
    message: str


@dataclass
class Outcomes:
    """The outcomes of one size.

    Attributes:
        found: measure -> for each comment its repository, and the reason of a miss.
        passed: first word of a message -> the number of findings.
        failed: the changes that were not reviewed.
    """

    size: str
    found: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    passed: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    def add(self, measure: str, repository: str, reason: str) -> None:
        self.found[measure].append((repository, reason))

    def print(self) -> None:
        for measure, results in sorted(self.found.items()):
            hits = sum(not reason for _, reason in results)
            low, high = repository_interval((repository, not reason) for repository, reason in results)
            share = f"{hits / len(results):.2f} [{low:.2f}, {high:.2f}]"
            print(f"{self.size:12} {measure:12} {hits:4} of {len(results):<4} {share}")
            for reason, number in Counter(reason for _, reason in results if reason).most_common():
                print(f"{'':12} {'':12} {number:4} {reason}")
        if self.failed:
            print(f"{self.size:12} {self.failed} changes were not reviewed")


@dataclass(frozen=True)
class OracleReview:
    """A review of a change: the requests that were sent for it, and the findings of the model."""

    change: Change
    requests: Sequence[Request]
    findings: Sequence[Finding]

    def unanswerable(self, needs: Sequence[NeededLines]) -> str:
        """Return the reason why no plane contains all of the given lines; empty if one does."""
        missing = [_missing_places(needs, request) for request in self.requests]
        least = min(missing, key=len, default=list(_required_lines(needs)))
        return self._not_sent(least[0]) if least else ""

    def misplaced(self, comment: Comment, remark: Remark) -> str:
        """Return the reason why a comment did not become a finding at its line; empty if it did."""
        texts = [request.lines[remark.place] for request in self.requests if remark.place in request.lines]
        if not texts:
            return self._not_sent(remark.place)
        lines = [found.line for found in self.findings if found.message.startswith(remark.message)]
        if not lines:
            return f"no finding of {_kind(texts[0])}"
        return "" if set(lines) & self.change.places(comment) else f"at line {lines[0]}"

    def _not_sent(self, place: Place) -> str:
        files = frozenset().union(*(request.files for request in self.requests))
        if place.file not in self.change.paths:
            return "code of another file" if place.file not in files else "other code of another file"
        if not self.change.changes(place.side, place.file, place.line):
            return "other code of a changed file" if place.file in files else "other code of a file not sent"
        is_omitted = any(request.omitted for request in self.requests)
        return "a changed line omitted by the budget" if is_omitted else "a changed line not sent"


def _kind(text: str) -> str:
    if not text.strip():
        return "a blank line"
    return "a masked line" if "***" in text else "a line with text"


def _required_lines(needs: Sequence[NeededLines]) -> Iterator[Place]:
    for need in needs:
        yield from (Place(need.path, need.side, line) for line in range(need.first, need.last + 1))


def _missing_places(needs: Sequence[NeededLines], request: Request) -> list[Place]:
    return [location for location in _required_lines(needs) if location not in request.lines]


class NotReviewed(Exception):
    """A review wrote no report; the message is the end of its output."""


class Oracle:
    """Reviews cases against a model on loopback."""

    def __init__(self, model: LoopbackModel, scratch: Path) -> None:
        self._model = model
        self._scratch = scratch
        self._name = f"oracle-{uuid.uuid4().hex[:8]}"  # answers of an earlier run are in no cache

    def review(self, change: Change, size: ContextSize) -> tuple[OracleReview, Sequence[Remark]]:
        """Review a change, with its comments as remarks of the model.

        Raises:
            NotReviewed: the review failed.
        """
        remarks = [_remark(comment, number) for number, comment in enumerate(change.case.comments)]
        self._model.use(remarks)
        findings = list(_findings(self._report(change, size)))
        return OracleReview(change, self._model.requests, findings), remarks

    def _report(self, change: Change, size: ContextSize) -> Any:
        with tempfile.TemporaryDirectory(prefix="oracle-", dir=self._scratch) as folder:
            clone, report = Path(folder, "clone"), Path(folder, "report.json")
            configuration = Path(folder, "wardround.toml")
            text = _CONFIGURATION.format(url=self._model.url, model=self._name, context=size)
            configuration.write_text(text, "utf-8")
            source = str(change.clone.resolve())
            command = ["git", "clone", "-q", "--shared", "--no-checkout", source, str(clone)]
            subprocess.run(command, check=True, capture_output=True)
            done = subprocess.run(
                [sys.executable, "-m", "wardround", "review", "--repo", str(clone), "--profile", "ci",
                 "--base", change.case.base, "--head", change.case.head,
                 "--config", str(configuration), "--format", f"json={report}"],
                env=os.environ | {"WARDROUND_LANGUAGE_MODEL": "on"}, capture_output=True, text=True,
            )  # fmt: skip
            if not report.exists():
                raise NotReviewed(done.stderr.strip()[-400:])
            return msgspec.json.decode(report.read_bytes())


def _remark(comment: Comment, number: int) -> Remark:
    return Remark(Place(comment.path, comment.side, comment.line), message(REMARK, comment.path, number))


def _findings(report: Any) -> Iterator[Finding]:
    for found in report["findings"]:
        if found["rule"].startswith("language-model/") and found["status"] in _INTRODUCED:
            yield Finding(found["file"], found["line"], found["message"])


def measure(oracle: Oracle, change: Change, outcomes: Outcomes, *, each: bool) -> None:
    """Review one change and add the outcomes of its comments."""
    try:
        reviewed, remarks = oracle.review(change, outcomes.size)
    except NotReviewed as cause:
        outcomes.failed += 1
        print(
            f"{outcomes.size} {change.case.repository} {change.case.head} not reviewed: {cause}", flush=True
        )
        return
    for finding in reviewed.findings:
        outcomes.passed[finding.message.split()[0]] += 1
    for comment, remark in zip(change.case.comments, remarks, strict=True):
        results = {}
        if comment.needs is not None:
            results[ANSWERABLE] = reviewed.unanswerable(comment.needs)
        if comment.line:
            results[RIGHT_LINE] = reviewed.misplaced(comment, remark)
        for name, reason in results.items():
            outcomes.add(name, change.case.repository, reason)
            if each:
                location = f"{change.case.head[:8]} {comment.path}:{comment.line}"
                print(
                    f"{outcomes.size} {name} {change.case.repository} {location} {reason or 'yes'}",
                    flush=True,
                )


def available(cases: Sequence[Case], clones: Path) -> list[Change]:
    """Return the changes whose commits the clones have, and print the number of the comments without."""
    changes = [Change(_clone_of(clones, case.repository), case) for case in cases]
    found = [change for change in changes if change.is_available]
    left = sum(len(change.case.comments) for change in changes if change not in found)
    comments = sum(len(change.case.comments) for change in found)
    repositories = len({change.case.repository for change in found})
    counted = f"{comments} comments on {len(found)} changes of {repositories} repositories"
    print(f"{counted}; not measured: {left}")
    return found


def _clone_of(clones: Path, repository: str) -> Path:
    folder = clones / repository.replace("/", "+")
    return folder / "repo" if (folder / "repo").is_dir() else folder


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--context", choices=SIZES, nargs="+", default=SIZES)
    parser.add_argument("--each", action="store_true", help="print the outcome of each comment")
    options = parser.parse_args()
    changes = available([case for file in options.files for case in load(file)], options.clones)
    all_outcomes = [Outcomes(size) for size in options.context]
    with loopback_model() as model, tempfile.TemporaryDirectory(prefix="oracle-") as scratch:
        oracle = Oracle(model, Path(scratch))
        for change in changes:
            for outcomes in all_outcomes:
                measure(oracle, change, outcomes, each=options.each)
    passed: Counter[str] = Counter()
    for outcomes in all_outcomes:
        outcomes.print()
        passed += outcomes.passed
    for kind in HOSTILE:
        print(f"{kind.lower()}: {model.returned[kind]} claims returned, {passed[kind]} became findings")
    sys.exit(
        1 if any(passed[kind] for kind in HOSTILE) or any(outcomes.failed for outcomes in all_outcomes) else 0
    )


if __name__ == "__main__":
    main()
