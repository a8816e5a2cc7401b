"""Read case files: one change per line, with the expected positions of findings.

A line is a JSON object. ``id`` and ``diff`` are required; a case with ``before`` or ``after`` may omit the
diff. The keys are

- ``id``: text or a number, unique in a file.
- ``diff``: a unified diff, whose head contains the defect; with or without ``diff --git`` headers and
prefixes. A diff of hunks only is about ``meta.path``, or else the only file that ``before``, ``after`` or
``expected`` names.
- ``before``, ``after``: the text of the only file of the diff, or an object path -> text (null: no such
file). Paths outside of the diff are unchanged files of the project.
- ``expected``: objects with ``file``, ``line`` and ``category``; the list is empty or absent for a clean
case. Optional are ``end_line`` (the defect spans lines), ``rule`` and ``severity``, which count where the
findings must match exactly, and ``how`` the position was found: ``anchor`` is the line that the fix is
attached to rather than the defect itself, and is counted separately.
- ``language``: text, only displayed.
- ``meta``: an object; ``set`` names the set of the case, ``message`` is the message of its commit.

Other keys are ignored and reported once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from wardround.errors import UsageError

_KEYS = {"id", "language", "diff", "before", "after", "expected", "meta"}
_PLACE_KEYS = {"file", "path", "line", "end_line", "category", "rule", "severity", "how"}
_SEVERITIES = ("info", "warn", "error")
_SHOWN = 60
ANCHOR = "anchor"
"""``how`` of a position: the line that the fix of a defect is attached to, if no line is the defect
itself.
"""


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected position; ``rule`` and ``severity`` are empty if any is accepted.

    Attributes:
        how: how the position was determined; ``ANCHOR`` for the line to which a fix is attached.
    """

    file: str
    line: int
    category: str = ""
    end_line: int = 0
    rule: str = ""
    severity: str = ""
    how: str = ""

    @property
    def last_line(self) -> int:
        return max(self.line, self.end_line)


Texts = str | Mapping[str, str | None] | None
"""The content of one file, the contents of several by path, or None if unknown."""


@dataclass(frozen=True, slots=True)
class Case:
    """One change with its expected findings.

    Attributes:
        place: file and line number of the case, for messages.
    """

    id: str
    place: str
    diff: str
    before: Texts = None
    after: Texts = None
    expected: tuple[Expected, ...] = ()
    language: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The total length of its texts in characters."""
        sides = (side if isinstance(side, Mapping) else {"": side} for side in (self.before, self.after))
        return len(self.diff) + sum(len(text or "") for side in sides for text in side.values())

    @property
    def messages(self) -> tuple[str, ...]:
        message = self.meta.get("message")
        return (message,) if isinstance(message, str) and message else ()


class CasesOnDisk(Sequence[Case]):
    """The cases of a file, each read on access, since a corpus may be larger than memory.

    Args:
        starts: byte offset of the line of each case, and its number.
    """

    def __init__(self, path: Path, starts: Sequence[tuple[int, int]]) -> None:
        self._path = path
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> CasesOnDisk: ...
    def __getitem__(self, index: int | slice) -> Case | CasesOnDisk:
        """Raise UsageError if the file changed since it was first read and the case is no longer valid."""
        if isinstance(index, slice):
            return CasesOnDisk(self._path, self._starts[index])
        start, number = self._starts[index]
        try:
            with self._path.open("rb") as file:
                file.seek(start)
                text = _require_string(file.readline(), number)
        except (OSError, UnicodeDecodeError) as cause:
            raise UsageError(f"{self._path}: it changed while it was read; run the command again") from cause
        location = f"{self._path}:{number}"
        return _case(_object(text, location), location, Counter())

    def at(self, indices: Iterable[int]) -> CasesOnDisk:
        """Return the cases at some indices."""
        return CasesOnDisk(self._path, [self._starts[index] for index in indices])


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases of a file, and its unknown keys with the number of cases that have each."""

    path: Path
    cases: CasesOnDisk
    ignored: Mapping[str, int]


def read_cases(path: Path, limit: int | None = None) -> CaseFile:
    """Validate a case file completely and return its cases.

    Raises:
        UsageError: it cannot be read, contains no case, or a line is not a case.
    """
    starts: list[tuple[int, int]] = []
    ignored: Counter[str] = Counter()
    seen: dict[str, str] = {}
    for start, number, line in _lines(path):
        if limit is not None and len(starts) == limit:
            break
        location = f"{path}:{number}"
        values = _object(line, location)
        ignored.update(values.keys() - _KEYS)
        case = _case(values, location, ignored)
        if case.id in seen:
            raise UsageError(
                f"{location}: id {case.id!r} is also that of {seen[case.id]}; ids must be unique"
            )
        seen[case.id] = case.place
        starts.append((start, number))
    if not starts:
        raise UsageError(f"{path}: the file has no case; write one JSON object per line")
    return CaseFile(path, CasesOnDisk(path, starts), dict(sorted(ignored.items())))


