"""TE230."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.fixtures import SET_UP, fixture_scope, is_fixture
from wardround_tests.models.python_tests import own_nodes, root_name

_PUTTING = LazyPattern(
    r"^(append|add|update|extend|insert|setdefault|subscribe|register|connect|install|enable|disable)(_\w+)?$|"
    r"^(add|set)_\w+$"
)
"""Methods that put something into what they are called on."""
_UNDOING = LazyPattern(
    r"(?i)addfinalizer|addCleanup|addClassCleanup|monkeypatch|mocker|(?<![a-z])patch|override_settings|callback\(|restore|"
    r"rollback|reload"
)
_TAKING_BACK = LazyPattern(
    r"\.(clear|pop|popitem|remove|discard|reset\w*|unregister|unsubscribe|disconnect)\b"
)
_NO_STATE = LazyPattern(
    r"\.config$|(^|\.)(objects|session|db|query|_meta|testing|debug|metadata|faker|random|logger|warnings|"
    r"table|bind|engine|environ|path|modules)(\.|$)|(?i:test(ing)?_?\w*$|debug$|mock|fake|"
    r"factory|stub)|^(?i:\w*_?(db|database|crud|dao|repo|repository|store|storage|client|api|redis|cache)(_\w+)?)$"
)
"""What tests set for the whole run on purpose, what transactions take back, and what other rules look at."""
_START = "import pytest\nfrom shop import bus\n"


class FixtureLeaves(PythonTestCheck):
    """A fixture or set-up changes something that all tests share, and nothing takes the change back.

    The tests that do not ask for the fixture find the change as well if they run later, so whether they pass
    depends on the order. Take it back behind ``yield``, in ``tearDown`` or with ``addCleanup``, or let
    ``monkeypatch`` do both.
    """

    ID = "TE230"
    NAME = "fixture-leaves-change"
    DEFECT_CLASS = "order-dependent-tests"
    TRIED_ON = (
        "Every test file of 22 projects, celery, aiohttp, netbox, saleor and synapse among them: 8 hits: 1 "
        "right, 5 rows put into a database and 2 set-ups for the whole run, which are left alone now."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            f"{_START}@pytest.fixture\ndef heard():\n    names = []\n    bus.handlers['a'] = names.append\n"
            "    yield names\n    bus.handlers.clear()\n",
            path="tests/conftest.py",
        ),
        Valid(
            f"{_START}@pytest.fixture\ndef heard(monkeypatch):\n"
            "    monkeypatch.setitem(bus.handlers, 'a', print)\n    return bus\n",
            path="tests/conftest.py",
        ),
        Valid(
            f"{_START}class BusTest(TestCase):\n    def setUp(self):\n        bus.handlers['a'] = print\n"
            "    def tearDown(self):\n        del bus.handlers['a']\n"
            "    def test_bus(self):\n        self.assertTrue(bus.ask('a'))\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}@pytest.fixture(autouse=True)\ndef quiet():\n    yield\n    bus.handlers.clear()\n"
            "@pytest.fixture\ndef heard():\n    bus.handlers['a'] = print\n",
            path="tests/conftest.py",
        ),
        Valid(
            f"{_START}@pytest.fixture(scope='session')\ndef heard():\n    bus.handlers['a'] = print\n",
            path="tests/conftest.py",
        ),
        Valid(
            f"{_START}@pytest.fixture\ndef heard(bus):\n    bus.handlers['a'] = print\n    return bus\n",
            path="tests/conftest.py",
        ),
        Valid(
            "import pytest\nfrom shop import app\n@pytest.fixture\ndef client():\n"
            "    app.config['TESTING'] = True\n    return app.test_client()\n",
            path="tests/conftest.py",
        ),
        Valid(
            f"{_START}@pytest.fixture\ndef heard():\n    bus.handlers['a'] = print\n    return bus\n",
            path="tests/api/conftest.py",
            others={
                "tests/conftest.py": "import pytest\n@pytest.fixture(autouse=True)\ndef quiet():\n    yield\n"
                "    bus.handlers.clear()\n"
            },
        ),
        Valid(
            f"{_START}@pytest.fixture\ndef heard():\n    old = bus.ask\n    bus.ask = print\n    try:\n"
            "        yield bus\n    finally:\n        bus.ask = old\n",
            path="tests/conftest.py",
        ),
        Valid(
            "from shop import limits\nclass Base(TestCase):\n    def setUp(self):\n"
            "        limits.enabled = False\n",
            path="tests/__init__.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_START}@pytest.fixture\ndef heard():\n    bus.handlers['a'] = print\n    return bus\n",
            line=5,
            column=5,
            path="tests/conftest.py",
        ),
        Invalid(
            f"{_START}@pytest.fixture\ndef heard():\n    names = []\n"
            "    bus.subscribe('paid', names.append)\n"
            "    yield names\n",
            line=6,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "from shop import rules\nclass RulesTest(TestCase):\n    def setUp(self):\n"
            "        rules.LIMITS['beta'] = 3\n"
            "    def test_limit(self):\n        self.assertEqual(rules.limit('beta'), 3)\n",
            line=4,
            column=9,
            path="test_case.py",
        ),
        Invalid(
            "import pytest\nfrom shop.rules import Rules\n@pytest.fixture()\ndef beta():\n"
            "    Rules.enabled.add('beta')\n",
            line=5,
            column=5,
            path="tests/conftest.py",
        ),
        Invalid(
            "import pytest\nfrom shop import rules\n@pytest.fixture\ndef strict():\n"
            "    rules.STRICT = True\n    return rules\n",
            line=5,
            column=5,
            path="tests/conftest.py",
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "fixture" in source.text or re.search(r"def (async)?set_?up", source.text, re.I) is not None

    def visit_Module(self, node: ast.Module) -> None:
        for maker in self.module.makers:
            is_per_test = is_fixture(maker) and fixture_scope(maker) in ("function", "class", "module")
            cls = self.module.class_of(maker)
            is_set_up = maker.name in SET_UP and (cls is None or bool(self.module.tests_in(cls)))
            if (is_per_test or is_set_up) and not self._takes_back(maker):
                self._look_at_maker(maker)

    def _look_at_maker(self, maker: FunctionNode) -> None:
        own = {n.id for n in walk(maker) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own |= {one.arg for one in (*maker.args.posonlyargs, *maker.args.args, *maker.args.kwonlyargs)}
        for statement in own_nodes(maker.body):
            changed = self._changed(statement)
            if changed is None or root_name(changed) in own or _NO_STATE.search(ast.unparse(changed)):
                continue
            if not isinstance(statement, ast.stmt):
                continue
            if not self._is_within(statement) and not self._is_seen_to(changed, maker):
                text = f"{ast.unparse(changed)} stays changed for the tests that do not ask for this set-up"
                self.report(self.module.span(statement), text)
                return

    def _changed(self, node: ast.AST) -> ast.expr | None:
        """What of an import a statement changes."""
        target: ast.expr | None = None
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            target = target.value if isinstance(target, ast.Subscript) else target
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            is_putting = isinstance(function, ast.Attribute) and _PUTTING.match(function.attr)
            given = node.value.args or node.value.keywords
            target = function.value if is_putting and given and isinstance(function, ast.Attribute) else None
        if target is None or (isinstance(node, ast.Assign) and isinstance(target, ast.Name)):
            return self._shared_name(node, target)
        return target if self._is_shared(root_name(target)) else None

    def _shared_name(self, node: ast.AST, target: ast.expr | None) -> ast.expr | None:
        """The import itself, where an item of it is set."""
        is_item = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
        return target if is_item and target is not None and self._is_shared(root_name(target)) else None

    def _is_shared(self, name: str) -> bool:
        """Whether a name is brought by an import from the project, going by what the project holds."""
        home = self.module.imported.get(name, "")
        return bool(home) and name not in self.module.unknown_helpers and self._is_of_project(home)

    def _is_of_project(self, dotted: str) -> bool:
        if dotted.startswith("."):
            return True
        top = dotted.partition(".")[0]
        return top not in _LIBRARIES

    def _is_within(self, statement: ast.AST) -> bool:
        """Whether what stands around a statement may take back what it does."""
        return any(
            isinstance(one, (ast.With, ast.AsyncWith, ast.Try)) for one in self.module.ancestors(statement)
        )

    def _takes_back(self, maker: FunctionNode) -> bool:
        """Whether a fixture goes on behind its ``yield``, or hands over what takes its change back."""
        if _UNDOING.search(self.module.text_of(maker)) or any(
            _UNDOING.search(ast.unparse(one)) for one in maker.decorator_list
        ):
            return True
        yields = [n for n in walk(maker) if isinstance(n, (ast.Yield, ast.YieldFrom))]
        if any(isinstance(p, ast.Try) and p.finalbody for n in yields for p in self.module.ancestors(n)):
            return True
        return bool(yields) and maker.body[-1].lineno > max(n.lineno for n in yields)

    def _is_seen_to(self, changed: ast.expr, maker: FunctionNode) -> bool:
        """Whether anything else that runs around tests, here or above, has to do with what is changed."""
        last = ast.unparse(changed).rpartition(".")[2]
        word = re.compile(rf"\b{re.escape(last)}\b")
        others = (one for one in self.module.functions if one is not maker)
        for one in others:
            text = self.module.text_of(one)
            is_test = one.name.startswith("test")
            if word.search(text) and (not is_test or _TAKING_BACK.search(text)):
                return True
        return any(word.search(text) for text in self._above)

    @cached_property
    def _above(self) -> list[str]:
        """The texts of what pytest runs around the tests of the folders that the module stands in."""
        return list(_conftests(self.source))


def _conftests(source: SourceFile) -> Iterator[str]:
    folders = source.path.split("/")[:-1]
    for depth in range(len(folders) + 1):
        path = "/".join([*folders[:depth], "conftest.py"])
        text = source.project.read(path) if path != source.path else None
        if text:
            yield text


_LIBRARIES = frozenset(
    {
        "pytest", "unittest", "django", "flask", "logging", "warnings", "os", "sys", "random", "numpy",
        "matplotlib", "pandas", "torch", "sqlalchemy", "factory", "faker", "hypothesis", "asyncio", "socket",
        "signal",
        "celery", "responses", "httpx", "requests", "structlog", "rest_framework", "locale", "decimal", "gc",
    }
)  # fmt: skip
