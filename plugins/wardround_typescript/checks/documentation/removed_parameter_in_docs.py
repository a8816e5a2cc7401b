from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_typescript.docdrift.jsdoc_check import JsDocCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.parameters import RemovedParameter
    from wardround_typescript.docdrift.documented_functions import ComparedFunction


class RemovedParameterInDocs(JsDocCheck):
    """A JSDoc comment documents a parameter that this change removes.

    Editors show the comment at every call, and a caller who follows it passes an argument that is ignored or
    rejected. Update the comment in the same commit.
    """

    ID = "TS001"
    NAME = "removed-parameter-in-docs"
    DEFECT_CLASS = "documented-parameter-gone"
    SEVERITY = Severity.WARN
    CASE_PATH = "mail.ts"
    VALID = [
        code(
            """
            /**
             * Sends.
             * @param {string} to - who gets it
             * @param {number} [tries=3] how often
             */
            function send(to) {}
            """,
            path="mail.js",
        ),
        code(
            """
            /**
             * Sends.
             * @param {string} to - who gets it
             * @param {number} [tries=3] how often
             */
            function send(to, tries = 3) { post(to); }
            """,
            base="""
            /**
             * Sends.
             * @param {string} to - who gets it
             * @param {number} [tries=3] how often
             */
            function send(to, tries = 3) {}
            """,
        ),
    ]
    INVALID = [
        code(
            """
            /**
             * Sends.
             * @param {string} to - who gets it
             * @param {number} [«tries»=3] how often
             */
            export async function send(to) {}
            """,
            path="mail.js",
            base="""
            /**
             * Sends.
             * @param {string} to - who gets it
             * @param {number} [tries=3] how often
             */
            export async function send(to, tries = 3) {}
            """,
        ),
        code(
            """
            /**
             * Sends.
             * @param {string} to - who gets it
             * @param {number} [«tries»=3] how often
             */
            export const send = async <T extends { a: 1 }>(to: T, attempts = 3): P<T> => to;
            """,
            base="""
            /**
             * Sends.
             * @param {string} to - who gets it
             * @param {number} [tries=3] how often
             */
            export const send = async <T extends { a: 1 }>(to: T, tries = 3): P<T> => to;
            """,
        ),
    ]

    def look_at(self, function: ComparedFunction) -> None:
        from wardround_typescript.docdrift.doc_code_mismatch import removed_parameters

        for each in removed_parameters(function):
            column = function.compared.change.words.lines[each.entry.line].find("@") + 1
            self.report(self.words_span(function, each.entry.name, each.entry.line, column), _message(each))


def _message(each: RemovedParameter) -> str:
    became = f'replaces it with "{each.now}"' if each.now else "removes it from the signature"
    return f'"{each.entry.name}" is documented here, but this change {became}; update the comment'
