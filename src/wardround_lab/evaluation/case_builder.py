"""Build the change of a case: base and head of its files, if they are known.

``before`` and ``after`` must match the diff; line ends may differ. A missing one is computed from the diff.
If both are missing, a file that the diff shows in part is a fragment: see ``fragments``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from wardround.change.diff import Change, ChangedFile, DiffLine, FilePatch, FileStatus, Hunk, read_patch
from wardround.errors import DiffError, WardroundError
from wardround_lab.evaluation.cases import Case, Expected, Texts
from wardround_lab.evaluation.fragments import CaseFragment

_HUNK_ONLY = re.compile(r"\s*@@ ")
_HEADER = re.compile(r"^(?:--- |\+\+\+ |diff --git |rename )", re.MULTILINE)
_COMPARED_LINES = 4000
"""Number of lines of a block above which two texts are not aligned line by line, which is quadratic."""
_REGULAR = "100644"
_CONTEXT = 3
"""Unchanged lines that git shows after the last change; fewer mean that the file ends there."""


class InvalidCase(WardroundError):
    """A case contradicts itself and cannot be scored. The message names the contradiction."""


@dataclass(frozen=True, slots=True)
class Known:
    """One file of a change with the known parts of base and head.

    Attributes:
        fragment: which lines of the head are known; None if all are.
    """

    file: ChangedFile
    base: str | None
    head: str | None
    fragment: CaseFragment | None = None


@dataclass(frozen=True, slots=True)
class CaseChange:
    """The change of a case.

    Attributes:
        neighbours: unchanged files of the project, by path.
    """

    files: tuple[Known, ...]
    neighbours: Mapping[str, str] = field(default_factory=dict)

    @property
    def change(self) -> Change:
        return Change(":case-before", ":case-after", tuple(known.file for known in self.files))

    @property
    def added_lines(self) -> int:
        return sum(_added_line_count(known) for known in self.files)


def _added_line_count(known: Known) -> int:
    if known.file.status is FileStatus.DELETED:
        return 0
    return known.file.added_lines


def build_change(case: Case) -> CaseChange:
    """Build the change of a case.

    Raises:
        InvalidCase: the diff cannot be parsed, or does not match ``before`` or ``after``.
    """
    texts = [text for text in (case.before, case.after) if isinstance(text, Mapping)]
    for path in sorted({path for some in texts for path in some}):
        _require_inside(path)
    if not case.diff.strip():
        return _compare_texts(case)
    try:
        patches = read_patch(_add_header(case))
    except DiffError as cause:
        if case.after is None:
            raise InvalidCase(str(cause)) from cause
        return _compare_texts(case)
    before = _index_by_path(case.before, [p.base_path for p in patches if p.base_path], "before")
    after = _index_by_path(
        case.after, [p.path for p in patches if p.status is not FileStatus.DELETED], "after"
    )
    known = [_read_base_and_head(patch, before, after) for patch in patches]
    touched = {path for patch in patches for path in (patch.path, patch.base_path)}
    return CaseChange(tuple(known), _neighbours(before, after, touched))


def resolve_positions(case: Case, change: CaseChange) -> tuple[Expected, ...]:
    """Return the expected positions with the file names of the change, where they can be resolved."""
    paths = [known.file.path for known in change.files]
    return tuple(_resolve_path(position, paths) for position in case.expected)


def _resolve_path(item: Expected, paths: Sequence[str]) -> Expected:
    if item.file in paths:
        return item
    bare = re.sub(r"^[ab]/", "", item.file)
    same = [path for path in paths if path == bare] or [
        path for path in paths if path.endswith(f"/{item.file}") or item.file.endswith(f"/{path}")
    ]
    if len(same) != 1:
        return item
    return Expected(same[0], item.line, item.category, item.end_line, item.rule, item.severity)


def _require_inside(path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path or ".git" in parts:
        raise InvalidCase(f"{path!r} is not a path inside a repository")


def _add_header(case: Case) -> str:
    """Return the diff, with a file header if it has hunks only."""
    if not _HUNK_ONLY.match(case.diff) or _HEADER.search(case.diff):
        return case.diff
    path = _only_path(case)
    if path is None:
        raise InvalidCase("neither the diff nor the case names a file; add meta.path")
    return f"--- a/{path}\n+++ b/{path}\n{case.diff.lstrip()}"


def _only_path(case: Case) -> str | None:
    """Return the only possible file of a case, from its fields besides the diff."""
    named = case.meta.get("path")
    if isinstance(named, str) and named:
        _require_inside(named)
        return named
    for texts in (case.after, case.before):
        if isinstance(texts, Mapping) and len(texts) == 1:
            return next(iter(texts))
    locations = {position.file for position in case.expected}
    if len(locations) != 1:
        return None
    (path,) = locations
    _require_inside(path)
    return path


def _index_by_path(texts: Texts, paths: Sequence[str], name: str) -> dict[str, str | None]:
    """Return the contents at base or head by path."""
    if texts is None:
        return {}
    if isinstance(texts, Mapping):
        return dict(texts)
    if len(paths) != 1:
        raise InvalidCase(f"{name!r} is one text, but the diff has {len(paths)} files; map path -> text")
    return {paths[0]: texts}


def _read_base_and_head(
    patch: FilePatch, before: Mapping[str, str | None], after: Mapping[str, str | None]
) -> Known:
    """Return base and head of one file of the diff."""
    base = None if patch.base_path is None else before.get(patch.base_path)
    head = None if patch.status is FileStatus.DELETED else after.get(patch.path)
    for text, kind, name in ((base, "-", "before"), (head, "+", "after")):
        if text is not None and _apply_lines(text, patch.lines, kind) is None:
            raise InvalidCase(f"{name!r} of {patch.path} does not match the diff; correct one of them")
    fragment = None
    if patch.status is FileStatus.ADDED:
        head = _join_lines(patch.lines, "+") if head is None else head
    elif patch.status is FileStatus.DELETED:
        base = _join_lines(patch.lines, "-") if base is None else base
    elif head is None and base is None:
        base, head, fragment = _from_hunks(patch)
    elif head is None:
        head = _apply_lines(base or "", patch.lines, "-")
    elif base is None:
        base = _apply_lines(head, patch.lines, "+")
    file = ChangedFile(patch.path, patch.base_path, patch.status, patch.mode, hunks=patch.hunks())
    return Known(file, base, head, fragment)


def _from_hunks(patch: FilePatch) -> tuple[str, str, CaseFragment | None]:
    """Return base and head if the diff shows them; a fragment, unless it shows the complete file."""
    if _shows_all(patch.lines):
        return _join_lines(patch.lines, "-"), _join_lines(patch.lines, "+"), None
    base = CaseFragment.of(patch.base_path or patch.path, _numbered_lines(patch.lines, "-"))
    head = CaseFragment.of(patch.path, _numbered_lines(patch.lines, "+"))
    return base.text, head.text, head


def _shows_all(lines: Sequence[DiffLine]) -> bool:
    """Return True if a diff shows a file from its first to its last line, judged by git's context."""
    number = 0
    for line in lines:
        if line.head_line is not None:
            number += 1
            if line.head_line != number:
                return False
    trailing = next((n for n, line in enumerate(reversed(lines)) if line.kind != " "), 0)
    return trailing != _CONTEXT or not lines[-1].text.endswith("\n")


