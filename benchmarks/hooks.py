"""Measure a complete `git commit`: our hook against separate hooks of the same tools.

    python benchmarks/hooks.py            # medians of 9, under pre-commit and prek, three sizes
    python benchmarks/hooks.py --json docs/cost.json
    python benchmarks/hooks.py --processor   # processor time: beside other programs

Two repositories that differ only in their hook configuration get the same commits alternately. The separate
hooks are ruff, ty and ast-grep, each as a hook of its own of the same runner, with the same rules, from the
same environment and on the same files. Our hook does the same, compares with the base, and runs our own
checks.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

import figures
from commit import BIN, WARDROUND, Clock, ProcessorTime, Project, WallTime
from wardround_python.tools.ruff_config import ruff_fallback_config

from wardround.rules.model import RULES_PACKAGE

_OURS = """\
repos:
  - repo: local
    hooks:
      - id: wardround
        name: wardround
        entry: {wardround} hook
        language: system
        pass_filenames: false
        require_serial: true
        verbose: true
"""
_SEPARATE = """\
repos:
  - repo: local
    hooks:
      - id: ruff
        name: ruff
        entry: {bin}/ruff check --force-exclude --config {config}
        language: system
        types: [python]
        require_serial: true
      - id: ty
        name: ty
        entry: {bin}/ty check --ignore import-not-found
        language: system
        types: [python]
        require_serial: true
      - id: ast-grep
        name: ast-grep
        entry: {bin}/ast-grep scan -c {rules}/sgconfig.yml
        language: system
        types: [python]
        require_serial: true
"""


MOST = {"pre-commit": 1.5, "prek": 2.0}
"""Runner -> the time of our hook divided by that of the separate hooks; prek's own time is negligible."""
SIZES = {
    "5 of 200 files": (200, 12, 5),
    "5 of 20,000 files": (20_000, 4, 5),
    "200 of 400 long files": (400, 35, 200),
}
"""Name -> files of the repository, functions in each, files in a commit."""


def prepare(root: Path, files: int, functions: int, config: str, runner: Path) -> Project:
    """Create a repository with a runner's hook installed."""
    project = Project(root, files, functions)
    (project.root / ".pre-commit-config.yaml").write_text(config)
    project.git("add", "-A")
    project.git("commit", "-qm", "hooks")
    subprocess.run([runner, "install"], cwd=project.root, check=True, stdout=subprocess.DEVNULL)
    return project


def commit_seconds(clock: Clock, project: Project, count: int, number: int, env: dict[str, str]) -> float:
    """Return the seconds of one commit of some changed files."""
    for path in project.paths[:count]:
        with (project.root / path).open("a") as file:
            file.write(f"\n\ndef added_{number}(count: int) -> int:\n    return count + {number}\n")
    project.git("add", "-A")
    started = clock.read()
    done = subprocess.run(
        ["git", "commit", "-qm", f"change {number}"],
        cwd=project.root,
        env=env,
        capture_output=True,
        text=True,
    )
    seconds = clock.read() - started
    assert done.returncode == 0, done.stdout + done.stderr
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--processor", action="store_true", help="measure processor time")
    figures.add_json_option(parser)
    options = parser.parse_args()
    if options.json is not None and options.processor:
        parser.error("--json is for wall time, which people notice; leave --processor out")
    clock: Clock = ProcessorTime() if options.processor else WallTime()
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    config = folder / "ruff.toml"
    config.write_text(ruff_fallback_config(lambda path: None)[1])
    rules = resources.files(RULES_PACKAGE) / "python"
    env = {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PRE_COMMIT_HOME": str(folder / "pre-commit"),
    }
    measured: dict[str, dict[str, float]] = {}
    slower = False
    try:
        separate_config = _SEPARATE.format(bin=BIN, config=config, rules=rules)
        for name, (files, functions, changed) in SIZES.items():
            for runner, most in MOST.items():
                location = folder / f"{runner}-{files}"
                ours_config = _OURS.format(wardround=WARDROUND)
                ours = prepare(location / "ours", files, functions, ours_config, BIN / runner)
                separate = prepare(location / "separate", files, functions, separate_config, BIN / runner)
                pairs = [
                    (
                        commit_seconds(clock, ours, changed, n, env),
                        commit_seconds(clock, separate, changed, n, env),
                    )
                    for n in range(options.runs + 1)
                ][1:]
                ratio = statistics.median(mine / theirs for mine, theirs in pairs)
                slower |= ratio > most
                mine, theirs = (statistics.median(seconds) for seconds in zip(*pairs, strict=True))
                measured[f"{name}, {runner}"] = {"ratio": ratio, "ours": mine, "separate": theirs}
                print(
                    f"{name:<22} {runner:<11} our hook {mine:.3f} s, separate hooks {theirs:.3f} s, "
                    f"ratio {ratio:.2f} of {most:.1f}  {'ok' if ratio <= most else 'SLOWER'}",
                    flush=True,
                )
                shutil.rmtree(location)
        figures.write(options.json, "hooks", measured)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