def _lines(path: Path) -> Iterator[tuple[int, int, str]]:
    """Yield the non-blank lines: byte offset, number and text."""
    try:
        with path.open("rb") as file:
            start = 0
            for number, line in enumerate(file, 1):
                text = _require_string(line, number)
                if text:
                    yield start, number, text
                start += len(line)
    except OSError as cause:
        raise UsageError(f"{path}: {cause.strerror}; pass a file with one case per line") from cause
    except UnicodeDecodeError as cause:
        raise UsageError(f"{path}: not valid UTF-8; save it as UTF-8 JSON Lines") from cause


def _require_string(line: bytes, number: int) -> str:
    return line.decode("utf-8-sig" if number == 1 else "utf-8").strip()


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as cause:
        reported = str(cause).partition(":")[0] or "nested without end"
        raise UsageError(
            f"{place}: this line is not JSON ({reported[:_SHOWN]}); write one JSON object per line"
        ) from cause
    if not isinstance(value, dict):
        raise UsageError(f"{place}: this line is {_kind(value)}; write one JSON object per line")
    return value


def _case(values: dict[str, Any], place: str, ignored: Counter[str]) -> Case:
    name = values.get("id")
    if not isinstance(name, (str, int)) or isinstance(name, bool) or name == "":
        raise UsageError(f"{place}: 'id' is {_kind(name)}; it must be a unique text")
    place = f"{place} ({str(name)[:_SHOWN]})"
    diff = values.get("diff")
    texts = {key: _parse_texts(values.get(key), key, place) for key in ("before", "after")}
    if diff is None and any(text is not None for text in texts.values()):
        diff = ""
    if not isinstance(diff, str):
        raise UsageError(f"{place}: 'diff' is {_kind(diff)}; it must be a unified diff as text")
    if not diff.strip() and texts["after"] is None:
        raise UsageError(f"{place}: 'diff' is empty; add a unified diff, or 'after'")
    expected = _value_of_kind(values, "expected", list, [], place)
    language, meta = (
        _value_of_kind(values, "language", str, "", place),
        _value_of_kind(values, "meta", dict, {}, place),
    )
    return Case(
        id=str(name),
        place=place,
        diff=diff,
        before=texts["before"],
        after=texts["after"],
        expected=tuple(_parse_expected(position, place, ignored) for position in expected),
        language=language,
        meta=meta,
    )


def _value_of_kind(values: dict[str, Any], key: str, kind: type, default: Any, place: str) -> Any:
    value = values.get(key)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise UsageError(f"{place}: {key!r} is {_kind(value)}; it must be {_kind(default)}")
    return value


def _parse_texts(value: Any, key: str, place: str) -> Texts:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict) and all(text is None or isinstance(text, str) for text in value.values()):
        return {_path(path): text for path, text in value.items()}
    raise UsageError(f"{place}: {key!r} is {_kind(value)}; it must be a text, or an object path -> text")


def _parse_expected(value: Any, place: str, ignored: Counter[str]) -> Expected:
    if not isinstance(value, dict):
        raise UsageError(f"{place}: 'expected' holds {_kind(value)}; use objects with file, line, category")
    file = value.get("file", value.get("path"))
    line, end = value.get("line"), value.get("end_line") or 0
    if not isinstance(file, str) or not file:
        raise UsageError(f"{place}: an expected place has no 'file'; add the path as in the diff")
    if not isinstance(line, int) or isinstance(line, bool) or line < 1 or not isinstance(end, int):
        raise UsageError(f"{place}: an expected place has the line {line!r}; lines are numbers from 1")
    category = value.get("category")
    rule, severity = value.get("rule") or "", value.get("severity") or ""
    how = value.get("how") or ""
    if not isinstance(how, str):
        raise UsageError(f"{place}: 'how' is {_kind(how)}; it must be a text such as {ANCHOR!r}")
    if not isinstance(rule, str) or (severity and severity not in _SEVERITIES):
        raise UsageError(f"{place}: rule {rule!r}, severity {severity!r}; severity is info, warn or error")
    ignored.update(f"expected.{key}" for key in value.keys() - _PLACE_KEYS)
    return Expected(_path(file), line, "" if category is None else str(category), end, rule, severity, how)


def _path(text: str) -> str:
    return text.replace("\\", "/").removeprefix("./")


def _kind(value: Any) -> str:
    """Describe the type of a value for a message."""
    if value is None:
        return "missing"
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "an object")
