"""Functions further up the stack, through which a test reaches a function whose calls are recorded.

They are found while the tests run. Their code is then replaced by one with the recording statement, so that
the next calls are recorded, and no other function runs slower.
"""

from __future__ import annotations

import ast
import gc
import types
from collections.abc import Callable, Iterator
from typing import Any

from .functions import ROOT
from .places import is_public, is_test_file

_MOST_FRAMES = 200
_TEXTS = (str, bytes)


def entry_frame(frame: types.FrameType) -> types.FrameType | None:
    """Return the outermost function of the tree through which a test called another one.

    A public one with a string among its arguments is preferred, then another one with a string, then a public
    one. A function that the test calls itself, and that takes a string, needs none.
    """
    around = list(_frames(frame))
    if not around or (is_public(_name(frame)) and receives_string(frame)):
        return None
    outermost = around[::-1]
    for fits in (_is_public_with_string, receives_string, _is_public_frame):
        for candidate in outermost:
            if fits(candidate):
                return candidate
    return None


def _frames(frame: types.FrameType) -> Iterator[types.FrameType]:
    """Yield the named functions of the tree above a frame, below the test; none if no test is above."""
    found: list[types.FrameType] = []
    around = frame.f_back
    for _ in range(_MOST_FRAMES):
        if around is None:
            return
        path = around.f_code.co_filename
        if is_test_file(path):
            yield from found
            return
        if path.startswith(f"{ROOT}/") and "<" not in _name(around):
            found.append(around)
        around = around.f_back


def _name(frame: types.FrameType) -> str:
    return str(getattr(frame.f_code, "co_qualname", frame.f_code.co_name))


def _is_public_frame(frame: types.FrameType) -> bool:
    return is_public(_name(frame)) and frame.f_code.co_argcount > ("." in _name(frame))


def _is_public_with_string(frame: types.FrameType) -> bool:
    return is_public(_name(frame)) and receives_string(frame)


def receives_string(frame: types.FrameType) -> bool:
    """Return True if a parameter has a string as its value now."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = frame.f_locals
    return any(isinstance(values.get(name), _TEXTS) and len(values[name]) > 1 for name in names)


def exchange(code: types.CodeType, insert: Callable[[ast.AST, int], ast.AST]) -> str:
    """Let the next calls of a function run code with one more statement.

    Args:
        insert: takes the syntax of the file, and the line of the function or of its first decorator.

    Returns:
        The qualified name; empty if the code cannot be exchanged.
    """
    with open(code.co_filename, "rb") as file:
        tree: Any = insert(ast.parse(file.read()), code.co_firstlineno)
    created = compile(tree, code.co_filename, "exec", dont_inherit=True)
    new = next((inner for inner in _inner(created) if _is_same(inner, code)), None)
    functions = [referrer for referrer in gc.get_referrers(code) if isinstance(referrer, types.FunctionType)]
    if new is None or not functions or "<" in functions[0].__qualname__:
        return ""
    for function in functions:
        function.__code__ = new
    return functions[0].__qualname__


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _inner(constant)


def _is_same(item: types.CodeType, other: types.CodeType) -> bool:
    return (item.co_name, item.co_firstlineno, item.co_freevars) == (
        other.co_name,
        other.co_firstlineno,
        other.co_freevars,
    )