def _numbered_lines(lines: Sequence[DiffLine], kind: str) -> dict[int, str]:
    found = {}
    for line in lines:
        number = line.base_line if kind == "-" else line.head_line
        if line.kind in (kind, " ") and number is not None:
            found[number] = line.text.rstrip("\r\n")
    return found


def _join_lines(lines: Sequence[DiffLine], kind: str) -> str:
    return "".join(line.text for line in lines if line.kind in (kind, " "))


def _apply_lines(text: str, lines: Sequence[DiffLine], kind: str) -> str | None:
    """Apply or revert a diff to get the other version of a file; None if the text does not match."""
    have = text.split("\n")
    out: list[str] = []
    done = 0
    for line in lines:
        shown = line.text.removesuffix("\n")
        if line.kind not in (kind, " "):
            out.append(shown)
            continue
        number = line.base_line if kind == "-" else line.head_line
        if number is None or number - 1 < done or number > len(have):
            return None
        if have[number - 1].rstrip("\r") != shown.rstrip("\r"):
            return None
        out += have[done : number - 1]
        if line.kind == " ":
            out.append(have[number - 1])
        done = number
    return "\n".join([*out, *have[done:]])


def _neighbours(
    before: Mapping[str, str | None], after: Mapping[str, str | None], touched: set[str | None]
) -> dict[str, str]:
    found = {}
    for path in sorted((before.keys() | after.keys()) - touched):
        texts = {side[path] for side in (before, after) if path in side}
        if len(texts) > 1:
            raise InvalidCase(f"{path} differs between 'before' and 'after', but not in the diff")
        (text,) = texts
        if text is not None:
            found[path] = text
    return found


def _compare_texts(case: Case) -> CaseChange:
    """Return the change between ``before`` and ``after``, if the diff does not show it."""
    if case.after is None:
        raise InvalidCase("there is neither a valid diff nor 'after'; add one of them")
    path = _only_path(case)
    after = _index_by_path(case.after, [path] if path else [], "after")
    before = _index_by_path(case.before, [path] if path else [], "before")
    known = []
    neighbours = {}
    for name in sorted(before.keys() | after.keys()):
        base, head = before.get(name), after.get(name)
        if base is not None and (base == head or (name not in after and isinstance(case.after, Mapping))):
            neighbours[name] = base
        elif base is not None or head is not None:
            known.append(_changed_file(name, base, head))
    return CaseChange(tuple(known), neighbours)


def _changed_file(path: str, base: str | None, head: str | None) -> Known:
    status = FileStatus.MODIFIED
    if base is None or head is None:
        status = FileStatus.ADDED if base is None else FileStatus.DELETED
    hunks = () if head is None else tuple(_hunks((base or "").split("\n"), head.split("\n")))
    file = ChangedFile(path, path if base is not None else None, status, _REGULAR, hunks=hunks)
    return Known(file, base, head)


def _hunks(base: Sequence[str], head: Sequence[str]) -> list[Hunk]:
    """Return the differences of two texts; one block if they are too long to align."""
    start = next((n for n, (a, b) in enumerate(zip(base, head, strict=False)) if a != b), None)
    start = min(len(base), len(head)) if start is None else start
    end = 0
    while end < min(len(base), len(head)) - start and base[-1 - end] == head[-1 - end]:
        end += 1
    old, new = base[start : len(base) - end], head[start : len(head) - end]
    blocks: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(old), 0, len(new))]
    if max(len(old), len(new)) <= _COMPARED_LINES:
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    found = []
    for tag, old_from, old_to, new_from, new_to in blocks:
        if tag == "equal" or (old_from == old_to and new_from == new_to):
            continue
        removed, added = old_to - old_from, new_to - new_from
        first = start + old_from + bool(removed)  # a side without lines starts before the gap
        second = start + new_from + bool(added)
        found.append(Hunk(first, removed, second, added))
    return found
