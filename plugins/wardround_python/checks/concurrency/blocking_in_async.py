"""PY005, and which calls wait for something outside the process."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Edit, Plane, Span, SuggestedFix
from wardround_python.analysis.blocking_calls import WAITING_CALLS, Waiting
from wardround_python.check import PythonCheck

_DATABASE_CALLS = frozenset({"sqlite3.connect", "psycopg2.connect", "psycopg.connect", "pymysql.connect"})
_SLOW_CALLS = frozenset(
    {
        "bcrypt.hashpw", "bcrypt.checkpw", "hashlib.pbkdf2_hmac", "hashlib.scrypt", "socket.gethostbyname",
        "socket.getaddrinfo",
    }
)  # fmt: skip
_BLOCKING_CALLS = WAITING_CALLS | _DATABASE_CALLS | _SLOW_CALLS
_RUNS_QUERY = frozenset(
    {
        "get", "create", "get_or_create", "update_or_create", "bulk_create", "bulk_update", "count", "exists",
        "first", "last", "latest", "earliest", "aggregate", "delete", "update", "in_bulk",
    }
)  # fmt: skip
_MANAGER = LazyPattern(r"[A-Z]\w*(\.\w+)?\.objects\b|[a-z]\w*\.[A-Z]\w*\.objects\b")
# How work is handed to a thread, and which argument is the work.
_TO_THREAD = {"to_thread": 0, "run_sync": 0, "run_in_threadpool": 0, "run_in_executor": 1}
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
    TRIED_ON = (
        "twenty-three trees of 600,000 lines, tests left out: 2, both through a function of another "
        "module that starts a process: right; what runs in a thread elsewhere, thirty trees: 7 of files in "
        "memory, which were left alone after that, which left none"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import asyncio\nasync def f():\n    await asyncio.sleep(1)\n",
        "import time\ndef f():\n    time.sleep(1)\n",
        "import time\nasync def f():\n    def g():\n        time.sleep(1)\n    return g\n",
        "import asyncio, requests\nasync def f(url):\n"
        "    return await asyncio.to_thread(requests.get, url)\n",
        "import asyncio, requests\nasync def f(url):\n"
        "    return await asyncio.to_thread(lambda: requests.get(url))\n",
        "import asyncio\nasync def f(disk):\n    if disk.small:\n        return disk.read()\n"
        "    return await asyncio.to_thread(disk.read)\n",
        "import asyncio\nasync def f(work):\n    work()\n    await asyncio.to_thread(work)\n",
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
        "from django.http import X\nasync def f(k):\n    return await Order.objects.acount()\n",
        "import asyncio\nasync def f(tasks):\n    done, _ = await asyncio.wait(tasks)\n"
        "    return [t.result() for t in done]\n",
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
        Invalid(
            "from concurrent.futures import ProcessPoolExecutor\nclass A:\n    def __init__(self):\n"
            "        self._pool = ProcessPoolExecutor()\n    async def f(self, x):\n"
            "        done = self._pool.submit(work, x)\n        return done.result()\n",
            line=7,
            column=16,
        ),
        Invalid(
            "from app.rates import Rates\nasync def f(rates: Rates):\n    return rates.today()\n",
            path="app/use.py",
            others={
                "app/rates.py": "import requests\nclass Rates:\n    def today(self):\n"
                "        return self._fetch('t')\n    def _fetch(self, day):\n        return "
                "requests.get(day)\n"
            },
            line=3,
            column=12,
        ),
        Invalid(
            "from django.http import JsonResponse\nasync def f(request, k):\n"
            "    return JsonResponse(Order.objects.filter(k=k).count())\n",
            line=3,
            column=25,
        ),
        Invalid(
            "from pymongo import MongoClient\nclient = MongoClient()\nasync def f(k):\n"
            "    return client.shop.orders.find_one({'k': k})\n",
            line=4,
            column=12,
        ),
        Invalid(
            "import anyio\nclass Files:\n    def look_up(self, path):\n        return os.stat(path)\n\n"
            "    async def f(self, path):\n        self.look_up(path)\n"
            "        return await anyio.to_thread.run_sync(self.look_up, path)\n",
            line=7,
            column=9,
        ),
        Invalid("import psycopg2 as pg\nasync def f():\n    return pg.connect('d')\n", line=3, column=12),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "async def" in source.text

    def visit_Call(self, node: ast.Call) -> None:
        function = self.module.function_of(node)
        if not isinstance(function, ast.AsyncFunctionDef):
            return
        name = self.module.imported_name(node.func)
        if name in _BLOCKING_CALLS and not _is_in_memory(node):
            fix = self._sleep_fix(node) if name == "time.sleep" else None
            message = f'{name}() blocks the event loop in coroutine "{function.name}"'
            self.report(self.module.span(node), message, fix)
        elif (
            waits := self._waiting.method_of(node) or self._asks_the_database(node) or self._through(node)
        ) is not None:
            message = f'{waits} blocks the event loop in coroutine "{function.name}"'
            self.report(self.module.span(node), message)
        elif self._in_threads and not isinstance(self.module.parents[node], ast.Await):
            called = ast.unparse(node.func)
            if self._in_threads.get(called, node.lineno) != node.lineno and self._is_plain_function(node):
                elsewhere = f"line {self._in_threads[called]} runs it in a thread"
                message = f'{called}() blocks the event loop in coroutine "{function.name}": {elsewhere}'
                self.report(self.module.span(node), message)

    def _is_plain_function(self, node: ast.Call) -> bool:
        """Whether what is called is a function or method of the project, and no coroutine function."""
        found = self.callees.definition_of(node)
        return found is not None and isinstance(found.node, ast.FunctionDef)

    @cached_property
    def _in_threads(self) -> dict[str, int]:
        """What coroutines of the module hand to a thread because it blocks, and in which line."""
        found: dict[str, int] = {}
        for node in self.module.nodes if any(name in self.source.text for name in _TO_THREAD) else ():
            if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
                continue
            place = _TO_THREAD.get(node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id)
            if place is None or len(node.args) <= place or (place and ast.unparse(node.args[0]) != "None"):
                continue
            handed, around = node.args[place], self.module.function_of(node)
            if isinstance(handed, (ast.Name, ast.Attribute)) and isinstance(around, ast.AsyncFunctionDef):
                given = {a.arg for a in (*around.args.args, *around.args.kwonlyargs)}
                if not (isinstance(handed, ast.Name) and handed.id in given):
                    found.setdefault(ast.unparse(handed), node.lineno)
        return found

    @cached_property
    def _waiting(self) -> Waiting:
        return Waiting(self.module, self.source.project)

    def _through(self, node: ast.Call) -> str | None:
        """A plain function or method of the project that itself makes a call that waits."""
        wait = self._waiting.through(node)
        return None if wait is None else wait.told

    def _asks_the_database(self, node: ast.Call) -> str | None:
        """A query of Django's, which refuses to run in a coroutine."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in _RUNS_QUERY:
            return None
        if isinstance(self.module.parents[node], ast.Await) or not any(
            name.startswith("django") for name in self.module.imported.values()
        ):
            return None
        chain = ast.unparse(func.value)
        return f"{chain}.{func.attr}() of Django" if _MANAGER.match(chain) else None

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


def _import_edit(source: SourceFile) -> Edit | None:
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
