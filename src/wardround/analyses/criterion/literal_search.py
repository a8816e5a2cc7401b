"""Where added lines use the literals of a criterion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from wardround.analyses.criterion.added_code import AddedCode, LiveLine
from wardround.analyses.criterion.amounts import has_other_units
from wardround.analyses.criterion.code_words import blank_messages
from wardround.analyses.criterion.demand import Demand, Literal, LiteralKind

_PARAMETER = re.compile(r"\{[^{}/]*\}|:[a-z_]\w*|<[^<>/]*>|\$\{[^{}/]*\}")
_VALUE = re.compile(r"(?<![\w.])-?\d+(?:[._]\d+)*(?![\w.])")


def lines_with(literal: Literal, lines: Sequence[LiveLine]) -> list[LiveLine]:
    """Return the lines that use a literal in any of its spellings."""
    probes = [re.split("[{:<$]", spelling)[0] for spelling in literal.spellings]
    patterns = [_pattern(spelling, literal.kind) for spelling in literal.spellings]
    texts = (
        (line, line.code if literal.kind is LiteralKind.TEXT else _code(line, literal))
        for line in lines
        if literal.kind is LiteralKind.VALUE or any(probe in line.code for probe in probes)
    )
    found = [line for line, text in texts if any(pattern.search(text) for pattern in patterns)]
    if literal.unit:
        found = [line for line in found if not has_other_units(literal.spellings, literal.unit, line.code)]
    return found or (_members(literal.text.lower(), lines) if literal.kind is LiteralKind.NAME else [])


def _members(name: str, lines: Sequence[LiveLine]) -> list[LiveLine]:
    """Return the definition of a member ``Class.member`` in a file that defines the class."""
    owner, dot, member = name.rpartition(".")
    if not dot or not re.fullmatch(r"[a-z_]\w*", owner) or not re.fullmatch(r"[a-z_]\w*", member):
        return []
    if not any(re.search(rf"\bclass {owner}\b", line.bare) for line in lines):
        return []
    defines = re.compile(rf"^\s*(?:async |static |public |get |set )*(?:def )?{member}\s*(?:\(|[:=])")
    return [line for line in lines if defines.match(line.bare)]


def _code(line: LiveLine, literal: Literal) -> str:
    code = blank_messages(line.code)
    if literal.text.startswith("/"):
        return _PARAMETER.sub("{}", code)
    return code.replace("_", "") if literal.kind is LiteralKind.VALUE and literal.text.isdigit() else code


def _pattern(spelling: str, kind: LiteralKind) -> re.Pattern[str]:
    if kind is LiteralKind.TEXT:
        return re.compile(re.escape(spelling))
    if spelling.startswith("/"):
        return re.compile(re.escape(_PARAMETER.sub("{}", spelling)) + r"/?(?![\w/{-])")
    unit = "(?:ms|[smhd])?" if spelling.isdigit() else ""
    before = r"(?<![\w-])" if re.fullmatch(r"[a-z_]\w*", spelling) else r"(?<![\w.-])"
    return re.compile(rf"{before}{re.escape(spelling)}{unit}(?![\w-]|\.\d)")


def locate_literals(demand: Demand, code: AddedCode) -> dict[str, list[LiveLine]]:
    """Return the lines of each literal in a file; a literal without lines is excluded."""
    found = {literal.text: lines_with(literal, code.effective) for literal in demand.literals}
    return {text: lines for text, lines in found.items() if lines}


def is_in_prose(literal: Literal, text: str) -> bool:
    """Return True if a text has the literal, for comments and messages."""
    return any(spelling in text.lower() for spelling in literal.spellings)


def is_live(literal: Literal, codes: Iterable[AddedCode]) -> bool:
    """Return True if a live line of some files uses a literal."""
    return any(lines_with(literal, code.effective) for code in codes)


def identifying(demand: Demand) -> list[Literal]:
    """Return the literals that name something; the others are values."""
    return [literal for literal in demand.literals if literal.kind is not LiteralKind.VALUE]


def values(demand: Demand) -> list[Literal]:
    """Return the literals that are values."""
    return [literal for literal in demand.literals if literal.kind is LiteralKind.VALUE]


def nearest(found: Mapping[str, Sequence[LiveLine]], reach: int = 40) -> list[LiveLine] | None:
    """One line for each literal, all within ``reach`` lines; None if they are farther apart."""
    if not found:
        return None
    for anchor in min(found.values(), key=len):
        chosen = [min(lines, key=lambda line: abs(line.number - anchor.number)) for lines in found.values()]
        if all(abs(line.number - anchor.number) <= reach for line in chosen):
            return chosen
    return None


def other_values(literal: Literal, lines: Sequence[LiveLine]) -> list[LiveLine]:
    """Return the lines that have a number, but not this one."""
    if not literal.text.replace(".", "").isdigit():
        return []
    has = {line.number for line in lines_with(literal, lines)}
    trivial = {"0", "1", "-1"}
    return [line for line in lines if line.number not in has and set(_VALUE.findall(line.bare)) - trivial]
