"""TS003: stale jsdoc."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround_typescript.docdrift.jsdoc_check import JsDocCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.stale_phrases import Quote
    from wardround_typescript.docdrift.documented_functions import ComparedFunction


class StaleJsdoc(JsDocCheck):
    """A JSDoc comment names something that this change renames or redefines.

    It is a name or text that is not a plain word and no longer occurs in the code, a type that is declared
    differently, or a default with a new value. Check the phrase and update it if it is stale.
    """

    ID = "TS003"
    NAME = "stale-jsdoc"
    DEFECT_CLASS = "stale-words"
    SEVERITY = Severity.INFO
    CASE_PATH = "load.ts"
    VALID = [
        code("""
            /**
             * Loads one row.
             * It is found by its `fetchId`.
             */
            export function load(row) {
              return find(row.loadId)
            }
        """),
        code(
            """
            /**
             * Loads one row.
             * It is found by its `fetchId`.
             */
            export function load(row) {
              return find(row.fetchId, 1)
            }
            """,
            base="""
            /**
             * Loads one row.
             * It is found by its `fetchId`.
             */
            export function load(row) {
              return find(row.fetchId)
            }
            """,
        ),
    ]
    INVALID = [
        code(
            """
            /**
             * Loads one row.
             * It is found by its `«fetchId»`.
             */
            export function load(row) {
              return find(row.loadId)
            }
            """,
            base="""
            /**
             * Loads one row.
             * It is found by its `fetchId`.
             */
            export function load(row) {
              return find(row.fetchId)
            }
            """,
        ),
        code(
            """
            /**
             * Loads one row.
             * @param {number} most how many; defaults to «30».
             */
            export function load(row, most = 50) {
              return rows
            }
            """,
            base="""
            /**
             * Loads one row.
             * @param {number} most how many; defaults to 30.
             */
            export function load(row, most = 30) {
              return rows
            }
            """,
        ),
    ]

    def look_at(self, one: ComparedFunction) -> None:
        from wardround_typescript.docdrift.doc_code_mismatch import (
            gone,
            names_nothing,
            stale_quotes,
            undocumented,
        )

        if gone(one) or undocumented(one):
            return
        quotes = (q for q in stale_quotes(one) if names_nothing(q, one.compared.change, self.source))
        for quote in islice(quotes, 1):
            self.report(self.words_span(one, quote.token, quote.line, quote.column), _message(quote))


def _message(quote: Quote) -> str:
    return (
        f'comment states "{quote.phrase}", but this change turns "{quote.token}" into "{quote.now}"; '
        "update it"
    )
