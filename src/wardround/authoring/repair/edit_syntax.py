"""The check that an edited function is still Python, by parsing no more of it than the edit can affect."""

from __future__ import annotations

import ast
import warnings

from wardround.authoring.repair.module_code import FunctionCode
from wardround.authoring.repair.operators.site import Edit


def is_python(function: FunctionCode, statement: ast.stmt, edit: Edit) -> bool:
    """Return True if the function parses after an edit.

    Args:
        statement: the one at which the edit was proposed; only it is parsed if it contains the edit.
    """
    text = _edited_part(function, statement, edit)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _edited_part(function: FunctionCode, statement: ast.stmt, edit: Edit) -> str:
    """Return the smallest part that contains the edit, in a block of the same indentation."""
    module = function.module
    start, end = module.span(statement)
    body = getattr(statement, "body", None)
    if body and isinstance(body[0], ast.stmt):
        header_end, _ = module.span(body[0])
        if start < edit.start and edit.end < header_end:
            header = module.text[start : edit.start] + edit.replacement + module.text[edit.end : header_end]
            return f"{header.removeprefix('el').rstrip()} pass"
    if start <= edit.start < edit.end <= end and not body:
        return _block(module.text[start : edit.start] + edit.replacement + module.text[edit.end : end], "")
    return edited_function(function, edit)


def edited_function(function: FunctionCode, edit: Edit) -> str:
    """Return the text of a function after an edit, in a block if it is a method."""
    module = function.module
    start, end = function.span
    end = max(end, edit.end)
    text = module.text[start : edit.start] + edit.replacement + module.text[edit.end : end]
    return _block(text, function.indentation(function.node) or "")


def _block(text: str, indentation: str) -> str:
    """Return the text of statements in a block, so that they may be indented."""
    return f"if 1:\n{indentation}{text}" if indentation else text
