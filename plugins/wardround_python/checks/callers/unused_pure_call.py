"""PY400."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.analysis.purity import only_computes
from wardround_python.check import PythonCheck


class UnusedPureCall(PythonCheck):
    """A function that only works something out is called, and nobody takes what it answers.

    It changes nothing and raises nothing of its own, so the call does nothing: a ``return`` or an assignment
    in front of it was forgotten. Write it, or take the call out.
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
