"""PY344: guessable temp name."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.module import names_in
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_RANDOM = LazyPattern(
    r"(?i)uuid|token|secrets\.|random|mkdtemp|mkstemp|NamedTemporary|TemporaryDirectory|digest|hash"
)
_WRITING = LazyPattern(r"[wax]\+?|\+")


class GuessableTempName(PythonCheck):
    """A file in the shared temporary folder has a predictable name.

    Any user of the machine can create a link of that name first, and the data is written to its target.
    ``tempfile.mkstemp`` and ``NamedTemporaryFile`` create a file with an unpredictable name.
    """

    ID = "PY344"
    NAME = "guessable-temp-name"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "insecure-temp-file"
    WORDS = ("gettempdir",)
    VALID = [
        code("""
            import tempfile, uuid
            path = f'{tempfile.gettempdir()}/{uuid.uuid4().hex}'
            open(path, 'w')
        """),
        code("""
            import tempfile
            with tempfile.NamedTemporaryFile('w') as out:
                out.write('a')
        """),
    ]
    INVALID = [
        code("""
            import os, tempfile
            path = os.path.join(tempfile.gettempdir(), 'report.csv')
            with «open(path, 'w')» as out:
                out.write('a')
        """),
        code("""
            import os, tempfile
            def name(kind):
                return os.path.join(tempfile.gettempdir(), kind + '.txt')

            def dump(rows):
                target = name('rows')
                with «open(target, 'w')» as out:
                    out.write(rows)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        written = self._written(node)
        if written is None:
            return
        text = self._expanded_text(written, self.module.function_of(node))
        if "gettempdir()" in text and not _RANDOM.search(text.replace("gettempdir", "")):
            self.report(
                self.module.span(node), "the name of this temporary file is predictable; use tempfile.mkstemp"
            )

    def _written(self, node: ast.Call) -> ast.expr | None:
        """Return the path a call writes to; None if it does not write."""
        if isinstance(node.func, ast.Name) and node.func.id == "open" and node.args:
            modes = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "mode")]
            is_writing = (
                bool(modes) and isinstance(modes[0], ast.Constant) and _WRITING.search(str(modes[0].value))
            )
            return node.args[0] if is_writing else None
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"write_text", "write_bytes"}:
            return node.func.value
        return None

    def _expanded_text(self, node: ast.expr, function: ast.AST | None) -> str:
        """Return the text of an expression with the values of its names and of the functions it calls."""
        parts, names = [unparse(node)], names_in(node)
        for _ in range(2):
            created = [
                inner
                for inner in (*walk(function or ast.Pass()), *self.module.tree.body)
                if (
                    isinstance(inner, ast.Assign)
                    and any(names_in(target) & names for target in inner.targets)
                )
                or (isinstance(inner, ast.FunctionDef) and inner.name in names)
            ]
            values = [item.value if isinstance(item, ast.Assign) else _returned(item) for item in created]
            parts += [unparse(value) for value in values if value is not None]
            names = {name for value in values if value is not None for name in names_in(value)}
        return " ".join(parts)


def _returned(node: ast.AST) -> ast.expr | None:
    results = [inner.value for inner in walk(node) if isinstance(inner, ast.Return)]
    return results[0] if len(results) == 1 else None
