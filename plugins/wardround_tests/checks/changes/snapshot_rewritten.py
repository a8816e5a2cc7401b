from __future__ import annotations

import re
from itertools import takewhile

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround_tests.changes.line_diff import span_of_line
from wardround_tests.changes.production_changes import Production

_ENTRY = LazyPattern(r"^(?:exports\[`(?P<script>.+)`\] = `|# name: (?P<python>.+)$)")
_DATA = LazyPattern(r"(^|/)(fixtures?|__fixtures__|testdata|test_data|data)/")
_MOST = 3
"""Maximum number of snapshots reported in one file."""


class SnapshotRewritten(ChangeCheck):
    """A snapshot is rewritten together with the code under test while its test is unchanged.

    ``--updateSnapshot`` makes the current output the expected one, mistakes included. Review the removed
    lines: if the change is intended, explain it in the commit message, or assert it in the test.
    """

    ID = "TE209"
    NAME = "snapshot-rewritten"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    PATHS = (".snap", ".ambr")
    VALID = [
        change(
            {
                "src/__snapshots__/Face.test.tsx.snap": (
                    """
                    // Jest Snapshot v1

                    exports[`shows 1`] = `
                    <img
                      alt="a"
                      class="face"
                    />
                    `;
                    """,
                    """
                    // Jest Snapshot v1

                    exports[`shows 1`] = `
                    <img
                      class="face"
                    />
                    `;
                    """,
                ),
            },
        ),
        change(
            {
                "src/Face.tsx": (
                    """
                    export const Face = () => <img alt='a' />
                    """,
                    """
                    export const Face = () => <img />
                    """,
                ),
                "src/__snapshots__/Face.test.tsx.snap": (
                    """
                    // Jest Snapshot v1

                    exports[`shows 1`] = `
                    <img
                      alt="a"
                      class="face"
                    />
                    `;
                    """,
                    """
                    // Jest Snapshot v1

                    exports[`shows 1`] = `
                    <img
                      alt="a"
                      class="face"
                      src="a.png"
                    />
                    `;
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "src/Face.tsx": (
                    """
                    export const Face = () => <img alt='a' />
                    """,
                    """
                    export const Face = () => <img />
                    """,
                ),
                "src/__snapshots__/Face.test.tsx.snap": (
                    """
                    // Jest Snapshot v1

                    exports[`shows 1`] = `
                    <img
                      alt="a"
                      class="face"
                    />
                    `;
                    """,
                    """
                    // Jest Snapshot v1

                    exports[`shows 1`] = `
                    «<img»
                      class="face"
                    />
                    `;
                    """,
                ),
            },
        ),
        change(
            {
                "face.py": (
                    """
                    def show():
                        return 1
                    """,
                    """
                    def show():
                        return 2
                    """,
                ),
                "tests/__snapshots__/test_face.ambr": (
                    """
                    # name: test_show
                      1
                    # ---
                    """,
                    """
                    # name: test_show
                      «2»
                    # ---
                    """,
                ),
            },
        ),
    ]

    def run(self) -> None:
        code = Production.of(self.change).files
        changed = {file.path for file in self.change.files}
        for file in self.change.files:
            if not file.path.endswith(self.PATHS) or not code:
                continue
            if file.text is None or file.base_text is None or not changed.isdisjoint(_tests_of(file.path)):
                continue
            if any(_is_input_of(file.path, path) for path in changed):
                continue
            self._check_file(file, file.base_text, file.text)

    def _check_file(self, file: ChangedFileView, base: str, head: str) -> None:
        before = {name: lines for name, _, lines in _entries(base)}
        reported = 0
        for name, start, lines in _entries(head):
            previous = before.get(name)
            if previous is None or set(previous) <= set(lines) or reported == _MOST:
                continue
            same = sum(
                1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(previous, lines, strict=False))
            )
            number = start + same
            if same >= len(lines) or not file.is_added(number):
                number -= 1
            text = (
                f'snapshot "{name}" is rewritten together with the code under test; review the removed lines'
            )
            self.report(file.path, span_of_line(file, number), text)
            reported += 1


def _tests_of(path: str) -> tuple[str, ...]:
    """Return the possible paths of the test of a snapshot file."""
    folder, _, name = path.rpartition("/")
    home, _, last = folder.rpartition("/")
    stem = name.rpartition(".")[0]
    test = stem if path.endswith(".snap") else f"{stem}.py"
    return (f"{home}/{test}" if home else test, f"{folder}/{test}") if last == "__snapshots__" else (test,)


def _is_input_of(snapshot: str, path: str) -> bool:
    """Return True if a changed file is test data next to the tests of a snapshot file."""
    folder = snapshot.rpartition("/")[0].removesuffix("__snapshots__").rstrip("/")
    return path.startswith(f"{folder}/" if folder else "") and _DATA.search(path) is not None


def _entries(text: str) -> list[tuple[str, int, list[str]]]:
    """Return the snapshots of a file: name, first line (1-based) and lines."""
    found: list[tuple[str, int, list[str]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        match: re.Match[str] | None = _ENTRY.match(line)
        if match is not None:
            found.append((match["script"] or match["python"], number, []))
        if found:
            found[-1][2].append(line)
    return found
