"""TS095."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks import Check, Invalid, Valid
from wardround.drift.swaps import SwapKind
from wardround.drift.word_checks import said, stale_words
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_typescript.tree_check import SCRIPTS, is_test_path

if TYPE_CHECKING:
    from wardround.drift.beside import StaleWords as Found

_QUOTED = LatePattern(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
_CHOICE = LatePattern(
    r"(?i)\b(?:must|should|can|may|has to|one of|any of|either|only|valid|invalid|allowed|supported"
    r"|expect(?:s|ed)?|unknown|use|choose|pick|give)\b"
)
"""How a message tells which values there are."""
_NUMBER = LatePattern(r"\d+(?:\.\d+)?")
_THOUSAND = 1_000

_RETRY = (
    "// Three attempts in all: the carrier bans who knocks more often.\nexport const "
    "patiently = retry({\n  attempts: 0,\n});\n"
)
_OPTION = "program.option('-n, --lines <count>', 'entries to show, 500 unless given', parse, 0)\n"
_TTL = (
    "interface Options {\n  /**\n   * Lifetime in seconds.\n   * @defaultValue 300\n   */\n  "
    "ttl?: number;\n}\nconst defaults = {\n  ttl: 0,\n};\n"
)
_PLATE = (
    "/**\n * Finds a vehicle.\n *\n * @returns the vehicle, or `null` when there is none\n "
    "*/\nexport async function byPlate(plate: string): Promise<TYPE> {\n  return load(plate);\n}\n"
)
_STATE = (
    "for (const order of orders) {\n  // cancelled orders never reach the ledger\n  if "
    "(order.state === State.STATE) continue;\n}\n"
)
_SCHEMA = (
    "const joining = z.object({\n  email: z.string(),\n  password: z.string().min(0),\n});\n\n"
    "/**\n * Signs up.\n * @param password - the password (minimum 3 characters).\n */\n"
    "export const join = action(joining);\n"
)


_QUERY = "const known = ['day', 'hour'GAP];\nexport const sql = \"select 'day', 'hour', 'week' from t\";\n"
_WAIT = "// 50 seconds\nconst wait = GAP;\n"
_COPIED = (
    "/** Copies what is public, if there is any. */\nexport async function publish(out: string) {\n"
    "  await fs.GAP(out);\n}\n"
)
_ENCODING = "interface Options {\n  /** How it is written, defaults to 'hex'. */\n  digest?: GAP;\n}\n"
_SENT = (
    "export async function finish(order: Order) {\n  await DEED;\n"
    "  logger.info(`sent the receipt of ${order.id}`);\n}\n"
)


def _valid(shape: str, was: str, now: str) -> Valid:
    return Valid(shape.replace("GAP", now), path="a.ts", base=shape.replace("GAP", was))


def _invalid(shape: str, gap: str, was: str, now: str, line: int, column: int) -> Invalid:
    return Invalid(shape.replace(gap, now), line, column, path="a.ts", base=shape.replace(gap, was))


class StaleWords(Check):
    """Words beside the code say what this change made untrue.

    A comment, message or help text states a number, a default, a unit, a bound, a kind of result or a value
    that the change exchanged for another right beside it. Whoever reads the words acts on what was so before.
    Change them in the same commit, or give the number a name and let the words be made of it.
    """

    ID = "TS095"
    NAME = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "1,500 newest commits of each of 14 repositories, 20,593 with 37,842 changed files of "
        "Python, scripts, SQL and "
        "YAML: 6 phrases that the authors left, 5 of them stale; what was wrong stood in a sample "
        "of code and is passed "
        "over since; of deeds 75,136 changed files of 24 projects: 1, wrong, "
        "passed over since, and not run again"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_RETRY, path="a.ts"),
        Valid(_RETRY.replace("0", "8").replace("Three", "Eight"), path="a.ts", base=_RETRY.replace("0", "3")),
        Valid(
            _OPTION.replace("500", "100").replace(", 0", ", 100"),
            path="a.ts",
            base=_OPTION.replace(", 0", ", 500"),
        ),
        Valid(_TTL.replace("ttl: 0", "ttl: 60"), path="a.ts", base=_TTL.replace("ttl: 0", "ttl: 90")),
        Valid(
            _PLATE.replace("TYPE", "Vehicle | null"),
            path="a.ts",
            base=_PLATE.replace("TYPE", "Vehicle | null"),
        ),
        _valid(_QUERY, ", 'week'", ""),
        _valid(_WAIT, "50", "50_000"),
        _valid(_COPIED, "copy", "cp"),
        _valid(_ENCODING, "'hex' | 'base64'", "'base64' | 'hex'"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid(_RETRY, "0", "3", "8", 1, 4),
        _invalid(_OPTION, ", 0", ", 500", ", 100", 1, 57),
        _invalid(_TTL, "ttl: 0", "ttl: 300", "ttl: 60", 4, 20),
        _invalid(_PLATE, "TYPE", "Vehicle | null", "Vehicle", 4, 30),
        Invalid(
            _SCHEMA.replace(".min(0)", "\n    .min(8)\n    .max(72)"),
            line=10,
            column=44,
            path="a.ts",
            base=_SCHEMA.replace("min(0)", "min(3)"),
        ),
        _invalid(_STATE, "STATE", "CANCELLED", "DRAFT", 2, 6),
        _invalid(_SENT, "DEED", "mailer.send(order)", "outbox.insert(order)", 3, 16),
    ]

    @classmethod
    def marks(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ()

    def run(self) -> None:
        from wardround.drift.deeds import stale_deeds  # not needed where nothing changed
        from wardround.drift.worded_lines import SCRIPT
        from wardround_typescript.bundles import is_bundle

        found = stale_words(self.source, SCRIPT)
        if not found or is_bundle(self.source.path, self.source.text):
            return
        deeds = stale_deeds(self.source.base_text or "", self.source.text, SCRIPT, self.source.is_added)
        for one in found:
            if not (one in deeds and self._is_remark(one)) and self._is_worded(one) and self._is_other(one):
                self.report(*said(one))

    def _is_remark(self, one: Found) -> bool:
        """Whether a comment says it; of what is done it speaks in other words than the code."""
        before = self.source.lines[one.line - 1][: one.column - 1]
        return before.lstrip().startswith(("*", "/*", "//")) or "//" in _QUOTED.sub("", before)

    def _is_worded(self, one: Found) -> bool:
        """Whether the text that lists choices is meant for people, and not a query or a list of keys."""
        if one.swap.kind is not SwapKind.STRING or one.swap.was or self._is_remark(one):
            return True
        line = self.source.lines[one.line - 1]
        return not is_test_path(self.source.path) and _CHOICE.search(line) is not None

    def _is_other(self, one: Found) -> bool:
        """Whether what the words state is gone, and not only written in another unit or at another place."""
        swap = one.swap
        if swap.kind is SwapKind.STRING and swap.was:
            now = self.source.lines[swap.line - 1]
            return re.search(rf"[\"'`]{re.escape(swap.old)}[\"'`]", now) is None
        was, became = (each.replace("_", "") for each in (swap.old, swap.new))
        if swap.kind is SwapKind.NUMBER and _NUMBER.fullmatch(was) and _NUMBER.fullmatch(became):
            stated = re.search(rf"(?<![\d.]){re.escape(swap.old)}(?![\d.])", one.phrase)
            return not (stated and float(became) == _THOUSAND * float(was))
        return True
