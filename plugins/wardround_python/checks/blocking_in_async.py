"""PY005, and which calls wait for something outside the process."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Edit, Plane, Span, SuggestedFix
from wardround_python.check import PythonCheck

_HTTP_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request")
# Each keeps its thread until a clock, a process or a network answers.
WAITING_CALLS = frozenset(
    {f"requests.{verb}" for verb in _HTTP_VERBS}
    | {f"httpx.{verb}" for verb in (*_HTTP_VERBS, "stream")}
    | {f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "getoutput")}
    | {"time.sleep", "os.system", "urllib.request.urlopen", "urllib.request.urlretrieve"}
    | {"socket.create_connection", "smtplib.SMTP", "smtplib.SMTP_SSL"}
)
_DATABASE_CALLS = frozenset({"sqlite3.connect", "psycopg2.connect", "psycopg.connect", "pymysql.connect"})
_BLOCKING_CALLS = WAITING_CALLS | _DATABASE_CALLS
_ROOTS = sorted({name.partition(".")[0] for name in _BLOCKING_CALLS})
_OTHER_LOOPS = frozenset({"trio", "anyio", "curio"})


class BlockingInAsync(PythonCheck):
    """A call that blocks its thread is made in a coroutine.

    While it waits, the event loop stands still: no other request, timer or cancellation gets a turn. Use
    the asynchronous counterpart, or move the call to a thread with ``asyncio.to_thread``.
    """

    ID = "PY005"
    NAME = "blocking-in-async"
    PLANE = Plane.PERF
    DEFECT_CLASS = "blocking-call-in-async"
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
        Invalid("import psycopg2 as pg\nasync def f():\n    return pg.connect('d')\n", line=3, column=12),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return "async def" in source.text and any(root in source.text for root in _ROOTS)

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func)
        if name not in _BLOCKING_CALLS or _is_in_memory(node):
            return
        function = self.module.function_of(node)
        if isinstance(function, ast.AsyncFunctionDef):
            fix = self._sleep_fix(node) if name == "time.sleep" else None
            message = f'{name}() blocks the event loop in coroutine "{function.name}"'
            self.report(self.module.span(node), message, fix)

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
