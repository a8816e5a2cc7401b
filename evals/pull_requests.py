"""Compare reviews of pull requests with the comments that people wrote there.

    python evals/pull_requests.py review FILE --clones DIR --out DIR
    python evals/pull_requests.py report FILE --out DIR [--unread] [--each]

``FILE`` has one JSON object per line and round of review: ``repository``, ``number``, ``branch``, ``base``,
``head``, ``comments`` and ``findings``. The head is the state that was commented on, not the merged one. A
comment has the ``path`` and ``line`` of the head (line 0: the file), a ``label``, the class of evidence that
it needs, ``matched_by``, patterns of the rules, notes and reasons that make the same claim there, and
``near_by``, of those that name the same risk. A finding has the ``label`` of a reader: ``worth`` raising,
``true`` or ``wrong``. No sentence of a comment is stored.

``review`` runs the profile ``ci`` in a scratch clone of ``DIR/OWNER+NAME``, with a local branch for the
target, and skips rounds whose report exists. ``report`` counts: a comment is *matched*, *near* if another
finding is within three lines or the same risk is named, and else *missed*.
"""

from __future__ import annotations

import argparse
import fnmatch
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

NEAR_LINES = 3
_SEVERITIES = ("error", "warn", "info")
_INTRODUCED = ("new", "caused")

Commit = Annotated[str, Meta(pattern="^[0-9a-f]{40}$")]


class Comment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A substantive comment of a person: its position, and the class of evidence that it requires."""

    path: str
    line: Annotated[int, Meta(ge=0)]
    label: str
    matched_by: tuple[str, ...] = ()
    near_by: tuple[str, ...] = ()


class JudgedFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The judgement of one finding by a reader."""

    rule: str
    path: str
    line: Annotated[int, Meta(ge=0)]
    label: str


class PullRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pull request at the commit that was commented on."""

    repository: str
    number: int
    branch: str
    base: Commit
    head: Commit
    comments: tuple[Comment, ...]
    findings: tuple[JudgedFinding, ...] = ()

    @property
    def key(self) -> str:
        """File name of its report; rounds of one pull request differ by the head."""
        return f"{self.repository.replace('/', '+')}-{self.number}-{self.head[:8]}"


class Remark(msgspec.Struct, frozen=True):
    """A finding, note or reason of a report, with its position; line 0 is the file, path ``""`` the
    change.
    """

    name: str
    path: str
    line: int
    end_line: int
    severity: str
    message: str


def pull_requests(file: Path) -> list[PullRequest]:
    return [
        msgspec.json.decode(line, type=PullRequest) for line in file.read_bytes().splitlines() if line.strip()
    ]


def clone_of(clones: Path, repository: str) -> Path:
    """Return the clone of a repository, bare or with a work tree."""
    folder = clones / repository.replace("/", "+")
    return folder / "repo" if (folder / "repo").is_dir() else folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def review(pull: PullRequest, clones: Path, report: Path) -> int:
    """Review one pull request in a scratch clone and return the exit status of the review."""
    with tempfile.TemporaryDirectory(prefix="pull-request-") as scratch:
        clone, partial = Path(scratch, "clone"), report.with_suffix(".part")
        source = clone_of(clones, pull.repository)
        git(Path(scratch), "clone", "-q", "--shared", "--no-checkout", str(source), str(clone))
        git(clone, "checkout", "-q", "--detach", pull.head)
        git(clone, "branch", "-f", pull.branch, pull.base)
        status = subprocess.run(
            [sys.executable, "-m", "wardround", "review", "--repo", str(clone), "--base", pull.branch,
             "--profile", "ci", "--format", f"json={partial}"],
            stdout=subprocess.DEVNULL,
        ).returncode  # fmt: skip
        if partial.exists():
            partial.rename(report)
        return status


def remarks(report: dict[str, Any]) -> Iterator[Remark]:
    """Yield the findings that a change introduces, the notes, and the reasons of the verdict."""
    for found in report["findings"]:
        if found["status"] in _INTRODUCED:
            location = (found["file"], found["line"], found["end_line"])
            yield Remark(found["rule"], *location, found["severity"], found["message"])
    related = report.get("related", {})
    notes = {
        "scope": report.get("scope", ()),
        "kind": report.get("kind", ()),
        "companion": related.get("companions", ()),
        "repetition": related.get("repetitions", ()),
    }
    for name, some in notes.items():
        for note in some:
            line = note.get("line", 0)
            yield Remark(f"note/{name}", note["file"], line, note.get("end_line", line), "note", "")
    for reason in report["verdict"]["reasons"]:
        yield Remark(f"reason/{reason}", "", 0, 0, "reason", reason)


def is_at(remark: Remark, comment: Comment) -> bool:
    """Return True if a remark is about the line of a comment, its file, or the change as a unit."""
    if not remark.path or not comment.path:
        return True
    if remark.path != comment.path:
        return False
    if not remark.line or not comment.line:
        return True
    return remark.line - NEAR_LINES <= comment.line <= remark.end_line + NEAR_LINES


def outcome(comment: Comment, found: Iterable[Remark]) -> str:
    """Return ``matched``, ``near`` or ``missed``."""
    here = [remark for remark in found if is_at(remark, comment)]
    if any(_matches_any(remark.name, comment.matched_by) for remark in here):
        return "matched"
    at_line = comment.line and any(remark.path and remark.line for remark in here)
    same_risk = any(
        _matches_any(remark.name, comment.near_by) for remark in found if remark.path in ("", comment.path)
    )
    return "near" if at_line or same_risk else "missed"


def _matches_any(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def judgement(remark: Remark, pull: PullRequest) -> str:
    """Return the reader's label of a finding, or ``unread``."""
    for judged in pull.findings:
        if (judged.rule, judged.path, judged.line) == (remark.name, remark.path, remark.line):
            return judged.label
    return "unread"


