"""TE231."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.fixtures import SET_UP, is_fixture
from wardround_tests.models.python_tests import own_nodes

_OPENING = LazyPattern(
    r"^((sqlite3|psycopg2?|pymysql|MySQLdb|mysql\.connector|asyncpg|oracledb|pyodbc|aiosqlite)\.connect|"
    r"subprocess\.Popen|open|io\.open|socket\.(socket|create_connection|create_server)|"
    r"http\.server\.(HTTPServer|ThreadingHTTPServer)|socketserver\.\w+Server|aiohttp\.ClientSession|"
    r"concurrent\.futures\.(ThreadPoolExecutor|ProcessPoolExecutor)|multiprocessing\.(Pool|Process)|"
    r"selenium\.webdriver\.(Chrome|Firefox|Edge|Remote)|smtplib\.SMTP|paramiko\.SSHClient)$"
)
"""What holds something of the machine until it is closed."""
_CLOSING = LazyPattern(
    r"\.(close|aclose|kill|terminate|shutdown|server_close|quit|stop|disconnect|join|wait|communicate|"
    r"__exit__|__aexit__)\b|\bclosing\(|addCleanup|addfinalizer|enterContext|ExitStack|callback\("
)
_SMALL = LazyPattern(r":memory:|daemon=True|^open\(__file__")
_START = "import sqlite3\nimport pytest\n"


class FixtureLeftOpen(PythonTestCheck):
    """A fixture opens a connection, a process or a server, hands it to the tests, and nobody closes it.

    Each test opens one more, and they are held until the run ends: connections run out, files stay locked,
    and what was not committed blocks the next test. Hand it over with ``yield`` and close it behind that, or
    open it in a ``with`` block.
    """

    ID = "TE231"
    NAME = "fixture-left-open"
    DEFECT_CLASS = "order-dependent-tests"
    TRIED_ON = (
        "Every test file of 22 projects, celery, aiohttp, netbox, saleor and synapse among them: no hit, so "
        "nothing wrong and nothing proven."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            f"{_START}@pytest.fixture\ndef rows():\n    link = sqlite3.connect('rows.db')\n"
            "    yield link\n    link.close()\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}@pytest.fixture\ndef rows():\n    with sqlite3.connect('rows.db') as link:\n"
            "        yield link\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}@pytest.fixture\ndef rows():\n    return sqlite3.connect(':memory:')\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}@pytest.fixture\ndef rows():\n    return sqlite3.connect('rows.db')\n"
            "def test_rows(rows):\n    assert count(rows) == 0\n    rows.close()\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}@pytest.fixture\ndef rows():\n    link = sqlite3.connect('rows.db')\n"
            "    return link.execute('select 1').fetchall()\n",
            path="test_case.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_START}@pytest.fixture\ndef rows():\n    link = sqlite3.connect('rows.db')\n    return link\n"
            "def test_rows(rows):\n    assert count(rows) == 0\n",
            line=5,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "import subprocess\nimport pytest\n@pytest.fixture\ndef server():\n"
            "    yield subprocess.Popen(['serve', '8080'])\n",
            line=5,
            column=5,
            path="tests/conftest.py",
        ),
        Invalid(
            "import psycopg\nclass RowsTest(TestCase):\n    def setUp(self):\n"
            "        self.link = psycopg.connect('dbname=rows')\n"
            "    def test_rows(self):\n        self.assertEqual(count(self.link), 0)\n",
            line=4,
            column=9,
            path="test_case.py",
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return (
            re.search(r"connect\(|Popen\(|open\(|socket|Server\(|Session\(|Executor\(|webdriver", source.text)
            is not None
        )

    def visit_Module(self, node: ast.Module) -> None:
        for maker in self.module.makers:
            if is_fixture(maker) or maker.name in SET_UP:
                self._look_at_maker(maker)

    def _look_at_maker(self, maker: FunctionNode) -> None:
        for statement in own_nodes(maker.body):
            value = getattr(statement, "value", None)
            call = value.value if isinstance(value, ast.Yield) else value
            if not isinstance(statement, (ast.Assign, ast.Return, ast.Expr)) or not isinstance(
                call, ast.Call
            ):
                continue
            name = self.module.imported_name(call.func) or ast.unparse(call.func)
            if not _OPENING.match(name) or _SMALL.search(ast.unparse(call)):
                continue
            if self._is_handed_over(statement, value, maker) and not self._is_closed():
                text = f"what {name}() opens is handed to the tests, and nothing here closes it"
                self.report(self.module.span(statement), text)
                return

    def _is_handed_over(self, statement: ast.stmt, value: ast.expr | None, maker: FunctionNode) -> bool:
        """Whether a test gets what a statement opens: it is what the fixture gives, or kept in the object."""
        if not isinstance(statement, ast.Assign):
            return isinstance(statement, ast.Return) or isinstance(value, ast.Yield)
        target = statement.targets[0]
        if isinstance(target, ast.Attribute):
            return ast.unparse(target.value) in ("self", "cls")
        given = [n.value for n in walk(maker) if isinstance(n, (ast.Return, ast.Yield))]
        return isinstance(target, ast.Name) and any(
            isinstance(one, ast.Name) and one.id == target.id for one in given
        )

    def _is_closed(self) -> bool:
        """Whether anything in the file closes something."""
        return _CLOSING.search(self.module.text) is not None
