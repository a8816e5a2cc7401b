"""PY007."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround_python.check import PythonCheck
from wardround_python.module import FunctionNode, nodes_run_by

_OPENERS = frozenset(
    {
        "open", "io.open", "os.fdopen", "codecs.open", "gzip.open", "bz2.open", "lzma.open",
        "socket.socket", "socket.create_connection", "sqlite3.connect", "tempfile.NamedTemporaryFile",
        "tempfile.TemporaryFile", "zipfile.ZipFile", "tarfile.open", "urllib.request.urlopen",
    }
)  # fmt: skip
# They use what they are given while they run and keep nothing.
_BORROWERS = frozenset(
    {
        "json.load", "json.dump", "pickle.load", "pickle.dump", "yaml.load", "yaml.safe_load", "yaml.dump",
        "yaml.safe_dump", "tomllib.load", "tomli.load", "marshal.load", "marshal.dump", "plistlib.load",
        "plistlib.dump", "shutil.copyfileobj", "print", "list", "len", "sum",
    }
)  # fmt: skip
_CAN_RAISE = (ast.Call, ast.Await, ast.Raise)
_PLAIN_ATTRIBUTES = frozenset({"name", "mode", "encoding", "closed", "status", "headers", "filename"})


class UnclosedOnError(PythonCheck):
    """A file or connection stays open when something fails before it is closed.

    ``close()`` is reached only if nothing in between raises. After an error the handle stays, with its
    lock or its unwritten data, for as long as the traceback lives. Open it in a ``with`` block.
    """

    ID = "PY007"
    NAME = "unclosed-on-error"
    DEFECT_CLASS = "unclosed-resource"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def f(p):\n    with open(p) as x:\n        return x.read()\n",
        "def f(p):\n    x = open(p)\n    try:\n        g(x.read())\n    finally:\n        x.close()\n",
        "def f(p):\n    x = open(p)\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    g(x)\n    x.close()\n",
        "def f(self, p):\n    x = open(p)\n    self.x = x\n    g()\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    if a():\n        return x\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    try:\n        g(x.read())\n    except OSError:\n        x.close()\n"
        "        raise\n    x.close()\n",
        "def f(p):\n    x = door.open(p)\n    x.read()\n    x.close()\n",
        "import sqlite3\ndef f(p):\n    x = sqlite3.connect(p)\n    with x:\n"
        "        x.execute('q')\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    g = lambda: x.read()\n    h(g)\n    x.close()\n",
        Valid("def f(p):\n    x = open(p)\n    x.read()\n    x.close()\n", path="tests/test_f.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def f(p):\n    x = open(p)\n    data = x.read()\n    x.close()\n    return data\n",
            line=2,
            column=9,
        ),
        Invalid(
            "import json\ndef f(p):\n    x = open(p)\n    d = json.load(x)\n    x.close()\n", line=3, column=9
        ),
        Invalid(
            "import socket\ndef f(a):\n    if a:\n        s = socket.socket()\n"
            "        s.connect(a)\n        s.close()\n",
            line=4,
            column=13,
        ),
        Invalid(
            "import sqlite3 as db\nasync def f(p):\n    c = db.connect(p)\n    for row in c.execute('q'):\n"
            "        print(row)\n    c.close()\n",
            line=3,
            column=9,
        ),
        Invalid(
            "def f(p):\n    x = open(p)\n    for line in x:\n        g(line)\n    x.close()\n",
            line=2,
            column=9,
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return ".close()" in source.text

    def visit_Assign(self, node: ast.Assign) -> None:
        name = self._opened(node)
        if name is None:
            return
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode) or self.module.class_of(node) is not None:
            return
        rest = _after(self.module.parents[node], node)
        end = next((n for n, later in enumerate(rest) if _closes(later, name)), 0)
        risk = next((n for n in nodes_run_by(rest[:end]) if isinstance(n, _CAN_RAISE)), None)
        if risk is not None and self._stays_here(function, name):
            self._report(node, name, risk.lineno)

    def _report(self, node: ast.Assign, name: str, line: int) -> None:
        opener = self.module.dotted(node.value.func) if isinstance(node.value, ast.Call) else ""
        self.report(
            self.module.span(node.value),
            f'"{name}" from {opener}() stays open if line {line} raises: close() is not in a finally or with',
        )

    def _opened(self, node: ast.Assign) -> str | None:
        """The local name that an assignment gives to something it opens."""
        target = node.targets[0]
        if not isinstance(node.value, ast.Call) or not isinstance(target, ast.Name) or len(node.targets) > 1:
            return None
        called = node.value.func
        is_builtin = isinstance(called, ast.Name) and called.id == "open"
        return target.id if is_builtin or self.module.imported_name(called) in _OPENERS else None

    def _stays_here(self, function: FunctionNode, name: str) -> bool:
        """Whether the function alone owns it: one assignment, one close, and nothing else gets hold of it."""
        uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
        loads = [use for use in uses if isinstance(use.ctx, ast.Load)]
        closes = [use for use in loads if getattr(self.module.parents[use], "attr", None) == "close"]
        return (
            len(uses) == len(loads) + 1
            and len(closes) == 1
            and all(self.module.function_of(use) is function and self._only_uses(use) for use in loads)
        )

    def _only_uses(self, use: ast.Name) -> bool:
        parent = self.module.parents[use]
        if isinstance(parent, ast.Attribute):
            called = self.module.parents[parent]
            return parent.attr in _PLAIN_ATTRIBUTES or (
                isinstance(called, ast.Call) and called.func is parent
            )
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is use
        call = self.module.parents[parent] if isinstance(parent, ast.keyword) else parent
        return isinstance(call, ast.Call) and self.module.dotted(call.func) in _BORROWERS


def _after(parent: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """The statements that follow one in its block."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block[block.index(statement) + 1 :]
    return []


def _closes(statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = statement.value.func
    return (
        isinstance(called, ast.Attribute)
        and called.attr == "close"
        and isinstance(called.value, ast.Name)
        and called.value.id == name
    )