@dataclass(slots=True)
class Tally:
    """Counts over all rounds whose report exists."""

    rounds: int = 0
    pulls: set[tuple[str, int]] = field(default_factory=set)
    with_match: set[tuple[str, int]] = field(default_factory=set)
    comments: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)

    def add(self, pull: PullRequest, document: dict[str, Any], *, unread: bool, each: bool) -> None:
        found = list(remarks(document))
        self.rounds += 1
        self.pulls.add((pull.repository, pull.number))
        self.verdicts[f"{document['verdict']['name']} {document['verdict']['tier']}"] += 1
        for comment in pull.comments:
            result = outcome(comment, found)
            self.comments[comment.label, result] += 1
            if result == "matched":
                self.with_match.add((pull.repository, pull.number))
            if each:
                print(f"{result:8} {pull.key} {comment.path}:{comment.line} {comment.label}")
        for remark in found:
            if remark.severity in _SEVERITIES:
                self._add_finding(pull, remark, unread)

    def _add_finding(self, pull: PullRequest, remark: Remark, unread: bool) -> None:
        label = judgement(remark, pull)
        self.findings[remark.severity, label] += 1
        if unread and label == "unread":
            location = f"{pull.key} {remark.path}:{remark.line}"
            print(f"{location} {remark.severity} {remark.name}: {remark.message}")

    def print(self) -> None:
        repositories = {repository for repository, _ in self.pulls}
        print(f"{len(self.pulls)} pull requests of {len(repositories)} repositories, {self.rounds} rounds")
        print(f"with a matched comment: {len(self.with_match)}")
        _print_table("comments", self.comments, ("matched", "near", "missed"))
        _print_table("findings", self.findings, ("worth", "true", "wrong", "unread"))
        print("verdicts: " + ", ".join(f"{name} {number}" for name, number in self.verdicts.most_common()))


def _print_table(name: str, counts: Counter[tuple[str, str]], columns: Sequence[str]) -> None:
    print(f"\n{name:20} {'all':>5}" + "".join(f"{column:>9}" for column in columns))
    rows = sorted({row for row, _ in counts})
    for row in (*rows, "all"):
        cells = [
            sum(counts[label, column] for label in (rows if row == "all" else [row])) for column in columns
        ]
        print(f"{row:20} {sum(cells):5}" + "".join(f"{cell:9}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("review", "report"):
        command = commands.add_parser(name)
        command.add_argument("file", type=Path)
        command.add_argument("--out", type=Path, required=True)
    commands.choices["review"].add_argument("--clones", type=Path, required=True)
    commands.choices["report"].add_argument("--unread", action="store_true")
    commands.choices["report"].add_argument("--each", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tally = Tally()
    for pull in pull_requests(options.file):
        file = options.out / f"{pull.key}.json"
        if options.command == "review" and not file.exists():
            print(pull.key, review(pull, options.clones, file), flush=True)
        elif options.command == "report" and file.exists():
            document = msgspec.json.decode(file.read_bytes())
            tally.add(pull, document, unread=options.unread, each=options.each)
    if options.command == "report":
        tally.print()


if __name__ == "__main__":
    main()
