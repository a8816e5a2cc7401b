"""The text of a module, its outermost functions, and the code of one with an edit."""

from __future__ import annotations
import __future__

import ast
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

_ANNOTATIONS = __future__.annotations.compiler_flag


class Outermost(NamedTuple):
    """A function that is in no other function.

    Attributes:
        first_lines: the line of its first decorator or of ``def``, which its code may have as the first.
        line, last_line: that of ``def``, and the last one.
        start, body, end: offsets of the line of ``def``, the first line of the body, and the end.
        line_end: offset after the last line, if it has nothing but a comment after the function.
        headers: lines that stand for the statements around it, the outermost first.
    """

    name: str
    first_lines: tuple[int, int]
    line: int
    last_line: int
    start: int
    body: int
    end: int
    line_end: int
    headers: tuple[str, ...]


class ModuleText:
    """The text of one file.

    Attributes:
        path: relative to the tree.
    """

    def __init__(self, path: str, file: str, text: str) -> None:
        self.path = path
        self._file = file
        self._text = text
        self._starts = [0]
        for line in text.split("\n")[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)
        tree = ast.parse(text)
        self._flags = _ANNOTATIONS if _postpones_annotations(tree) else 0
        self._functions = list(self._outermost(tree, ()))

    def text_with(self, start: int, end: int, replacement: str) -> str:
        """Return the whole text with an edit."""
        return self._text[:start] + replacement + self._text[end:]

    def function_around(self, start: int, end: int) -> Outermost | None:
        """Return the function in whose body an edit is; None if it is somewhere else."""
        for function in self._functions:
            if function.body <= start <= function.end and end <= function.line_end:
                return function
        return None

    def code_with(self, function: Outermost, start: int, end: int, replacement: str) -> types.CodeType:
        """Compile a function with an edit, at the lines that it has in the file.

        Raises:
            SyntaxError: the edit does not compile; ValueError, RecursionError and MemoryError occur, too.
        """
        edited = self._text[function.start : start] + replacement + self._text[end : function.line_end]
        blank = "\n" * (function.line - 1 - len(function.headers))
        headers = "".join(f"{header}\n" for header in function.headers)
        code = compile(f"{blank}{headers}{edited}\n", self._file, "exec", self._flags, dont_inherit=True)
        found = _code_of(code, function.name, function.line)
        if found is None:
            raise SyntaxError("the edit removes the function")
        return found

    def _outermost(self, node: ast.AST, around: tuple[Any, ...]) -> Iterator[Outermost]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield self._function_of(child, around)
            elif isinstance(child, ast.stmt):
                yield from self._outermost(child, (*around, child))
            elif not isinstance(child, ast.expr):
                yield from self._outermost(child, around)

    def _function_of(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, around: tuple[Any, ...]
    ) -> Outermost:
        first = node.body[0]
        lines = [first.lineno, *(item.lineno for item in getattr(first, "decorator_list", ()))]
        header_end = self._offset(node.lineno, node.col_offset)
        body = max(self._starts[min(lines) - 1], header_end)
        if self._text[body : self._offset(first.lineno, first.col_offset)].strip():
            body = self._offset(first.lineno, first.col_offset)
        end = self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        decorators = [item.lineno for item in node.decorator_list]
        return Outermost(
            node.name,
            (min([*decorators, node.lineno]), node.lineno),
            node.lineno,
            node.end_lineno or node.lineno,
            self._starts[node.lineno - 1],
            body,
            end,
            self._line_end(end),
            tuple(self._headers(around)),
        )

    def _line_end(self, end: int) -> int:
        """Return the offset of the next line; the given one if something else follows on its line."""
        rest, newline, _ = self._text[end:].partition("\n")
        is_free = not rest.strip() or rest.lstrip().startswith("#")
        return end + len(rest) + len(newline) if is_free else end

    def _headers(self, around: tuple[Any, ...]) -> list[str]:
        """Return a line for each statement around, with its indentation; of equal ones the innermost."""
        found: dict[str, str] = {}
        for node in around:
            start = self._starts[node.lineno - 1]
            indentation = self._text[start : start + node.col_offset]
            name = f"class {node.name}:" if isinstance(node, ast.ClassDef) else "if 1:"
            found[indentation] = indentation + name
        return list(found.values())

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a place whose column counts bytes."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        text = self._text[start:end]
        return start + (column if text.isascii() else len(text.encode()[:column].decode("utf-8", "ignore")))


def _postpones_annotations(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )


def _code_of(code: types.CodeType, name: str, line: int) -> types.CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == name and constant.co_firstlineno == line:
                return constant
            found = _code_of(constant, name, line)
            if found is not None:
                return found
    return None
