"""Count findings about changes presumed clean: recent commits of well-maintained repositories.

    python evals/clean.py --commits 50 PATH/TO/CLONE ...

Every commit is reviewed against its first parent, as at commit. Excluded are merges, reverts, reverted
commits, and commits that add more than ``--max-added`` lines (generated and vendored code). Counted are the
findings of a change that are shown by default, per 100 added lines of reviewed files: by severity,
specialist, rule and repository.

``--sample N`` prints N random ones with their lines, for manual judgement; ``--rule`` samples from one rule
(a glob: ``'react/*'``); ``--json FILE`` writes all; ``--only NAME`` runs one specialist. Two processes run in
parallel unless ``--processes`` is set. Pass clones with a work tree: project files outside of the change that
tools read are copied for a bare one, and linked for others.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import random
import re
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from wardround import host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.findings import Severity, Status
from wardround.review import review_once
from wardround.tools.tool import Profile

_REVERTED = re.compile(r"This reverts commit ([0-9a-f]{7,40})")
_FRAME_LINES = 3
_LEVELS = (Severity.ERROR, Severity.WARN, Severity.INFO)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of all reviewed commits."""

    profile: Profile
    only: tuple[str, ...]
    skip: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alert:
    """One finding of a change, with the surrounding lines."""

    repository: str
    commit: str
    rule: str
    specialist: str
    severity: Severity
    file: str
    line: int
    status: str
    message: str
    frame: str


@dataclass(slots=True)
class Outcome:
    """Result of the review of one commit; ``trouble`` is the traceback if it crashed."""

    repository: str
    commit: str
    added_lines: int = 0
    alerts: list[Alert] = field(default_factory=list)
    unreviewed: list[str] = field(default_factory=list)
    trouble: str = ""


def presumed_clean(repository: Path, count: int, max_added: int) -> list[tuple[str, str]]:
    """Return (parent, commit) of the newest commits presumed clean, newest first."""
    argv = ["git", "-C", str(repository), "log", "--no-merges", f"-n{count * 4}", "--shortstat",
            "--format=%x00%H%x01%P%x01%B%x01"]  # fmt: skip
    log = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=True).stdout
    reverted = {name[:7] for name in _REVERTED.findall(log)}
    found = []
    for entry in log.split("\0")[1:]:
        commit, parents, message, stat = entry.split("\x01", 3)
        added = re.search(r"(\d+) insertion", stat)
        is_revert = message.lower().startswith("revert") or _REVERTED.search(message)
        if " " in parents or not parents or not added or is_revert or commit[:7] in reverted:
            continue
        if int(added[1]) <= max_added:
            found.append((parents, commit))
    return found[:count]


@cache
def _load_host() -> host.PluginHost:
    return host.load()


def review_one(path: Path, base: str, commit: str, settings: Settings) -> Outcome:
    """Review one commit; a crash is a result too."""
    outcome = Outcome(path.name, commit[:10])
    try:
        _review(path, base, commit, settings, outcome)
    except Exception:  # noqa: BLE001  (a crash is what is counted)
        outcome.trouble = traceback.format_exc()
    return outcome


def _review(path: Path, base: str, commit: str, settings: Settings, outcome: Outcome) -> None:
    request = ReviewRequest(profile=settings.profile, only=settings.only, skip=settings.skip)
    with Repository(path) as repository:
        change = repository.range(base, commit)
        done = review_once(GitChangeSource(repository, change), _load_host(), request)
        names = set(done.reviewed)
        outcome.added_lines = sum(file.added_lines for file in change.files if file.path in names)
        outcome.unreviewed = sorted({f"{u.tool}: {u.reason}" for u in done.unreviewed})
        for finding in done.visible:
            if finding.status not in (Status.NEW, Status.CAUSED):
                continue
            lines = (done.text_of(finding.file) or "").split("\n")
            first = max(0, finding.span.line - 1 - _FRAME_LINES)
            frame = "" if finding.masked else "\n".join(lines[first : finding.span.line + _FRAME_LINES])
            outcome.alerts.append(
                Alert(path.name, commit[:10], finding.rule, finding.specialist, finding.severity,
                      finding.file, finding.span.line, finding.status.value, finding.message, frame)
            )  # fmt: skip


