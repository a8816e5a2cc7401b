"""All operators, by the kind of node at which they apply."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from wardround.authoring.repair.operators.calls import CALLS
from wardround.authoring.repair.operators.conditions import CONDITIONS
from wardround.authoring.repair.operators.donors import DONORS
from wardround.authoring.repair.operators.exceptions import EXCEPTIONS
from wardround.authoring.repair.operators.expressions import EXPRESSIONS
from wardround.authoring.repair.operators.family import Operator
from wardround.authoring.repair.operators.guards import GUARDS
from wardround.authoring.repair.operators.statements import STATEMENTS

_FAMILIES = (CONDITIONS, GUARDS, EXPRESSIONS, CALLS, STATEMENTS, EXCEPTIONS, DONORS)
OPERATORS: tuple[Operator, ...] = tuple(operator for family in _FAMILIES for operator in family.operators)
OPERATORS_BY_NAME: Mapping[str, Operator] = {operator.name: operator for operator in OPERATORS}


def _by_kind() -> Mapping[type[ast.AST], Sequence[Operator]]:
    found: dict[type[ast.AST], list[Operator]] = {}
    for operator in OPERATORS:
        for kind in operator.kinds:
            found.setdefault(kind, []).append(operator)
    return found


BY_KIND = _by_kind()
"""The operators that apply at a kind of node, in the order of the families."""
