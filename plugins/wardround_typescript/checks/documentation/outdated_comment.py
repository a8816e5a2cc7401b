"""TS095."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.base import Check
from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import describe, stale_comments
from wardround.semantics.semdiff.replacements import SwapKind
from wardround_typescript.check import SCRIPTS, is_test_path

if TYPE_CHECKING:
    from wardround.semantics.docdrift.stale_comments import StalePhrase as Found

_QUOTED = LazyPattern(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
_CHOICE = LazyPattern(
    r"(?i)\b(?:must|should|can|may|has to|one of|any of|either|only|valid|invalid|allowed|supported"
    r"|expect(?:s|ed)?|unknown|use|choose|pick|give)\b"
)
"""How a message tells which values there are."""
_PLAIN_WORDS = LazyPattern(r"(?<![\w-])[A-Za-z]{2,} [A-Za-z]{2,}(?![\w:-])")
"""Two words in a row, as no list of classes, of measures or of colours has them."""
_REMARK = LazyPattern(r"//.*|/\*.*?\*/")
_WISH = LazyPattern(r"\b(?:TODO|FIXME)\b")
_ENTRY = LazyPattern(r"^[\s/*-]*(?:@\w+\s+(?:\{[^}]*\}\s*)?\[?([\w$.]+)|`([\w$.]+)`)")
"""What a line of a list of options is about."""
_PRINTED = LazyPattern(r"\$\{[^}]*?([\w$]+)\}\s?(?:s|secs?|seconds?|min|minutes?|h|hours?)\b")
_NUMBER = LazyPattern(r"\d+(?:\.\d+)?")
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
_SHADOW = "const box = {\n  right: '5%',\n  bottom: 'GAP%',\n  boxShadow: '0px 4px 5px 4px #ccc',\n};\n"
_CLASSES = "export const row = cn('GAPtext-sm leading-relaxed', name);\n"
_LATER = (
    "// TODO: take each of them (rowText, cellText) by itself\n"
    "const texts = take('rowText', 'cellText'GAP);\n"
)
_WAITS = (
    "/**\n * `waitForTimeout`: (optional) default wait timeout in ms. Default: 1000.\n */\n"
    "class Helper {\n  given() {\n    return {\n      timeout: GAP,\n    };\n  }\n}\n"
)
_CLICKABLE = (
    "async function waitUntil(found, most) {\n  return found.wait({\n    timeout: mostTimeGAP,\n"
    "    message: `still not there after ${mostTime} sec`,\n  });\n}\n"
)
_ATMOST = (
    "// calculate the timeout. If it is undefined, we use the default of 120s\n"
    "const timeoutInMs = Math.min(Math.max(given ?? 120000, 1000), GAP);\n"
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


class OutdatedComment(Check):
    """Words beside the code say what this change made untrue.

    A comment, message or help text states a number, a default, a unit, a bound, a kind of result or a value
    that the change exchanged for another right beside it. Whoever reads the words acts on what was so before.
    Change them in the same commit, or give the number a name and let the words be made of it.
    """

    ID = "TS095"
    NAME = "outdated-comment"
    DEFECT_CLASS = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "1,500 newest commits of each of 14 repositories, 20,593 with 37,842 changed files of Python, "
        "scripts, SQL and YAML: 6 phrases that the authors left, 5 of them stale; what was wrong stood "
        "in a sample of code and is passed over since; of deeds 75,136 changed files of 24 projects: 1, "
        "wrong, passed over since, and not run again. Up to 1,500 of each of 50 others, 42,275 with "
        "scripts: 15 left, all read: 7 stale, 6 not, 2 in doubt; of the 6, a wish and words about "
        "another option and a printed variable are passed over since; of the 4 of them in 21 "
        "repositories looked at only after that 3 are stale. Below 0.7, so a note"
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
        _valid(_SHADOW, "5", "2"),
        _valid(_CLASSES, "", "cursor-default "),
        _valid(_WAITS, "1000", "5000"),
        _valid(_CLICKABLE, "", " * 1000"),
        _valid(_LATER, "", ", 'headText'"),
        _valid(_ATMOST, "120000", "300000"),
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
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ()

    def run(self) -> None:
        from wardround.semantics.docdrift.comment_lines import SCRIPT
        from wardround.semantics.docdrift.stale_verbs import stale_verbs  # not needed where nothing changed

        found = stale_comments(self.source, SCRIPT)
        if not found:
            return
        deeds = stale_verbs(self.source.base_text or "", self.source.text, SCRIPT, self.source.is_added)
        for one in found:
            if one in deeds and self._is_remark(one):
                continue
            if self._is_worded(one) and self._is_about(one) and self._is_other(one):
                self.report(*describe(one))

    def _is_remark(self, one: Found) -> bool:
        """Whether a comment says it; of what is done it speaks in other words than the code."""
        before = self.source.lines[one.line - 1][: one.column - 1]
        return before.lstrip().startswith(("*", "/*", "//")) or "//" in _QUOTED.sub("", before)

    def _is_worded(self, one: Found) -> bool:
        """Whether words say what is so: no wish, and in quotes no query, no list and not the new value."""
        line, place = self.source.lines[one.line - 1], one.column - 1
        if self._is_remark(one):
            return _WISH.search(line) is None
        text = next((m[0] for m in _QUOTED.finditer(line) if m.start() <= place < m.end()), None)
        if text is not None and (_PLAIN_WORDS.search(text) is None or self._is_new(one, text)):
            return False
        if one.swap.kind is SwapKind.STRING and not one.swap.was:
            return not is_test_path(self.source.path) and _CHOICE.search(line) is not None
        return True

    def _is_new(self, one: Found, text: str) -> bool:
        """Whether the text is what the change put in."""
        swap = one.swap
        return one.line == swap.line and swap.kind is SwapKind.STRING and text[1:-1] == swap.new

    def _is_about(self, one: Found) -> bool:
        """Whether the words are about what was exchanged, and not about another option.

        Whoever multiplies what is told in seconds tells it in seconds still.
        """
        line, swap = self.source.lines[one.line - 1], one.swap
        if swap.new.startswith("*") and not swap.old.startswith(("*", "/")):
            printed = {match[1] for match in _PRINTED.finditer(line)}
            return printed.isdisjoint(swap.key.split())
        entry = _ENTRY.match(line) if self._is_remark(one) and swap.kind is SwapKind.NUMBER else None
        name = (entry[1] or entry[2]).rpartition(".")[2] if entry else ""
        return not (swap.key and name != swap.key and name.lower().endswith(swap.key.lower()))

    def _is_other(self, one: Found) -> bool:
        """Whether what the words state is gone, and not only written in another unit or at another place."""
        swap = one.swap
        if swap.kind is SwapKind.STRING and swap.was:
            now = self.source.lines[swap.line - 1]
            return re.search(rf"[\"'`]{re.escape(swap.old)}[\"'`]", now) is None
        was, became = (each.replace("_", "") for each in (swap.old, swap.new))
        if swap.kind is SwapKind.NUMBER and _NUMBER.fullmatch(was) and _NUMBER.fullmatch(became):
            if swap.was and one.line != swap.line and self._still_says(swap.old, swap.line):
                return False
            stated = re.search(rf"(?<![\d.]){re.escape(swap.old)}(?![\d.])", one.phrase)
            return not (stated and float(became) == _THOUSAND * float(was))
        return True

    def _still_says(self, number: str, place: int) -> bool:
        line = self.source.lines[place - 1]
        return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", _REMARK.sub("", line)) is not None
