from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_COMPLETE_FILE_METHODS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes"})
_COPYING = frozenset(
    {
        "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copyfileobj", "shutil.copytree",
        "shutil.move", "shutil.rmtree", "shutil.make_archive", "shutil.unpack_archive", "pandas.read_csv",
        "pandas.read_excel", "pandas.read_parquet", "pandas.read_json",
    }
)  # fmt: skip
_FILE_METHODS = frozenset({"read", "readlines", "write", "writelines"})
# Functions that run before the first request or after the last.
_RUNS_ONCE = LazyPattern(
    r"_?a?main|lifespan|(on_)?(startup|shutdown|start|stop|setup|teardown)|__aexit__|__aenter__"
)
_PATH_NAME = LazyPattern(r"(^|_)(path|file|folder|dir|directory)$")


class FileIoInAsync(PythonCheck):
    """A coroutine reads, writes or copies complete files.

    The event loop is blocked until the disk is done: with a large file or a network drive long enough for
    other requests to time out. Do it in a thread (``asyncio.to_thread``), or use aiofiles.
    """

    ID = "PY020"
    NAME = "file-io-in-async"
    WORDS = ("async def",)
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "blocking-call-in-async"
    VALID = [
        code("""
            from pathlib import Path
            def f(path: Path):
                return path.read_text()
        """),
        code("""
            import asyncio
            from pathlib import Path
            async def f(path: Path):
                return await asyncio.to_thread(path.read_text)
        """),
    ]
    INVALID = [
        code("""
            from pathlib import Path
            async def f(path: Path):
                return «path.read_text()»
        """),
        code("""
            from pathlib import Path
            class A:
                def __init__(self, root: Path):
                    self.root = root
                async def f(self, name, data):
                    «(self.root / name).write_bytes(data)»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return "async def" in text and any(word in text for word in ("read_", "write_", "shutil", "open("))

    def visit_Call(self, node: ast.Call) -> None:
        function = self.module.function_of(node)
        if not isinstance(function, ast.AsyncFunctionDef) or _RUNS_ONCE.fullmatch(function.name):
            return
        name = self.module.imported_name(node.func)
        if name in _COPYING or self._is_complete_file(node) or self._uses_opened_file(node, function):
            called = unparse(node.func)
            message = f'{called}() blocks the event loop during disk I/O in coroutine "{function.name}"'
            self.report(self.module.span(node), message)

    def _is_complete_file(self, node: ast.Call) -> bool:
        """Return True if a call reads or writes a complete file of a ``pathlib`` path."""
        func = node.func
        if (
            not isinstance(func, ast.Attribute)
            or func.attr not in _COMPLETE_FILE_METHODS
            or not self._has_paths
        ):
            return False
        if isinstance(self.module.parents[node], ast.Await):
            return False
        return self._is_path(func.value)

    def _is_path(self, value: ast.expr) -> bool:
        if isinstance(value, ast.BinOp):
            return isinstance(value.op, ast.Div)
        if isinstance(value, ast.Call):
            constructor = self.module.imported_name(value.func)
            return constructor == "pathlib.Path" or (
                isinstance(value.func, ast.Attribute) and self._is_path(value.func.value)
            )
        last = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
        return last in self._declared_paths or _PATH_NAME.search(last.lower()) is not None

    @cached_property
    def _has_paths(self) -> bool:
        named = set(self.module.imported.values())
        return bool({"pathlib", "pathlib.Path"} & named) and not {"anyio.Path", "aiopath.AsyncPath"} & named

    @cached_property
    def _declared_paths(self) -> set[str]:
        """Parameters and names that are declared or created as paths."""
        found = {
            node.arg
            for node in self.module.nodes
            if isinstance(node, ast.arg)
            and node.annotation is not None
            and "Path" in unparse(node.annotation)
        }
        for name, values in self.module.assigned.items():
            if any(isinstance(v, (ast.BinOp, ast.Call)) and self._creates_path(v) for v in values):
                found.add(name)
        return found

    def _creates_path(self, value: ast.BinOp | ast.Call) -> bool:
        if isinstance(value, ast.BinOp):
            return isinstance(value.op, ast.Div) and isinstance(value.right, (ast.Constant, ast.JoinedStr))
        return self.module.imported_name(value.func) == "pathlib.Path"

    def _uses_opened_file(self, node: ast.Call, function: ast.AsyncFunctionDef) -> bool:
        """Return True if a call reads or writes a file that the coroutine itself opened with ``open``."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in _FILE_METHODS:
            return False
        if not isinstance(func.value, ast.Name):
            return False
        for parent in self.module.ancestors(node):
            if parent is function:
                return False
            for item in parent.items if isinstance(parent, ast.With) else ():
                if _binds_name(item, func.value.id) and isinstance(item.context_expr, ast.Call):
                    return self._is_open(item.context_expr.func)
        return False

    def _is_open(self, func: ast.expr) -> bool:
        return isinstance(func, ast.Name) and func.id == "open" and "open" not in self.module.imported


def _binds_name(item: ast.withitem, name: str) -> bool:
    return isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == name
