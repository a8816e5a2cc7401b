"""Helm templates as YAML of the same length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern

_ACTION = LazyPattern(r"\{\{.*?\}\}", re.DOTALL)
_ONLY_ACTIONS = LazyPattern(r"^[ \t]*(?:\{\{(?:(?!\}\}).)*\}\}[ \t]*)+$", re.MULTILINE | re.DOTALL)
_BLOCK_BOUNDARY = LazyPattern(r"\{\{-?\s*(?:/\*|(if|with|range|define|block|end|else)\b)")
_OBJECT_KEY = LazyPattern(r"^\s*(?:kind|spec|containers|template):", re.MULTILINE)


def blank_actions(text: str) -> str:
    """Return a template as YAML of the same length: lines of actions are blank, values are ``$$$``.

    Conditional parts are blank too, because the values determine them.
    """
    pieces, end_of_last = [], 0
    for start, end in sorted(_conditional_bodies(text)):
        if start >= end_of_last:  # a nested part is blank already
            pieces += [text[end_of_last:start], _blank(text[start:end])]
            end_of_last = end
    text = "".join((*pieces, text[end_of_last:]))
    plain = _ONLY_ACTIONS.sub(lambda action: _blank(action.group()), text)
    return _ACTION.sub(lambda action: re.sub(r"[^\n]", "$", action.group()), plain)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _conditional_bodies(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bodies of ``if`` and ``with``, except those around an entire object."""
    open_blocks: list[tuple[str, int]] = []
    for boundary in _BLOCK_BOUNDARY.finditer(text):
        word = boundary.group(1)
        if word in ("if", "with", "range", "define", "block"):
            open_blocks.append((word, boundary.start()))
        elif word == "end" and open_blocks:
            word, start = open_blocks.pop()
            if word in ("if", "with") and not _OBJECT_KEY.search(text, start, boundary.start()):
                yield text.find("}}", start) + 2, boundary.start()
