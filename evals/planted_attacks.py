"""Plant attacks in the manifests and lock files of external repositories, and count those that are noted.

    python evals/planted_attacks.py REPOSITORY ... [--each N] [--seed N] [--show]

In the manifests and lock files of the newest commit, at random positions: another hash or host of a locked
version, an added dependency without the lock file, a loosened pin, an install script, a loosened image or
action. Each attack is one change; it counts as found if a note of the expected kind reports it.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from wardround.semantics.supply_chain.analysis import BothTexts, supply_chain_notes
from wardround.semantics.supply_chain.locks.reading import is_lock
from wardround.semantics.supply_chain.manifests import is_manifest

_HASH = re.compile(
    r"(?<=sha512-)[A-Za-z0-9+/]{40,}|(?<=sha256:)[0-9a-f]{64}|(?<=checksum: 10c0/)[0-9a-f]{64,}"
)
_HOST = re.compile(
    r"(?<=https://)(?:registry\.npmjs\.org|registry\.yarnpkg\.com|files\.pythonhosted\.org)(?=/)"
)
_PIN = re.compile(r'(?<!"version": ")(?<=": ")\d+\.\d+\.\d+(?=")')
_PYTHON_PIN = re.compile(r"(?<=[\w\]])==(?=[\d.]+[\"'\s;])")
_PYTHON = r"requirements|pyproject\.toml$|Pipfile$"
_TABLE = re.compile(r'"dependencies": \{\n')
_DEPENDENCIES = re.compile(r"(?m)^dependencies = \[\n")
_POETRY = re.compile(r"(?m)^\[tool\.poetry\.dependencies\]\n")
_SCRIPTS = re.compile(r'"scripts": \{\n')
_COMMIT = re.compile(r"(?<=@)[0-9a-f]{40}(?=\s)")
_IMAGE = re.compile(r"(?<=:)(\d+)\.\d+(?:\.\d+)*(?:-[\w.-]+)?(?:@sha256:[0-9a-f]{64})?(?=\s)")


class Attack(NamedTuple):
    """A kind of attack: where it applies, the edit, and the notes that show it."""

    name: str
    names: str
    pattern: re.Pattern[str]
    edit: Callable[[re.Match[str]], str]
    expected: set[str]


def _flip_character(found: re.Match[str]) -> str:
    text = found[0]
    return text[:8] + ("1" if text[8] != "1" else "2") + text[9:]


def _prepend(text: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{text}{found[0]}"


def _append(text: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{found[0]}    {text}\n"


def _replace_by(text: str) -> Callable[[re.Match[str]], str]:
    return lambda found: text


_LOCKS, _MANIFEST, _PROJECT = r"lock(?!b)|shrinkwrap", r"package\.json$", r"pyproject\.toml$"
ATTACKS = (
    Attack("another hash", _LOCKS, _HASH, _flip_character, {"integrity"}),
    Attack("another host", _LOCKS, _HOST, _replace_by("packages.evil.example"), {"redirected"}),
    Attack("a range for a pin", _MANIFEST, _PIN, _prepend("^"), {"unpinned"}),
    Attack("a range for a pin, Python", _PYTHON, _PYTHON_PIN, _replace_by(">="), {"unpinned"}),
    Attack("not locked", _MANIFEST, _TABLE, _append('"evil-package": "^1.0.0",'), {"unsatisfied"}),
    Attack("not locked, Python", _PROJECT, _DEPENDENCIES, _append('"evil-package>=1",'), {"unsatisfied"}),
    Attack("not locked, Poetry", _PROJECT, _POETRY, _append('evil-package = "^1"'), {"unsatisfied"}),
    Attack("an install script", _MANIFEST, _SCRIPTS, _append('"postinstall": "node evil.js",'), {"script"}),
    Attack("a tag for a commit", r"workflows/", _COMMIT, _replace_by("v1"), {"unpinned"}),
    Attack(
        "a moving image", r"Dockerfile", _IMAGE, lambda found: found[1], {"unpinned", "integrity", "widened"}
    ),
)
_LOCK_NAMES = {_MANIFEST: ("package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"),
               _PROJECT: ("uv.lock", "poetry.lock", "pdm.lock")}  # fmt: skip


class Tree:
    """The newest commit of a repository."""

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir
        self.paths = self._git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
        self._known = set(self.paths)

    def read(self, path: str) -> str | None:
        return self._git("show", f"HEAD:{path}") if path in self._known else None

    def _git(self, *arguments: str) -> str:
        command = ["git", "--git-dir", str(self._git_dir), *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def planted(tree: Tree, each: int, source: random.Random) -> Iterator[tuple[Attack, str, bool]]:
    """Yield attack, path, and True if it is noted."""
    files = [path for path in tree.paths if is_manifest(path) or is_lock(path)]
    for attack in ATTACKS:
        locations = []
        for path in files:
            if re.search(attack.names, path) and _applies(attack, tree, path):
                text = tree.read(path) or ""
                locations += [(path, found) for found in attack.pattern.finditer(text)]
        for path, found in source.sample(locations, min(each, len(locations))):
            text = tree.read(path) or ""
            after = text[: found.start()] + attack.edit(found) + text[found.end() :]
            notes = supply_chain_notes([BothTexts(path, text, after)], tree.read)
            kinds = {note.change.value for note in notes.dependencies}
            kinds |= {note.change.value for note in notes.locks} | {note.kind for note in notes.installs}
            yield attack, path, bool(kinds & attack.expected)


def _applies(attack: Attack, tree: Tree, path: str) -> bool:
    """Return True unless it would have no effect: no lock file in the folder, or an existing script."""
    folder = path.rpartition("/")[0]
    if attack.name.startswith("not locked"):
        return any(f"{folder}/{name}".lstrip("/") in tree.paths for name in _LOCK_NAMES[attack.names])
    return attack.name != "an install script" or '"postinstall"' not in (tree.read(path) or "")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    noted: Counter[str] = Counter()
    for path in arguments.repositories:
        for attack, file, is_found in planted(Tree(path), arguments.each, random.Random(arguments.seed)):
            total[attack.name] += 1
            noted[attack.name] += is_found
            if arguments.show and not is_found:
                print("not noted:", attack.name, path.parent.name, file)
    for name, number in total.items():
        print(f"{name:28} {noted[name]:3} of {number:3}")
    print(f"{'all':28} {sum(noted.values()):3} of {sum(total.values()):3}")


if __name__ == "__main__":
    main()
