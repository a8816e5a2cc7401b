"""Measure the review by a language model on commits whose defects a later commit repaired.

    python evals/blind_reading.py requests --clones DIR --out DIR [--size functions ...] [--id c01 ...]
    python evals/blind_reading.py open --out DIR [--size ...] [--plane semantic] [--pass first|second]
    python evals/blind_reading.py claims --out DIR
    python evals/blind_reading.py report --out DIR --judged FILE

``requests`` reviews each commit of ``blind_reading.yml`` with the profile ``ci``, for each size of the
context, and writes the requests to ``OUT/exchange/SIZE/ID``. The reader of the requests sees nothing else.
``open`` lists the requests without an answer. When answers exist, ``requests`` reads them and writes the
requests of the second pass, and then the final reports, ``OUT/reports/SIZE/ID.json``. It skips changes
without new answers; remove a report to review its change again. Static tools are stopped at once.

``claims`` writes ``OUT/claims.jsonl`` for a judge, who has the repository: all claims of the first pass at
lines that can be reported, in random order, without the outcome of the second pass. The judge adds
``verdict`` (``worth``, ``true`` or ``wrong``) and ``meets``, the ids of the defects that a claim states, such
as ``c04.2``. The files contain code: commit them to no repository.

``report`` prints for each size the later repairs that claims meet, of all in the answered changes, the
verdicts, and the claims worth raising that the second pass removes, with 95% intervals that resample
repositories. A change is answered if one of its requests is, even if the answer could not be used. Verdicts
that are none of the three are unclear.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import msgspec
import yaml

from wardround.config.language_model import ContextSize
from wardround.model_claims import DroppedClaim, ModelClaim
from wardround.planes.language_model.exchange_folder import ANSWERS, READABLE, REQUEST
from wardround.planes.language_model.verified_claims import REFUTED, UNJUDGED
from wardround.rules.judgements import Verdict
from wardround_lab.corpora.clones import clone_of
from wardround_lab.evaluation.judging.rates import repository_interval

CHANGES = Path(__file__).with_suffix(".yml")
SIZES: Sequence[ContextSize] = get_args(ContextSize)
PASSES = ("first", "second")
VERDICTS = (Verdict.WORTH, Verdict.TRUE, Verdict.WRONG)
UPHELD = "upheld"
SERIOUS = ("warn", "error")
SEED = 7
_PREFIX = "language-model/"
_CONFIGURATION = """\
tool-timeout = 0.01
records = "off"

[language-model]
model = "exchange"
context = "{size}"
"""


class Defect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A defect of a commit, at a line of it, and the later commit that repaired it."""

    file: str
    line: int
    fix: str
    sentence: str


class ListedChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A commit, compared with its first parent, and its known defects."""

    id: str
    repository: str
    commit: str
    defects: tuple[Defect, ...] = ()

    @property
    def defect_ids(self) -> list[str]:
        return [f"{self.id}.{number}" for number in range(1, len(self.defects) + 1)]


class RequestInput(msgspec.Struct, frozen=True):
    """The part of the input that only the second pass has: the plane of the claims."""

    aspect: str = ""


class WrittenRequest(msgspec.Struct, frozen=True):
    """A request of the exchange."""

    prompt: str
    input: RequestInput

    @property
    def plane(self) -> str:
        """The plane; the prompt of a first pass is titled with it."""
        return self.input.aspect or self.prompt.lstrip("# \n").partition(",")[0]

    @property
    def pass_name(self) -> str:
        return "second" if self.input.aspect else "first"


class ReportedFinding(msgspec.Struct, frozen=True):
    rule: str
    plane: str
    file: str
    line: int
    severity: str
    message: str
    claim: ModelClaim | None = None


class PlaneResult(msgspec.Struct, frozen=True):
    plane: str
    problems: tuple[str, ...]
    dropped: tuple[DroppedClaim, ...]


class Report(msgspec.Struct, frozen=True):
    """The parts of a report in JSON that contain the findings and claims of the language model."""

    findings: tuple[ReportedFinding, ...]
    language_model: tuple[PlaneResult, ...]

    @property
    def incomplete_planes(self) -> int:
        return sum(bool(result.problems) for result in self.language_model)


class Claim(msgspec.Struct, frozen=True):
    """A claim, as a judge reads it. One that several planes make is a claim of the plane of its finding."""

    id: str
    size: str
    plane: str
    rule: str
    file: str
    line: int
    severity: str
    message: str
    quote: str


class JudgedClaim(msgspec.Struct, frozen=True):
    """The verdict of a judge about a claim, and the ids of the defects that the claim states."""

    id: str
    size: str
    plane: str
    file: str
    message: str
    verdict: Verdict
    meets: tuple[str, ...] = ()


ClaimKey = tuple[str, str, str, str, str]


def claim_key(claim: Claim | JudgedClaim) -> ClaimKey:
    """Return what identifies a claim; not the line, which can move before the second pass."""
    return (claim.id, claim.size, claim.plane, claim.file, claim.message)


@dataclass(frozen=True)
class JudgedOutcome:
    """A claim with its outcome in the second pass and the verdict of the judge."""

    claim: Claim
    repository: str
    outcome: str
    verdict: Verdict
    meets: tuple[str, ...]

    @property
    def is_upheld(self) -> bool:
        return self.outcome == UPHELD

    @property
    def is_serious(self) -> bool:
        return self.claim.severity in SERIOUS


@dataclass(frozen=True)
class Folders:
    """The files of a measurement."""

    out: Path

    def exchange(self, size: str, change: str) -> Path:
        return self.out / "exchange" / size / change

    def report(self, size: str, change: str) -> Path:
        return self.out / "reports" / size / f"{change}.json"

    def reports(self, size: str, changes: Sequence[ListedChange]) -> dict[str, Report]:
        """Return the reports of the changes that have one, by the id of the change."""
        files = {change.id: self.report(size, change.id) for change in changes}
        return {
            name: msgspec.json.decode(file.read_bytes(), type=Report)
            for name, file in files.items()
            if file.exists()
        }


def listed_changes(file: Path) -> list[ListedChange]:
    return msgspec.convert(yaml.safe_load(file.read_bytes()), list[ListedChange])


def write_requests(options: argparse.Namespace) -> int:
    folders, changes = Folders(options.out), listed_changes(options.changes)
    unknown = set(options.id or ()) - {change.id for change in changes}
    if unknown:
        raise SystemExit(f"{', '.join(sorted(unknown))}: not in {options.changes.name}")
    results = [
        review_change(change, size, options.clones, folders)
        for change in changes
        if not options.id or change.id in options.id
        for size in options.size
    ]
    return 0 if all(results) else 1


def review_change(change: ListedChange, size: str, clones: Path, folders: Folders) -> bool:
    """Review one change and print the number of its requests without an answer; False if that failed."""
    title, exchange, report = (
        f"{size} {change.id}",
        folders.exchange(size, change.id),
        folders.report(size, change.id),
    )
    if report.exists() and not has_new_answer(exchange, report):
        print(f"{title}: no new answers", flush=True)
        return True
    clone = clone_of(clones, change.repository)
    if clone is None:
        print(f"{title}: no clone of {change.repository} in {clones}", flush=True)
        return False
    begun = time.time()
    done = run_review(clone, change, size, folders)
    if done.returncode:
        print(f"{title}: not reviewed: {done.stderr.strip()[-400:]}", flush=True)
        return False
    os.utime(report, (begun, begun))  # an answer that was written during the review is a new one
    print(f"{title}: {len(open_requests(exchange))} requests without an answer", flush=True)
    return True


def answer_files(exchange: Path) -> list[Path]:
    return [file for name in ANSWERS for file in exchange.glob(f"*/{name}")]


def has_answer(exchange: Path) -> bool:
    return bool(answer_files(exchange))


def has_new_answer(exchange: Path, report: Path) -> bool:
    last = report.stat().st_mtime
    return any(file.stat().st_mtime >= last for file in answer_files(exchange))


def run_review(
    clone: Path, change: ListedChange, size: str, folders: Folders
) -> subprocess.CompletedProcess[str]:
    out, exchange, report = folders.out, folders.exchange(size, change.id), folders.report(size, change.id)
    for folder in (exchange, report.parent):
        folder.mkdir(parents=True, exist_ok=True)
    configuration = out / f"{size}.toml"
    configuration.write_text(_CONFIGURATION.format(size=size), "utf-8")
    return subprocess.run(
        [sys.executable, "-m", "wardround", "review", "--repo", str(clone), "--profile", "ci",
         "--base", f"{change.commit}~1", "--head", change.commit, "--config", str(configuration),
         "--exchange", str(exchange), "--format", f"json={report}", "--exit-zero"],
        env=os.environ | {name: str(out.resolve() / folder) for name, folder in _OWN_FOLDERS.items()},
        capture_output=True, text=True,
    )  # fmt: skip


_OWN_FOLDERS = {"XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache"}
"""Folders of the measurement, so that answers of other reviews are in no cache."""


def open_requests(exchange: Path) -> list[Path]:
    """Return the folders of the requests without an answer."""
    done = {file.parent for file in answer_files(exchange)}
    return sorted({file.parent for file in exchange.glob(f"*/{REQUEST}")} - done)


def list_open_requests(options: argparse.Namespace) -> int:
    total = 0
    for size, change in pairs_of(options.size, listed_changes(options.changes)):
        for folder in open_requests(Folders(options.out).exchange(size, change.id)):
            request = msgspec.json.decode((folder / REQUEST).read_bytes(), type=WrittenRequest)
            if options.plane in (None, request.plane) and options.pass_name in (None, request.pass_name):
                print(folder / READABLE, request.plane, request.pass_name)
                total += 1
    print(f"{total} requests without an answer")
    return 0


def pairs_of(sizes: Sequence[str], changes: Sequence[ListedChange]) -> Iterator[tuple[str, ListedChange]]:
    yield from ((size, change) for size in sizes for change in changes)


def write_claims(options: argparse.Namespace) -> int:
    folders, changes = Folders(options.out), listed_changes(options.changes)
    claims = [
        claim
        for size in SIZES
        for name, report in folders.reports(size, changes).items()
        for claim, _ in claims_of(name, size, report)
    ]
    random.Random(SEED).shuffle(claims)
    file = options.out / "claims.jsonl"
    file.write_bytes(msgspec.json.Encoder().encode_lines(claims))
    print(f"{file}: {len(claims)} claims")
    return 0


def outcome_of(claim: DroppedClaim) -> str | None:
    """Return the outcome in the second pass; None for a claim that was dropped before."""
    if claim.second_pass is not None:
        return REFUTED
    return UNJUDGED if claim.reason == UNJUDGED else None


def claims_of(name: str, size: str, report: Report) -> Iterator[tuple[Claim, str]]:
    """Yield the claims of the first pass about a change, with their outcome in the second pass."""
    for found in report.findings:
        if found.rule.startswith(_PREFIX):
            quote = found.claim.quote if found.claim else ""
            place = (found.file, found.line, found.severity, found.message, quote)
            yield Claim(name, size, found.plane, found.rule, *place), UPHELD
    for result in report.language_model:
        for dropped in result.dropped:
            if (outcome := outcome_of(dropped)) is not None:
                place = (dropped.file, dropped.line, dropped.severity, dropped.message, dropped.quote)
                yield Claim(name, size, result.plane, _PREFIX + result.plane, *place), outcome


def print_report(options: argparse.Namespace) -> int:
    folders, changes = Folders(options.out), listed_changes(options.changes)
    lines = options.judged.read_bytes()
    judged = {claim_key(item): item for item in msgspec.json.Decoder(JudgedClaim).decode_lines(lines)}
    for size in SIZES:
        reports = folders.reports(size, changes)
        answered = [
            change
            for change in changes
            if change.id in reports and has_answer(folders.exchange(size, change.id))
        ]
        if answered:
            SizeReport(size, answered, reports, judged).print()
    return 0


class SizeReport:
    """The results of one size of the context over the answered changes."""

    def __init__(
        self,
        size: str,
        changes: Sequence[ListedChange],
        reports: Mapping[str, Report],
        judged: Mapping[ClaimKey, JudgedClaim],
    ) -> None:
        self._size = size
        self._changes = changes
        self._incomplete = sum(reports[change.id].incomplete_planes for change in changes)
        claims = [
            (change.repository, claim, outcome)
            for change in changes
            for claim, outcome in claims_of(change.id, size, reports[change.id])
        ]
        self._unread = sum(claim_key(claim) not in judged for _, claim, _ in claims)
        self._read = [
            JudgedOutcome(claim, repository, outcome, answer.verdict, answer.meets)
            for repository, claim, outcome in claims
            if (answer := judged.get(claim_key(claim))) is not None
        ]

    def print(self) -> None:
        repositories = len({change.repository for change in self._changes})
        print(f"\n{self._size}: {len(self._changes)} answered changes of {repositories} repositories")
        print(
            f"  {len(self._read)} claims judged, {self._unread} not judged; "
            f"{self._incomplete} planes without a complete answer"
        )
        groups = by_severity_and_pass(self._read)
        for title, claims in groups.items():
            self._print_repairs(title, claims)
        for title, claims in groups.items():
            print_verdicts(title, claims)
        print_planes([item for item in self._read if item.is_serious])
        for verdict in (Verdict.WORTH, Verdict.WRONG):
            print_removals(verdict, [item for item in self._read if item.verdict is verdict])

    def _print_repairs(self, title: str, claims: Sequence[JudgedOutcome]) -> None:
        stated = {defect for item in claims for defect in item.meets}
        results = {
            defect: (change.repository, defect in stated)
            for change in self._changes
            for defect in change.defect_ids
        }
        print(f"  later repairs met, {title}: {share_text(list(results.values()))}")
        missed = [defect for defect, (_, is_hit) in results.items() if not is_hit]
        print(f"    missed: {' '.join(missed) or 'none'}")


def by_pass(claims: Sequence[JudgedOutcome]) -> dict[str, list[JudgedOutcome]]:
    return {
        "first pass": list(claims),
        "after the second pass": [item for item in claims if item.is_upheld],
    }


def by_severity_and_pass(claims: Sequence[JudgedOutcome]) -> dict[str, list[JudgedOutcome]]:
    groups: dict[str, list[JudgedOutcome]] = {}
    for title, some in by_pass(claims).items():
        groups[f"{title}, all"] = some
        groups[f"{title}, warn and above"] = [item for item in some if item.is_serious]
    return groups


def print_planes(claims: Sequence[JudgedOutcome]) -> None:
    for plane in sorted({item.claim.plane for item in claims}):
        for title, some in by_pass([item for item in claims if item.claim.plane == plane]).items():
            print_verdicts(f"{plane}, {title}, warn and above", some)


def print_removals(verdict: Verdict, claims: Sequence[JudgedOutcome]) -> None:
    removals = share_text([(item.repository, not item.is_upheld) for item in claims])
    print(f"  {verdict} claims that the second pass removes: {removals}")


def print_verdicts(title: str, claims: Sequence[JudgedOutcome]) -> None:
    shares = [
        f"{verdict} {share_text([(item.repository, item.verdict is verdict) for item in claims])}"
        for verdict in VERDICTS
    ]
    print(f"  {title}: {len(claims)} claims" + (f": {'; '.join(shares)}" if claims else ""))


def share_text(results: Sequence[tuple[str, bool]]) -> str:
    """Return the hits, their share, and its interval; each result has its repository."""
    if not results:
        return "0 of 0"
    hits = sum(is_hit for _, is_hit in results)
    low, high = repository_interval(results)
    return f"{hits} of {len(results)}, {hits / len(results):.2f} [{low:.2f}, {high:.2f}]"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    runs = {
        "requests": write_requests,
        "open": list_open_requests,
        "claims": write_claims,
        "report": print_report,
    }
    for name, run in runs.items():
        command = commands.add_parser(name)
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--changes", type=Path, default=CHANGES, help="instead of blind_reading.yml")
        command.set_defaults(run=run)
    requests, listing = commands.choices["requests"], commands.choices["open"]
    requests.add_argument("--clones", type=Path, required=True)
    requests.add_argument("--size", choices=SIZES, nargs="+", default=["functions"])
    requests.add_argument("--id", nargs="+", help="only these changes")
    listing.add_argument("--size", choices=SIZES, nargs="+", default=SIZES)
    listing.add_argument("--plane")
    listing.add_argument("--pass", dest="pass_name", choices=PASSES)
    commands.choices["report"].add_argument("--judged", type=Path, required=True)
    options = parser.parse_args()
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(main())
