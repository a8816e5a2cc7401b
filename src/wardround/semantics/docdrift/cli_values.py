"""Defaults and choices of options that a change modified, while texts still state the old ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.semantics.docdrift.cli_checks import OptionCheck
from wardround.semantics.semdiff.line_diff import removed_lines, span_of_line

if TYPE_CHECKING:
    from wardround.semantics.docdrift.cli_options import ChangedValues, Option
    from wardround.semantics.docdrift.references import Document, Reference

_VALUES = LazyPattern(r"default|choices|Choice|[oO]ption\(|add_argument|addoption|^\s*[A-Z][A-Z0-9_]+\s*[:=]")
_BELOW = 3
"""The number of lines below the name of an option that still describe it."""
_LONGEST_VALUE = 60
_HEADER = LazyPattern(r"\|[^|\n]*\bdefault\b[^|\n]*\|", re.IGNORECASE)
_ANY_OPTION = LazyPattern(r"(?<![\w-])--[A-Za-z]")


class OutdatedOptionValue(msgspec.Struct, frozen=True):
    """A text about an option that states a value the change replaced.

    Attributes:
        said: the stated value.
        now: the current value, or the choices.
        where: the text; None if it is the option's own help.
    """

    option: ChangedValues
    said: str
    now: str
    phrase: str
    where: Reference | None = None


class StaleValueCheck(OptionCheck):
    """A check of options whose values a change modified."""

    def run(self) -> None:
        for file in self.touched():
            for stale in self.stale(file):
                self.report(file.path, span_of_line(file, _line_of(stale, file)), _message(stale))

    def may_differ(self, file: ChangedFileView) -> bool:
        """Return True if a removed line can have contained a value; a prefilter."""
        return any(_VALUES.search(line) for line in removed_lines(file))

    def stale(self, file: ChangedFileView) -> list[OutdatedOptionValue]:
        """Return the outdated statements about the options of a file with changed values, one for each."""
        sides = self.both(file) if self.may_differ(file) else None
        if sides is None:
            return []
        from wardround.semantics.docdrift.cli_options import other_values

        found, left = [], []
        for one in other_values(*sides):
            own = stale_in(one, one.now.help)
            found += [own] if own else []
            left += [] if own else [one]
        beside = frozenset(sides[0].by_name) | frozenset(sides[1].by_name)
        return [*found, *self._in_documents(file, left, beside)] if left else found

    def _in_documents(
        self, file: ChangedFileView, options: list[ChangedValues], beside: frozenset[str]
    ) -> Iterator[OutdatedOptionValue]:
        from wardround.semantics.docdrift.doc_files import WordFile, word_files
        from wardround.semantics.docdrift.references import Document, option_mentions

        project = self.change.project
        naming = frozenset(project.files_with_word(sorted({one.name for one in options}), ("*",)))
        program = self.program(file.path)
        left = list(options)
        for path, kind in word_files(project, naming):
            text = project.read(path) if kind is WordFile.PROSE and left else None
            if not text or "--" not in text:
                continue
            document = Document(path, text)
            for one in list(left):
                mentions = option_mentions(document, one.name, program, beside - set(one.now.names))
                said = next((s for m in mentions if (s := _in_document(one, document, m))), None)
                if said is not None:
                    left.remove(one)
                    yield said


def stale_in(one: ChangedValues, words: str) -> OutdatedOptionValue | None:
    """Return the outdated statement in a text about an option."""
    if one.default is not None:
        old, new = one.default
        phrase = stated_default(words, old)
        if phrase is not None and stated_default(words, new) is None:
            return OutdatedOptionValue(one, old, new, phrase)
    for choice in one.gone_choices:
        phrase = _listed(choice, one.now.choices, words)
        if phrase is not None:
            return OutdatedOptionValue(one, choice, ", ".join(one.now.choices), phrase)
    return None


def stated_default(words: str, value: str) -> str | None:
    """Return the phrase that states a value as the default; None if there is none."""
    if not value.strip() or len(value) > _LONGEST_VALUE:
        return None
    match = re.search(
        rf"\bdefault(?:s|ed)?\b(?:\s+value)?(?:\s+(?:is|to|are|as))?\s{{0,4}}[:=]?\s{{0,4}}[`'\"*(\[]{{0,4}}"
        rf"{re.escape(value)}(?![\w.-]*\w|\.\d|%)",
        words,
        re.IGNORECASE,
    )
    return " ".join(match[0].split()) if match else None


def _listed(choice: str, now: tuple[str, ...], words: str) -> str | None:
    """Return the line that lists a removed choice with a remaining one."""
    if len(choice) < 2:
        return None
    for line in words.split("\n"):
        if (
            _stands(choice, line)
            and any(_stands(one, line) for one in now)
            and not _stands_in_any(choice, now)
        ):
            return " ".join(line.split())
    return None


def _stands(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def _stands_in_any(word: str, others: tuple[str, ...]) -> bool:
    return any(word in other for other in others)


def _in_document(one: ChangedValues, document: Document, mention: Reference) -> OutdatedOptionValue | None:
    """Return the statement in a document below an option's name, or next to it in a table."""
    lines = document.lines
    text = [mention.text]
    for line in lines[mention.line : mention.line + _BELOW]:
        if _ANY_OPTION.search(line.text) or line.text.startswith("#"):
            break
        text.append(line.text)
    found = stale_in(one, "\n".join(text))
    if found is None and one.default is not None and mention.text.count("|") > 1:
        found = _in_table(one, document, mention)
    return None if found is None else OutdatedOptionValue(one, found.said, found.now, found.phrase, mention)


def _in_table(one: ChangedValues, document: Document, mention: Reference) -> OutdatedOptionValue | None:
    assert one.default is not None
    old, new = one.default
    cells = [cell.strip(" `'\"*") for cell in mention.text.split("|")]
    if old not in cells or new in cells:
        return None
    number = mention.line - 1
    while number > 0 and "|" in document.lines[number - 1].text:
        number -= 1
    is_told = _HEADER.search(document.lines[number].text) is not None
    return OutdatedOptionValue(one, old, new, mention.quote) if is_told else None


def _line_of(stale: OutdatedOptionValue, file: ChangedFileView) -> int:
    """Return the line of the option's help that states the old value; else that with the new one."""
    now: Option = stale.option.now
    lines = (file.text or "").split("\n")
    within = range(now.line, min(now.end_line, len(lines)) + 1)
    if stale.where is None:
        telling = (n for n in within if n >= now.help_line and _stands(stale.said, lines[n - 1]))
        return next(telling, now.help_line or now.line)
    return next((n for n in within if file.is_added(n)), now.line)


def _message(stale: OutdatedOptionValue) -> str:
    from wardround.semantics.docdrift.references import QUOTED_AT_MOST

    where = "its help" if stale.where is None else stale.where.place
    quote = (
        stale.phrase
        if len(stale.phrase) <= QUOTED_AT_MOST
        else f"{stale.phrase[: QUOTED_AT_MOST - 1].rstrip()}…"
    )
    name = stale.option.name
    if stale.option.default is not None and stale.said == stale.option.default[0]:
        did = f'gave "{name}" the default "{stale.now}"'
    else:
        did = f'removed "{stale.said}" from the values of "{name}"'
    return f'this change {did}, but {where} still says "{quote}"'
