"""Functions further up the stack, through which a test reaches a function whose calls are recorded.

They are found while the tests run. Their code is then exchanged for one with the recording statement, so that
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

    A public one with a text among its arguments is preferred, then another one with a text, then a public
    one. A function that the test calls itself, and that takes a text, needs none.
    """
    around = list(_frames(frame))
    if not around or (is_public(_name(frame)) and takes_text(frame)):
        return None
    outermost = around[::-1]
    for fits in (_is_public_with_text, takes_text, _is_public_frame):
        for one in outermost:
            if fits(one):
                return one
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


def _is_public_with_text(frame: types.FrameType) -> bool:
    return is_public(_name(frame)) and takes_text(frame)


def takes_text(frame: types.FrameType) -> bool:
    """Return True if a parameter has a text as its value now."""
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
    made = compile(tree, code.co_filename, "exec", dont_inherit=True)
    new = next((one for one in _inner(made) if _is_same(one, code)), None)
    functions = [one for one in gc.get_referrers(code) if isinstance(one, types.FunctionType)]
    if new is None or not functions or "<" in functions[0].__qualname__:
        return ""
    for one in functions:
        one.__code__ = new
    return functions[0].__qualname__


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield one
            yield from _inner(one)


def _is_same(one: types.CodeType, other: types.CodeType) -> bool:
    return (one.co_name, one.co_firstlineno, one.co_freevars) == (
        other.co_name,
        other.co_firstlineno,
        other.co_freevars,
    )
