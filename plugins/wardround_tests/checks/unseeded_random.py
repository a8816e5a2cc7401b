"""TE008."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Severity
from wardround.late import LatePattern
from wardround_tests.check import PythonTestCheck

_DRAWS = LatePattern(
    r"^(random\.(random|randint|randrange|choice|choices|sample|shuffle|uniform|gauss|normalvariate|getrandbits)|"
    r"numpy\.random\.(rand|randn|randint|random|random_sample|choice|normal|uniform|permutation|shuffle))$"
)
_SEEDED = LatePattern(r"\bseed\b|Random\(|default_rng\(|RandomState\(|random_state|hypothesis|randomly")


class UnseededRandom(PythonTestCheck):
    """A test works on random values, and nothing says which.

    When it fails once, the run cannot be repeated, and the next one passes. Use a Random of your own with a
    seed that the failure prints, or hypothesis, which does that for you.
    """

    ID = "TE008"
    NAME = "random-in-test"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: 10 hits, 9 "
        "read: true, most of them on purpose: info."
    )
    SEVERITY = Severity.INFO
    VALID: ClassVar[Sequence[str | Valid]] = [
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
        return "random" in source.text and _SEEDED.search(source.text) is None

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func)
        if name and _DRAWS.match(name) and self.module.test_of(node) is not None:
            self.report(self.module.span(node), f"{name}() without a seed: a failure cannot be repeated")
