"""TE008."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Severity
from wardround.late import LatePattern
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, own_nodes

_DRAWS = LatePattern(
    r"^(random\.(random|randint|randrange|choice|choices|sample|shuffle|uniform|gauss|normalvariate|getrandbits)|"
    r"numpy\.random\.(rand|randn|randint|random|random_sample|choice|normal|uniform|permutation|shuffle|"
    r"standard_normal|poisson|binomial|exponential|beta|gamma)|"
    r"torch\.(rand|randn|randint|randperm)|"
    r"secrets\.(choice|randbelow))$"
)
_SEEDED = LatePattern(
    r"(?i)\bseed\b|seed_|_seed|Random\([^)\s]|default_rng\([^)\s]|RandomState\([^)\s]|random_state|"
    r"hypothesis|randomly"
)
_SOURCES = frozenset(
    {
        "faker.Faker", "faker.Factory.create", "random.Random", "numpy.random.default_rng",
        "numpy.random.RandomState", "mimesis.Generic", "mimesis.Person",
    }
)  # fmt: skip
"""What gives random values when it is made without a seed."""

_WORDS = ("random", "faker", "torch", "secrets", "mimesis")


class UnseededRandom(PythonTestCheck):
    """A test works on random values, and nothing says which.

    When it fails once, the run cannot be repeated, and the next one passes. Use a Random of your own with a
    seed that the failure prints, or hypothesis, which does that for you.
    """

    ID = "TE008"
    NAME = "random-in-test"
    TRIED_ON = (
        "553,000 lines of tests of 17 projects, flask, celery, redash and apprise among them: 14 hits"
        " read: true, most of them on purpose: info."
    )
    SEVERITY = Severity.INFO
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "from faker import Faker\nfake = Faker()\nFaker.seed(7)\ndef test_name():\n"
            "    assert short(fake.name())\n",
            path="test_case.py",
        ),
        Valid("def test_name(faker):\n    assert short(faker.name())\n", path="test_case.py"),
        Valid(
            "import numpy as np\ndef test_mean():\n    rng = np.random.default_rng(3)\n"
            "    assert mean(rng.normal(size=9)) < 1\n",
            path="test_case.py",
        ),
        Valid(
            "import random\ndef test_sort():\n    random.seed(3)\n    assert run(random.random()) > 0\n",
            path="test_case.py",
        ),
        Valid(
            "from random import Random\ndef test_sort():\n    assert run(Random(3).random()) > 0\n",
            path="test_case.py",
        ),
        Valid("import random\ndef make():\n    return random.random()\n", path="tests/case.py"),
        Valid("def test_sort(random):\n    assert run(random.choice([1, 2])) > 0\n", path="test_case.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from faker import Faker\nfake = Faker()\ndef test_name():\n    name = fake.name()\n"
            "    other = fake.name()\n    assert short(name) != short(other)\n",
            line=4,
            column=12,
            path="test_case.py",
        ),
        Invalid(
            "import numpy as np\ndef test_mean():\n    rng = np.random.default_rng()\n"
            "    assert mean(rng.normal(size=9)) < 1\n",
            line=4,
            column=17,
            path="test_case.py",
        ),
        Invalid(
            "import random\ndef test_sort():\n    assert run(random.random()) > 0\n",
            line=3,
            column=16,
            path="test_case.py",
        ),
        Invalid(
            "from random import shuffle\ndef test_sort():\n    rows = [1, 2]\n    shuffle(rows)\n"
            "    assert run(rows) == [1, 2]\n",
            line=4,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "import numpy as np\ndef test_mean():\n    assert mean(np.random.rand(9)) < 1\n",
            line=3,
            column=17,
            path="test_case.py",
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        text = source.text
        return any(word in text for word in _WORDS) and _SEEDED.search(text) is None

    def look_at(self, case: TestCase) -> None:
        for node in own_nodes(case.node.body):
            name = self._drawn(node) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name:
                self.report(self.module.span(node), f"{name}() without a seed: a failure cannot be repeated")
                return

    def _drawn(self, call: ast.Call) -> str:
        """What draws a random value, as it is called; empty if the call does not."""
        name = self.module.imported_name(call.func)
        if name and _DRAWS.match(name):
            return name
        if isinstance(call.func, ast.Attribute):
            owner = call.func.value
            if isinstance(owner, ast.Call) and self._is_source(owner):
                return ast.unparse(call.func)
            root = owner
            while isinstance(root, ast.Attribute):
                root = root.value
            return ast.unparse(call.func) if isinstance(root, ast.Name) and root.id in self._sources else ""
        return ""

    def _is_source(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call) or any(isinstance(a, ast.Constant) and isinstance(a.value, int)
                                                 for a in node.args):  # fmt: skip
            return False
        return self.module.imported_name(node.func) in _SOURCES

    @cached_property
    def _sources(self) -> frozenset[str]:
        """The variables that hold a source of random values."""
        return frozenset(
            target.id
            for node in self.module.nodes
            if isinstance(node, ast.Assign) and self._is_source(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        )
