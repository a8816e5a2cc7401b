"""TS001."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_typescript.docdrift.jsdoc_check import JsDocCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.parameters import RemovedParameter
    from wardround_typescript.docdrift.documented_functions import ComparedFunction

_SEND = "/**\n * Sends.\n * @param {string} to - who gets it\n * @param {number} [tries=3] how often\n */\n"
_OPTIONS = "/**\n * @param to who gets it\n * @param options how\n * @param options.tries how often\n */\n"
_TYPE = (
    "/**\n * @callback Sender\n * @param {string} to - who gets it\n * @param {number} tries how often\n */\n"
)
_TSDOC = (
    "  /**\n   * Sends a text.\n   *\n   * @param to - who gets it\n   * @param tries - how often\n   */\n"
)


def _valid(now: str, before: str) -> Valid:
    return Valid(now, path="mail.ts", base=before)


class RemovedParameterInDocs(JsDocCheck):
    """A change took a parameter out of a function, and the JSDoc comment still documents it.

    Editors show the comment at every call, and whoever follows it passes an argument that is ignored or
    refused. Change the comment in the same commit.
    """

    ID = "TS001"
    NAME = "removed-parameter-in-docs"
    DEFECT_CLASS = "documented-parameter-gone"
    SEVERITY = Severity.WARN
    TRIED_ON = (
        "2,500 newest commits of each of 12 repositories, 16,887 with scripts: 94 hits, of which the "
        "author changed the comment in 81; the 13 left were read, and all are right. Up to 1,500 of "
        "each of 50 others, 42,275 with scripts: 911 hits, 879 told, 32 left in 23 commits; of 22 read, "
        "one of a commit and at most 5 of a repository, 21 are right and 1 is in doubt"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(f"{_SEND}function send(to) {{}}\n", path="mail.js"),
        _valid(
            f"{_SEND}function send(to, tries = 3) {{ post(to); }}\n",
            f"{_SEND}function send(to, tries = 3) {{}}\n",
        ),
        _valid(f"{_SEND}function send(to, ...rest) {{}}\n", f"{_SEND}function send(to, tries) {{}}\n"),
        _valid(f"{_SEND}function send(to, _tries) {{}}\n", f"{_SEND}function send(to, tries) {{}}\n"),
        _valid(
            f"{_SEND}function send(to) {{ return arguments[1]; }}\n",
            f"{_SEND}function send(to, tries) {{}}\n",
        ),
        _valid(
            f"{_SEND}function send(given) {{ const {{ to, tries }} = given; }}\n",
            f"{_SEND}function send(to, tries) {{}}\n",
        ),
        _valid(
            f"{_OPTIONS}const send = (to, {{ wait, ...options }}) => post(to, options);\n",
            f"{_OPTIONS}const send = (to, {{ tries }}) => post(to, tries);\n",
        ),
        _valid(
            f"{_OPTIONS}const send = (to, options) => post(to, options);\n",
            f"{_OPTIONS}const send = (to, {{ tries }}) => post(to, tries);\n",
        ),
        _valid(
            f"{_OPTIONS}const send = (to, {{ tries }}) => post(to, tries);\n",
            f"{_OPTIONS}const send = (to, options) => post(to, options);\n",
        ),
        _valid(
            f"{_SEND}function send(to: string): void\nfunction send(to: string, tries: number): void\n"
            "function send(to: any, n?: any) {}\n",
            f"{_SEND}function send(to: string, tries: number): void\nfunction send(to: any, n?: any) {{}}\n",
        ),
        _valid(
            f"{_SEND}function send(args: {{ to: string; tries: number }}) {{ post(args.to, args.tries); }}\n",
            f"{_SEND}function send(to: string, tries = 3) {{ post(to, tries); }}\n",
        ),
        _valid(
            f"{_TYPE}export function send(to) {{ post(to); }}\n",
            f"{_TYPE}export function send(to, tries) {{ post(to, tries); }}\n",
        ),
        _valid(
            "/**\n * @param to who\n */\nfunction send(to) {}\n", f"{_SEND}function send(to, tries) {{}}\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_SEND}export async function send(to) {{}}\n",
            base=f"{_SEND}export async function send(to, tries = 3) {{}}\n",
            line=4,
            column=21,
            path="mail.js",
        ),
        Invalid(
            f"{_SEND}export const send = async <T extends {{ a: 1 }}>(to: T, attempts = 3): P<T> => to;\n",
            base=f"{_SEND}export const send = async <T extends {{ a: 1 }}>(to: T, tries = 3): P<T> => to;\n",
            line=4,
            column=21,
            path="mail.ts",
        ),
        Invalid(
            f"{_OPTIONS}const send = (to, {{ wait = 1 }}) => post(to, wait);\n",
            base=f"{_OPTIONS}const send = (to, {{ tries = 1 }}) => post(to, tries);\n",
            line=4,
            column=11,
            path="mail.jsx",
        ),
        Invalid(
            f"{_SEND}const send = ({{ to, attempts }}) => post(to, attempts);\n",
            base=f"{_SEND}const send = ({{ to, tries }}) => post(to, tries);\n",
            line=4,
            column=21,
            path="mail.js",
        ),
        Invalid(
            f"{_OPTIONS}const send = (to) => post(to);\n",
            base=f"{_OPTIONS}const send = (to, {{ tries = 1 }}) => post(to, tries);\n",
            line=3,
            column=11,
            path="mail.js",
        ),
        Invalid(
            f"export class Mail {{\n{_TSDOC}  @traced('}}')\n"
            "  public send(to: (a: X) => void): void {}\n}\n",
            base=f"export class Mail {{\n{_TSDOC}  @traced('}}')\n"
            "  public send(to: (a: X) => void, private readonly tries: number): void {}\n}\n",
            line=6,
            column=13,
            path="mail.ts",
        ),
    ]

    def look_at(self, one: ComparedFunction) -> None:
        from wardround_typescript.docdrift.doc_code_mismatch import gone

        for each in gone(one):
            column = one.compared.change.words.lines[each.entry.line].find("@") + 1
            self.report(self.words_span(one, each.entry.name, each.entry.line, column), _message(each))


def _message(each: RemovedParameter) -> str:
    became = f'put "{each.now}" in its place' if each.now else "took it out of the signature"
    return f'"{each.entry.name}" is documented here, but this change {became}'
