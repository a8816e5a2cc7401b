"""Declarations in files of any language, by the line that has the name."""

from __future__ import annotations

import re

from wardround.context.surface.cli_options import options_of
from wardround.release_notes.surfaces.declaration import ABSENT, PRESENCE, Declaration, present

_LONGEST_FORM = 160


def line_declaration(text: str, word: str) -> Declaration:
    """Return the first line with a word as the declaration of it."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    match = pattern.search(text)
    if match is None:
        return ABSENT
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    line = text[start : end if end >= 0 else len(text)]
    return present(" ".join(line.split())[:_LONGEST_FORM])


def option_declaration(path: str, text: str, name: str) -> Declaration:
    """Return the declaration of a command line option: whether it is required, and its values."""
    found = options_of(path, text).get(name)
    if not found:
        return ABSENT
    option = found[0]
    values = "|".join(sorted(option.choices))
    form = f"{name} {{{values}}}" if values else name
    facets = {PRESENCE: "present", "required": str(option.is_required)}
    return Declaration(form, facets | dict.fromkeys(option.choices, "accepted"))
