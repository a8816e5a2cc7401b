"""Functions are ordered by coverage, by words of the failing test and by the traceback."""

from __future__ import annotations

import pytest

from tests.authoring.repair.observations import observation, reader
from wardround.authoring.repair.failing_source import failing_source
from wardround.authoring.repair.localization import line_scores, suspicious_functions
from wardround.authoring.repair.model import Failure, Frame

SHOP = """\
def parse(text):
    return text.split()


def price(net, rate):
    if net < 0:
        return 0
    return net + rate


class Till:
    @property
    def total(self):
        return sum(self.prices)

    @total.setter
    def total(self, value):
        self.prices = [value]


def unused():
    return None
"""
TESTS = """\
import pytest


class TestTill:
    @pytest.mark.parametrize("rate", [1])
    def test_a_price_has_a_rate(self, rate):
        assert price(10, rate) == 10


def test_other():
    assert parse("a") == ["a"]
"""
FILES = {"shop.py": SHOP, "tests/test_shop.py": TESTS, "broken.py": "def f(:\n"}
FAILING = "tests/test_shop.py::TestTill::test_a_price_has_a_rate[1]"


def test_a_line_of_failing_tests_alone_is_the_most_suspicious() -> None:
    found = observation(
        {FAILING: {"shop.py": (2, 6, 8), "tests/test_shop.py": (7,)}},
        {"a": {"shop.py": (2, 6, 7)}, "b": {"shop.py": (2,)}},
    )
    scores = line_scores(found)
    assert set(scores) == {"shop.py"}
    assert scores["shop.py"][8] == 1.0
    assert scores["shop.py"][6] == pytest.approx(1 / 2**0.5)
    assert scores["shop.py"][2] == pytest.approx(1 / 3**0.5)


def test_the_function_that_only_the_failing_test_executes_comes_first() -> None:
    found = observation(
        {FAILING: {"shop.py": (2, 6, 8)}}, {"a": {"shop.py": (2, 6, 7)}, "b": {"shop.py": (2,)}}
    )
    functions = suspicious_functions(found, reader(FILES), "")
    assert [function.symbol for function in functions] == ["price", "parse"]
    assert (functions[0].first_line, functions[0].last_line) == (5, 8)
    assert functions[0].lines == {6: pytest.approx(0.7071, abs=1e-4), 8: 1.0}


def test_words_of_the_test_decide_between_functions_with_equal_coverage() -> None:
    found = observation({FAILING: {"shop.py": (2, 6, 14)}}, {})
    functions = suspicious_functions(found, reader(FILES), "assert price(net=1, rate=2) == 3")
    assert functions[0].symbol == "price"


def test_the_innermost_frame_of_the_traceback_counts() -> None:
    failure = Failure("KeyError", "", (Frame("tests/test_shop.py", 7, "test"), Frame("shop.py", 2, "parse")))
    found = observation({FAILING: {"shop.py": (2, 6, 14)}}, {}, failure)
    assert suspicious_functions(found, reader(FILES), "")[0].symbol == "parse"


def test_a_property_and_its_setter_are_different_functions() -> None:
    found = observation({FAILING: {"shop.py": (14, 18)}}, {"a": {"shop.py": (14,)}})
    functions = suspicious_functions(found, reader(FILES), "")
    assert [(function.symbol, function.first_line) for function in functions] == [
        ("Till.total", 16),
        ("Till.total", 12),
    ]


def test_files_that_are_missing_or_no_python_are_left_out() -> None:
    found = observation({FAILING: {"shop.py": (2,), "broken.py": (1,), "gone.py": (1,)}}, {})
    assert [function.path for function in suspicious_functions(found, reader(FILES), "")] == ["shop.py"]


def test_nothing_is_suspicious_without_a_failing_test() -> None:
    assert suspicious_functions(observation({}, {"a": {"shop.py": (2,)}}), reader(FILES), "") == ()


def test_the_source_of_failing_tests_has_their_parameters() -> None:
    found = observation({FAILING: {}}, {"tests/test_shop.py::test_other": {}})
    assert failing_source(found, reader(FILES)) == (
        '@pytest.mark.parametrize("rate", [1])\n'
        "def test_a_price_has_a_rate(self, rate):\n"
        "    assert price(10, rate) == 10"
    )


def test_a_test_without_a_readable_file_has_no_source() -> None:
    assert failing_source(observation({"gone.py::test_a": {}, "broken.py::t": {}}, {}), reader(FILES)) == ""


def test_an_assignment_that_an_executed_function_reads_is_suspicious() -> None:
    files = {
        "src/shop/rates.py": "RATES = {\n    'new': 1,\n}\nUNUSED = 2\n",
        "src/shop/till.py": (
            "from shop.rates import RATES\n\n\nclass Till:\n    limit = 3\n    other = 4\n\n"
            "    def price(self, kind):\n        return RATES[kind] + self.limit\n"
        ),
    }
    found = observation({FAILING: {"src/shop/till.py": (9,)}}, {})
    functions = suspicious_functions(found, reader(files), "")
    assert [(function.path, function.symbol, function.first_line) for function in functions] == [
        ("src/shop/till.py", "Till.price", 8),
        ("src/shop/rates.py", "<module>", 1),
        ("src/shop/till.py", "<module>", 5),
    ]
    assert (functions[1].last_line, functions[1].lines) == (3, {1: 1.0, 2: 1.0, 3: 1.0})


def test_assignments_of_a_package_are_found_by_relative_imports() -> None:
    files = {
        "shop/rates.py": "RATES = (1,)\n",
        "shop/till.py": "from . import rates\n\n\ndef price(kind):\n    return rates.RATES[kind]\n",
    }
    found = observation({FAILING: {"shop/till.py": (5,)}}, {})
    assert [function.path for function in suspicious_functions(found, reader(files), "")] == [
        "shop/till.py",
        "shop/rates.py",
    ]
