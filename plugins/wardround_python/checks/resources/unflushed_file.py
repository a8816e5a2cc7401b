"""PY076: unflushed file."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_EMPTYING = frozenset({"flush", "close", "seek", "read", "truncate"})


class UnflushedFile(PythonCheck):
    """A temporary file is passed on by name before its content is flushed to disk.

    Python buffers the last kilobytes; a program that opens the file by name finds it empty or truncated. Call
    ``flush()`` first, or close the file.
    """

    ID = "PY076"
    NAME = "unflushed-file"
    MATURITY = Maturity.PREVIEW
    WORDS = ("NamedTemporaryFile",)
    DEFECT_CLASS = "unflushed-file"
    VALID = [
        code("""
            import tempfile
            with tempfile.NamedTemporaryFile('w') as t:
                t.write(x)
                t.flush()
                run(t.name)
        """),
        code("""
            import tempfile
            with tempfile.NamedTemporaryFile('w', delete=False) as t:
                t.write(x)
            run(t.name)
        """),
    ]
    INVALID = [
        code("""
            from tempfile import NamedTemporaryFile
            with NamedTemporaryFile('wb') as t:
                t.writelines(parts)
                upload(path=«t.name»)
        """),
        code("""
            import tempfile
            with tempfile.NamedTemporaryFile('w') as t:
                t.write(x)
                run(['a', «t.name»])
        """),
    ]

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            made, name = item.context_expr, item.optional_vars
            if (
                isinstance(made, ast.Call)
                and isinstance(name, ast.Name)
                and self.module.imported_name(made.func) == "tempfile.NamedTemporaryFile"
                and not any(keyword.arg == "buffering" for keyword in made.keywords)
            ):
                self._check(node, name.id)

    def _check(self, node: ast.With, name: str) -> None:
        written = False
        for use in self._uses(node, name):
            parent = self.module.parents[use]
            if isinstance(parent, ast.Attribute):
                call = self.module.parents[parent]
                if parent.attr == "name" and written and isinstance(self._taker(parent), ast.Call):
                    self.report(
                        self.module.span(parent),
                        "written data may still be in the buffer; call flush() first",
                    )
                    return
                if parent.attr in _EMPTYING and isinstance(call, ast.Call):
                    written = False
                    return
                written |= parent.attr in ("write", "writelines")
            elif isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute):
                written |= parent.func.attr in ("dump", "safe_dump", "copyfileobj")

    def _taker(self, node: ast.AST) -> ast.AST | None:
        """Return the call that a value is an argument of, or part of one."""
        below = node
        for inner in self.module.ancestors(node):
            if isinstance(inner, ast.Call) and inner.func is not below:
                return inner
            if isinstance(inner, ast.stmt):
                return None
            below = inner
        return None

    def _uses(self, node: ast.With, name: str) -> Sequence[ast.Name]:
        results = [
            inner
            for held in node.body
            for inner in walk(held)
            if isinstance(inner, ast.Name) and inner.id == name
        ]
        return sorted(results, key=lambda one: (one.lineno, one.col_offset))
