"""The recording of a run of JavaScript tests: for each test file, the functions that ran."""

from __future__ import annotations

import hashlib
import posixpath
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from wardround.workflows.run_output import has_too_many_values
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import (
    MODULE,
    OutlinedFile,
    Ran,
    RecordedRun,
    Recording,
)
from wardround.workflows.test.recordings.script_coverage import Block, FileLines, ScriptCoverage
from wardround.workflows.test.scripts.outline import Position, ScriptOutline, script_outline
from wardround.workflows.test.scripts.roles import has_identity, identity
from wardround.workflows.test.scripts.source_map import GeneratedCode

MOST_BYTES = 64 * 1024 * 1024
_MOST_OTHERS = 100_000
_NAME_HEX = 32
_CLASSES = ("class ", "class{")
"""Beginnings of a class; the range of an implicit constructor is that of the class."""
Range = tuple[int, int]
Key = tuple[str, str]
Read = Callable[[str], bytes | None]
_T = TypeVar("_T")


class _Script(msgspec.Struct, frozen=True):
    """The functions of a script that ran, as ranges in its code, and its blocks if they are measured."""

    file: str
    code: str
    ranges: list[Range]
    blocks: list[Block] = []


class _Taken(msgspec.Struct, frozen=True):
    """The result of the recorder for one test file."""

    test: str
    scripts: list[_Script]


class _Code(msgspec.Struct, frozen=True):
    """The code of a script, and its source map unless the code has it."""

    code: str
    map: str = ""


def record_name(test: str) -> str:
    """Return the name of the file that the recorder writes for a test file."""
    return f"{hashlib.sha256(test.encode()).hexdigest()[:_NAME_HEX]}.json"


def read_script_recording(
    tests: Iterable[str], read: Read, tree: TreeUnderTest, *, is_complete: bool
) -> Recording:
    """Return the recording of some test files; those without a result of the recorder are excluded.

    Args:
        read: name of a file of the recorder -> its content.
        tree: the files with which the tests ran.
        is_complete: all tests were run.
    """
    reading = _Reading(read, tree)
    runs = tuple(run for test in sorted({*tests}) if (run := reading.run(test)) is not None)
    measured = {path for path, _ in reading.files}
    others = [path for path in sorted(tree.blobs) if path not in measured or has_identity(path)][
        :_MOST_OTHERS
    ]
    identities = {path: identity(path, tree.blobs[path], tree.text) for path in others}
    return Recording(runs, reading.files, {}, identities, is_complete)


class MeasuredScripts(msgspec.Struct, frozen=True):
    """The lines of the measured scripts that test files loaded.

    Attributes:
        files: path -> its lines; None if they cannot be traced to the source.
        is_all: each of the tests was recorded, and none ran code that can start another process.
    """

    files: Mapping[str, FileLines | None]
    is_all: bool


def read_script_lines(tests: Iterable[str], read: Read, tree: TreeUnderTest) -> MeasuredScripts:
    """Return the lines that some test files ran; the arguments are those of ``read_script_recording``."""
    reading = _Reading(read, tree)
    found: dict[str, ScriptCoverage] = {}
    is_all = True
    for test in sorted({*tests}):
        used = reading.recorder_result(test)
        is_all = is_all and used is not None and not reading.starts_processes(used)
        for script in used.scripts if used is not None else ():
            if script.blocks and script.file in tree.blobs:
                item = found.setdefault(script.file, ScriptCoverage(script.file, tree.text(script.file)))
                item.add(test, script.code, reading.generated_code(script.code), script.blocks)
    return MeasuredScripts({path: lines.result(is_loaded=True) for path, lines in found.items()}, is_all)


