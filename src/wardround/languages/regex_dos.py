"""Regular expressions of JavaScript with exponential time on hostile text."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, starmap

_CLASSES = {
    "d": frozenset("0123456789"),
    "w": frozenset("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "s": frozenset(" \t\n\r\f\v"),
}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ALL = frozenset(chr(code) for code in range(1, 127))
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_LONGEST = 2_000
_MANY = 10
"""The number of repetitions that counts as unlimited."""
_DEEPEST = 30


@dataclass(slots=True)
class RegexPiece:
    """One part of a pattern: the characters it matches, or alternatives of sequences, and its repetition."""

    signs: frozenset[str] = frozenset()
    ways: list[list[RegexPiece]] = field(default_factory=list)
    least: int = 1
    is_endless: bool = False

    def first(self) -> frozenset[str]:
        """Return the characters it can begin with."""
        if not self.ways:
            return self.signs
        return frozenset().union(*(_first(way) for way in self.ways))

    def can_be_empty(self) -> bool:
        return self.least == 0 or (
            bool(self.ways) and any(all(piece.can_be_empty() for piece in way) for way in self.ways)
        )


def is_slow(pattern: str) -> bool:
    """Return True if a repeated group can match the same text in several ways: ``(a+)+``, ``(a|aa)*``."""
    if len(pattern) > _LONGEST or not any(end in pattern for end in (")+", ")*", "){")):
        return False
    try:
        return any(_is_slow(way, fails=False) for way in _PatternReader(pattern).ways(0))
    except (IndexError, ValueError, RecursionError):
        return False


def _is_slow(way: list[RegexPiece], fails: bool) -> bool:
    """Return True for such a group; ``fails`` is True if something must follow: only then it backtracks."""
    for at, piece in enumerate(way):
        if not piece.ways:
            continue
        may_fail = fails or _can_fail(way[at + 1 :])
        if piece.is_endless and may_fail and _has_split_iteration(piece):
            return True
        if any(_is_slow(inner, may_fail) for inner in piece.ways):
            return True
    return False


def _can_fail(rest: list[RegexPiece]) -> bool:
    """Return True if something must follow."""
    return any(not piece.can_be_empty() for piece in rest)


def _has_split_iteration(piece: RegexPiece) -> bool:
    """Return True if one iteration of a repeated group can also be two iterations."""
    ways = [_flat(way) for way in piece.ways]
    for way in ways:
        if _round_in_two(way, _following_characters(ways)):
            return True
    return _overlap(ways)


def _round_in_two(way: list[RegexPiece], starts: frozenset[str]) -> bool:
    """``[a-z]+[ .-]?``: an unlimited part; everything around it may be omitted or matched by it."""
    return any(piece.is_endless and _is_round_with(way, at, starts) for at, piece in enumerate(way))


def _is_round_with(way: list[RegexPiece], at: int, starts: frozenset[str]) -> bool:
    before, endless, after = way[:at], way[at], way[at + 1 :]
    used = _possible_signs(endless) if endless.ways else endless.first()
    if not used & starts:
        return False
    around = [*before, *after]
    if all(piece.can_be_empty() for piece in around):
        return True
    is_inside = all(piece.can_be_empty() or (piece.signs & used and not piece.ways) for piece in around)
    return is_inside and _needs_apart(before, after, used)


def _needs_apart(before: list[RegexPiece], after: list[RegexPiece], taken: frozenset[str]) -> bool:
    r"""Return True if the unlimited part can match the complete iteration: ``.*a``, ``\w+\w``."""
    needed = [piece for piece in (*before, *after) if not piece.can_be_empty()]
    return all(piece.signs & taken for piece in needed)


def _possible_signs(piece: RegexPiece) -> frozenset[str]:
    if not piece.ways:
        return piece.signs
    return frozenset().union(*(_possible_signs(step) for way in piece.ways for step in way))


def _following_characters(ways: list[list[RegexPiece]]) -> frozenset[str]:
    return frozenset().union(*(_first(way) for way in ways))


def _most_repetitions(low: str, comma: str, high: str) -> int:
    if high.isdigit():
        return int(high)
    return _MANY if comma else int(low)


def _overlap(ways: list[list[RegexPiece]]) -> bool:
    r"""Return True for ``a|aa``, ``\w|\d``: alternatives that match the same text."""
    plain = [way for way in ways if way and not any(piece.ways for piece in way)]
    return any(starmap(_match_the_same, combinations(plain, 2)))


def _match_the_same(way: list[RegexPiece], other: list[RegexPiece]) -> bool:
    """Return True for two single signs in common, or repetitions of one sign."""
    if len(way) == len(other) == 1 and way[0].signs & other[0].signs:
        return True
    repeated = min(way, other, key=len)[0].signs
    return len(repeated) == 1 and all(piece.signs == repeated for piece in (*way, *other))


def _flat(way: list[RegexPiece]) -> list[RegexPiece]:
    """Return an alternative, with groups that occur once expanded."""
    found: list[RegexPiece] = []
    for piece in way:
        if len(piece.ways) == 1 and piece.least == 1 and not piece.is_endless:
            found += _flat(piece.ways[0])
        else:
            found.append(piece)
    return found


def _first(way: list[RegexPiece]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for piece in way:
        found |= piece.first()
        if not piece.can_be_empty():
            break
    return found


class _PatternReader:
    """Parses a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def ways(self, depth: int) -> list[list[RegexPiece]]:
        """Return the alternatives up to the end of the group."""
        if depth > _DEEPEST:
            raise RecursionError
        found: list[list[RegexPiece]] = [[]]
        while self._at < len(self._pattern) and self._pattern[self._at] != ")":
            sign = self._pattern[self._at]
            if sign == "|":
                self._at += 1
                found.append([])
                continue
            piece = self._piece(depth)
            if piece is not None:
                found[-1].append(self._read_repetition(piece))
        return found

    def _piece(self, depth: int) -> RegexPiece | None:
        sign = self._pattern[self._at]
        self._at += 1
        if sign == "(":
            return self._group(depth)
        if sign == "[":
            return RegexPiece(self._set())
        if sign == "\\":
            return self._read_escape()
        if sign in "^$":
            return None if sign == "^" else RegexPiece(frozenset("\0"))
        return RegexPiece(_ALL - {"\n"} if sign == "." else frozenset(sign))

    def _group(self, depth: int) -> RegexPiece | None:
        is_look = False
        if self._pattern.startswith("?", self._at):
            if self._pattern[self._at + 1] in "=!" or self._pattern[self._at + 1 : self._at + 3] in (
                "<=",
                "<!",
            ):
                is_look = True
            end = {":": 2, "=": 2, "!": 2}.get(self._pattern[self._at + 1])
            if end is None:
                end = 3 if is_look else self._pattern.index(">", self._at) - self._at + 1
            self._at += end
        ways = self.ways(depth + 1)
        self._at += 1
        return None if is_look else RegexPiece(ways=ways)

    def _read_escape(self) -> RegexPiece | None:
        sign = self._pattern[self._at]
        self._at += 1
        if sign in "bB":
            return None
        return RegexPiece(self._class_of(sign))

    def _class_of(self, sign: str) -> frozenset[str]:
        match sign:
            case "p" | "P" if self._pattern.startswith("{", self._at):
                return self._property(is_negated=sign == "P")
            case "u" | "x":
                return self._code_point(4 if sign == "u" else 2)
            case _ if sign.lower() in _CLASSES:
                known = _CLASSES[sign.lower()]
                return known if sign.islower() else _ALL - known
            case _:
                return frozenset(_CONTROLS.get(sign, sign))

    def _property(self, *, is_negated: bool) -> frozenset[str]:
        """Return the signs with a property of Unicode, whose name follows in braces."""
        end = self._pattern.index("}", self._at)
        name = self._pattern[self._at + 1 : end]
        self._at = end + 1
        if name.startswith(("L", "Alpha")):
            known = _LETTERS
        elif name.startswith("N"):
            known = _CLASSES["d"]
        else:
            known = frozenset(f"\\p{name}")
        return _ALL - known if is_negated else known

    def _code_point(self, length: int) -> frozenset[str]:
        """Return the sign whose number follows in hexadecimal digits, or in braces."""
        if self._pattern.startswith("{", self._at):
            length = self._pattern.index("}", self._at) - self._at + 1
        text = self._pattern[self._at : self._at + length]
        self._at += length
        return frozenset(f"\\u{text}") if not text else frozenset({chr(int(text.strip("{}"), 16))})

    def _set(self) -> frozenset[str]:
        is_negated = self._pattern.startswith("^", self._at)
        self._at += is_negated
        found: set[str] = set()
        last: str | None = None
        while self._pattern[self._at] != "]":
            sign = self._pattern[self._at]
            self._at += 1
            if sign == "\\":
                sign = self._pattern[self._at]
                self._at += 1
                signs = self._class_of(sign)
                found |= signs
                last = next(iter(signs)) if len(signs) == 1 else None
                continue
            if sign == "-" and last is not None and self._pattern[self._at] not in "]\\":
                end = self._pattern[self._at]
                self._at += 1
                found |= {chr(code) for code in range(ord(last), min(ord(end), ord(last) + 200) + 1)}
                last = None
                continue
            found.add(sign)
            last = sign
        self._at += 1
        return _ALL - found if is_negated else frozenset(found)

    def _read_repetition(self, piece: RegexPiece) -> RegexPiece:
        match self._pattern[self._at : self._at + 1]:
            case "*" | "+" | "?" as sign:
                self._at += 1
                piece.least = 1 if sign == "+" else 0
                piece.is_endless = sign != "?"
            case "{":
                self._read_counts(piece)
        if self._pattern.startswith("?", self._at) and (piece.is_endless or piece.least == 0):
            self._at += 1
        return piece

    def _read_counts(self, piece: RegexPiece) -> None:
        """Read ``{2}``, ``{2,}`` or ``{2,5}``; other braces are plain signs."""
        end = self._pattern.find("}", self._at)
        low, comma, high = self._pattern[self._at + 1 : end].partition(",")
        if end > 0 and low.isdigit():
            self._at = end + 1
            piece.least = min(int(low), 1)
            most = _most_repetitions(low, comma, high)
            piece.is_endless = most >= _MANY and int(low) != most
