"""The comments by which tools ignore findings, as the tools declare them.

``context.added_ignores`` blanks them in copies of files, and ``processors.tool_suppressions`` reports those
that a change adds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from wardround.lazy import LazyPattern

_OF_WARDROUND = "wardround:"


class CommentForm(msgspec.Struct, frozen=True):
    """A position of ignore comments in files of one kind.

    Attributes:
        files: patterns of file names.
        opener: the text that must precede the comment on its line, from which it is reported; empty: none. It
            is searched first: a single pattern would be tried again at each opener of the line.
    """

    files: tuple[str, ...]
    opener: str = ""

    @property
    def is_of_any_file(self) -> bool:
        """is_of_any_file: True if it applies to all kinds of files."""
        return self.files == ("*",)


ANY_FILE = CommentForm(("*",))
ANY_COMMENT = CommentForm(("*",), r"#|//|/\*|--|<!--")


class IgnoreComment(msgspec.Struct, frozen=True):
    """Comments by which a tool ignores findings, as regular expressions.

    Attributes:
        blanked: matches them in any file, in upper and lower case.
        words: one of them, in lower case, is in each such comment: a cheap test for files without any.
        reported: by form, those that are reported where a change adds them; the group is the reported text.
        region: those of ``blanked`` that apply to more than a line or a statement.
        region_end: the comments that end such a region: where the change removes one, the region grows.
        after_reason: begins such a comment after a ``#``, at which the reason of another one ends.
        settings: beginnings of lines that are settings of the tool, for which no reason counts.
    """

    blanked: str = ""
    words: tuple[str, ...] = ()
    reported: tuple[tuple[CommentForm, str], ...] = ()
    region: str = ""
    region_end: str = ""
    after_reason: str = ""
    settings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.blanked and not self.words:
            raise ValueError(f"words is empty: one of them must be in each comment like {self.blanked}")


class IgnoreComments:
    """The ignore comments of all tools."""

    def __init__(self, comments: Iterable[IgnoreComment]) -> None:
        self._comments = tuple(dict.fromkeys(comments))

    @cached_property
    def ignore(self) -> LazyPattern:
        """Matches a comment of any tool."""
        return _any_of(comment.blanked for comment in self._comments)

    @cached_property
    def region(self) -> LazyPattern:
        """Matches a comment that holds for more than a line or a statement."""
        return _any_of(comment.region for comment in self._comments)

    @cached_property
    def region_end(self) -> LazyPattern:
        """Matches a comment that ends such a region."""
        return _any_of(comment.region_end for comment in self._comments)

    @cached_property
    def after_reason(self) -> LazyPattern:
        """Matches the beginning of a comment after the reason of another one."""
        openings = filter(None, (comment.after_reason for comment in self._comments))
        return LazyPattern(rf"(?i)#\s*(?:{'|'.join((*openings, _OF_WARDROUND))})")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Each comment has one of these words, in lower case."""
        return tuple(dict.fromkeys(word for comment in self._comments for word in comment.words))

    @cached_property
    def settings(self) -> tuple[str, ...]:
        """The beginnings of lines for which no reason counts."""
        return tuple(start for comment in self._comments for start in comment.settings)

    @cached_property
    def forms(self) -> Sequence[CommentForm]:
        """The forms of reported comments, those for one kind of files first: the order of preference, if a
        line has comments of several forms.
        """
        forms = dict.fromkeys(form for comment in self._comments for form, _ in comment.reported)
        return sorted(forms, key=lambda form: form.is_of_any_file)

    def reported_pattern(self, form: CommentForm) -> LazyPattern:
        """Return the comments of one form that are reported; the last group that matches is the reported
        text.
        """
        patterns: list[str] = []
        for comment in self._comments:
            patterns += [pattern for its_form, pattern in comment.reported if its_form == form]
        return LazyPattern("|".join(patterns))


def _any_of(patterns: Iterable[str]) -> LazyPattern:
    """Return a pattern that matches if one of the patterns does; never if there is none."""
    return LazyPattern("|".join(filter(None, patterns)) or r"(?!)", re.IGNORECASE)