def reviewed(work: Sequence[tuple[Path, str, str]], settings: Settings, processes: int) -> Iterator[Outcome]:
    """Yield the results as they complete, in any order."""
    if processes == 1:
        yield from (review_one(*task, settings) for task in work)
        return
    with ProcessPoolExecutor(processes) as pool:
        futures = [pool.submit(review_one, *task, settings) for task in work]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def print_tables(outcomes: Sequence[Outcome]) -> None:
    """Print the counts, and the rates per 100 added lines."""
    alerts = [alert for outcome in outcomes for alert in outcome.alerts]
    lines = sum(outcome.added_lines for outcome in outcomes)
    spoken = [o for o in outcomes if any(a.severity >= Severity.WARN for a in o.alerts)]
    print(
        f"{len(outcomes)} commits of {len({o.repository for o in outcomes})} repositories, "
        f"{lines} added lines in reviewed files, {sum(bool(o.trouble) for o in outcomes)} crashes, "
        f"{sum(bool(o.unreviewed) for o in outcomes)} inconclusive; "
        f"{len(spoken)} commits with a finding at warn or above"
    )
    for level, name in ((Severity.WARN, "at warn or above"), (Severity.ERROR, "at error")):
        count = sum(a.severity >= level for a in alerts)
        print(f"{count:6} {100 * count / max(lines, 1):8.3f} per 100 added lines {name}")
    _print_table("specialist", [(a.specialist, a) for a in alerts], lines)
    _print_table("rule", [(a.rule, a) for a in alerts], lines)
    per_repository = Counter[str]()
    for outcome in outcomes:
        per_repository[outcome.repository] += outcome.added_lines
    print(f"\n{'warn+':>6} {'error':>6} {'added':>7} {'warn+/100':>10}  repository")
    for name, added in sorted(per_repository.items()):
        warn, error = (
            sum(a.repository == name and a.severity >= level for a in alerts)
            for level in (Severity.WARN, Severity.ERROR)
        )
        print(f"{warn:6} {error:6} {added:7} {100 * warn / max(added, 1):10.3f}  {name}")
    reasons = Counter(reason for outcome in outcomes for reason in outcome.unreviewed)
    if reasons:
        print("\ncommits  not reviewed, because")
    for reason, count in reasons.most_common(12):
        print(f"{count:7}  {reason[:140]}")


def _print_table(title: str, rows: Iterable[tuple[str, Alert]], lines: int) -> None:
    counts: dict[str, Counter[Severity]] = {}
    repositories: dict[str, set[str]] = {}
    for name, alert in rows:
        counts.setdefault(name, Counter())[alert.severity] += 1
        repositories.setdefault(name, set()).add(alert.repository)
    print(f"\n{'error':>6} {'warn':>6} {'info':>6} {'warn+/100':>10} {'repos':>5}  {title}")

    def at_warn(name: str) -> int:
        return counts[name][Severity.WARN] + counts[name][Severity.ERROR]

    for name in sorted(counts, key=lambda n: (-at_warn(n), -counts[n][Severity.INFO], n)):
        levels = " ".join(f"{counts[name][level]:6}" for level in _LEVELS)
        rate = 100 * at_warn(name) / max(lines, 1)
        print(f"{levels} {rate:10.3f} {len(repositories[name]):5}  {name}")


def print_sample(outcomes: Sequence[Outcome], count: int, seed: int, rule: str) -> None:
    """Print random findings with their lines."""
    alerts = [a for o in outcomes for a in o.alerts if fnmatch.fnmatchcase(a.rule, rule)]
    alerts.sort(key=lambda a: (a.repository, a.commit, a.file, a.line, a.rule))
    for a in random.Random(seed).sample(alerts, min(count, len(alerts))):
        print(
            f"\n== {a.repository} {a.commit} {a.file}:{a.line} {a.severity.label} {a.rule} ({a.status})\n"
            f"{a.message}\n{a.frame}"
        )


def _rows(outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    alerts = [a for o in outcomes for a in o.alerts]
    names = [name for name in Alert.__slots__ if name != "severity"]
    return [{**{n: getattr(a, n) for n in names}, "severity": a.severity.label} for a in alerts]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=50, help="of each repository")
    parser.add_argument("--max-added", type=int, default=2000)
    parser.add_argument("--profile", choices=["commit", "ci"], default="commit")
    parser.add_argument("--only", action="append", default=[], metavar="SPECIALIST")
    parser.add_argument("--skip", action="append", default=[], metavar="SPECIALIST")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--rule", default="*", help="which findings to draw the sample from; a glob")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    settings = Settings(Profile(options.profile), tuple(options.only), tuple(options.skip))
    work = []
    for path in options.repositories:
        if not path.is_dir():
            parser.error(f"{path} is no folder; give clones")
        pairs = presumed_clean(path, options.commits, options.max_added)
        work += [(path.resolve(), base, commit) for base, commit in pairs]
    outcomes: list[Outcome] = []
    try:
        for outcome in reviewed(work, settings, max(1, options.processes)):
            outcomes.append(outcome)
            if outcome.trouble:
                print(f"CRASH {outcome.repository} {outcome.commit}\n{outcome.trouble}", file=sys.stderr)
            if sys.stderr.isatty() or len(outcomes) % 50 == 0:
                end = "\r" if sys.stderr.isatty() else "\n"
                print(f"{len(outcomes)} of {len(work)}", end=end, file=sys.stderr)
    except KeyboardInterrupt:
        print(f"interrupted: {len(outcomes)} of {len(work)} commits", file=sys.stderr)
    print_tables(outcomes)
    print_sample(outcomes, options.sample, options.seed, options.rule)
    if options.json:
        options.json.write_text(json.dumps(_rows(outcomes), indent=1), encoding="utf-8")
    if len(outcomes) < len(work):
        return 130
    return 1 if any(outcome.trouble for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
