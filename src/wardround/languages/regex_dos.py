"""Regular expressions of JavaScript with exponential time on hostile text."""

from __future__ import annotations

from dataclasses import dataclass, field

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
        """The characters it can begin with."""
        if not self.ways:
            return self.signs
        return frozenset().union(*(_first(way) for way in self.ways))

    def can_be_empty(self) -> bool:
        return self.least == 0 or (
            bool(self.ways) and any(all(one.can_be_empty() for one in way) for way in self.ways)
        )


def is_slow(pattern: str) -> bool:
    """Return True if a repeated group can match the same text in several ways: ``(a+)+``, ``(a|aa)*``."""
    if len(pattern) > _LONGEST or not any(end in pattern for end in (")+", ")*", "){")):
        return False
    try:
        return any(_is_slow(way, fails=False) for way in _Reader(pattern).ways(0))
    except (IndexError, ValueError, RecursionError):
        return False


def _is_slow(way: list[RegexPiece], fails: bool) -> bool:
    """Return True for such a group; ``fails`` is True if something must follow: only then it backtracks."""
    for at, piece in enumerate(way):
        if not piece.ways:
            continue
        may_fail = fails or _can_fail(way[at + 1 :])
        if piece.is_endless and may_fail and _splits(piece):
            return True
        if any(_is_slow(inner, may_fail) for inner in piece.ways):
            return True
    return False


def _can_fail(rest: list[RegexPiece]) -> bool:
    """Return True if something must follow."""
    return any(not one.can_be_empty() for one in rest)


def _splits(piece: RegexPiece) -> bool:
    """Return True if one iteration of a repeated group can also be two iterations."""
    ways = [_flat(way) for way in piece.ways]
    for way in ways:
        if _round_in_two(way, _following(ways)):
            return True
    return _overlap(ways)


def _round_in_two(way: list[RegexPiece], starts: frozenset[str]) -> bool:
    """``[a-z]+[ .-]?``: an unlimited part; everything around it may be omitted or matched by it."""
    for at, piece in enumerate(way):
        if not piece.is_endless:
            continue
        before, after = way[:at], way[at + 1 :]
        taken = piece.first() if not piece.ways else _taken(piece)
        if not taken:
            continue
        optional_after = all(one.can_be_empty() for one in after)
        optional_before = all(one.can_be_empty() for one in before)
        if optional_after and optional_before and taken & starts:
            return True
        rest_inside = all(
            one.can_be_empty() or (one.signs and one.signs & taken and not one.ways)
            for one in (*before, *after)
        )
        if rest_inside and (before or after) and taken & starts and _needs_apart(before, after, taken):
            return True
    return False


def _needs_apart(before: list[RegexPiece], after: list[RegexPiece], taken: frozenset[str]) -> bool:
    r"""Return True if the unlimited part can match the complete iteration: ``.*a``, ``\w+\w``."""
    needed = [one for one in (*before, *after) if not one.can_be_empty()]
    return all(one.signs & taken for one in needed)


def _taken(piece: RegexPiece) -> frozenset[str]:
    if not piece.ways:
        return piece.signs
    return frozenset().union(*(_taken(one) for way in piece.ways for one in way))


def _following(ways: list[list[RegexPiece]]) -> frozenset[str]:
    return frozenset().union(*(_first(way) for way in ways))


def _overlap(ways: list[list[RegexPiece]]) -> bool:
    r"""Return True for ``a|aa``, ``\w|\d``: alternatives that match the same text."""
    plain = [way for way in ways if way and all(not one.ways for one in way)]
    for at, one in enumerate(plain):
        for other in plain[at + 1 :]:
            if len(one) == len(other) == 1 and one[0].signs & other[0].signs:
                return True
            short, long = sorted((one, other), key=len)
            is_same = all(
                piece.signs == short[0].signs and len(piece.signs) == 1 for piece in (*short, *long)
            )
            if is_same:
                return True
    return False


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


class _Reader:
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
                found[-1].append(self._repeated(piece))
        return found

    def _piece(self, depth: int) -> RegexPiece | None:
        sign = self._pattern[self._at]
        self._at += 1
        if sign == "(":
            return self._group(depth)
        if sign == "[":
            return RegexPiece(self._set())
        if sign == "\\":
            return self._escaped()
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

    def _escaped(self) -> RegexPiece | None:
        sign = self._pattern[self._at]
        self._at += 1
        if sign in "bB":
            return None
        return RegexPiece(self._class_of(sign))

    def _class_of(self, sign: str) -> frozenset[str]:
        if sign.lower() in _CLASSES:
            known = _CLASSES[sign.lower()]
            return known if sign.islower() else _ALL - known
        if sign in "pP" and self._pattern.startswith("{", self._at):
            end = self._pattern.index("}", self._at)
            name = self._pattern[self._at + 1 : end]
            self._at = end + 1
            known = (
                _LETTERS
                if name.startswith(("L", "Alpha"))
                else _CLASSES["d"]
                if name.startswith("N")
                else frozenset(f"\\p{name}")
            )
            return known if sign == "p" else _ALL - known
        if sign in "ux":
            length = 4 if sign == "u" else 2
            if self._pattern.startswith("{", self._at):
                length = self._pattern.index("}", self._at) - self._at + 1
            text = self._pattern[self._at : self._at + length]
            self._at += length
            return frozenset(f"\\u{text}") if not text else frozenset({chr(int(text.strip("{}"), 16))})
        return frozenset(_CONTROLS.get(sign, sign))

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

    def _repeated(self, piece: RegexPiece) -> RegexPiece:
        sign = self._pattern[self._at : self._at + 1]
        if sign in ("*", "+", "?") and sign:
            self._at += 1
            piece.least = 1 if sign == "+" else 0
            piece.is_endless = sign != "?"
        elif sign == "{":
            end = self._pattern.find("}", self._at)
            low, _, high = self._pattern[self._at + 1 : end].partition(",")
            if end > 0 and low.isdigit():
                self._at = end + 1
                piece.least = min(int(low), 1)
                most = (
                    int(high)
                    if high.isdigit()
                    else _MANY
                    if "," in self._pattern[self._at - len(low) - len(high) - 3 : self._at]
                    else int(low)
                )
                piece.is_endless = most >= _MANY and int(low) != most
        if self._pattern.startswith("?", self._at) and (piece.is_endless or piece.least == 0):
            self._at += 1
        return piece
