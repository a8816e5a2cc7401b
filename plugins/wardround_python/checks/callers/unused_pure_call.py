"""PY400: unused pure call."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.analysis.purity import only_computes
from wardround_python.check import PythonCheck


class UnusedPureCall(PythonCheck):
    """A function without side effects is called and its result is unused.

    It changes nothing and raises nothing of its own, so the call has no effect: a ``return`` or an
    assignment is missing. Add it, or remove the call.
    """

    ID = "PY400"
    NAME = "unused-pure-call"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:calls_its_own_alone"
    DEFECT_CLASS = "result-dropped"
    VALID = [
        code("""
            def net(price):
                return price / 1.19

            def show(price):
                print(net(price))
        """),
        code("""
            SEEN = []

            def net(price):
                SEEN.append(price)
                return price / 1.19

            def show(price):
                net(price)
        """),
    ]
    INVALID = [
        code("""
            from decimal import Decimal
            CENT = Decimal('0.01')

            def rounded(price: Decimal) -> Decimal:
                if price < 0:
                    price *= -1
                return price.quantize(CENT)

            def total(prices):
                if not prices:
                    return CENT
                «rounded(sum(prices))»
        """),
        code("""
            class Basket:
                def _label(self, name):
                    return name.strip().title()

                def show(self, name):
                    «self._label(name)»
                    return name
        """),
    ]

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if not isinstance(call, ast.Call):
            return
        parent = self.module.parents[node]
        if isinstance(parent, (ast.Try, ast.With, ast.AsyncWith)) and node in parent.body:
            return  # called to find out if it raises
        definition = self.callees.definition_of(call)
        if definition is None or not only_computes(definition, self.module, self.callees):
            return
        if isinstance(definition.node, ast.AsyncFunctionDef) and call is node.value:
            return  # the coroutine does not run
        callee = unparse(call.func)
        self.report(
            self.module.span(call),
            f"{callee}() has no side effect and its result is unused; assign or return it",
        )
