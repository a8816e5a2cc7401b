"""The symbols, imports and uses of a Python module."""

from __future__ import annotations

import pytest

from tests.context.code_graph.shown import facts_of, symbols_of, uses_of
from wardround.context.code_graph.model import Import

MODULE = '''\
"""Orders."""

from __future__ import annotations

import os.path
import numpy as np
from . import a, b as c
from ..shop.cart import Cart, total as sum_up
from shop.names import *

LIMIT: int = sum_up(3)


@register("orders/list")
class Order(Base, shop.Priced, metaclass=Meta):
    """An order."""

    price = Money(currency="EUR")

    def __init__(self, client: Client | None = None) -> None:
        self.client = client
        cart = Cart(1)
        cart.add(LIMIT)
        client.send(self.total(), key=LIMIT)
        super().__init__()

    def _hidden(self): ...


def outer(x):
    def inner(y):
        return x + y

    return inner(lambda q: q + LIMIT)
'''


def test_symbols_have_their_kinds_and_lines_with_decorators() -> None:
    facts = facts_of("pkg/orders.py", MODULE)
    assert symbols_of(facts) == [
        ("LIMIT", "constant", 11, 11),
        ("Order", "class", 14, 27),
        ("Order.price", "field", 18, 18),
        ("Order.__init__", "method", 20, 25),
        ("Order._hidden", "method", 27, 27),
        ("outer", "function", 30, 34),
        ("outer.inner", "function", 31, 32),
    ]
    assert [symbol.name for symbol in facts.symbols[1:] if not symbol.exported] == [
        "Order.__init__", "Order._hidden", "outer.inner",
    ]  # fmt: skip


def test_imports_have_their_module_name_and_alias() -> None:
    assert facts_of("pkg/orders.py", MODULE).imports == (
        Import("os.path", "", "os.path", 5),
        Import("numpy", "", "np", 6),
        Import(".", "a", "a", 7),
        Import(".", "b", "c", 7),
        Import("..shop.cart", "Cart", "Cart", 8),
        Import("..shop.cart", "total", "sum_up", 8),
        Import("shop.names", "*", "", 9),
    )


def test_uses_have_their_owner_and_receiver() -> None:
    uses = uses_of(facts_of("pkg/orders.py", MODULE))
    assert {
        ("LIMIT", "", "sum_up", "call"),
        ("Order", "", "register", "decorates"),
        ("Order", "", "orders/list", "literal"),
        ("Order", "", "Base", "inherits"),
        ("Order", "shop", "Priced", "inherits"),
        ("Order", "", "Meta", "reference"),
        ("Order.price", "*", "currency", "key"),
        ("Order.__init__", "self", "client", "attribute"),
        ("Order.__init__", "", "Cart", "call"),
        ("Order.__init__", "super", "__init__", "call"),
        ("outer", "", "LIMIT", "reference"),
    } <= uses


def test_an_attribute_of_a_local_has_the_class_that_it_is_an_instance_of() -> None:
    uses = uses_of(facts_of("pkg/orders.py", MODULE))
    assert ("Order.__init__", "Cart()", "add", "call") in uses
    assert ("Order.__init__", "Client()", "send", "call") in uses


def test_a_local_of_two_classes_has_an_unknown_one() -> None:
    uses = uses_of(facts_of("m.py", "def f(x):\n    a = One()\n    a = Two()\n    a.go()\n    x.go()\n"))
    assert {use for use in uses if use[2] == "go"} == {("f", "*", "go", "call")}


def test_uses_of_locals_are_excluded() -> None:
    facts = facts_of(
        "m.py", "def f(x, *args, y=1, **more):\n    for z in x:\n        print(z, y, args, more)\n"
    )
    assert {use[2] for use in uses_of(facts)} == {"print"}


def test_a_global_is_not_a_local() -> None:
    facts = facts_of("m.py", "COUNT = 0\ndef f():\n    global COUNT\n    COUNT = COUNT + 1\n")
    assert ("f", "", "COUNT", "reference") in uses_of(facts)


def test_a_module_that_lists_its_names_exports_only_those() -> None:
    facts = facts_of(
        "m.py", '__all__ = ["shown", "_odd"]\ndef shown(): ...\ndef other(): ...\ndef _odd(): ...\n'
    )
    assert [symbol.name for symbol in facts.symbols[1:] if symbol.exported] == ["shown", "_odd"]


def test_tests_are_symbols_of_their_own_kind() -> None:
    facts = facts_of(
        "tests/test_m.py", "class TestA:\n    def test_b(self): ...\n\ndef test_c(): ...\ndef helper(): ...\n"
    )
    assert [symbol.name for symbol in facts.symbols if symbol.kind == "test"] == ["TestA.test_b", "test_c"]


def test_a_file_with_a_syntax_error_has_what_is_around_it() -> None:
    facts = facts_of("m.py", "def a():\n    return 1\n\nx = = 2\n\ndef c():\n    return a()\n")
    assert facts.problem == "parts of it do not parse"
    assert {"a", "c"} <= {symbol.name for symbol in facts.symbols}
    assert ("c", "", "a", "call") in uses_of(facts)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('importlib.import_module("tests.helpers")', {("tests.helpers", "")}),
        ('import_module(name="tests" ".helpers")', {("tests.helpers", "")}),
        ('import_module("tests." + "helpers")', {("tests.helpers", "")}),
        ('import_module(".helpers", "tests")', {("tests.helpers", "")}),
        ('import_module("..helpers", package="tests.a.b")', {("tests.a.helpers", "")}),
        ('import_module(".helpers", __package__)', {(".helpers", "")}),
        ("import_module(NAME)", {("tests.data", "")}),
        ('load("tests.helpers")', {("tests.helpers", "")}),
        ('__import__("tests", fromlist=["helpers"])', {("tests", ""), ("tests", "helpers")}),
        ('import_string("tests.helpers.run")', {("tests.helpers.run", ""), ("tests.helpers", "run")}),
        ('runpy.run_module("tests.helpers")', {("tests.helpers", "")}),
        ('runpy.run_path("./tests/helpers.py")', {("tests.helpers", "")}),
        (
            'spec_from_file_location("x", ROOT / "tests" / "helpers.py")',
            {("x.tests.helpers", ""), ("tests.helpers", ""), ("helpers", "")},
        ),
        ('exec(open("../tests/helpers.py", "r").read())', {("tests.helpers", "")}),
        ('re.compile("helpers.py")', set()),
        ('import_module(f"tests.{name}")', set()),
        ("import_module()", set()),
        ('import_module("a b")', set()),
    ],
)
def test_a_call_that_loads_a_module_by_its_name_is_an_import(call: str, expected: set[object]) -> None:
    text = f'from importlib import import_module as load\nNAME = "tests.data"\n\n\ndef f():\n    {call}\n'
    found = facts_of("shop/a.py", text).imports
    assert {(item.module, item.name) for item in found if item.line == 6} == expected
