"""What the checks of command lines share, whatever language declares their options.

It is imported for every review; what it takes to compare two versions is imported when one may differ.
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
"""Options of a change that are told of one by one."""
_DECLARED = LazyPattern(r"--[A-Za-z][\w-]+|\b[oO]ption\(|addoption\(")
_FILES_AT_MOST = 40


class OptionCheck(ChangeCheck):
    """A check of the options a change touches; a language says how it declares them."""

    PLANE: ClassVar[Plane] = Plane.CONTRACT

    def may_declare(self, text: str) -> bool:
        """Whether a text can declare an option; a cheap look."""
        return any(word in text for word in self.WORDS)

    @abstractmethod
    def command_line(self, path: str, text: str) -> CommandLine | None:
        """The options a file declares; None if it cannot be read."""

    @abstractmethod
    def program(self, path: str) -> ProgramName:
        """What the program is called that a file declares options of."""

    @abstractmethod
    def may_derive(self, name: str, text: str) -> bool:
        """Whether a library may make an option of a parameter, field or key of a file."""

    @abstractmethod
    def is_test(self, path: str) -> bool:
        """Whether a file is a test by its path, whose options are nobody's."""

    def touched(self) -> Iterator[ChangedFileView]:
        """The files whose declarations may differ."""
        for file in self.change.files:
            if not file.path.endswith(self.PATHS) or self.is_test(file.path):
                continue
            if file.text is None or file.base_text is None:
                continue
            if self.may_declare(file.base_text) and file.text != file.base_text:
                yield file

    def both(self, file: ChangedFileView) -> tuple[CommandLine, CommandLine] | None:
        """What a file declared before the change and declares now."""
        before = self.command_line(file.base_path or file.path, file.base_text or "")
        after = (
            self.command_line(file.path, file.text or "") if before is not None and before.options else None
        )
        return None if before is None or after is None else (before, after)


class Withdrawn(msgspec.Struct, frozen=True):
    """An option that is declared nowhere any more, and the words that name it."""

    file: ChangedFileView
    gone: RemovedOption
    mentions: tuple[Reference, ...]

    @property
    def message(self) -> str:
        from wardround.semantics.docdrift.references import reference_sites

        now = self.gone.now
        became = f'renamed "{self.gone.name}" to "{now.names[0]}"' if now else f'took out "{self.gone.name}"'
        quote = self.mentions[0].quote
        return f'this change {became}, but {reference_sites(self.mentions)}: "{quote}"'


class _Candidate(msgspec.Struct, frozen=True):
    file: ChangedFileView
    gone: RemovedOption
    beside: frozenset[str]


class RemovedOptionCheck(OptionCheck):
    """A check of options that a change took out while words still name them."""

    def run(self) -> None:
        for one in self.withdrawn()[:_TOLD_AT_MOST]:
            now = one.gone.now
            span = span_of_line(one.file, now.line) if now else removal_site(one.file, one.gone.was.line)
            self.report(one.file.path, span, one.message)

    def withdrawn(self) -> list[Withdrawn]:
        """The options that are gone and still named, by file, in the order they were declared."""
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
        """The names that code still gives a meaning, or uses as a value of its own."""
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
            if all_mentions:  # an option that several files took out is told of once
                key = (one.gone.name, all_mentions)
                told.setdefault(key, Withdrawn(one.file, one.gone, all_mentions))
        return list(told.values())


def _may_lose(file: ChangedFileView) -> bool:
    """Whether a removed line can have declared an option."""
    return any(_DECLARED.search(line) for line in removed_lines(file))


def _is_value(name: str, text: str, path: str) -> bool:
    """Whether a name stands in a text as a string of its own, or begins or ends one that declares it."""
    quotes = "\"'" if path.endswith((".py", ".md")) else "\"'`"
    plain = re.escape(name)
    pattern = rf"""[{quotes}]{plain}(?=[{quotes}=/]|,\s|\s*[<\[])|[/,]\s?{plain}(?=[{quotes}]|\s*[<\[])"""
    return re.search(pattern, text) is not None


def _own_words(one: _Candidate) -> list[Reference]:
    """Where the file itself still names the option, in its help or its documentation."""
    from wardround.semantics.docdrift.references import Document, Reference

    document = Document(one.file.path, one.file.text or "")
    name = one.gone.name
    return [Reference(one.file.path, line.number, line.text, name) for line in document.lines_naming(name)]
