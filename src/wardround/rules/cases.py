"""Cases of checks: sources that a check must report, and sources that it must not.

A check holds its cases as blocks, in which ``«`` and ``»`` mark the exact span that is reported::

    VALID = [
        code(\"""
            def f(xs=None): ...
        \"""),
    ]
    INVALID = [
        code(\"""
            def f(*, seen=«{}»): ...
        \"""),
    ]

A block begins with a line break. It is dedented, and its last line is dropped if it is blank. Any other
string is used verbatim, apart from the marks. ``Valid``, ``Invalid`` and ``ChangeCase`` contain verbatim
strings, for sources that contain ``«`` or ``»``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from wardround.findings import Span

START, END = "«", "»"


class Valid(msgspec.Struct, frozen=True):
    """A case a check must not report. ``others`` are further files of the project, by path."""

    source: str
    path: str = "case.py"
    base: str | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)


class Invalid(msgspec.Struct, frozen=True):
    """A case a check must report once, at exactly this position.

    Attributes:
        fixed: the file after the fix of the finding, if it has one.
        end: the (line, column) at which the reported span ends, if it is known.
    """

    source: str
    line: int
    column: int
    path: str = "case.py"
    base: str | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)
    fixed: str | None = None
    end: tuple[int, int] | None = None


class ChangeCase(msgspec.Struct, frozen=True):
    """A change given as the texts of its files: (before, after) by path, None if the file does not exist.

    Attributes:
        place: the (path, line, column) of the only expected finding, None if none is expected.
        others: the files the change does not touch.
        message: the message of the commit.
        end: the (line, column) at which the reported span ends, if it is known.
    """

    files: Mapping[str, tuple[str | None, str | None]]
    place: tuple[str, int, int] | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)
    message: str = ""
    end: tuple[int, int] | None = None


class MarkedCode(msgspec.Struct, frozen=True):
    """A case of one file as its check contains it; ``parse_code`` parses it."""

    text: str
    path: str = ""
    base: str | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)
    fixed: str | None = None


class MarkedChange(msgspec.Struct, frozen=True):
    """A case of a change as its check contains it; ``parse_change`` parses it."""

    files: Mapping[str, tuple[str | None, str | None]]
    others: Mapping[str, str] = msgspec.field(default_factory=dict)
    message: str = ""


Case = str | Valid | Invalid | MarkedCode | ChangeCase | MarkedChange


def code(
    text: str,
    *,
    path: str = "",
    base: str | None = None,
    others: Mapping[str, str] | None = None,
    fixed: str | None = None,
) -> MarkedCode:
    """Return a case of one file, unparsed: importing a check parses none of its cases.

    Args:
        text: the file under review, with marks if it must be reported.
        path: path of the file; if empty, the check's ``CASE_PATH``.
        base: the file before the change, if it existed.
        others: further files of the project, by path.
        fixed: the file after the fix of the finding.
    """
    return MarkedCode(text, path, base, others or {}, fixed)


def change(
    files: Mapping[str, tuple[str | None, str | None]],
    *,
    others: Mapping[str, str] | None = None,
    message: str = "",
) -> MarkedChange:
    """Return a case of a change, unparsed.

    Args:
        files: (before, after) by path, None where the file does not exist. The marks are in the text after
            the change, or in the one before it if the change deletes the file.
        others: the files the change does not touch, by path.
        message: the message of the commit.
    """
    return MarkedChange(files, others or {}, message)


def parse_code(case: str | Valid | Invalid | MarkedCode, path: str = "case.py") -> Valid | Invalid:
    """Parse a case of one file; it is an ``Invalid`` if it has marks.

    Args:
        path: path of the file, if the case does not name it.

    Raises:
        ValueError: the marks are incomplete.
    """
    if isinstance(case, str):
        return Valid(case, path)
    if not isinstance(case, MarkedCode):
        return case
    others = {name: dedent(text) for name, text in case.others.items()}
    return parse_text(
        dedent(case.text), case.path or path, _dedent_block(case.base), others, _dedent_block(case.fixed)
    )


def parse_text(
    text: str,
    path: str,
    base: str | None = None,
    others: Mapping[str, str] | None = None,
    fixed: str | None = None,
) -> Valid | Invalid:
    """Parse a case whose texts are not indented, as in YAML files; see ``parse_code``."""
    source, span = unmark(text)
    if span is None:
        return Valid(source, path, base, others or {})
    end = (span.end_line, span.end_column)
    return Invalid(source, span.line, span.column, path, base, others or {}, fixed, end)


def parse_change(case: ChangeCase | MarkedChange) -> ChangeCase:
    """Parse a case of a change; it has a ``place`` if one of its texts has marks.

    Raises:
        ValueError: the marks are incomplete, or more than one text has marks.
    """
    if isinstance(case, ChangeCase):
        return case
    files = {
        path: (_dedent_block(before), _dedent_block(after)) for path, (before, after) in case.files.items()
    }
    others = {name: dedent(text) for name, text in case.others.items()}
    return parse_change_texts(files, others, case.message)


def parse_change_texts(
    texts: Mapping[str, tuple[str | None, str | None]], others: Mapping[str, str], message: str
) -> ChangeCase:
    """Parse a change whose texts are not indented, as in YAML files; see ``parse_change``."""
    files: dict[str, tuple[str | None, str | None]] = {}
    marked: list[tuple[str, Span]] = []
    for path, (base, head) in texts.items():
        (before, old_span), (after, new_span) = _unmark_side(base), _unmark_side(head)
        files[path] = (before, after)
        marked += [(path, span) for span in (old_span, new_span) if span]
    if not marked:
        return ChangeCase(files, None, others, message)
    if len(marked) > 1:
        raise ValueError(f"more than one text of a change has marks: {', '.join(path for path, _ in marked)}")
    path, span = marked[0]
    return ChangeCase(files, (path, *span.start), others, message, (span.end_line, span.end_column))


def _unmark_side(text: str | None) -> tuple[str | None, Span | None]:
    """Return the text of one side without marks, and the marked span; None if the file is not there."""
    return (None, None) if text is None else unmark(text)


def dedent(text: str) -> str:
    """Return a block without its indentation and its frame; any other string unchanged."""
    if not text.startswith("\n"):
        return text
    lines = text[1:].split("\n")
    if not lines[-1].strip(" "):
        lines[-1] = ""
    margin = min(_margins(lines), default=0)
    return "\n".join(line[margin:] for line in lines)


def _dedent_block(text: str | None) -> str | None:
    return None if text is None else dedent(text)


def _margins(lines: Iterable[str]) -> Iterable[int]:
    return (len(line) - len(line.lstrip(" ")) for line in lines if line.strip(" "))


def unmark(text: str) -> tuple[str, Span | None]:
    """Return a text without its marks, and the span between them.

    Raises:
        ValueError: the text has one mark without the other, or more than one pair.
    """
    before, start, rest = text.partition(START)
    inside, end, after = rest.partition(END)
    if bool(start) != bool(end) or START in inside + after or END in before + after:
        raise ValueError(f"a case has one pair of marks, {START} before {END}: {text!r}")
    if not start:
        return text, None
    return before + inside + after, Span(*_position(before), *_position(before + inside))


def _position(before: str) -> tuple[int, int]:
    """Return the 1-based line and column at the end of a text."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")
