"""Measure a complete `git commit`: our hook against separate hooks of the same tools.

    python benchmarks/hooks.py            # medians of 9, under pre-commit and prek, three sizes

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
import time
from importlib import resources
from pathlib import Path

from commit import BIN, WARDROUND, Project
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


def commit_seconds(project: Project, count: int, number: int, env: dict[str, str]) -> float:
    """Return the seconds of one commit of some changed files."""
    for path in project.paths[:count]:
        with (project.root / path).open("a") as file:
            file.write(f"\n\ndef added_{number}(count: int) -> int:\n    return count + {number}\n")
    project.git("add", "-A")
    started = time.perf_counter()
    done = subprocess.run(
        ["git", "commit", "-qm", f"change {number}"],
        cwd=project.root,
        env=env,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - started
    assert done.returncode == 0, done.stdout + done.stderr
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
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
    slower = False
    try:
        separate_config = _SEPARATE.format(bin=BIN, config=config, rules=rules)
        for name, (files, functions, changed) in SIZES.items():
            for runner in ("pre-commit", "prek"):
                place = folder / f"{runner}-{files}"
                ours_config = _OURS.format(wardround=WARDROUND)
                ours = prepare(place / "ours", files, functions, ours_config, BIN / runner)
                separate = prepare(place / "separate", files, functions, separate_config, BIN / runner)
                pairs = [
                    (commit_seconds(ours, changed, n, env), commit_seconds(separate, changed, n, env))
                    for n in range(options.runs + 1)
                ][1:]
                ratio = statistics.median(mine / theirs for mine, theirs in pairs)
                slower |= ratio > 1
                print(
                    f"{name:<22} {runner:<11} our hook {statistics.median(p[0] for p in pairs):.3f} s, "
                    f"separate hooks {statistics.median(p[1] for p in pairs):.3f} s, ratio {ratio:.2f}  "
                    f"{'ok' if ratio <= 1 else 'SLOWER'}",
                    flush=True,
                )
                shutil.rmtree(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
