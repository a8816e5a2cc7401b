from __future__ import annotations

import re

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import kinds, texts, type_name
from wardround_sql.queries.facts import float_casts, typed_columns
from wardround_sql.schema.money_names import is_money

_FLOATS = LazyPattern(r"(?:float|float4|float8|real|double|double precision)(?:\(\d+(?:, ?\d+)?\))?$")


_CASTS = LazyPattern(r"::\s*(?:float|real|double)|\bas\s+(?:float|real|double)", re.IGNORECASE)


class MoneyInFloat(SqlCheck):
    """Amount of money in a floating-point column.

    0.1 has no exact binary representation, so sums are off by fractions and equal amounts compare unequal.
    Use ``numeric(precision, scale)``, or an integer number of cents in ``bigint``.
    """

    ID = "SQ035"
    NAME = "money-in-float"
    WORDS = ("float", "real", "double")

    VALID = [
        code("""
            create table orders (price numeric(12, 2));
        """),
        code(
            """
            select x::float as score from {{ ref('orders') }}
            """,
            path="models/a.sql",
        ),
    ]
    INVALID = [
        code("""
            create table orders (
              id int,
              price «double» precision not null
            );
        """),
        code("""
            create function late_fee(bill int)
            returns «float» language sql as 'select 1.0::float';
        """),
    ]

    def run(self) -> None:
        for fact in typed_columns(self.script):
            if _FLOATS.match(fact.type) and is_money(fact.column):
                text = (
                    f"{fact.column} is money in a {fact.type}, which cannot store cents exactly; use "
                    f"numeric{fact.note}"
                )
                self.report(fact.span, text)
        if not self.script.is_non_production:
            self._functions()
        if self.script.is_sql and not self.script.is_non_production and _CASTS.search(self.script.sql):
            self._casts()

    def _functions(self) -> None:
        """Report parameters and return values of PostgreSQL functions."""
        for statement in self.script.of("CreateFunctionStmt"):
            node = statement.node
            name = texts(node.get("funcname"))[-1]
            typed = [(name, node.get("returnType") or {})]
            typed += [
                (p.get("name", ""), p.get("argType", {}))
                for p in kinds(node.get("parameters", []), "FunctionParameter")
            ]
            for words, kind in typed:
                if _FLOATS.match(type_name(kind)) and is_money(words.lower().removesuffix("_for")):
                    text = (
                        f"{words} is money in a {type_name(kind)}, which cannot store cents exactly; "
                        "use numeric"
                    )
                    self.report_at(statement, text, kind.get("location"))
                    break

    def _casts(self) -> None:
        """Report casts in dbt models and views, whose columns are read by others."""
        for fact in float_casts(self.script):
            if is_money(fact.column):
                text = (
                    f"{fact.column} is money cast to a {fact.type}, which cannot store cents exactly; "
                    f"use numeric{fact.note}"
                )
                self.report(fact.span, text)
