"""Turn the fixtures of ruff's linter into cases for ``wardround eval cases``.

    python evals/suites/ruff.py CLONE > cases.jsonl

CLONE is a checkout of github.com/astral-sh/ruff; only ``crates/ruff_linter`` is needed. A case is one
fixture, reviewed as a new file; its positions are those of its snapshots with default settings, and the
category is ruff's code. A fixture demonstrates one rule, so findings of other rules are ignored. ruff is one
of our tools: this measures the losses of our pipeline. Nothing of the suite may be committed.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from new_file import case

_LINTER = Path("crates") / "ruff_linter"
_SNAPSHOT = re.compile(r"__tests__(?P<code>[A-Z]+\d+)_(?P<fixture>.+)\.snap$")
_PLACE = re.compile(r"^ *--> (?P<file>[^:\n]+):(?P<line>\d+):\d+$")
_HEADING = re.compile(r"^(?P<code>[A-Z]+\d+) ")


def main(clone: Path) -> int:
    """Print one case per line."""
    fixtures = clone / _LINTER / "resources" / "test" / "fixtures"
    if not fixtures.is_dir():
        print(f"{clone}: no {_LINTER / 'resources'}; give a checkout of ruff", file=sys.stderr)
        return 2
    expected = _expected_positions_by_fixture(clone)
    paths = sorted(fixtures.rglob("*.py"))
    alike = Counter((path.relative_to(fixtures).parts[0], path.name) for path in paths)
    for path in paths:
        name = path.relative_to(fixtures).as_posix()
        locations = expected.get((name.partition("/")[0], path.name), [])
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        if locations and _is_plain(text) and alike[name.partition("/")[0], path.name] == 1:
            print(json.dumps(_case(name, text, locations)))
    return 0


def _case(name: str, text: str, places: list[tuple[str, int]]) -> dict[str, object]:
    created = case(name, "python", name.rpartition("/")[2], text, [], {"set": "ruff", "rule": places[0][0]})
    file = name.rpartition("/")[2]
    created["expected"] = [
        {"file": file, "line": line, "category": code} for code, line in sorted(set(places))
    ]
    return created


def _is_plain(text: str) -> bool:
    """Return True if a text survives a diff: valid UTF-8, and no line ends but newlines."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\r" not in text


def _expected_positions_by_fixture(clone: Path) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Return (family, fixture) -> (code, line) of every position in its snapshots."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for snapshot in sorted((clone / _LINTER / "src" / "rules").glob("*/snapshots/*.snap")):
        named = _SNAPSHOT.search(snapshot.name)
        if named and "preview" not in snapshot.name:
            for file, code, line in _expected_positions(snapshot.read_text("utf-8"), named["code"]):
                found[snapshot.parent.parent.name, file].append((code, line))
    return found


def _expected_positions(text: str, code: str) -> Iterator[tuple[str, str, int]]:
    """Return (file, code, line) of each diagnostic of the snapshot's own rule."""
    current = ""
    for line in text.split("\n"):
        if heading := _HEADING.match(line):
            current = heading["code"]
        elif (location := _PLACE.match(line)) and current == code:
            yield location["file"].rpartition("/")[2], code, int(location["line"])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) if len(sys.argv) == 2 else __doc__)
