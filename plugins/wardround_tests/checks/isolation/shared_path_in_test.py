from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
        if holder in self._functions_with_report or _is_script(self.module.ancestors(node)):
            return
        is_named = self._is_named(node)
        if holder is None:
            is_used = is_named and bool(self.module.tests)
        else:
            is_used = self._is_of_test(holder) and (is_named or self._is_accessed(node))
        if is_used:
            self._functions_with_report.add(holder)
            self.report(self.module.span(node), "path is shared by all runs on the machine; use tmp_path")

    def _is_of_test(self, holder: ast.AST) -> bool:
        """Return True if a function belongs to a test and the test replaces no part of the system."""
        return isinstance(holder, FUNCTIONS) and holder in self.module.test_code and not _is_faked(holder)

    def visit_Call(self, node: ast.Call) -> None:
        """Report a fixed name in the temporary folder of the system."""
        if self.module.imported_name(node.func) != "tempfile.gettempdir":
            return
        expression: ast.AST = node
        while isinstance(self.module.parents[expression], (ast.Call, ast.BinOp)):
            expression = self.module.parents[expression]
        holder = self.module.function_of(node)
        if holder not in self.module.test_code or holder in self._functions_with_report:
            return
        if _is_fixed_path(expression, node) and self._is_named(node):
            self._functions_with_report.add(holder)
            self.report(self.module.span(node), "path is shared by all runs on the machine; use tmp_path")

    @cached_property
    def _functions_with_report(self) -> set[ast.AST | None]:
        """Functions with a reported path: one finding each, however many files they write."""
        return set()

    def _is_accessed(self, node: ast.expr) -> bool:
        """Return True if a path is passed to a file operation, or its own file method is called."""
        inner: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.stmt) and not isinstance(parent, ast.Expr):
                return False
            if isinstance(parent, ast.Call):
                name = self.module.imported_name(parent.func) or unparse(parent.func)
                if name != "pathlib.Path":
                    return self._accesses_path(parent, name, inner)
            inner = parent
        return False

    def _accesses_path(self, call: ast.Call, name: str, path: ast.AST) -> bool:
        """Return True if a call opens a path that is its argument, or is a file operation of the path."""
        if path is call.func:
            return last_name(call.func) in _OF_PATHS
        return name in _FILES or name in ("open", "io.open")

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
    return any(
        isinstance(ancestor, ast.If) and "__name__" in unparse(ancestor.test) for ancestor in ancestors
    )


def _is_faked(holder: FunctionNode) -> bool:
    """Return True if a fake file system replaces the real one."""
    names = {argument.arg for argument in holder.args.args}
    return bool(names & {"fs", "fake_fs", "fakefs", "memory_fs"}) or any(
        "patch" in unparse(decorator) for decorator in holder.decorator_list
    )


def _is_fixed_path(expression: ast.AST, root: ast.Call) -> bool:
    """Return True if an expression joins a call with constants only."""
    has_constant = False
    for node in walk(expression):
        match node:
            case ast.JoinedStr() | ast.Mod():
                return False
            case ast.Call() if node is not root and last_name(node.func) not in ("join", "Path"):
                return False
            case ast.Constant():
                has_constant = True
    return has_constant
