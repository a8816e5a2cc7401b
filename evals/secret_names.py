"""Measure the rule for names of secrets on labelled names of real repositories.

    python evals/secret_names.py collect CLONE ... > names.jsonl
    python evals/secret_names.py measure names.jsonl [--wrong]

``collect`` prints each name of a variable that a Dockerfile, a compose file, a pipeline or a manifest sets,
with the forms of its values: ``number``, ``switch``, ``empty`` or ``text``. Add ``"secret": true`` or
``false`` to each line before ``measure`` runs, without consulting the rule; ``null`` excludes a name whose
value alone determines the label, such as a connection string. A name counts as reported if the rule
classifies it as the name of a secret and one of its values is neither a number nor a boolean. Lists of names
must not be committed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec
from wardround_docker_ci.analysis.secret_values import is_setting
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import kind_of

from wardround.text.secret_names import is_secret_name

LARGEST = 500_000


class NamedVariable(msgspec.Struct, frozen=True):
    """A name and the shapes of its values; ``secret`` is the label, None if it has none."""

    name: str
    forms: tuple[str, ...]
    secret: bool | None = None

    @property
    def is_reported(self) -> bool:
        return is_secret_name(self.name) and not {"number", "switch"}.issuperset(self.forms)


def variables(clone: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and values of variables in the newest commit of a clone."""
    listed = git(clone, "ls-tree", "-r", "-z", "HEAD").split("\0")
    for entry in filter(None, listed):
        details, _, path = entry.partition("\t")
        if not path.endswith((".yml", ".yaml")) and kind_of(path, "") is None:
            continue
        text = git(clone, "cat-file", "blob", details.split()[2])
        kind = kind_of(path, text)
        if kind is not None and len(text) < LARGEST:
            yield from values_in(CiFile(kind, path, text))


def values_in(file: CiFile) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a file; none of it where its syntax is wrong."""
    try:
        found = list(file.variables)
    except (SyntaxError, ValueError, RecursionError):
        return
    yield from ((variable.name, variable.value) for variable in found)


def git(clone: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def form(value: str) -> str:
    if not value.strip():
        return "empty"
    if not is_setting(value):
        return "text"
    return "number" if any(char.isdigit() for char in value) else "switch"


def collect(clones: list[Path]) -> None:
    forms: dict[str, set[str]] = defaultdict(set)
    for clone in clones:
        for name, value in variables(clone):
            forms[name].add(form(value))
    for name in sorted(forms):
        sys.stdout.write(msgspec.json.encode(NamedVariable(name, tuple(sorted(forms[name])))).decode() + "\n")


def measure(path: Path, show: bool) -> None:
    lines = path.read_bytes().splitlines()
    every = [msgspec.json.decode(line, type=NamedVariable) for line in lines]
    rows = [row for row in every if row.secret is not None]
    reported = [row for row in rows if row.is_reported]
    secrets = [row for row in rows if row.secret]
    right = sum(row.secret is True for row in reported)
    print(f"{len(rows)} names, {len(secrets)} of secrets")
    print(f"recall {right}/{len(secrets)} = {right / max(1, len(secrets)):.3f}")
    print(f"precision {right}/{len(reported)} = {right / max(1, len(reported)):.3f}")
    for row in rows if show else ():
        if row.is_reported != row.secret:
            print("reported " if row.is_reported else "missed   ", row.name)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("collect")
    part.add_argument("clones", nargs="+", type=Path)
    part = parts.add_parser("measure")
    part.add_argument("file", type=Path)
    part.add_argument("--wrong", action="store_true", help="print the names that are wrong")
    given = parser.parse_args()
    if given.part == "collect":
        collect(given.clones)
    else:
        measure(given.file, given.wrong)


if __name__ == "__main__":
    main()
