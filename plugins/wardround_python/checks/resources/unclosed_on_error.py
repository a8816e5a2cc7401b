"""PY007."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.languages.python.tree import walk
from wardround_python.check import PythonCheck
from wardround_python.libraries.resources import (
    BORROWERS,
    CLOSERS,
    ENDERS,
    HELD,
    LENT,
    LOCK_NAME,
    MADE,
    MAY_STAY,
    OPENERS,
)

_CAN_RAISE = (ast.Call, ast.Await, ast.Raise, ast.Return, ast.Yield, ast.YieldFrom)
_WORDS = (
    "open(",
    "connect(",
    ".close()",
    "acquire()",
    "getconn(",
    "connection(",
    "mkdtemp(",
    "checkout(",
    "borrow(",
    "Executor(",
    "Pool(",
    "Session",
    "Client(",
    "socket(",
    "SMTP",
    "FTP",
    "ZipFile(",
    "File(",
)
_PLAIN_ATTRIBUTES = frozenset({"name", "mode", "encoding", "closed", "status", "headers", "filename"})


class UnclosedOnError(PythonCheck):
    """A file or connection stays open when something fails before it is closed.

    ``close()`` is reached only if nothing in between raises. After an error the handle stays, with its
    lock or its unwritten data, for as long as the traceback lives. Open it in a ``with`` block.
    """

    ID = "PY007"
    NAME = "unclosed-on-error"
    WORDS = _WORDS
    DEFECT_CLASS = "unclosed-resource"
    TRIED_ON = (
        "twenty-three trees of 1.2 million lines, tests left out: 12, true by their message; cursors, which "
        "go with their connection, were left alone after that"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def f(p):\n    with open(p) as x:\n        return x.read()\n",
        "def f(p):\n    x = open(p)\n    try:\n        g(x.read())\n    finally:\n        x.close()\n",
        "def f(p):\n    x = open(p)\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    g(x)\n    x.close()\n",
        "def f(self, p):\n    x = open(p)\n    self.x = x\n    g()\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    if a():\n        return x\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    try:\n        g(x.read())\n    except OSError:\n        x.close()\n"
        "        raise\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    return x\n",
        "def f(p):\n    x = open(p)\n    g(x)\n",
        "def f(pool):\n    c = pool.getconn()\n    try:\n        return c.info()\n    finally:\n"
        "        pool.putconn(c)\n",
        "def f(pool):\n    c = pool.getconn()\n    return c\n",
        "def f(self):\n    self.lock.acquire()\n    try:\n        g()\n    finally:\n"
        "        self.lock.release()\n",
        "def f(self):\n    self.lock.acquire()\n    self.x = 1\n    self.lock.release()\n",
        "import tempfile\ndef f():\n    d = tempfile.mkdtemp()\n    return fill(d)\n",
        "import requests\ndef f(u):\n    s = requests.Session()\n    return s.get(u).json()\n",
        "def f(p):\n    x = door.open(p)\n    x.read()\n    x.close()\n",
        "import sqlite3\ndef f(p):\n    x = sqlite3.connect(p)\n    with x:\n"
        "        x.execute('q')\n    x.close()\n",
        "def f(p):\n    x = open(p)\n    g = lambda: x.read()\n    h(g)\n    x.close()\n",
        Valid("def f(p):\n    x = open(p)\n    x.read()\n    x.close()\n", path="tests/test_f.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from pathlib import Path\nclass Reader:\n    def __init__(self, path: Path):\n"
            "        self.file = path.open('rb')\n        self.count = self._header()\n\n"
            "    def _header(self):\n        if not self.file.read(4):\n            raise CutOff()\n",
            line=4,
            column=21,
        ),
        Invalid(
            "import aiohttp\nasync def log_in(session):\n    return await session.post('a')\n\n"
            "async def read():\n    session = aiohttp.ClientSession()\n    await log_in(session)\n"
            "    await session.close()\n",
            line=6,
            column=15,
        ),
        Invalid("def f(p):\n    x = open(p)\n    return x.read()\n", line=2, column=9),
        Invalid(
            "import socket\ndef f(a):\n    s = socket.create_connection(a)\n    s.sendall(b'q')\n"
            "    s.shutdown(2)\n    s.close()\n",
            line=3,
            column=9,
        ),
        Invalid("def f(pool):\n    c = pool.getconn()\n    g(c)\n    pool.putconn(c)\n", line=2, column=9),
        Invalid("def f(pool):\n    c = pool.getconn()\n    c.execute('q')\n", line=2, column=9),
        Invalid(
            "def f():\n    s = SessionLocal()\n    rows = s.query(Row).all()\n    s.close()\n",
            line=2,
            column=9,
        ),
        Invalid(
            "async def f(pool):\n    c = await pool.acquire()\n    r = await c.fetch('q')\n"
            "    await pool.release(c)\n    return r\n",
            line=2,
            column=15,
        ),
        Invalid(
            "def f(self):\n    self._lock.acquire()\n    g()\n    self._lock.release()\n", line=2, column=5
        ),
        Invalid(
            "import shutil, tempfile\ndef f():\n    d = tempfile.mkdtemp()\n    g(d)\n    shutil.rmtree(d)\n",
            line=3,
            column=9,
        ),
        Invalid(
            "import gzip\ndef _open(p):\n    if p.gz:\n        return gzip.open(p.name)\n    return "
            "open(p.name)\n"
            "def f(p):\n    x = _open(p)\n    text = x.read()\n    if not text:\n        return None\n"
            "    x.close()\n    return text\n",
            line=7,
            column=9,
        ),
        Invalid(
            "import shutil, tempfile\nfrom pathlib import Path\ndef f():\n    d = Path(tempfile.mkdtemp())\n"
            "    g(d)\n    shutil.rmtree(d)\n",
            line=4,
            column=9,
        ),
        Invalid("def get_db():\n    db = SessionLocal()\n    yield db\n    db.close()\n", line=2, column=10),
        Invalid(
            "import sqlite3\nfrom contextlib import contextmanager\n@contextmanager\ndef f(p):\n"
            "    c = sqlite3.connect(p)\n    yield c\n    c.close()\n",
            line=5,
            column=9,
        ),
        Invalid(
            "import asyncpg\nasync def f(u):\n    c = await asyncpg.connect(u)\n    r = await c.fetch('q')\n"
            "    await c.close()\n    return r\n",
            line=3,
            column=15,
        ),
        Invalid(
            "from pathlib import Path\ndef f(n):\n    p = Path(n)\n    x = p.open()\n    t = x.read()\n"
            "    x.close()\n    return t\n",
            line=4,
            column=9,
        ),
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

    def visit_Assign(self, node: ast.Assign) -> None:
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode) or self.module.class_of(node) is not None:
            return
        target, value = node.targets[0], node.value
        call = value.value if isinstance(value, ast.Await) else value
        if not isinstance(call, ast.Call) or len(node.targets) > 1:
            return
        if not isinstance(target, ast.Name):
            self._look_at_maker(node, call, target, function)
            return
        if (opener := self._opener(call)) is not None:
            self._look_at_opened(node, call, target.id, function, opener)
        elif last_name(call.func) in LENT:
            self._look_at_lent(node, call, target.id, function)
        elif (made := self.module.imported_name(_wrapped(call).func)) in MADE:
            gives_back = [
                c for c in _calls_in(function) if _hands(c, target.id) and self._undoes(c, made or "")
            ]
            self._look_at_release(node, call, target.id, gives_back)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A lock that is taken, and released further down, without a ``try``."""
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.args:
            return
        lock = ast.unparse(call.func.value)
        function = self.module.function_of(node)
        if call.func.attr != "acquire" or call.keywords or not isinstance(function, FunctionNode):
            return
        if LOCK_NAME.search(lock.rpartition(".")[2]):
            released = [c for c in _calls_in(function) if ast.unparse(c.func) == f"{lock}.release"]
            self._look_at_release(node, call, lock, released, "held")

    def _look_at_maker(
        self, node: ast.Assign, call: ast.Call, target: ast.expr, function: FunctionNode
    ) -> None:
        """What ``__init__`` opens and then refuses: nobody has the object that could close it."""
        if function.name != "__init__" or node not in function.body or not isinstance(target, ast.Attribute):
            return
        opener = self._opener(call)
        if opener not in HELD or ast.unparse(target.value) != "self":
            return
        for later in function.body[function.body.index(node) + 1 :]:
            for step in nodes_run_by([later]):
                if isinstance(step, (ast.Try, ast.With)):
                    return
                if isinstance(step, ast.Raise) or (isinstance(step, ast.Call) and self._refuses(step)):
                    told = (
                        f"{ast.unparse(target)} stays open if line {step.lineno} raises: nobody can close it"
                    )
                    self.report(self.module.span(call), told)
                    return

    def _refuses(self, call: ast.Call) -> bool:
        """Whether a method of the class raises by itself."""
        if not ast.unparse(call.func).startswith("self."):
            return False
        found = self.callees.definition_of(call)
        return found is not None and any(isinstance(n, ast.Raise) for n in walk(found.node))

    def _look_at_opened(
        self, node: ast.Assign, call: ast.Call, name: str, function: FunctionNode, opener: str
    ) -> None:
        rest = _after(self.module.parents[node], node)
        end = next((n for n, later in enumerate(rest) if _closes(later, name, _closers(opener))), 0)
        risk = next((n for n in nodes_run_by(rest[:end]) if isinstance(n, _CAN_RAISE)), None)
        if risk is not None and self._stays_here(function, name, opener, 1):
            left = "returns" if isinstance(risk, ast.Return) else "raises"
            message = f'"{name}" from {opener}() stays open if line {risk.lineno} {left}'
            self.report(self.module.span(call), f"{message}: its close is in no finally")
        elif not end and opener not in MAY_STAY and self._stays_here(function, name, opener, 0):
            message = f'"{name}" from {opener}() is never closed'
            self.report(self.module.span(call), message, severity=Severity.INFO)

    def _look_at_lent(self, node: ast.Assign, call: ast.Call, name: str, function: FunctionNode) -> None:
        """Something that has to be given back to the pool it is from."""
        ways = LENT[last_name(call.func)]
        given = [
            c
            for c in _calls_in(function)
            if isinstance(c.func, ast.Attribute)
            and c.func.attr in ways
            and (_hands(c, name) or ast.unparse(c.func.value) == name)
        ]
        if not given and last_name(call.func) == "getconn" and self._is_kept(function, name):
            self.report(self.module.span(call), f'"{name}" is never given back to the pool')
        self._look_at_release(node, call, name, given)

    def _look_at_release(
        self, node: ast.stmt, call: ast.Call, name: str, releases: Sequence[ast.Call], state: str = "taken"
    ) -> None:
        """Report what is given back in one place, further down, that an error would pass by."""
        if len(releases) != 1:
            return
        rest = _after(self.module.parents[node], node)
        last = self.module.parents[releases[0]]
        last = self.module.parents[last] if isinstance(last, ast.Await) else last
        if last not in rest:
            return
        between = nodes_run_by(rest[: rest.index(last)])
        risk = next((n for n in between if isinstance(n, _CAN_RAISE)), None)
        if risk is not None:
            left = "returns" if isinstance(risk, ast.Return) else "raises"
            undone = f"{ast.unparse(releases[0].func)}() is not in a finally"
            self.report(
                self.module.span(call), f'"{name}" stays {state} if line {risk.lineno} {left}: {undone}'
            )

    def _is_kept(self, function: FunctionNode, name: str) -> bool:
        """Whether nothing but the function's own calls of methods gets hold of a name."""
        uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == name]
        loads = [use for use in uses if isinstance(use.ctx, ast.Load)]
        return len(loads) == len(uses) - 1 and all(
            isinstance(self.module.parents[use], (ast.Attribute, ast.withitem)) for use in loads
        )

    def _undoes(self, call: ast.Call, made: str) -> bool:
        return self.module.imported_name(call.func) in MADE[made]

    def _opener(self, call: ast.Call) -> str | None:
        """The name of what a call opens something with."""
        if isinstance(call.func, ast.Name) and call.func.id == "open":
            return "open"
        name = self.module.imported_name(call.func)
        if name in OPENERS:
            return name
        is_path = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
        if is_path and self._is_path(call.func):
            return "open"
        return self._opened_elsewhere(call) if self.source.is_added(call.lineno) else None

    def _opened_elsewhere(self, call: ast.Call) -> str | None:
        """What a function of the module opens and hands over."""
        found = self.callees.definition_of(call)
        if found is None or found.path != self.source.path or not isinstance(found.node, FunctionNode):
            return None
        if found.node.decorator_list:
            return None
        returns = [n.value for n in nodes_run_by(found.node.body) if isinstance(n, ast.Return)]
        openers = {self._made_by(one) for one in returns}
        return next(iter(openers - {""})) if openers and "" not in openers and None not in openers else None

    def _made_by(self, value: ast.expr | None) -> str:
        """What opens a value that is returned as it is opened."""
        call = value.value if isinstance(value, ast.Await) else value
        if not isinstance(call, ast.Call):
            return ""
        if isinstance(call.func, ast.Name) and call.func.id == "open":
            return "open"
        name = self.module.imported_name(call.func) or ""
        is_path = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
        if is_path and self._is_path(call.func):
            return "open"
        return name if name in OPENERS else ""

    def _is_path(self, func: ast.expr) -> bool:
        """Whether ``open`` is that of a path, by how its name is made or what it is called."""
        assert isinstance(func, ast.Attribute)
        if not isinstance(func.value, ast.Name):
            return False
        function = self.module.function_of(func)
        given = function.args.args if isinstance(function, FunctionNode) else []
        kinds = [a.annotation for a in given if a.arg == func.value.id and a.annotation is not None]
        if kinds and ast.unparse(kinds[0]) in ("Path", "pathlib.Path"):
            return True
        made = self.module.assigned.get(func.value.id, [])
        return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) for one in made) or any(
            isinstance(one, ast.Call) and self.module.imported_name(one.func) == "pathlib.Path"
            for one in made
        )

    def _stays_here(self, function: FunctionNode, name: str, opener: str, closed: int) -> bool:
        """Whether the function alone owns it: one assignment, so many closes, and no other owner."""
        uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == name]
        loads = [use for use in uses if isinstance(use.ctx, ast.Load)]
        closes = [use for use in loads if getattr(self.module.parents[use], "attr", None) in _closers(opener)]
        return (
            len(uses) == len(loads) + 1
            and bool(loads)
            and len(closes) == closed
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
        if isinstance(parent, ast.Yield):
            lender = self.module.function_of(use)
            return any("contextmanager" in ast.unparse(one) for one in getattr(lender, "decorator_list", ()))
        call = self.module.parents[parent] if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call):
            return False
        return self.module.dotted(call.func) in BORROWERS or self._is_only_used_by(call, use)

    def _is_only_used_by(self, call: ast.Call, use: ast.Name) -> bool:
        """Whether a function of the project that is given it only calls methods of it."""
        found = self.callees.definition_of(call) if use in call.args else None
        if found is None or not isinstance(found.node, FunctionNode) or found.node.decorator_list:
            return False
        names = [a.arg for a in (*found.node.args.posonlyargs, *found.node.args.args)][found.is_method :]
        place = call.args.index(use)
        if place >= len(names) or any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(found.node)):
            return False
        inside = list(walk(found.node))
        loads = [n for n in inside if isinstance(n, ast.Name) and n.id == names[place]]
        called = {
            n.func.value for n in inside if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
        }
        closes = any(isinstance(n, ast.Attribute) and n.value in loads and n.attr in CLOSERS for n in inside)
        return bool(loads) and all(n in called for n in loads) and not closes


def _after(parent: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """The statements that follow one in its block."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block[block.index(statement) + 1 :]
    return []


def _wrapped(call: ast.Call) -> ast.Call:
    """The call in ``Path(...)``, where that only turns a text into a path."""
    inner = call.args[0] if len(call.args) == 1 and last_name(call.func) == "Path" else call
    return inner if isinstance(inner, ast.Call) else call


def _closers(opener: str) -> frozenset[str]:
    """The methods that end what is opened so: a socket's ``shutdown`` closes nothing."""
    return ENDERS if opener.endswith(("Executor", "Pool")) else CLOSERS


def _closes(statement: ast.stmt, name: str, closers: frozenset[str]) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    called = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(called, ast.Attribute)
        and called.attr in closers
        and isinstance(called.value, ast.Name)
        and called.value.id == name
    )


def _calls_in(function: FunctionNode) -> list[ast.Call]:
    return [n for n in walk(function) if isinstance(n, ast.Call)]


def _hands(call: ast.Call, name: str) -> bool:
    """Whether a call gets a name as its first argument."""
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == name
