"""PY083."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name
from wardround_python.check import PythonCheck

_BACK = LazyPattern(
    r"(?i)^_?(close|release|unlock|restore|reset|remove|rmtree|unlink|delete|stop|shutdown|disconnect|rollback|pop"
    r"|chdir|clean_?up|tear_?down|deregister|unregister|disable|terminate|kill|put|putconn|unset|revert|uninstall)\w*$"
)


class ContextManagerWithoutFinally(PythonCheck):
    """A context manager cleans up after its ``yield`` without ``try`` and ``finally``.

    An error in the ``with`` block comes out of the ``yield``, and what stands below does not run: the
    lock stays held, the folder stays changed. Put the ``yield`` into a ``try`` and the clean-up into its
    ``finally``.
    """

    ID = "PY083"
    NAME = "context-manager-without-finally"
    WORDS = ("contextmanager",)
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "unclosed-resource"
    TRIED_ON = (
        "thirty-four trees of 600,000 lines, tests left out: 4, three right; a lifespan since left alone"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from contextlib import contextmanager\n@contextmanager\ndef f(x):\n    try:\n"
        "        yield x\n    finally:\n"
        "        x.restore()\n",
        "from contextlib import contextmanager\n@contextmanager\ndef f(x):\n    with x:\n        yield x\n",
        "from contextlib import contextmanager\n@contextmanager\ndef f(x):\n    start = now()\n    yield x\n"
        "    log(now() - start)\n",
        "from contextlib import contextmanager\n@contextmanager\ndef f(s):\n    yield s\n    s.commit()\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from contextlib import asynccontextmanager\n@asynccontextmanager\nasync def f(pool):\n"
            "    c = await pool.get()\n    yield c\n    await pool.release(c)\n",
            5,
            5,
        ),
        Invalid(
            "from contextlib import contextmanager\n@contextmanager\ndef f(x):\n    x.change()\n    yield x\n"
            "    x.restore()\n",
            5,
            5,
        ),
        Invalid(
            "import contextlib, os\n@contextlib.contextmanager\ndef f(p):\n    old = os.getcwd()\n"
            "    os.chdir(p)\n"
            "    yield\n    os.chdir(old)\n",
            6,
            5,
        ),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        if not any(
            last_name(one) in ("contextmanager", "asynccontextmanager") for one in node.decorator_list
        ):
            return
        if "lifespan" in node.name:  # a server ends by itself, not by an error out of here
            return
        for place, one in enumerate(node.body):
            if not isinstance(one, ast.Expr) or not isinstance(one.value, ast.Yield):
                continue
            for later in node.body[place + 1 :]:
                call = later.value if isinstance(later, ast.Expr) else None
                call = call.value if isinstance(call, ast.Await) else call
                if isinstance(call, ast.Call) and _BACK.search(last_name(call.func)):
                    told = f"after an error in the with block line {later.lineno} does not run"
                    self.report(self.module.span(one), told)
                    return
