"""Declarations in modules of TypeScript and JavaScript: the head of a function, a class or a type."""

from __future__ import annotations

import re

from wardround.context.code_graph.extraction import read_file
from wardround.context.surface.script_declarations import parameters
from wardround.release_notes.surfaces.declaration import ABSENT, PRESENCE, Declaration, present
from wardround.release_notes.surfaces.text_declaration import line_declaration

_MOST_LINES = 12
_BODY = re.compile(r"\{|=>")
_MODIFIERS = re.compile(r"^(?:(?:export|default|declare|async|public|static|readonly|abstract) ){1,6}")
_LONGEST_FORM = 160


def script_declaration(path: str, text: str, name: str) -> Declaration:
    """Return the declaration of an export or of a member of one, qualified such as ``Queue.add``."""
    symbols = read_file(path, text.encode("utf-8", "surrogateescape")).facts.symbols[1:]
    symbol = next((symbol for symbol in symbols if symbol.name == name), None)
    if symbol is None:
        return line_declaration(text, name) if "." not in name else ABSENT
    lines = text.split("\n")[symbol.line - 1 : min(symbol.end_line, symbol.line - 1 + _MOST_LINES)]
    found = present(_head(lines))
    signature = parameters(path, text).get(name)
    if signature is None:
        return found
    counts = {"required": str(signature.required), "most": str(signature.most)}
    return Declaration(found.form, {PRESENCE: "present", **counts})


def _head(lines: list[str]) -> str:
    """Return the lines of a declaration up to its body, as one."""
    own = " ".join(" ".join(lines).split())
    return _MODIFIERS.sub("", _BODY.split(own, maxsplit=1)[0])[:_LONGEST_FORM].rstrip(" =;,")
