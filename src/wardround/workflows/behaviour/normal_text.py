"""Representations of results without incidental parts: positions in files, and names of the code."""

from __future__ import annotations

from wardround.lazy import LazyPattern

STRING_LITERAL = r"'(?:[^'\\]|\\[\s\S])*'|\"(?:[^\"\\]|\\[\s\S])*\""
"""The pattern of a string in ``repr``."""
_POSITIONS = LazyPattern(r"((?:\.py\"?(?:, |:))(?:line )?)\d+")
"""A line number after the name of a Python file."""
_FUNCTIONS = LazyPattern(
    r"<(?:function|bound method|built-in function) [\w.<>]{1,200}(?: of <[^<>\n]{1,200}>)?>"
)
_NAMES = LazyPattern(r"'[A-Za-z_][\w.]{0,100}'|[A-Za-z_][\w.<>]{0,200}(?=\(\))")
"""Names of classes, attributes, parameters and functions in messages of the interpreter."""
_OF_INTERPRETER = frozenset({"AttributeError", "NameError", "TypeError", "UnboundLocalError"})


def normal(text: str) -> str:
    """Return a representation without line numbers of Python files and without names of functions."""
    text = _POSITIONS.sub(r"\1N", text) if ".py" in text else text
    return _FUNCTIONS.sub("<code>", text) if "<function " in text or "<bound method " in text else text


def has_same_message(kind: str, before: str, after: str) -> bool:
    """Return True if two messages of the interpreter differ only in names.

    Args:
        kind: the class of both exceptions.
    """
    return kind in _OF_INTERPRETER and _NAMES.sub("N", before) == _NAMES.sub("N", after)
