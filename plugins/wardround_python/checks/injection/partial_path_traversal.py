from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.literals import literal
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_RESOLVED = LazyPattern(r"\b(realpath|abspath|normpath)\(|\.resolve\(|\.absolute\(")
_FOLDER = LazyPattern(
    r"(?i)(^|_)(root|base|dir|directory|folder|home|upload\w*|media|static|data|store|storage|path|prefix|workspace|"
    r"sandbox|safe|allowed|target|dest|destination|cwd|here)s?(_?(root|dir|path|folder|base))?$"
)
_ENDED = LazyPattern(r"os\.sep|os\.path\.sep|[/\\]['\"]|\bsep\b|, ''\)|\bSEP\b")


class PartialPathTraversal(PythonCheck):
    """A prefix test for a path inside a folder also accepts a sibling folder.

    ``/srv/files-old/secret`` starts with ``/srv/files``. Use ``path.is_relative_to(folder)``, or compare with
    the folder followed by a separator.
    """

    ID = "PY362"
    NAME = "partial-path-traversal"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "path-traversal"
    WORDS = ("realpath", "abspath", "normpath", ".resolve(")
    VALID = [
        code("""
            import os
            def read(root, name):
                full = os.path.realpath(os.path.join(root, name))
                if not full.startswith(root + os.sep):
                    raise ValueError(name)
                return open(full)
        """),
        code("""
            def read(root, name):
                full = (root / name).resolve()
                if not full.is_relative_to(root):
                    raise ValueError(name)
                return full.open()
        """),
    ]
    INVALID = [
        code("""
            import os
            def read(root, name):
                full = os.path.realpath(os.path.join(root, name))
                if not «full.startswith(root)»:
                    raise ValueError(name)
                return open(full)
        """),
        code("""
            from pathlib import Path
            BASE_DIR = Path('/srv/files')
            def read(name):
                path = (BASE_DIR / name).resolve()
                if not «str(path).startswith(str(BASE_DIR))»:
                    raise ValueError(name)
                return path.read_text()
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "startswith"
            and len(node.args) == 1
            and self._is_resolved(node.func.value, node)
            and self._is_open_ended(node.args[0], node)
            and not self._is_narrowed(node)
        ):
            self.report(
                self.module.span(node),
                "the prefix test also accepts a sibling folder with the same prefix; use is_relative_to",
            )

    def _is_resolved(self, node: ast.expr, place: ast.AST) -> bool:
        return any(map(_RESOLVED.search, self._string_values(node, place)))

    def _is_open_ended(self, node: ast.expr, place: ast.AST) -> bool:
        inner = node.args[0] if isinstance(node, ast.Call) and node.args else node
        last = inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
        texts = [*self._string_values(inner, place), unparse(node)]
        text = literal(self.module, inner)
        is_ended = any(map(_ENDED.search, texts)) or (isinstance(text, str) and text.endswith(("/", "\\\\")))
        return _FOLDER.search(last) is not None and not is_ended

    def _string_values(self, node: ast.expr, place: ast.AST) -> list[str]:
        """Return the text of an expression, and the values of its names in the same function."""
        function = self.module.function_of(place)
        names = {inner.id for inner in walk(node) if isinstance(inner, ast.Name)}
        values = [
            unparse(child.value)
            for child in (walk(function) if function is not None else ())
            if isinstance(child, ast.Assign) and any(getattr(t, "id", "") in names for t in child.targets)
        ]
        return [unparse(node), *values]

    def _is_narrowed(self, node: ast.Call) -> bool:
        """Return True if the same function tests the folder in another way too."""
        function = self.module.function_of(node)
        text = unparse(function) if function is not None else ""
        return "commonpath" in text or "is_relative_to" in text or "relative_to(" in text
