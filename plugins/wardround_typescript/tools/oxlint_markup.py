"""Tests for the defects that oxlint's codes about markup are named after."""

from __future__ import annotations

import re

from wardround.findings import RawFinding
from wardround_typescript.tools.linted_file import LintedFile, rest_of_line

_SCREEN = 25
_REL_OF_NAME = r"\brel=\{\s*(?!(?:null|true|false|undefined)\b)[A-Za-z_$][\w$.?]*(?:\([^{}]*\))?\s*\}"
_REL_WITHOUT_OPENER = r"\brel=(?:\{\s*)?[\"'`][^\"'`]*\bnoopener\b"
_HREF_OF_CONSTANT = r"\bhref=\{\s*[A-Z][A-Z0-9_]+\s*\}"
_LABEL_AND_CONTROL = (
    r"<label(?![^>]*(?:htmlFor|\{\.\.\.))[^>]*>[^<{]*</label>\s*"
    r"<(?:input|select|textarea)\b(?![^>]*aria-label)"
)
_NEAR = 4


def _tag(result: RawFinding, file: LintedFile) -> str:
    """Return the opening tag around a position, if it is not longer than a screen."""
    first = max(result.span.line - _SCREEN, 1)
    before = "\n".join([*file.lines[first - 1 : result.span.line - 1], ""])
    near = before + "\n".join(file.lines[result.span.line - 1 : result.span.line + _SCREEN])
    tag = re.match(r"<(?:=>|[^>])*", near[max(near.rfind("<", 0, len(before) + result.span.column), 0) :])
    return tag[0] if tag else ""


def opens_bare(result: RawFinding, file: LintedFile) -> bool:
    """Return True for a link without ``rel``, or with an ineffective one; expressions count as effective.

    ``noopener`` alone is effective in every browser that React supports.

    A constant of the program is a trusted address.
    """
    tag = _tag(result, file)
    return not any(re.search(safe, tag) for safe in (_REL_OF_NAME, _REL_WITHOUT_OPENER, _HREF_OF_CONSTANT))


def is_bound(result: RawFinding, file: LintedFile) -> bool:
    """Return False if a spread may provide the handler of an input."""
    return "{..." not in _tag(result, file)


def is_empty_element(result: RawFinding, file: LintedFile) -> bool:
    """Return True for an element without content or attributes that may fill it."""
    tag = _tag(result, file)
    closed = "\n".join(file.lines[result.span.line - 1 : result.span.line + _SCREEN]).partition(tag + ">")[2]
    return "{..." not in tag and not tag.endswith("/") and "children" not in tag and closed.startswith("</")


def precedes_control(result: RawFinding, file: LintedFile) -> bool:
    """Return True for a label of plain text directly before a native input element."""
    near = "\n".join([rest_of_line(result, file), *file.lines[result.span.line : result.span.line + _NEAR]])
    return re.match(_LABEL_AND_CONTROL, near) is not None


def is_of_page(result: RawFinding, file: LintedFile) -> bool:
    """Return True for an HTML element; a component defines the types of its own properties."""
    return re.match(r"<[A-Z]", _tag(result, file)) is None
