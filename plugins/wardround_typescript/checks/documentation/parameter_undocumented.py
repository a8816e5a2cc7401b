"""TS002."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_typescript.docdrift.jsdoc_check import JsDocCheck

if TYPE_CHECKING:
    from wardround_typescript.docdrift.documented_functions import ComparedFunction

_COMMENT = "/**\n * @param to - who gets it\n * @param text - wrapped at width\n */\n"
_TOLD = _COMMENT.replace(" */", " * @param tries - how often\n */")
_HOW = "/**\n * @param to - who gets it\n * @param text - what\n * @param {Options} options - how\n */\n"
_PROPS = "/**\n * @param props\n * @param props.to who\n * @param props.text what\n */\n"


def _send(parameters: str, head: str = "export function send", comment: str = _COMMENT) -> str:
    return f"{comment}{head}({parameters}) {{}}\n"


def _valid(now: str, before: str) -> Valid:
    return Valid(now, path="mail.ts", base=before)


class ParameterUndocumented(JsDocCheck):
    """A change brought a parameter that the JSDoc comment does not name, though it documents the others.

    The comment looks complete, so nobody looks for the new parameter in the code. Document it in the same
    commit.
    """

    ID = "TS002"
    NAME = "parameter-undocumented"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "2,500 newest commits of each of 12 repositories, 16,887 with scripts: 72 hits, of which the "
        "author changed the comment in 50; the 22 left were read: all true, few of weight. Up to 1,500 "
        "of each of 50 others, 42,275 with scripts: 473 hits, 424 told, 49 left; of 37 read, one of a "
        "commit and at most 5 of a repository, 29 are right, 7 in doubt, where a parameter had been "
        "left out before or the others had no words, and 1 was wrong, told in the second of two "
        "comments, and is passed over since; of the 13 of them in 21 repositories looked at only after "
        "that 11 are right and 2 in doubt. A note, as little hangs on it"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_send("to, text, tries"), path="mail.ts"),
        _valid(_send("to, text, width"), _send("to, text")),
        _valid(_send("to, text, _tries"), _send("to, text")),
        _valid(_send("to, text, ...more"), _send("to, text")),
        _valid(_send("to, text, tries", "function send"), _send("to, text", "function send")),
        _valid(
            _send("to, text, tries", comment="/** Sends. */\n"), _send("to, text", comment="/** Sends. */\n")
        ),
        _valid(_send("to, text, { wait, tries }"), _send("to, text, { wait }")),
        _valid(_send("to, text, { wait, tries }", comment=_HOW), _send("to, text, { wait }", comment=_HOW)),
        _valid(_send("to, text, how"), _send("to, text, options")),
        _valid(
            _send("to, text, tries", comment=_COMMENT + _TOLD), _send("to, text", comment=_COMMENT + _COMMENT)
        ),
        _valid(_send("to, body"), _send("to, text")),
        _valid(_send("to, { text }"), _send("to, text")),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_send("to, text, tries = 3"), base=_send("to, text"), line=5, column=32, path="mail.js"),
        Invalid(
            _send("to: string, text: Map<string, number>,\n  tries?: number"),
            base=_send("to: string, text: Map<string, number>"),
            line=6,
            column=3,
            path="mail.ts",
        ),
        Invalid(
            _send("{ to, text, tries }: Props", comment=_PROPS),
            base=_send("{ to, text }: Props", comment=_PROPS),
            line=6,
            column=34,
            path="mail.tsx",
        ),
    ]

    def look_at(self, one: ComparedFunction) -> None:
        from wardround_typescript.docdrift.doc_code_mismatch import gone, undocumented

        if gone(one):
            return
        for parameter in undocumented(one):
            name = parameter.name.rpartition(".")[2]
            self.report(
                self.name_span(one.places[parameter.name], name),
                f'this change brought "{name}", and the comment documents the other parameters',
            )
