from __future__ import annotations

import ast
from collections.abc import Mapping

from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import is_named

_ENDINGS = frozenset(
    """
    csv tsv json jsonl txt md rst xml html htm yml yaml toml ini cfg log sql py js ts css pdf docx xls xlsx
    ppt pptx odt zip gz bz2 xz tar tgz jpg jpeg png gif svg webp bmp tiff mp3 mp4 wav avi mov parquet exe
    """.split()  # noqa: SIM905
)
_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
# Common mistaken values, and the values that occur instead.
_SYSTEMS: Mapping[str, Mapping[str, str]] = {
    "sys.platform": {
        "windows": "win32", "win64": "win32", "win": "win32", "mac": "darwin", "macos": "darwin",
        "osx": "darwin", "linux2": "linux",
    },
    "os.name": {
        "windows": "nt", "win32": "nt", "linux": "posix", "darwin": "posix", "macos": "posix",
    },
    "platform.system": {
        "windows": "Windows", "win32": "Windows", "linux": "Linux", "darwin": "Darwin", "macos": "Darwin",
        "mac": "Darwin",
    },
}  # fmt: skip
_OUTSIDE = {"weekday": (0, 6), "isoweekday": (1, 7)}


class ComparisonWithImpossibleValue(PythonCheck):
    """A value is compared with one that it never has.

    ``Path.suffix`` starts with a dot, the method of a request is in upper case, ``sys.platform`` is ``win32``
    on Windows, and ``weekday()`` ends at 6. Code behind such a comparison never runs. Compare with a value
    that occurs.
    """

    ID = "PY403"
    NAME = "comparison-with-impossible-value"
    WORDS = (
        ".suffix",
        "splitext(",
        ".method",
        "sys.platform",
        "os.name",
        "platform.system",
        "weekday(",
        "__name__",
    )
    DEFECT_CLASS = "useless-comparison"
    VALID = [
        code("""
            def f(path):
                return path.suffix == '.csv' or path.suffix in ('.jpg', '.png', '')
        """),
        code("""
            def f(user):
                return user.suffix == 'Jr'
        """),
    ]
    INVALID = [
        code("""
            def f(path):
                if «path.suffix == 'csv'»:
                    return 1
        """),
        code("""
            def f(path):
                return «path.suffix.lower() in ('jpg', 'png')»
        """),
    ]

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            return
        right = node.comparators[0]
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            if not isinstance(right, (ast.Tuple, ast.List, ast.Set)):
                return
            others = right.elts
        else:
            others = [right]
        texts = [self._reason(node.left, other.value) for other in others if isinstance(other, ast.Constant)]
        if texts and len(texts) == len(others) and all(texts):
            self.report(self.module.span(node), f"this comparison never holds: {texts[0]}")

    def _reason(self, node: ast.expr, value: object) -> str:
        """Return the reason for which an expression never has a value; empty if it may."""
        if isinstance(value, int):
            return self._impossible_day(node, value)
        if not isinstance(value, str):
            return ""
        if value.lower() in _ENDINGS and self._is_ending(node):
            return f'it starts with a dot, ".{value}"'
        return (
            self._impossible_platform(node, value)
            or _reason_of_method(node, value)
            or _reason_of_main(node, value)
        )

    def _impossible_platform(self, node: ast.expr, value: str) -> str:
        """Return the reason for which the name of a platform is never a value."""
        name = self.module.imported_name(node.func if isinstance(node, ast.Call) else node) or ""
        names = _SYSTEMS.get(name, {})
        is_result = isinstance(node, ast.Call) == (name == "platform.system")
        system = names.get(value.lower()) if is_result else None
        return f'the value is "{system}"' if system is not None and value not in names.values() else ""

    def _impossible_day(self, node: ast.expr, value: int) -> str:
        called = last_name(node.func) if isinstance(node, ast.Call) and not node.args else ""
        if called not in _OUTSIDE:
            return ""
        first, last = _OUTSIDE[called]
        return "" if first <= value <= last else f"{called}() ranges from {first} to {last}"

    def _is_ending(self, node: ast.expr) -> bool:
        """Return True for the suffix of a file name: ``path.suffix``, ``splitext(path)[1]``."""
        match node:
            case ast.Call(func=ast.Attribute(value=text, attr="lower" | "upper" | "casefold"), args=[]):
                return self._is_ending(text)
            case ast.Attribute():
                return node.attr == "suffix"
            case ast.Subscript(value=ast.Call(), slice=ast.Constant() | ast.UnaryOp()):
                return unparse(node.slice) in ("1", "-1") and self._is_extension_split(node.value)
            case ast.Name():
                return self._is_file_suffix(node)
        return False

    def _is_extension_split(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self.module.imported_name(node.func) == "os.path.splitext"

    def _is_file_suffix(self, node: ast.Name) -> bool:
        """Return True for ``stem, ending = splitext(name)`` if nothing else assigns the name."""
        values = [
            inner
            for inner in self.module.nodes
            if isinstance(inner, ast.Name) and inner.id == node.id and not isinstance(inner.ctx, ast.Load)
        ]
        parent = self.module.parents[values[0]] if len(values) == 1 else None
        if not isinstance(parent, ast.Tuple) or len(parent.elts) != 2 or parent.elts[1] is not values[0]:
            return False
        statement = self.module.parents[parent]
        return isinstance(statement, ast.Assign) and self._is_extension_split(statement.value)


def _reason_of_method(node: ast.expr, value: str) -> str:
    """Return the reason for which the method of a request is never a value."""
    if not isinstance(node, ast.Attribute) or node.attr != "method":
        return ""
    if value in _VERBS or value.upper() not in _VERBS or last_name(node.value) not in ("request", "req"):
        return ""
    return f'it is in upper case, "{value.upper()}"'


def _reason_of_main(node: ast.expr, value: str) -> str:
    """Return the reason for which the name of a module is never a value that resembles ``__main__``."""
    is_wrong = value.strip("_") == "main" and value != "__main__"
    return 'it is "__main__"' if is_wrong and is_named(node, "__name__") else ""
