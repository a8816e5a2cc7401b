"""A kind of declared name, and the text that declares and uses it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from wardround.lazy import LazyPattern

AUTOMATION = ("*.yml", "*.yaml", "*.sh", "*Makefile", "*Dockerfile*", "*.json", "*.toml", "*justfile", "*.mk",
              "*.husky/*", "*Jenkinsfile", "*.cfg", "*.ini")  # fmt: skip
CODE = ("*.py", "*.ts", "*.tsx", "*.js", "*.jsx", "*.mjs", "*.vue", "*.svelte")
NEVER = r"(?!)"
"""A pattern that matches nothing."""


class Kind(NamedTuple):
    """A kind of declaration.

    Attributes:
        label: the kind in a message.
        read: (path, text) -> the declared names with their lines.
        used: (name, path of the declaration) -> the pattern of a use; the group ``use`` is its place.
        patterns: the files that have uses.
        declared: name -> the pattern of any other declaration, which keeps the name valid.
        declaring: the files that may have one.
        is_in_file: uses in the declaring file count too.
        is_translated: the declaring files are translations, which other rules skip.
    """

    label: str
    read: Callable[[str, str], Mapping[str, int]]
    used: Callable[[str, str], str]
    patterns: tuple[str, ...]
    declared: Callable[[str], str] = lambda name: NEVER
    declaring: tuple[str, ...] = ()
    is_in_file: bool = False
    is_translated: bool = False


def line_at(text: str, offset: int) -> int:
    """Return the 1-based line of an offset."""
    return text.count("\n", 0, offset) + 1


def matches(text: str, pattern: LazyPattern) -> dict[str, int]:
    """Return what the first group of a pattern matches, with the lines."""
    return {match[1]: line_at(text, match.start(1)) for match in pattern.finditer(text)}


def keys_of_block(block: str, start: int, text: str) -> dict[str, int]:
    """Return the outermost keys of an indented block of YAML that begins at an offset."""
    keys = [*re.finditer(r"(?m)^([ ]+)([\w.-]+):", block)]
    depth = min((len(key[1]) for key in keys), default=0)
    return {key[2]: line_at(text, start + key.start(2)) for key in keys if len(key[1]) == depth}
