"""The common part of the checks of command lines in all languages.

Every review imports it; the modules that compare two versions are imported when options may differ.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

import msgspec

from wardround.checks.base import ChangeCheck
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane
from wardround.semantics.semdiff.line_diff import removal_site, removed_lines, span_of_line

if TYPE_CHECKING:
    from wardround.semantics.docdrift.cli_options import CommandLine, RemovedOption
    from wardround.semantics.docdrift.references import ProgramName, Reference

_TOLD_AT_MOST = 8
"""The limit on options of a change that are reported one by one."""
_DECLARED = LazyPattern(r"--[A-Za-z][\w-]+|\b[oO]ption\(|addoption\(")
_FILES_AT_MOST = 40


class OptionCheck(ChangeCheck):
    """A check of the options that a change touches; each language implements their declaration."""

    PLANE: ClassVar[Plane] = Plane.CONTRACT

    def may_declare(self, text: str) -> bool:
        """Return True if a text can declare an option; a prefilter."""
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

    def touched(self) -> Iterator[ChangedFileView]:
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

        now = self.gone.now
        became = f'renamed "{self.gone.name}" to "{now.names[0]}"' if now else f'removed "{self.gone.name}"'
        quote = self.mentions[0].quote
        return f'this change {became}, but {reference_sites(self.mentions)}: "{quote}"'


class _Candidate(msgspec.Struct, frozen=True):
    file: ChangedFileView
    gone: RemovedOption
    beside: frozenset[str]


class RemovedOptionCheck(OptionCheck):
    """A check of removed options that texts still name."""

    def run(self) -> None:
        for one in self.withdrawn()[:_TOLD_AT_MOST]:
            now = one.gone.now
            span = span_of_line(one.file, now.line) if now else removal_site(one.file, one.gone.was.line)
            self.report(one.file.path, span, one.message)

    def withdrawn(self) -> list[Withdrawn]:
        """Return the removed options that texts still name, by file, in the order of their declarations."""
        candidates = [one for file in self.touched() if _may_lose(file) for one in self._gone(file)]
        if not candidates:
            return []
        names = sorted({one.gone.name for one in candidates})
        naming = frozenset(self.change.project.files_with_word(names, ("*",)))
        alive = self._alive(names, naming)
        left = [one for one in candidates if one.gone.name not in alive]
        return self._named(left, naming) if left else []

    def _gone(self, file: ChangedFileView) -> Iterator[_Candidate]:
        from wardround.semantics.docdrift.cli_options import gone_options

        sides = self.both(file)
        if sides is not None:
            before, after = sides
            beside = frozenset(before.by_name) | frozenset(after.by_name)
            for gone in gone_options(before, after):
                yield _Candidate(file, gone, beside - {gone.name})

    def _alive(self, names: Sequence[str], naming: frozenset[str]) -> frozenset[str]:
        """Return the names that code still defines, or uses as a value."""
        from wardround.semantics.docdrift.doc_files import is_documentation

        left, found = set(names), set()
        changed = {file.path: file for file in self.change.files}
        for path in sorted(naming | set(changed)):
            if not left:
                break
            file = changed.get(path)
            if (file is None and path not in naming) or is_documentation(path):
                continue
            text = file.text if file is not None else self.change.project.read(path)
            come = {name for name in left if text and name in text and _is_value(name, text, path)}
            if file is not None and text:
                come |= {name for name in left if self.may_derive(name, text)}
            found |= come
            left -= come
        return frozenset(found)

    def _named(self, candidates: Sequence[_Candidate], naming: frozenset[str]) -> list[Withdrawn]:
        from wardround.semantics.docdrift.doc_files import WordFile, word_files
        from wardround.semantics.docdrift.references import Document, option_mentions

        found: list[list[Reference]] = [[] for _ in candidates]
        programs = {one.file.path: self.program(one.file.path) for one in candidates}
        for path, kind in word_files(self.change.project, naming):
            text = self.change.project.read(path)
            if not text or "--" not in text:
                continue
            document = Document(path, text)
            for mentions, one in zip(found, candidates, strict=True):
                beside = one.beside if kind is WordFile.PROSE else frozenset[str]()
                mentions.extend(option_mentions(document, one.gone.name, programs[one.file.path], beside))
        told: dict[tuple[str, tuple[Reference, ...]], Withdrawn] = {}
        for mentions, one in zip(found, candidates, strict=True):
            all_mentions = (*mentions, *_own_words(one))
            if all_mentions:  # an option that several files removed is reported once
                key = (one.gone.name, all_mentions)
                told.setdefault(key, Withdrawn(one.file, one.gone, all_mentions))
        return list(told.values())


def _may_lose(file: ChangedFileView) -> bool:
    """Return True if a removed line can have declared an option."""
    return any(_DECLARED.search(line) for line in removed_lines(file))


def _is_value(name: str, text: str, path: str) -> bool:
    """Return True if a text contains a name as a separate string, or as an affix of one that declares it."""
    quotes = "\"'" if path.endswith((".py", ".md")) else "\"'`"
    plain = re.escape(name)
    pattern = rf"""[{quotes}]{plain}(?=[{quotes}=/]|,\s|\s*[<\[])|[/,]\s?{plain}(?=[{quotes}]|\s*[<\[])"""
    return re.search(pattern, text) is not None


def _own_words(one: _Candidate) -> list[Reference]:
    """Return the position at which the file still names the option, in its help or its documentation."""
    from wardround.semantics.docdrift.references import Document, Reference

    document = Document(one.file.path, one.file.text or "")
    name = one.gone.name
    return [Reference(one.file.path, line.number, line.text, name) for line in document.lines_naming(name)]
