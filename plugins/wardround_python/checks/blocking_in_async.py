"""PY005, and which calls wait for something outside the process."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Edit, Plane, Span, SuggestedFix
from wardround_python.check import PythonCheck
from wardround_python.module import nodes_run_by
from wardround_python.waiting import WAITING_CALLS, WAITING_METHODS, Waiting

_DATABASE_CALLS = frozenset({"sqlite3.connect", "psycopg2.connect", "psycopg.connect", "pymysql.connect"})
_SLOW_CALLS = frozenset(
    {
        "bcrypt.hashpw", "bcrypt.checkpw", "hashlib.pbkdf2_hmac", "hashlib.scrypt", "socket.gethostbyname",
        "socket.getaddrinfo",
    }
)  # fmt: skip
_BLOCKING_CALLS = WAITING_CALLS | _DATABASE_CALLS | _SLOW_CALLS
_ROOTS = sorted({name.partition(".")[0] for name in _BLOCKING_CALLS})
_ALL_ROOTS = sorted({*_ROOTS, *(name.partition(".")[0] for name in WAITING_METHODS)})
_OTHER_LOOPS = frozenset({"trio", "anyio", "curio"})


class BlockingInAsync(PythonCheck):
    """A call that blocks its thread is made in a coroutine.

    While it waits, the event loop stands still: no other request, timer or cancellation gets a turn. Use
    the asynchronous counterpart, or move the call to a thread with ``asyncio.to_thread``.
    """

    ID = "PY005"
    NAME = "blocking-in-async"
    WORDS = ("async def",)
    PLANE = Plane.PERF
    DEFECT_CLASS = "blocking-call-in-async"
    TRIED_ON = "twenty-three trees of 1.2 million lines, tests left out: none"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import asyncio\nasync def f():\n    await asyncio.sleep(1)\n",
        "import time\ndef f():\n    time.sleep(1)\n",
        "import time\nasync def f():\n    def g():\n        time.sleep(1)\n    return g\n",
        "import asyncio, requests\nasync def f(url):\n"
        "    return await asyncio.to_thread(requests.get, url)\n",
        "import asyncio, requests\nasync def f(url):\n"
        "    return await asyncio.to_thread(lambda: requests.get(url))\n",
        "async def f(requests):\n    return requests.get('a')\n",
        "import sqlite3\nasync def f():\n    return sqlite3.connect(':memory:')\n",
        "import httpx\nasync def f():\n    async with httpx.AsyncClient() as c:\n"
        "        return await c.get('u')\n",
        "import asyncio, requests\nhttp = requests.Session()\nasync def f(u):\n"
        "    return await asyncio.to_thread(http.get, u)\n",
        "import asyncio, queue\njobs = asyncio.Queue()\nold = queue.Queue()\nasync def f():\n"
        "    return await jobs.get()\n",
        "import queue\njobs = queue.Queue()\nasync def f():\n    return jobs.get(block=False)\n",
        "import requests\nasync def f(http: requests.Session, headers: dict):\n    return headers.get('u')\n",
        "import time\ndef nap():\n    time.sleep(1)\nasync def f(loop):\n"
        "    await loop.run_in_executor(None, nap)\n",
        Valid("import time\nasync def test_f():\n    time.sleep(1)\n", path="tests/test_f.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import asyncio\nimport time\nasync def f():\n    time.sleep(1)\n",
            line=4,
            column=5,
            fixed="import asyncio\nimport time\nasync def f():\n    await asyncio.sleep(1)\n",
        ),
        Invalid(
            '"""Waits."""\nfrom time import sleep\nasync def f():\n    sleep(2 * 3)\n',
            line=4,
            column=5,
            fixed='"""Waits."""\nfrom time import sleep\nimport asyncio\n\n'
            "async def f():\n    await asyncio.sleep(2 * 3)\n",
        ),
        Invalid("import requests\nasync def f():\n    return requests.get('u').json()\n", line=3, column=12),
        Invalid(
            "from subprocess import run\nasync def f():\n    if x:\n        run(['ls'])\n", line=4, column=9
        ),
        Invalid(
            "import urllib.request\nasync def f(u):\n    with urllib.request.urlopen(u) as r:\n"
            "        return r.read()\n",
            line=3,
            column=10,
        ),
        Invalid(
            "import requests\nclass A:\n    def __init__(self):\n        self.http = requests.Session()\n"
            "    async def f(self):\n        return self.http.get('u')\n",
            line=6,
            column=16,
        ),
        Invalid(
            "import httpx\nclass A:\n    def __init__(self, http: httpx.Client):\n        self.http = http\n"
            "    async def f(self):\n        return self.http.get('u')\n",
            line=6,
            column=16,
        ),
        Invalid(
            "import queue\njobs = queue.Queue()\nasync def f():\n    return jobs.get()\n", line=4, column=12
        ),
        Invalid(
            "import requests\ndef fetch(u):\n    return requests.get(u)\n"
            "async def f(u):\n    return fetch(u)\n",
            line=5,
            column=12,
        ),
        Invalid(
            "import time\nclass A:\n    def nap(self):\n        time.sleep(1)\n    async def f(self):\n"
            "        self.nap()\n",
            line=6,
            column=9,
        ),
        Invalid(
            "from sqlalchemy.orm import Session\n@app.get('/')\n"
            "async def rows(db: Session = Depends(get_db)):\n"
            "    return db.execute(query).all()\n",
            line=4,
            column=12,
        ),
        Invalid("import psycopg2 as pg\nasync def f():\n    return pg.connect('d')\n", line=3, column=12),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return "async def" in source.text and any(root in source.text for root in _ALL_ROOTS)

    def visit_Call(self, node: ast.Call) -> None:
        function = self.module.function_of(node)
        if not isinstance(function, ast.AsyncFunctionDef):
            return
        name = self.module.imported_name(node.func)
        if name in _BLOCKING_CALLS and not _is_in_memory(node):
            fix = self._sleep_fix(node) if name == "time.sleep" else None
            message = f'{name}() blocks the event loop in coroutine "{function.name}"'
            self.report(self.module.span(node), message, fix)
        elif (waits := self._waiting.method_of(node) or self._waiting_function(node)) is not None:
            message = f'{waits} blocks the event loop in coroutine "{function.name}"'
            self.report(self.module.span(node), message)

    @cached_property
    def _waiting(self) -> Waiting:
        return Waiting(self.module)

    def _waiting_function(self, node: ast.Call) -> str | None:
        """A plain function or method of the module that itself makes a call that waits."""
        func = node.func
        if isinstance(func, ast.Name):
            key: tuple[str, str] | None = ("", func.id)
        elif isinstance(func, ast.Attribute) and ast.unparse(func.value) in ("self", "cls"):
            holder = next((p for p in self.module.ancestors(node) if isinstance(p, ast.ClassDef)), None)
            key = (holder.name, func.attr) if holder is not None else None
        else:
            key = None
        waits = self._functions.get(key) if key is not None else None
        return f"{ast.unparse(func)}(), which calls {waits}()," if waits else None

    @cached_property
    def _functions(self) -> dict[tuple[str, str], str]:
        """(class or nothing, name) -> the waiting call it makes, for plain functions that always block."""
        found: dict[tuple[str, str], str] = {}
        for node in self.module.nodes:
            if not isinstance(node, ast.FunctionDef) or node.decorator_list:
                continue
            holder = self.module.class_of(node)
            if holder is None and node not in self.module.tree.body:
                continue
            calls = (n for n in nodes_run_by(node.body) if isinstance(n, ast.Call))
            names = (self.module.imported_name(call.func) for call in calls)
            waiting = next((name for name in names if name in WAITING_CALLS), None)
            if waiting is not None:
                found[holder.name if holder else "", node.name] = waiting
        return found

    def _sleep_fix(self, node: ast.Call) -> SuggestedFix | None:
        imported = self.module.imported
        other_loop = any(name.partition(".")[0] in _OTHER_LOOPS for name in imported.values())
        if other_loop or not isinstance(self.module.parents[node], ast.Expr):
            return None
        what = "await asyncio.sleep instead"
        awaited = Edit(self.source.path, self.module.span(node.func), "await asyncio.sleep")
        if self._has_asyncio():
            return SuggestedFix(what, True, (awaited,))
        added = _import_edit(self.source) if "asyncio" not in imported else None
        return SuggestedFix(what, False, (added, awaited)) if added else None

    def _has_asyncio(self) -> bool:
        """Whether ``asyncio`` is imported, under its own name, for the whole module."""
        return any(
            alias.asname is None and alias.name.partition(".")[0] == "asyncio"
            for statement in self.module.tree.body
            if isinstance(statement, ast.Import)
            for alias in statement.names
        )


def _is_in_memory(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == ":memory:"


def _import_edit(source: Source) -> Edit | None:
    """The edit that adds ``import asyncio``; None where libcst cannot place it in whole lines."""
    import libcst  # slow to import, and only a finding needs it
    from libcst.codemod import CodemodContext
    from libcst.codemod.visitors import AddImportsVisitor

    context = CodemodContext()
    AddImportsVisitor.add_needed_import(context, "asyncio")
    try:
        new = AddImportsVisitor(context).transform_module(libcst.parse_module(source.text)).code
    except libcst.ParserSyntaxError:
        return None
    before, after = source.text.split("\n"), new.split("\n")
    added = len(after) - len(before)
    first = next((n for n, (old, now) in enumerate(zip(before, after, strict=False)) if old != now), None)
    if first is None or added < 1 or before[first:] != after[first + added :]:
        return None
    text = "".join(line + "\n" for line in after[first : first + added])
    return Edit(source.path, Span(first + 1, 1, first + 1, 1), text)
