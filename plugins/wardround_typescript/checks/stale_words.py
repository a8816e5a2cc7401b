"""TS095."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Check, Invalid, Valid
from wardround.drift.word_checks import said, stale_words
from wardround.findings import Plane, Severity
from wardround_typescript.tree_check import SCRIPTS

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


_SENT = (
    "export async function finish(order: Order) {\n  await DEED;\n"
    "  logger.info(`sent the receipt of ${order.id}`);\n}\n"
)


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
        from wardround.drift.worded_lines import SCRIPT  # not needed where nothing changed
        from wardround_typescript.bundles import is_bundle

        found = stale_words(self.source, SCRIPT)
        for one in found if not found or not is_bundle(self.source.path, self.source.text) else ():
            self.report(*said(one))
