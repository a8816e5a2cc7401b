"""Evidence for the types of parameters: calls in other modules, and names."""

from __future__ import annotations

import ast

from wardround.authoring.types.call_sites import Arguments, CallSites
from wardround.authoring.types.functions import public_functions
from wardround.authoring.types.model import Module, Parameter, PredictedType
from wardround.authoring.types.name_conventions import NameConventions

CART = (
    "class Cart:\n    def __init__(self, owner): ...\n    def add(self, n, unit): ...\ndef total(a, b): ...\n"
)


def arguments(caller: str, source: str, function: str, parameter: str) -> Arguments:
    module = Module("src/shop/cart.py", CART.encode(), tuple(public_functions(ast.parse(CART))))
    calls = CallSites([module])
    calls.add_module(caller, ast.parse(source))
    return calls.arguments("src/shop/cart.py", function, parameter)


def test_calls_are_found_through_imports() -> None:
    expected = Arguments(["int"])
    assert arguments("x.py", "from shop.cart import total as t\nt(1, b=2)", "total", "b") == expected
    assert arguments("x.py", "import shop.cart\nshop.cart.total(1)", "total", "a") == expected
    assert arguments("src/shop/x.py", "from . import cart\ncart.total(1)", "total", "a") == expected
    assert arguments("src/shop/x.py", "from .cart import Cart\nCart(1)", "Cart.__init__", "owner") == expected
    assert arguments("x.py", "total(1)", "total", "a") == Arguments()


def test_arguments_of_unknown_type_are_counted_and_unpacked_ones_end_the_call() -> None:
    source = "from shop.cart import total\ntotal(x, [1, 2])\ntotal(*y, 1)\ntotal(b={'a': -1.5}, a=not x)"
    assert arguments("x.py", source, "total", "a") == Arguments(["bool"], unknown=1)
    assert arguments("x.py", source, "total", "b") == Arguments(["list[int]", "dict[str, float]"])


def test_a_name_shows_a_type_only_by_a_convention() -> None:
    conventions = NameConventions()
    source = "".join(f"def f{n}(path: Path, size: int, own: int): ...\n" for n in range(10))
    conventions.add_module(ast.parse(f"{source}def g(size: str): ...\n"))
    expected = PredictedType("Path", "10 parameters of this name")
    assert conventions.type_for(Parameter("path")) == expected
    assert conventions.type_for(Parameter("size")) is None
    assert conventions.type_for(Parameter("path", "None")) is None
