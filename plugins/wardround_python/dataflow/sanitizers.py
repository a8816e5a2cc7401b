"""Sanitizers and guards beyond plain names: methods by their arguments, patterns, names of tests."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import reduce
from operator import or_

from wardround.lazy import LazyPattern
from wardround_python.dataflow.catalogue import SANITIZERS
from wardround_python.dataflow.domain import CLEAN, SinkKind, Taint, encode_taint

_PAGES = SinkKind.HTML | SinkKind.PAGE | SinkKind.SCRIPT
SANITIZED: Mapping[str, SinkKind] = {
    name: reduce(or_, (SinkKind[kind.upper()] for kind in kinds))
    for name, kinds in SANITIZERS.sanitizers.items()
}
"""Last part of a function's name -> the kinds of sink for which its result is harmless."""


def undone_later(name: str, value: Taint) -> Taint:
    """Return the taint that decoding restores after a reversible sanitizer."""
    return encode_taint(value) if name in SANITIZERS.reversible else CLEAN


_LINE_ENDS = frozenset({"\n", "\r", "\r\n"})


def sanitized_by_method(call: ast.Call, func: ast.Attribute) -> SinkKind:
    """Return the kinds of sink a method sanitizes its receiver for."""
    match func.attr:
        case "encode" | "splitlines":
            return SinkKind.LOG
        case "model_dump":
            return SinkKind.FIELDS
        case "dict" if not isinstance(func.value, ast.Attribute):
            return SinkKind.FIELDS
        case "replace":
            return _sanitized_by_replacement(call)
        case _:
            return SinkKind(0)


def _sanitized_by_replacement(call: ast.Call) -> SinkKind:
    match call.args:
        case [ast.Constant(value="'"), *_]:
            return SinkKind.XPATH
        case [ast.Constant(value=replaced), *_] if str(replaced) in _LINE_ENDS:
            return SinkKind.LOG
        case [ast.Constant(value=replaced), *_] if str(replaced).startswith("<"):
            return SinkKind.SCRIPT
        case _:
            return SinkKind(0)


_ALL_BUT = LazyPattern(r"\[\^((?:[^\]\\]|\\[wd.-])+)\][+*]?")


def sanitized_by_pattern(call: ast.Call, name: str) -> SinkKind:
    """Return the kinds of sink ``re.sub`` sanitizes for, if it keeps only harmless characters."""
    first = call.args[0] if call.args else None
    pattern = first.value if name == "re.sub" and isinstance(first, ast.Constant) else None
    retained = _ALL_BUT.fullmatch(pattern) if isinstance(pattern, str) else None
    other = call.args[1].value if len(call.args) > 1 and isinstance(call.args[1], ast.Constant) else "/"
    if retained is None or not set(retained[1] + str(other)).isdisjoint("/:'\"<>;&|$`"):
        return SinkKind(0)
    return SinkKind.PATH | SinkKind.REDIRECT | SinkKind.URL | SinkKind.SHELL | SinkKind.XPATH | _PAGES


GUARDS = LazyPattern(
    r"(?i)(^|_)(is|has|in|allow(ed|s)?|valid(ate|ated|ator)?|safe|check(ed|s)?|verif(y|ied)|ensure|assert|"
    r"require[sd]?|guard|permit(ted)?|match(es)?|fullmatch|contains|exists_in|reject|deny|refuse|forbid|restrict|"
    r"whitelist(ed)?|sanitiz?s?e|clean)(_|$)|^(is|has|allow|valid|check|verif|ensure|assert|guard|reject)[A-Z]"
)
"""Functions whose names show that they validate a value."""
FIXED_ADDRESS = LazyPattern(r"^(https?:)?//[^/?#%{\s]+[/?#]|^/($|[^/\\])|^[?#]|^mailto:|^[a-z][\w.-]*/")
"""String that determines the host of a URL, for any string after it."""
TAG = LazyPattern(r"<\s*[/!a-zA-Z]")
SCRIPT = LazyPattern(r"(?i)<script\b")
"""The start of a script in a string."""
