"""A documented callable before and after a change, as language-independent values."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wardround.text.stemming import stem
from wardround.text.tokens import KEYWORDS, NAME, NUMBER, marked_names, stems_of, stems_of_name, tokens


class Style(enum.StrEnum):
    """How the parameters of a callable are documented."""

    PLAIN = "plain"
    GOOGLE = "google"
    NUMPY = "numpy"
    SPHINX = "sphinx"
    JSDOC = "jsdoc"


@dataclass(frozen=True, slots=True)
class DocEntry:
    """One documented parameter or error.

    Attributes:
        text: its description, without its name.
        line: its 0-based line in the documentation.
    """

    name: str
    text: str
    line: int


@dataclass(frozen=True)
class DocComment:
    """The documentation of a callable.

    Attributes:
        text: line by line; statements about older versions are blanked out.
        told_history: True if anything was blanked out.
        returns: the description of the result; None without a section about it.
    """

    text: str
    parameters: tuple[DocEntry, ...] = ()
    raises: tuple[DocEntry, ...] = ()
    returns: str | None = None
    yields: str | None = None
    style: Style = Style.PLAIN
    told_history: bool = False

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def names(self) -> list[str]:
        """Every word, in order."""
        return NAME.findall(self.text)

    @cached_property
    def named(self) -> frozenset[str]:
        return frozenset(self.names)

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(NUMBER.findall(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems_of(self.named)

    @cached_property
    def marked(self) -> frozenset[str]:
        """The names marked as code, those of documented parameters included."""
        return marked_names(self.text) | {entry.name for entry in self.parameters}

    @cached_property
    def summary(self) -> str:
        """The first paragraph."""
        return self.text.strip().partition("\n\n")[0]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter; ``default`` is the source of its default."""

    name: str
    default: str | None = None


@dataclass(frozen=True)
class DocumentedSignature:
    """The declaration of a callable.

    Attributes:
        parameters: in order, without variadic parameters and the receiver.
        open_ended: it accepts keywords that it does not name.
        collectors: the names of the variadic parameters.
    """

    parameters: tuple[Parameter, ...] = ()
    open_ended: bool = False
    collectors: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @cached_property
    def defaults(self) -> dict[str, str]:
        return {p.name: p.default for p in self.parameters if p.default is not None}


@dataclass(frozen=True)
class DocumentedCode:
    """The base or head version of a callable, without formatting, comments, documentation and type
    annotations.

    Attributes:
        lines: the normalised source, one statement or header per line, without indentation.
        returns: the source of every returned value; "" if nothing is returned.
        raises: the names of the errors raised.
        wrappers: the source of its decorators.
    """

    lines: tuple[str, ...]
    signature: DocumentedSignature = field(default_factory=DocumentedSignature)
    returns: tuple[str, ...] = ()
    yields: bool = False
    raises: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()

    @cached_property
    def tokens(self) -> list[tuple[str, str]]:
        return [token for line in self.lines for token in tokens(line)]

    @cached_property
    def names(self) -> frozenset[str]:
        return _names(self.tokens)

    @cached_property
    def literals(self) -> frozenset[str]:
        """The values of strings and numbers."""
        return frozenset(text for kind, text in self.tokens if kind in ("string", "number"))

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems_of(self.names) | {
            stem for text in self.literals for word in NAME.findall(text) for stem in stems_of_name(word)
        }


def _names(found: Iterable[tuple[str, str]]) -> frozenset[str]:
    return frozenset(text for kind, text in found if kind == "name" and text not in KEYWORDS)


@dataclass(frozen=True)
class Delta:
    """The removed and added parts of a piece of code, regardless of order and depth."""

    old_lines: tuple[str, ...]
    new_lines: tuple[str, ...]

    @cached_property
    def removed(self) -> Counter[tuple[str, str]]:
        """The tokens of removed lines that the added ones don't have."""
        return _count_tokens(self.old_lines) - _count_tokens(self.new_lines)

    @cached_property
    def added(self) -> Counter[tuple[str, str]]:
        return _count_tokens(self.new_lines) - _count_tokens(self.old_lines)

    @classmethod
    def between(cls, old: Sequence[str], new: Sequence[str]) -> Delta:
        return cls(
            tuple((Counter(old) - Counter(new)).elements()), tuple((Counter(new) - Counter(old)).elements())
        )


def _count_tokens(lines: Sequence[str]) -> Counter[tuple[str, str]]:
    return Counter(token for line in lines for token in tokens(line))


@dataclass(frozen=True)
class DocumentedChange:
    """A callable whose code changed, and its documentation from before the change.

    Attributes:
        name: qualified: ``Mailer.send``.
        around: the code of the file after the change, without documentation; "" if it is not known. It must
            not include the new documentation, whose names would reveal whether it was changed.
    """

    name: str
    words: DocComment
    old: DocumentedCode
    new: DocumentedCode
    around: str = ""

    @cached_property
    def delta(self) -> Delta:
        return Delta.between(self.old.lines, self.new.lines)

    @cached_property
    def removed(self) -> frozenset[str]:
        """The names that the change removed and that do not occur in the new code."""
        return _names(self.delta.removed) - self.new.names

    @cached_property
    def added(self) -> frozenset[str]:
        """The names that are new to the code."""
        return _names(self.delta.added) - self.old.names

    @cached_property
    def removed_literals(self) -> frozenset[str]:
        """The strings and numbers that the change removed and that the new code contains in no form."""
        removed = {text for kind, text in self.delta.removed if kind in ("string", "number")}
        return frozenset(removed - self.new.literals - self.new.names)

    @cached_property
    def around_names(self) -> frozenset[str]:
        """Every name of the file after the change."""
        return frozenset(NAME.findall(self.around))

    @property
    def simple_name(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def is_public(self) -> bool:
        """True if no part of the name starts with an underscore; names like ``__init__`` are public."""
        return not any(
            part.startswith("_") and not (part.startswith("__") and part.endswith("__"))
            for part in self.name.split(".")
        )


@dataclass(frozen=True, slots=True)
class DocumentedPair:
    """A documented callable whose code differs between two versions of a file.

    Attributes:
        words_before: its old documentation.
        words_after: its new documentation; None if there is none.
        line: its first line in the new text, 1-based.
        words_line: the line of the new text, 1-based, on which its documentation starts.
    """

    change: DocumentedChange
    words_before: str
    words_after: str | None
    line: int
    words_line: int

    @property
    def is_documentation_changed(self) -> bool:
        """True if the change touched the documentation, even by a blank line."""
        return self.words_after is None or self.words_before.strip() != self.words_after.strip()


def mentions_any(words: frozenset[str], *expected: str) -> bool:
    """Return True if the stems contain one of some English words."""
    return any(stem(word) in words for word in expected)
