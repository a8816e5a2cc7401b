"""The common part of the checks of command lines in all languages.

Every review imports it; the modules that compare two versions are imported when options may differ.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, ClassVar

import msgspec

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.line_diff import removal_site, removed_lines, span_of_line

if TYPE_CHECKING:
    from wardround.semantics.docdrift.cli_options import CommandLine, RemovedOption
    from wardround.semantics.docdrift.references import ProgramName, Reference

_TOLD_AT_MOST = 8
"""Maximum number of options of a change that are reported individually."""
_DECLARED = LazyPattern(r"--[A-Za-z][\w-]+|\b[oO]ption\(|addoption\(")
_FILES_AT_MOST = 40


class OptionCheck(ChangeCheck):
    """A check of the options that a change touches; each language implements their declaration."""

    PLANE: ClassVar[Plane] = Plane.CONTRACT

    def may_declare(self, text: str) -> bool:
        """Return True if a source can declare an option; a prefilter."""
        return any(word in text for word in self.WORDS)

    @abstractmethod
    def command_line(self, path: str, text: str) -> CommandLine | None:
        """Return the options that a file declares; None if it cannot be parsed."""

    @abstractmethod
    def program(self, path: str) -> ProgramName:
        """Return the name of the program whose options a file declares."""

    @abstractmethod
    def may_derive(self, name: str, text: str) -> bool:
        """Return True if a library may derive an option from a parameter, field or key of a file."""

    @abstractmethod
    def is_test(self, path: str) -> bool:
        """Return True if a file is a test by its path, whose options nobody uses."""

    def touched_files(self) -> Iterator[ChangedFileView]:
        """Return the files with possibly different declarations."""
        for file in self.change.files:
            if not file.path.endswith(self.PATHS) or self.is_test(file.path):
                continue
            if file.text is None or file.base_text is None:
                continue
            if self.may_declare(file.base_text) and file.text != file.base_text:
                yield file

    def both(self, file: ChangedFileView) -> tuple[CommandLine, CommandLine] | None:
        """Return the declarations of a file before and after the change."""
        before = self.command_line(file.base_path or file.path, file.base_text or "")
        after = (
            self.command_line(file.path, file.text or "") if before is not None and before.options else None
        )
        return None if before is None or after is None else (before, after)


class Withdrawn(msgspec.Struct, frozen=True):
    """An option without any remaining declaration, and the texts that name it."""

    file: ChangedFileView
    gone: RemovedOption
    mentions: tuple[Reference, ...]

    @property
    def message(self) -> str:
        from wardround.semantics.docdrift.references import reference_sites

        current = self.gone.now
        became = (
            f'renamed "{self.gone.name}" to "{current.names[0]}"'
            if current
            else f'removed "{self.gone.name}"'
        )
        quote = self.mentions[0].quote
        return f'this change {became}, but {reference_sites(self.mentions)}: "{quote}"'


class _Candidate(msgspec.Struct, frozen=True):
    file: ChangedFileView
    gone: RemovedOption
    beside: frozenset[str]


class RemovedOptionCheck(OptionCheck):
    """A check of removed options that texts still name."""

    def run(self) -> None:
        for option in self.withdrawn_options()[:_TOLD_AT_MOST]:
            current = option.gone.now
            span = (
                span_of_line(option.file, current.line)
                if current
                else removal_site(option.file, option.gone.was.line)
            )
            self.report(option.file.path, span, option.message)

    def withdrawn_options(self) -> list[Withdrawn]:
        """Return the removed options that texts still name, by file, in the order of their declarations."""
        candidates = [
            option
            for file in self.touched_files()
            if _may_lose(file)
            for option in self._removed_options(file)
        ]
        if not candidates:
            return []
        names = sorted({candidate.gone.name for candidate in candidates})
        naming = frozenset(self.change.project.files_with_word(names, ("*",)))
        alive = self._alive(names, naming)
        left = [candidate for candidate in candidates if candidate.gone.name not in alive]
        return self._withdrawn_options(left, naming) if left else []

    def _removed_options(self, file: ChangedFileView) -> Iterator[_Candidate]:
        from wardround.semantics.docdrift.cli_options import removed_options

        sides = self.both(file)
        if sides is not None:
            before, after = sides
            beside = frozenset(before.by_name) | frozenset(after.by_name)
            for removed in removed_options(before, after):
                yield _Candidate(file, removed, beside - {removed.name})

    def _alive(self, names: Sequence[str], naming: frozenset[str]) -> frozenset[str]:
        """Return the names that code still defines, or uses as a value."""
        from wardround.semantics.docdrift.doc_files import is_documentation

        left, found = set(names), set()
        changed = {file.path: file for file in self.change.files}
        for path in sorted(naming | set(changed)):
            if not left:
                break
            if is_documentation(path):
                continue
            alive = self._alive_in(path, changed.get(path), left)
            found |= alive
            left -= alive
        return frozenset(found)

    def _alive_in(self, path: str, file: ChangedFileView | None, names: Set[str]) -> set[str]:
        """Return the names that the code of one file defines or uses; only changed files derive names."""
        text = file.text if file is not None else self.change.project.read(path)
        if not text:
            return set()
        alive = {name for name in names if name in text and _is_value(name, text, path)}
        if file is not None:
            alive |= {name for name in names if self.may_derive(name, text)}
        return alive

    def _withdrawn_options(self, candidates: Sequence[_Candidate], naming: frozenset[str]) -> list[Withdrawn]:
        from wardround.semantics.docdrift.doc_files import WordFile, word_files
        from wardround.semantics.docdrift.references import Document, option_mentions

        found: list[list[Reference]] = [[] for _ in candidates]
        programs = {candidate.file.path: self.program(candidate.file.path) for candidate in candidates}
        for path, kind in word_files(self.change.project, naming):
            text = self.change.project.read(path)
            if not text or "--" not in text:
                continue
            document = Document(path, text)
            for mentions, candidate in zip(found, candidates, strict=True):
                beside = candidate.beside if kind is WordFile.PROSE else frozenset[str]()
                mentions.extend(
                    option_mentions(document, candidate.gone.name, programs[candidate.file.path], beside)
                )
        reported: dict[tuple[str, tuple[Reference, ...]], Withdrawn] = {}
        for mentions, candidate in zip(found, candidates, strict=True):
            all_mentions = (*mentions, *_remaining_mentions(candidate))
            if all_mentions:  # an option that several files removed is reported once
                key = (candidate.gone.name, all_mentions)
                reported.setdefault(key, Withdrawn(candidate.file, candidate.gone, all_mentions))
        return list(reported.values())


def _may_lose(file: ChangedFileView) -> bool:
    """Return True if a removed line can have declared an option."""
    return any(_DECLARED.search(line) for line in removed_lines(file))


def _is_value(name: str, text: str, path: str) -> bool:
    """Return True if a source contains a name as a separate string, or as an affix of one that declares
    it.
    """
    quotes = "\"'" if path.endswith((".py", ".md")) else "\"'`"
    plain = re.escape(name)
    pattern = rf"""[{quotes}]{plain}(?=[{quotes}=/]|,\s|\s*[<\[])|[/,]\s?{plain}(?=[{quotes}]|\s*[<\[])"""
    return re.search(pattern, text) is not None


def _remaining_mentions(item: _Candidate) -> list[Reference]:
    """Return the position at which the file still names the option, in its help or its documentation."""
    from wardround.semantics.docdrift.references import Document, Reference

    document = Document(item.file.path, item.file.text or "")
    name = item.gone.name
    return [Reference(item.file.path, line.number, line.text, name) for line in document.lines_naming(name)]
