from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_typescript.docdrift.jsdoc_check import JsDocCheck

if TYPE_CHECKING:
    from wardround_typescript.docdrift.documented_functions import ComparedFunction


class ParameterUndocumented(JsDocCheck):
    """A new parameter is missing from a JSDoc comment that documents the other parameters.

    The comment seems complete, so readers miss the new parameter. Document it in the same
    commit.
    """

    ID = "TS002"
    NAME = "parameter-undocumented"
    SEVERITY = Severity.INFO
    CASE_PATH = "mail.ts"
    VALID = [
        code("""
            /**
             * @param to - who gets it
             * @param text - wrapped at width
             */
            export function send(to, text, tries) {}
        """),
        code(
            """
            /**
             * @param to - who gets it
             * @param text - wrapped at width
             */
            export function send(to, text, width) {}
            """,
            base="""
            /**
             * @param to - who gets it
             * @param text - wrapped at width
             */
            export function send(to, text) {}
            """,
        ),
    ]
    INVALID = [
        code(
            """
            /**
             * @param to - who gets it
             * @param text - wrapped at width
             */
            export function send(to, text, «tries» = 3) {}
            """,
            path="mail.js",
            base="""
            /**
             * @param to - who gets it
             * @param text - wrapped at width
             */
            export function send(to, text) {}
            """,
        ),
        code(
            """
            /**
             * @param to - who gets it
             * @param text - wrapped at width
             */
            export function send(to: string, text: Map<string, number>,
              «tries»?: number) {}
            """,
            base="""
            /**
             * @param to - who gets it
             * @param text - wrapped at width
             */
            export function send(to: string, text: Map<string, number>) {}
            """,
        ),
    ]

    def look_at(self, function: ComparedFunction) -> None:
        from wardround_typescript.docdrift.doc_code_mismatch import (
            find_undocumented_parameters,
            removed_parameters,
        )

        if removed_parameters(function):
            return
        for parameter in find_undocumented_parameters(function):
            name = parameter.name.rpartition(".")[2]
            self.report(
                self.name_span(function.places[parameter.name], name),
                f'parameter "{name}" is new and undocumented; add it to the JSDoc comment',
            )
