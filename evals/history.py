"""Review the last commits of real repositories, and count the findings.

    python evals/history.py --commits 50 PATH/TO/REPOSITORY ...

Each commit is reviewed against its first parent, as at commit. The output lists crashes, inconclusive reviews
and, by rule, the findings of the change per 100 added lines of reviewed files. ``--sample N`` prints N random
findings with their lines, for manual judgement; ``--json FILE`` writes all of them.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from wardround import host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.findings import Finding, Status
from wardround.review import review_once
from wardround.tools.tool import Profile


def commits_of(repository: Path, count: int) -> list[tuple[str, str]]:
    """Return (parent, commit) of the last commits with one parent, newest first."""
    argv = ["git", "-C", str(repository), "log", "--no-merges", f"-n{count}", "--format=%H %P"]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = [line.split() for line in lines]
    return [(fields[1], fields[0]) for fields in pairs if len(fields) == 2]


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """One finding of a change, its position, and the surrounding lines."""

    repository: str
    commit: str
    finding: Finding
    frame: str


@dataclass(slots=True)
class Tally:
    """Counts over the reviews of many commits."""

    reviewed: int = 0
    added_lines: int = 0
    crashes: int = 0
    inconclusive: int = 0
    shown: list[ShownFinding] = field(default_factory=list)

    def print(self) -> None:
        """Print the counts, and the findings by rule per 100 added lines."""
        print(
            f"{self.reviewed} commits, {self.added_lines} added lines, {self.crashes} crashes, "
            f"{self.inconclusive} inconclusive"
        )
        rules = Counter(hit.finding.rule for hit in self.shown)
        for name, count in [*rules.most_common(), ("in all", len(self.shown))]:
            rate = 100 * count / max(self.added_lines, 1)
            print(f"{count:6} {rate:7.3f} per 100 added lines  {name}")


def review_commit(
    path: Path, base: str, commit: str, loaded: host.PluginHost, profile: Profile, tally: Tally
) -> None:
    """Review one commit and add it to the tally."""
    with Repository(path) as repository:
        change = repository.range(base, commit)
        origin = GitChangeSource(repository, change)
        done = review_once(origin, loaded, ReviewRequest(profile=profile))
        for finding in done.visible:
            if finding.status in (Status.NEW, Status.CAUSED):
                lines = (done.text_of(finding.file) or "").split("\n")
                first = max(0, finding.span.line - 4)
                frame = "\n".join(lines[first : finding.span.line + 3])
                tally.shown.append(ShownFinding(path.name, commit[:10], finding, frame))
    for unreviewed in done.unreviewed:
        print(f"unreviewed {path.name} {commit[:10]} {unreviewed}", file=sys.stderr)
    names = set(done.reviewed)
    tally.reviewed += 1
    tally.inconclusive += bool(done.unreviewed)
    tally.added_lines += sum(file.added_lines for file in change.files if file.path in names)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=50)
    parser.add_argument("--profile", choices=["commit", "ci"], default="commit")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    loaded = host.load()
    tally = Tally()
    for path in options.repositories:
        for base, commit in commits_of(path, options.commits):
            try:
                review_commit(path, base, commit, loaded, Profile(options.profile), tally)
            except Exception:  # noqa: BLE001  (a crash is what is counted)
                tally.crashes += 1
                print(f"CRASH {path.name} {commit}", file=sys.stderr)
                traceback.print_exc()
    tally.print()
    count = min(options.sample, len(tally.shown))
    for hit in random.Random(options.seed).sample(tally.shown, count):
        found = hit.finding
        print(
            f"\n== {hit.repository} {hit.commit} {found.file}:{found.span.line} "
            f"{found.severity.label} {found.rule} ({found.status})\n{found.message}\n{hit.frame}"
        )
    if options.json:
        rows = [
            {"repository": hit.repository, "commit": hit.commit, "rule": hit.finding.rule,
             "file": hit.finding.file, "line": hit.finding.span.line,
             "severity": hit.finding.severity.label, "status": hit.finding.status,
             "message": hit.finding.message, "frame": hit.frame}
            for hit in tally.shown
        ]  # fmt: skip
        options.json.write_text(json.dumps(rows, indent=1))
    return 1 if tally.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
