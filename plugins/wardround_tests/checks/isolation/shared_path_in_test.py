"""TE034: fixed paths that all runs share."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.syntax import FUNCTIONS, last_name

_SHARED = LazyPattern(r"^(/tmp/|/var/tmp/|[A-Za-z]:[\\/]+([Tt]emp|TEMP|tmp)[\\/])[^\s{}]")
_FILES = frozenset(
    {
        "os.mkdir", "os.makedirs", "os.remove", "os.unlink", "os.rmdir", "os.rename", "os.path.exists",
        "os.path.isfile", "os.path.isdir", "os.path.getsize", "os.listdir", "os.symlink", "shutil.rmtree",
        "shutil.copy", "shutil.copyfile", "shutil.copytree", "shutil.move", "sqlite3.connect", "json.dump",
    }
)  # fmt: skip
_OF_PATHS = frozenset(
    {"write_text", "write_bytes", "read_text", "read_bytes", "mkdir", "touch", "unlink", "rmdir", "exists",
     "is_file", "is_dir", "open", "iterdir", "glob", "rglob", "stat", "symlink_to", "rename"}
)  # fmt: skip
_TEST_DOUBLE = LazyPattern(
    r"pyfakefs|mock_open|builtins\.open|Patcher\(\)|isolated_filesystem|patch\(.(os|shutil|pathlib)\."
)


class SharedPathInTest(PythonTestCheck):
    """A test writes to a path that all runs on the machine share.

    With two concurrent runs, or a file left by an earlier run or another user, the test fails or passes for a
    reason unrelated to the code. Use the tmp_path fixture or tempfile.
    """

    ID = "TE034"
    NAME = "shared-path-in-test"
    DEFECT_CLASS = "shared-path"
    VALID = [
        code("""
            from report import write
            def test_write(tmp_path):
                write(tmp_path / 'a.json')
                assert (tmp_path / 'a.json').exists()
        """),
        code("""
            from report import write
            def test_name():
                assert write.name('/tmp/a.json') == 'a'
        """),
    ]
    INVALID = [
        code("""
            import os
            import tempfile
            def test_write():
                target = os.path.join(«tempfile.gettempdir()», 'a.json')
                write(target)
                assert os.path.exists(target)
        """),
        code("""
            from report import write
            def test_write():
                target = «'/tmp/a.json'»
                write(target)
                with open(target) as f:
                    assert f.read()
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return (
            any(word in text for word in ("/tmp/", "gettempdir", "/temp", "\\temp", "\\Temp", "/Temp"))  # noqa: S108
            and _TEST_DOUBLE.search(text) is None
        )

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, str) or not _SHARED.match(node.value):
            return
        holder = self.module.function_of(node)
        if holder in self._reported or _is_script(self.module.ancestors(node)):
            return
        if holder is None:
            is_used = self._is_named(node) and bool(self.module.tests)
        else:
            is_used = (
                holder in self.module.test_code and isinstance(holder, FUNCTIONS) and not _is_faked(holder)
            )
        if is_used and (self._is_accessed(node) or self._is_named(node)):
            self._reported.add(holder)
            self.report(self.module.span(node), "path is shared by all runs on the machine; use tmp_path")

    def visit_Call(self, node: ast.Call) -> None:
        """Report a fixed name in the temporary folder of the system."""
        if self.module.imported_name(node.func) != "tempfile.gettempdir":
            return
        expression: ast.AST = node
        while isinstance(self.module.parents[expression], (ast.Call, ast.BinOp)):
            expression = self.module.parents[expression]
        holder = self.module.function_of(node)
        if holder not in self.module.test_code or holder in self._reported:
            return
        if _is_fixed_path(expression, node) and self._is_named(node):
            self._reported.add(holder)
            self.report(self.module.span(node), "path is shared by all runs on the machine; use tmp_path")

    @cached_property
    def _reported(self) -> set[ast.AST | None]:
        """Functions with a reported path: one finding each, however many files they write."""
        return set()

    def _is_accessed(self, node: ast.expr) -> bool:
        """Return True if a path is passed to a file operation, or one is called on it."""
        inner: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.stmt) and not isinstance(parent, ast.Expr):
                return False
            if isinstance(parent, ast.Call):
                name = self.module.imported_name(parent.func) or unparse(parent.func)
                if inner is not parent.func and (name in _FILES or name in ("open", "io.open")):
                    return True
                if name == "pathlib.Path":
                    inner = parent
                    continue
                return inner is parent.func and last_name(parent.func) in _OF_PATHS
            inner = parent
        return False

    def _is_named(self, node: ast.expr) -> bool:
        """Return True if a path is bound to a name that file operations use."""
        value: ast.AST = node
        statement = self.module.parents[value]
        while isinstance(statement, (ast.Call, ast.BinOp)):
            value, statement = statement, self.module.parents[statement]
        if not isinstance(statement, ast.Assign):
            return False
        target = unparse(statement.targets[0])
        return any(self._is_accessed(n) for n in self._uses(target))

    def _uses(self, target: str) -> list[ast.expr]:
        """Return the reads of a variable or attribute."""
        return [
            n
            for n in self.module.names.references(target.rpartition(".")[2])
            if isinstance(n.ctx, ast.Load) and unparse(n) == target
        ]


def _is_script(ancestors: Iterable[ast.AST]) -> bool:
    return any(isinstance(one, ast.If) and "__name__" in unparse(one.test) for one in ancestors)


def _is_faked(holder: FunctionNode) -> bool:
    """Return True if a fake file system replaces the real one."""
    names = {one.arg for one in holder.args.args}
    return bool(names & {"fs", "fake_fs", "fakefs", "memory_fs"}) or any(
        "patch" in unparse(one) for one in holder.decorator_list
    )


def _is_fixed_path(expression: ast.AST, root: ast.Call) -> bool:
    """Return True if an expression joins a call with constants only."""
    nodes = [n for n in walk(expression) if n is not root]
    if not any(isinstance(n, ast.Constant) for n in nodes):
        return False
    if any(isinstance(n, (ast.JoinedStr, ast.Mod)) for n in nodes):
        return False
    return all(last_name(n.func) in ("join", "Path") for n in nodes if isinstance(n, ast.Call))
