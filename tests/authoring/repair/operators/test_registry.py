"""Every operator of the registry has a name of its own and edits nothing but what it replaces."""

from __future__ import annotations

import ast
import itertools

import pytest

from tests.authoring.repair.edited_sources import edits, function_of, sites
from wardround.authoring.repair.edit_syntax import is_python
from wardround.authoring.repair.module_code import FunctionCode
from wardround.authoring.repair.operator_weights import WEIGHTS
from wardround.authoring.repair.operators.registry import OPERATORS, OPERATORS_BY_NAME
from wardround.authoring.repair.operators.site import Edit

SOURCE = '''
import re

LOW_LIMIT = 1
HIGH_LIMIT = 9


class Shop:
    def price(self, item, rate=2, *args, **options):
        """Return the price."""
        total = 0
        for part in item.parts:  # each part
            if part.cost > 3 and not part.free:
                total += part.cost * rate
            elif part.name == "new" or rate is None:
                continue
            else:
                self.log(part.name, level=2)
                break
        if isinstance(item, str):
            names = [part.name for part in self.names if part]
            return names[0:2]
        try:
            value = self.rates[item.kind]
        except KeyError:
            raise ValueError("no rate")
        flag = True if total >= 3 else False
        word = re.sub(r"^a+$", "b", f"{item.kind} {flag}")
        while total < LOW_LIMIT:
            total = total + 1
        return round(str(word).strip() or value)  # the end
'''


def test_names_are_unique() -> None:
    assert len(OPERATORS_BY_NAME) == len(OPERATORS)


def test_each_weight_is_that_of_an_operator() -> None:
    assert set(WEIGHTS) <= set(OPERATORS_BY_NAME)


@pytest.mark.parametrize("operator", sorted(OPERATORS_BY_NAME))
def test_most_edits_are_python_and_all_are_in_the_function(operator: str) -> None:
    function = function_of(SOURCE)
    found = list(edits(function, operator, exception="KeyError", others=SOURCE))
    valid = [edit for edit in found if is_python(function, function.node, edit)]
    assert len(valid) >= 0.9 * len(found)
    for edit in valid:
        assert function.span[0] < edit.start <= edit.end <= len(function.module.text)


@pytest.mark.parametrize("operator", sorted(OPERATORS_BY_NAME))
def test_the_edited_part_parses_if_and_only_if_the_module_does(operator: str) -> None:
    function = function_of(SOURCE)
    for site in sites(function, exception="KeyError", others=SOURCE):
        for edit in itertools.islice(OPERATORS_BY_NAME[operator].edits(site), 3):
            assert is_python(function, site.statement, edit) == _is_module(function, edit)


def _is_module(function: FunctionCode, edit: Edit) -> bool:
    text = function.module.text
    try:
        ast.parse(text[: edit.start] + edit.replacement + text[edit.end :])
    except SyntaxError:
        return False
    return True
