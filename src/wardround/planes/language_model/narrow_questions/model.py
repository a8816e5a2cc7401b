"""A narrow question as defined in a file: its text, its hunks, and the answer that is a problem."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from wardround.config.language_model import ContextSize
from wardround.findings import Plane
from wardround.lazy import LazyPattern

ANY_LANGUAGE = "shapes"
"""The file of the questions about any language; each other file has the name of a specialist."""

Id = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)+$", max_length=50)]
Resolution = Literal["yes", "no"]


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A condition on a hunk; each part that is present has to hold.

    Attributes:
        paths: patterns of file names, or of paths where they have a slash.
        added, removed: a regular expression for an added or a removed line.
        around: one for any line of the hunk, unchanged ones included.
        shape: the name of a shape of the change.
    """

    paths: tuple[str, ...] = ()
    added: str = ""
    removed: str = ""
    around: str = ""
    shape: str = ""

    def __post_init__(self) -> None:
        if not (self.added or self.removed or self.shape):
            raise ValueError("a condition needs added, removed or shape")


class Scope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hunks that the questions of a file can be about, where a language is also part of other files.

    Attributes:
        files: patterns of the files that are written in the language: all of their hunks.
        elsewhere: a regular expression for the language in other files: the hunks with such a line.
    """

    files: Annotated[tuple[str, ...], Meta(min_length=1)]
    elsewhere: Annotated[str, Meta(min_length=1)]


class NarrowQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question that has the answer yes or no.

    Attributes:
        when: the hunks that it applies to; one of the conditions has to be true.
        context: the least part of the code that an answer needs.
        problem: the answer that becomes a claim.
        message: message of the claim, where the model gives none.
        rules: that report the same problem.
        specialist: whose files it is about; ``ANY_LANGUAGE`` for all. Set by the file that has the question.
        scope: None for all hunks of these files. Set by the file that has the question.
    """

    id: Id
    text: Annotated[str, Meta(pattern=r"\?$", max_length=200)]
    plane: Plane
    when: Annotated[tuple[Condition, ...], Meta(min_length=1)]
    problem: Resolution
    severity: Literal["info", "warn", "error"]
    message: Annotated[str, Meta(min_length=10, max_length=200)]
    context: ContextSize = "hunks"
    rules: tuple[str, ...] = ()
    specialist: str = ""
    scope: Scope | None = None


class QuestionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file with questions."""

    questions: tuple[NarrowQuestion, ...]
    scope: Scope | None = None


class Patterns(msgspec.Struct, frozen=True):
    """The regular expressions of a condition; None for those it does not have."""

    added: LazyPattern | None
    removed: LazyPattern | None
    around: LazyPattern | None

    @classmethod
    def of(cls, condition: Condition) -> Patterns:
        """Return those of a condition."""
        texts = (condition.added, condition.removed, condition.around)
        return cls(*(LazyPattern(text) if text else None for text in texts))