class _Reading:
    def __init__(self, read: Read, tree: TreeUnderTest) -> None:
        self._read = read
        self._tree = tree
        self._outlines: dict[str, ScriptOutline] = {}
        self._ran: dict[tuple[str, str], _RanFunctions] = {}
        self._codes: dict[str, GeneratedCode] = {}
        self.files: dict[Key, OutlinedFile] = {}

    def recorder_result(self, test: str) -> _Taken | None:
        """Return the result of the recorder for a test file; None without a valid one."""
        used = self._decode(record_name(test), _Taken)
        if used is None or used.test != test or test not in {script.file for script in used.scripts}:
            return None
        return used

    def generated_code(self, name: str) -> GeneratedCode:
        """Return the code of this name."""
        if name not in self._codes:
            code = self._decode(f"{name}.code", _Code) or _Code("")
            self._codes[name] = GeneratedCode(code.code, code.map)
        return self._codes[name]

    def starts_processes(self, taken: _Taken) -> bool:
        """Return True if a function that ran, or a test, can start another process."""
        for script in taken.scripts:
            if script.file in self._tree.blobs:
                functions = self._outline(script.file).outline.functions
                if any(functions[number].starts_processes for number in self._functions(script)):
                    return True
        return False

    def run(self, test: str) -> RecordedRun | None:
        used = self.recorder_result(test)
        if used is None:
            return None
        ran: dict[Key, set[int]] = {}
        for script in used.scripts:
            blob = self._tree.blobs.get(script.file)
            if blob is not None:
                ran.setdefault((script.file, blob), {MODULE}).update(self._functions(script))
        for path, blob in ran:
            outline = self._outline(path).outline
            self.files.setdefault((path, blob), OutlinedFile(path, blob, outline))
        return RecordedRun(test, {key: frozenset(numbers) for key, numbers in sorted(ran.items())})

    def _outline(self, path: str) -> ScriptOutline:
        if path not in self._outlines:
            self._outlines[path] = script_outline(path, self._tree.text(path))
        return self._outlines[path]

    def _functions(self, script: _Script) -> Ran:
        key = (script.file, script.code)
        if key not in self._ran:
            code = self.generated_code(script.code)
            self._ran[key] = _RanFunctions(self._outline(script.file), script.file, code, self._tree)
        return self._ran[key].within(script.ranges)

    def _decode(self, name: str, kind: type[_T]) -> _T | None:
        content = self._read(name)
        try:
            if not content or has_too_many_values(content):
                return None
            return msgspec.json.decode(content, type=kind)
        except (msgspec.DecodeError, UnicodeError):
            return None


class _RanFunctions:
    """The functions of a file by the ranges of the code compiled from it."""

    def __init__(self, outlined: ScriptOutline, path: str, code: GeneratedCode, tree: TreeUnderTest) -> None:
        self._count = len(outlined.outline.functions)
        self._spans = sorted(outlined.spans)
        self._code = code
        mapped = self._code.mapped_positions(posixpath.basename(path))
        self._is_source = mapped is None and len(code) > 0 and code.is_text(tree.text(path))
        self._offsets = [offset for offset, _ in mapped or ()]
        self._numbers = [self._function_at(position) for _, position in mapped or ()]

    def within(self, ranges: Sequence[Range]) -> Ran:
        """Return the functions of ranges; all functions if the code cannot be traced to the file."""
        if not self._offsets and not self._is_source:
            return frozenset(range(self._count))
        return frozenset(
            number
            for start, end in ranges
            for number in self._functions_in_range(start, end)
            if number is not None
        )

    def _functions_in_range(self, start: int, end: int) -> tuple[int | None, ...]:
        if start <= 0 and end >= len(self._code):
            return ()
        if self._is_source:
            return (self._function_at(self._code.position(start)),)
        first, last = bisect_left(self._offsets, start), bisect_left(self._offsets, end)
        numbers = self._numbers[first:last]
        if numbers and numbers[0] is not None:
            return (numbers[0],)
        is_class = self._code.text_at(start, len(_CLASSES[0])) in _CLASSES
        return () if is_class else _only(numbers)

    def _function_at(self, position: Position) -> int | None:
        """Return the function around a position."""
        at = bisect_right(self._spans, (position, (1 << 60, 0), 0)) - 1
        if at < 0:
            return None
        _, end, number = self._spans[at]
        return number if position < end else None


def _only(numbers: Sequence[int | None]) -> tuple[int | None, ...]:
    """Return the only function that the beginning and the end of a range are in."""
    first = next((number for number in numbers if number is not None), None)
    last = next((number for number in reversed(numbers) if number is not None), None)
    return (first,) if first == last else ()
