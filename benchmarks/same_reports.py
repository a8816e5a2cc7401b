"""Compare the JSON reports of two versions of wardround on real commits and on the regression cases.

    python benchmarks/same_reports.py record --commits 30 BEFORE CLONE ...
    python benchmarks/same_reports.py record --commits 30 --wardround OTHER/bin/wardround AFTER CLONE ...
    python benchmarks/same_reports.py compare BEFORE AFTER

``record`` reviews the newest commits of each clone that are not merges against their parents, and each case
of `evals/reviewer_regression` as a staged change, and writes one JSON line for each report: `commits.jsonl`
and `cases.jsonl` in the folder it names. All lines of the changed files count (``--filter-mode nofilter``),
so that a report contains as many findings as possible. Nothing of an earlier run is used: the cache is a
fresh folder.

``compare`` prints the reports that differ, and leaves with 1 if there are any. Durations and cache statistics
are excluded from the comparison; ``--without message --without name`` excludes keys of findings that were
reworded intentionally.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from commit import WARDROUND
from history import commits

_CASES = Path(__file__).resolve().parent.parent / "evals" / "reviewer_regression"
_VOLATILE = frozenset({"seconds", "cached", "timings"})
_SHOWN_LINES = 12
_STATUSES = (0, 1, 4)
"""The exit statuses of a review that was done: pass, blocked, inconclusive."""
_REVIEW = ("review", "--format", "json", "--filter-mode", "nofilter")
_AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")

Json = Mapping[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    actions = parser.add_subparsers(required=True, dest="action")
    recording = actions.add_parser("record")
    recording.add_argument("folder", type=Path)
    recording.add_argument("clones", type=Path, nargs="*")
    recording.add_argument("--commits", type=int, default=30)
    recording.add_argument("--wardround", type=Path, default=WARDROUND, help="the program to run")
    recording.add_argument("--processes", type=int, default=2)
    comparing = actions.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--without", action="append", default=[], metavar="KEY")
    options = parser.parse_args()
    if options.action == "record":
        return record(options)
    return compare(options.before, options.after, frozenset(options.without))


def record(options: argparse.Namespace) -> int:
    """Write the reports of all commits and cases; return 2 if one could not be made."""
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="same-reports-") as cache:
        program = partial(_report, options.wardround, {**os.environ, "XDG_CACHE_HOME": cache})
        with ThreadPoolExecutor(options.processes) as pool:
            listed = [
                (clone, commit) for clone in options.clones for commit in commits(clone, options.commits)
            ]
            failed = _write(
                options.folder / "commits.jsonl", pool.map(partial(_report_of_commit, program), listed)
            )
            failed += _write(
                options.folder / "cases.jsonl", pool.map(partial(_report_of_case, program), _cases())
            )
    return 2 if failed else 0


def compare(before: Path, after: Path, without: frozenset[str]) -> int:
    """Print the reports that differ; return 1 if there are any."""
    differing = 0
    for name in ("commits.jsonl", "cases.jsonl"):
        old, new = _read(before / name, without), _read(after / name, without)
        differ = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
        for key in differ:
            lines = difflib.unified_diff(_lines(old.get(key)), _lines(new.get(key)), lineterm="", n=0)
            print(f"== {key}", *list(lines)[2 : 2 + _SHOWN_LINES], sep="\n")
        findings = sum(len(report.get("findings", ())) for report in old.values())
        print(f"{name}: {len(old)} reports with {findings} findings, {len(differ)} differ")
        differing += len(differ)
    return 1 if differing else 0


def _report(program: Path, env: Mapping[str, str], arguments: Sequence[str], root: Path) -> Json:
    done = subprocess.run(
        [str(program), *_REVIEW, *arguments], cwd=root, env=dict(env), capture_output=True, text=True
    )
    if done.returncode not in _STATUSES:
        return {"failed": f"exit status {done.returncode}: {done.stderr.strip()[-400:]}"}
    report: Json = json.loads(done.stdout)
    return report


def _report_of_commit(program: Any, listed: tuple[Path, str]) -> tuple[str, Json]:
    clone, commit = listed
    return f"{clone.name} {commit}", program(("--base", f"{commit}~1", "--head", commit), clone)


def _cases() -> Iterator[Json]:
    for path in sorted(_CASES.rglob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield {**json.loads(line), "from": path.relative_to(_CASES).with_suffix("").as_posix()}


def _report_of_case(program: Any, case: Json) -> tuple[str, Json]:
    with tempfile.TemporaryDirectory(prefix="same-reports-") as folder:
        root = Path(folder)
        _git(root, "init", "--quiet")
        _lay_out(root, case["before"])
        _git(root, "add", "--all")
        _git(root, *_AUTHOR, "commit", "--quiet", "--allow-empty", "--message", "before")
        _lay_out(root, case["after"])
        _git(root, "add", "--all")
        profile = case["meta"].get("profile", "commit")
        report = dict(program(("--staged", "--profile", profile), root))
    report.pop("context", None)  # names commits, which hold the time
    return f"{case['from']} {case['id']}", report


def _lay_out(root: Path, files: Mapping[str, str | None]) -> None:
    for name, content in files.items():
        path = root / name
        if content is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8", newline="")


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def _write(path: Path, reports: Iterable[tuple[str, Json]]) -> int:
    """Write reports as they come; return how many failed."""
    failed = 0
    with path.open("w", encoding="utf-8") as out:
        for count, (key, report) in enumerate(reports, 1):
            out.write(json.dumps({"key": key, "report": report}, sort_keys=True) + "\n")
            if "failed" in report:
                failed += 1
                print(f"{key}: {report['failed']}", file=sys.stderr)
            if count % 50 == 0:
                print(f"{path.name}: {count}", file=sys.stderr, flush=True)
    return failed


def _read(path: Path, without: frozenset[str]) -> dict[str, Json]:
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return {line["key"]: _strip_keys(line["report"], _VOLATILE | without) for line in lines}


def _strip_keys(value: Any, without: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: _strip_keys(one, without) for key, one in value.items() if key not in without}
    return [_strip_keys(part, without) for part in value] if isinstance(value, list) else value


def _lines(report: Json | None) -> list[str]:
    return json.dumps(report, indent=1, sort_keys=True, ensure_ascii=False).splitlines()


if __name__ == "__main__":
    sys.exit(main())
