"""Review the last commits of real repositories, one by one, and count what is said about them.

    python evals/history.py --commits 50 PATH/TO/REPOSITORY ...

Each commit is reviewed against its first parent, as at commit. Printed are crashes, inconclusive reviews and,
by rule, the findings the change brought for each 100 added lines of reviewed files. ``--sample N`` prints N
findings drawn at random, with their lines, for a person to judge; ``--json FILE`` keeps all of them.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from wardround import host, review
from wardround.change.git import Repository
from wardround.change.origin import RepositoryOrigin
from wardround.config import Request
from wardround.findings import Finding, Status
from wardround.tools.process import Processes
from wardround.tools.tool import Profile


def commits_of(repository: Path, count: int) -> list[tuple[str, str]]:
    """(parent, commit) of the last commits with one parent, newest first."""
    argv = ["git", "-C", str(repository), "log", "--no-merges", f"-n{count}", "--format=%H %P"]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = [line.split() for line in lines]
    return [(fields[1], fields[0]) for fields in pairs if len(fields) == 2]


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
    rules: Counter[str] = Counter()
    shown: list[tuple[str, str, Finding, str]] = []
    crashes = inconclusive = reviewed = added = 0
    for path in options.repositories:
        started = time.monotonic()
        for base, commit in commits_of(path, options.commits):
            try:
                with Repository(path) as repository:
                    change = repository.range(base, commit)
                    origin = RepositoryOrigin(repository, change)
                    request = Request(profile=Profile(options.profile))
                    done = review.run(origin, change, loaded, request, Processes())
                    for finding in done.visible:
                        if finding.status not in (Status.NEW, Status.CAUSED):
                            continue
                        rules[finding.rule] += 1
                        text = (done.text_of(finding.file) or "").split("\n")
                        first = max(0, finding.span.line - 4)
                        frame = "\n".join(text[first : finding.span.line + 3])
                        shown.append((path.name, commit[:10], finding, frame))
            except Exception:  # noqa: BLE001  (a crash is what is counted)
                crashes += 1
                print(f"CRASH {path.name} {commit}", file=sys.stderr)
                traceback.print_exc()
                continue
            reviewed += 1
            inconclusive += bool(done.unreviewed)
            for unreviewed in done.unreviewed:
                print(f"unreviewed {path.name} {commit[:10]} {unreviewed}", file=sys.stderr)
            names = set(done.reviewed)
            added += sum(file.added_lines for file in change.files if file.path in names)
        print(f"{path.name}: {time.monotonic() - started:.1f} s", file=sys.stderr)
    print(f"{reviewed} commits, {added} added lines, {crashes} crashes, {inconclusive} inconclusive")
    for rule, count in rules.most_common():
        print(f"{count:6} {100 * count / max(added, 1):7.3f} per 100 added lines  {rule}")
    total = sum(rules.values())
    print(f"{total:6} {100 * total / max(added, 1):7.3f} per 100 added lines  in all")
    for name, commit, finding, frame in random.Random(options.seed).sample(shown, min(options.sample, total)):
        print(f"\n== {name} {commit} {finding.file}:{finding.span.line} {finding.severity.label} "
              f"{finding.rule} ({finding.status})\n{finding.message}\n{frame}")  # fmt: skip
    if options.json:
        rows = [
            {"repository": n, "commit": c, "rule": f.rule, "file": f.file, "line": f.span.line,
             "severity": f.severity.label, "status": f.status, "message": f.message, "frame": frame}
            for n, c, f, frame in shown
        ]  # fmt: skip
        options.json.write_text(json.dumps(rows, indent=1))
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
