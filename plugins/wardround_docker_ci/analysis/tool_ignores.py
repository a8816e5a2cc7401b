"""Comments by which a tool ignores a defect hold for the checks here that find the same defect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from wardround.checks.base import Check
from wardround.findings import RawFinding
from wardround.lazy import LazyPattern
from wardround.tools.parsing import map_of
from wardround_docker_ci.analysis.shellcheck_directives import Region, disabled_regions
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import FileKind

_ZIZMOR = LazyPattern(r"(?m)# zizmor: ignore\[([^\]\n]+)\](?=\s|$)")
_HADOLINT = LazyPattern(r"(?m)^[ \t]*#\s*hadolint\s+(global\s+)?ignore\s*=\s*([\w ,-]+)")
_NOT_YAML = frozenset({FileKind.SHELL, FileKind.JENKINSFILE})
_NEXT_LINE = re.compile(r"[^\n]*\n[ \t]*")
_DIVIDED = {"excessive-permissions": ("default-permissions", "default-permissions-of-job")}
"""Audits of zizmor -> codes that the tool map has for parts of them."""


class ToolIgnores:
    """The ignore comments of zizmor, hadolint and shellcheck in one file."""

    def __init__(self, file: CiFile) -> None:
        self._file = file

    def drop_ignored(self, check: type[Check], found: Iterable[RawFinding]) -> Iterator[RawFinding]:
        """Yield the results of a check, except those that a tool's comment ignores."""
        defect = check.DEFECT_CLASS or check.NAME
        return (result for result in found if not self._is_ignored(defect, result))

    def _is_ignored(self, defect: str, result: RawFinding) -> bool:
        lines = self._file.text.split("\n")
        start = sum(len(line) + 1 for line in lines[: result.span.line - 1]) + result.span.column - 1
        if _is_in_region(self._shellcheck_regions, defect, start):
            return True
        if self._file.kind is FileKind.DOCKERFILE:
            return _is_in_region(self._hadolint_comments, defect, start)
        if self._file.kind in _NOT_YAML or not _ZIZMOR.search(self._file.text):
            return False
        return any(defect in defects for defects in self._zizmor_ignores(*self._enclosing_part(start)))

    def _zizmor_ignores(self, start: int, end: int) -> Iterator[frozenset[str]]:
        """Yield the defects that comments in a step, job or line ignore; comments above the next one have
        less indentation.
        """
        text = self._file.text
        for comment in _ZIZMOR.finditer(text, start, end):
            if _column(text, comment.start()) >= _column(text, start):
                yield _defects("zizmor", comment[1])

    def _enclosing_part(self, offset: int) -> tuple[int, int]:
        """Return the start and end of the step, job or line of a result, in which a comment applies to it."""
        text = self._file.text
        steps = [step.node for _, step in self._file.workflow.all_steps]
        for node in (*steps, *(job.node for job in self._file.workflow.jobs)):
            if node.start <= offset < node.end:
                return node.start, node.end
        return text.rfind("\n", 0, offset) + 1, (text + "\n").index("\n", offset)

    @cached_property
    def _shellcheck_regions(self) -> list[Region]:
        """The parts of scripts in which directives of shellcheck ignore defects."""
        text, found = self._file.text, list[Region]()
        for script in self._file.scripts if "shellcheck" in text else ():
            start, end = script.passage.start, script.passage.start + len(script.passage.text)
            found += disabled_regions(text, start, end, script.commands)
        return found

    @cached_property
    def _hadolint_comments(self) -> list[tuple[int, int, frozenset[str]]]:
        """The (start, end, defect classes) of comments: for the instruction directly below, or for the
        file.
        """
        text, found = self._file.text, []
        for comment in _HADOLINT.finditer(text):
            instructions = self._file.dockerfile.instructions
            below = [instruction for instruction in instructions if instruction.start >= comment.end()]
            if comment[1]:
                found.append((0, len(text), _defects("hadolint", comment[2])))
            elif below and _NEXT_LINE.fullmatch(text, comment.end(), below[0].start):
                found.append((below[0].start, below[0].end, _defects("hadolint", comment[2])))
        return found


def _is_in_region(regions: Iterable[Region], defect: str, offset: int) -> bool:
    """Return True if an offset is in a part of the file in which a defect is ignored."""
    return any(begin <= offset < end and defect in defects for begin, end, defects in regions)


def _column(text: str, offset: int) -> int:
    return offset - text.rfind("\n", 0, offset) - 1


def _defects(tool: str, listed: str) -> frozenset[str]:
    """Return the defect classes of the codes that a comment lists."""
    known = map_of(tool).codes
    names = re.findall(r"[\w-]+", listed)
    codes = [code for name in names for code in (name, *_DIVIDED.get(name, ()))]
    return frozenset(
        entry.defect_class for code in codes if (entry := known.get(code)) is not None and entry.defect_class
    )
