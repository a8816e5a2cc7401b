"""PY400."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_python.analysis.purity import only_computes
from wardround_python.check import PythonCheck


class UnusedPureCall(PythonCheck):
    """A function that only works something out is called, and nobody takes what it answers.

    It changes nothing and raises nothing of its own, so the call does nothing: a ``return`` or an assignment
    in front of it was forgotten. Write it, or take the call out.
    """

    ID = "PY400"
    NAME = "unused-pure-call"
    PREFILTER = "wardround_python.prefilters:calls_its_own_alone"
    DEFECT_CLASS = "result-dropped"
    TRIED_ON = (
        "eleven trees of 500,000 lines and 7,500 modules of installed libraries, tests left out: 3, none "
        "of them right: a method for others to override, and two that raise for an unknown key; both are "
        "left alone since"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def net(price):\n    return price / 1.19\n\ndef show(price):\n    print(net(price))\n",
        "SEEN = []\n\ndef net(price):\n    SEEN.append(price)\n    return price / 1.19\n\ndef show(price):\n"
        "    net(price)\n",
        "def checked(price):\n    if price < 0:\n        raise ValueError(price)\n    return price\n\n"
        "def show(price):\n    checked(price)\n",
        "def first(rows):\n    return rows[0]\n\ndef has_one(rows):\n    try:\n        first(rows)\n"
        "    except IndexError:\n        return False\n    return True\n",
        "from functools import lru_cache\n\n@lru_cache\ndef table(size):\n    return [0] * size\n\n"
        "def warm():\n    table(9)\n",
        "def fill(rows):\n    rows += [1]\n    return len(rows)\n\ndef show(rows):\n    fill(rows)\n"
        "    return rows\n",
        "def send(session, one):\n    return session.get(one)\n\ndef show(session, one):\n"
        "    send(session, one)\n",
        "def put(rows, key):\n    rows[key] = 1\n    return rows\n\ndef show(rows):\n    put(rows, 'a')\n",
        "def net(price):\n    return price / 1.19\n\ndef test_it():\n    import pytest\n"
        "    with pytest.raises(TypeError):\n        net('a')\n",
        "RATES = {'a': 1}\n\ndef rate(kind):\n    return RATES[kind.lower()]\n\ndef load(kind):\n"
        "    rate(kind)\n    return kind\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from decimal import Decimal\nCENT = Decimal('0.01')\n\ndef rounded(price: Decimal) -> Decimal:\n"
            "    if price < 0:\n        price *= -1\n    return price.quantize(CENT)\n\n"
            "def total(prices):\n    if not prices:\n        return CENT\n    rounded(sum(prices))\n",
            line=12,
            column=5,
        ),
        Invalid(
            "class Basket:\n    def _label(self, name):\n        return name.strip().title()\n\n"
            "    def show(self, name):\n        self._label(name)\n        return name\n",
            line=6,
            column=9,
        ),
        Invalid(
            "def without_doubles(rows):\n    seen = {}\n    for row in rows:\n        seen[row.id] = row\n"
            "    return list(seen.values())\n\ndef load(rows):\n    without_doubles(rows)\n    return rows\n",
            line=8,
            column=5,
        ),
        Invalid(
            "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Money:\n    cents: int\n\n"
            "    def plus(self, other):\n        return Money(self.cents + other.cents)\n\n"
            "def total(prices):\n    found = Money(0)\n    for one in prices:\n        found.plus(one)\n"
            "    return found\n",
            line=13,
            column=9,
        ),
        Invalid(
            "async def joined(one, two):\n    return {**one, **two}\n\nasync def load(one, two):\n"
            "    await joined(one, two)\n    return one\n",
            line=5,
            column=11,
        ),
    ]

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if not isinstance(call, ast.Call):
            return
        parent = self.module.parents[node]
        if isinstance(parent, (ast.Try, ast.With, ast.AsyncWith)) and node in parent.body:
            return  # called to see whether it can be
        found = self.callees.definition_of(call)
        if found is None or not only_computes(found, self.module, self.callees):
            return
        if isinstance(found.node, ast.AsyncFunctionDef) and call is node.value:
            return  # it is not even run
        written = ast.unparse(call.func)
        self.report(
            self.module.span(call), f"{written}() changes nothing, and what it works out is dropped here"
        )
