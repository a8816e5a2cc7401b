"""Measure release notes and the check of changelogs on releases whose changelogs were written by hand.

    python evals/release_notes.py notes|baselines CLONES --out DIR
    python evals/release_notes.py changelogs CLONES
    python evals/release_notes.py table

CLONES contains a clone of each repository in release_notes.yml, named as on GitHub. ``notes`` writes the
notes of each pair of releases into DIR as Markdown and JSON, and prints the processor time; ``baselines``
writes the subjects along the first parents with the titles of merges, as GitHub's generated notes have them,
and the output of git-cliff if it is on PATH. They are read by hand; release_notes.yml has the counts, which
``table`` adds up.
``changelogs`` checks each project's own changelog against its commits.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from wardround.change.repository import Repository
from wardround.release_notes.changelog.changelog_check import check_changelog
from wardround.release_notes.formats import renderer
from wardround.release_notes.formats.context import RenderContext
from wardround.release_notes.history.history import read_history
from wardround.release_notes.history.revisions import Revisions, revisions_of_range
from wardround.release_notes.model import ReleaseNotes
from wardround.release_notes.notes import write_notes

_PINS = Path(__file__).with_suffix(".yml")
_CLASSES = ("breaking", "feature", "fix")
_COUNTS = (*_CLASSES, "as_breaking", "invented", "unneeded", "statements", "characters")

Release = Mapping[str, Any]


def releases() -> list[Release]:
    """Return the pairs of releases with their counts."""
    loaded: list[Release] = yaml.safe_load(_PINS.read_text(encoding="utf-8"))["releases"]
    return loaded


def revisions_of(release: Release, repository: Repository) -> Revisions:
    return revisions_of_range(repository, f"{release['from']}..{release['to']}")


def notes_of(release: Release, repository: Repository) -> ReleaseNotes:
    return write_notes(repository, revisions_of(release, repository))


def clone_of(release: Release, clones: Path) -> Path:
    return clones / release["repository"].rpartition("/")[2]


def name_of(release: Release) -> str:
    return f"{release['repository'].rpartition('/')[2]}-{release['to']}"


def write_all(clones: Path, out: Path) -> None:
    """Write the notes of each pair of releases, and print their processor time."""
    for release in releases():
        before = _seconds()
        with Repository(clone_of(release, clones)) as repository:
            notes = notes_of(release, repository)
        for form, suffix in (("markdown", "md"), ("json", "json")):
            text = renderer(form)(notes, RenderContext())
            (out / f"{name_of(release)}.{suffix}").write_text(text, encoding="utf-8")
        print(f"{name_of(release):28} {len(notes.statements):4} statements {_seconds() - before:6.1f} CPU s")


def _seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def write_baselines(clones: Path, out: Path) -> None:
    """Write the texts of the two other programs for the same commits."""
    for release in releases():
        clone = clone_of(release, clones)
        with Repository(clone) as repository:
            history = read_history(repository, revisions_of(release, repository))
        titles = [commit.message.title for commit in history.commits if not commit.is_merged]
        lines = "".join(f"* {title}\n" for title in titles if title)
        (out / f"{name_of(release)}.github.md").write_text(lines, encoding="utf-8")
        if shutil.which("git-cliff"):
            argv = ["git-cliff", f"{release['from']}..{release['to']}"]
            done = subprocess.run(argv, cwd=clone, capture_output=True, text=True, check=True)
            (out / f"{name_of(release)}.git-cliff.md").write_text(done.stdout, encoding="utf-8")


def check_all(clones: Path) -> None:
    """Print the problems of each project's own changelog."""
    kinds: Counter[str] = Counter()
    for release in releases():
        with Repository(clone_of(release, clones)) as repository:
            problems = check_changelog(repository, notes_of(release, repository), release["changelog"])
        print(f"== {name_of(release)}: {len(problems)}")
        for problem in problems:
            print(f"   {problem.text}")
            kinds["omission" if problem.message.startswith("omits") else "claim"] += 1
    print(dict(kinds))


def print_table() -> None:
    """Print the sums over all releases, for each program that wrote notes."""
    pinned = releases()
    expected: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {}
    for release in pinned:
        expected.update(release["entries"])
        for program, found in release["programs"].items():
            counts.setdefault(program, Counter()).update(found)
    print(f"{len(pinned)} releases, entries: {dict(expected)}")
    for program in sorted(counts):
        print(f"{program:14}", *_cells(counts[program], expected))


def _cells(counts: Mapping[str, int], expected: Mapping[str, int]) -> Iterator[str]:
    for name in _COUNTS:
        total = f"/{expected[name]}" if name in _CLASSES else ""
        yield f"{name} {counts.get(name, 0)}{total}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("notes", "baselines", "changelogs", "table"))
    parser.add_argument("clones", type=Path, nargs="?", default=Path())
    parser.add_argument("--out", type=Path, default=Path("release-notes"))
    options = parser.parse_args(arguments)
    if options.command in ("notes", "baselines"):
        options.out.mkdir(parents=True, exist_ok=True)
        write = write_all if options.command == "notes" else write_baselines
        write(options.clones, options.out)
    elif options.command == "changelogs":
        check_all(options.clones)
    else:
        print_table()


if __name__ == "__main__":
    main()
