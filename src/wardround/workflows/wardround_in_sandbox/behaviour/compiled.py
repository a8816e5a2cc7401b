"""The regular expressions in results, compared by their matches, as two different ones can match the same
strings.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

_MOST_PATTERNS = 60
_MOST_MATCHES = 50
_MOST_SAMPLES = 40
_MOST_MADE = 10
_MOST_PROBES = 500
_LONGEST_PROBE = 80
_MOST_DEPTH = 12
_ANY = "x"
_OTHERS = ("\n", "a", "Z", "\u00e9", "0", "_", " ", "-", ".")
"""Characters that a set perhaps does not contain."""
_TEXTS = (
    "", " ", "\n", "a", "A", "0", "_", "a b", "a\nb", "a\r\nb\n", "ab12", "A-b_c.d", "\u00e9", "\u4e2d\u6587",
    "\t", "http://example.com/a?b=c#d", "me@example.com", "1.5", "-1", "1,000.00", "2020-01-02T03:04:05",
    "{a: [b]}", "<a b='c'>d</a>", "a = 'b' # c", "\\", "\x00", "*" * 5, "a" * 40,
)  # fmt: skip


def is_pattern(value: object) -> bool:
    """Return True for a compiled regular expression, also one of the package ``regex``."""
    kind = type(value)
    return isinstance(value, re.Pattern) or (kind.__name__ == "Pattern" and "regex" in kind.__module__)


def pattern_text(pattern: Any) -> str:
    """Return the ``repr`` of a pattern, and its complete source."""
    text = repr(pattern)
    if not isinstance(pattern, re.Pattern):
        return text
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, str) else pattern.flags
    end = f", {text.rpartition(', ')[2]}" if flags else ")"
    return f"re.compile({pattern.pattern!r}{end}"


class Compiled:
    """The patterns in the result of a call.

    Attributes:
        probes: the strings on which they are compared; none if they are compared by their source.
    """

    def __init__(self) -> None:
        self.probes: tuple[str, ...] = ()
        self._found: dict[str, Any] = {}

    def clear(self) -> None:
        """Forget the patterns of earlier calls."""
        self._found.clear()

    def mark(self) -> int:
        """Return the number of patterns so far, for ``back_to``."""
        return len(self._found)

    def back_to(self, mark: int) -> None:
        """Forget the patterns that were added after a mark."""
        for text in list(self._found)[mark:]:
            del self._found[text]

    def add(self, text: str, pattern: Any) -> None:
        """Add a pattern with its source."""
        if len(self._found) < _MOST_PATTERNS:
            self._found[text] = pattern
            self._found[repr(pattern)] = pattern

    def match_digests(self) -> dict[str, str]:
        """Return the source of each pattern, with a digest of its matches; empty without probes."""
        return {
            text: _digest(pattern, self.probes) if self.probes else ""
            for text, pattern in self._found.items()
        }


COMPILED = Compiled()


def probes(texts: list[str], patterns: list[str]) -> tuple[str, ...]:
    """Return strings on which patterns are compared.

    Args:
        strings: texts of the compared calls.
        patterns: the sources of the patterns; the result contains strings that each matches.
    """
    created = [sample for text in patterns for sample in samples(text)[:_MOST_MADE]]
    near = [
        changed
        for text in created
        for changed in (f"{text}x", f" {text}", text[:-1], text.upper(), f"{text}\n")
    ]
    found = dict.fromkeys(text[:_LONGEST_PROBE] for text in (*_TEXTS, *created, *near, *texts))
    return tuple(found)[:_MOST_PROBES]


def samples(text: str) -> list[str]:
    """Return some strings that a pattern probably matches; none if it cannot be parsed."""
    try:
        call: Any = ast.parse(text, mode="eval").body
        pattern = ast.literal_eval(call.args[0])
        source = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        names = [node.attr for node in ast.walk(call) if isinstance(node, ast.Attribute)]
        flags = sum(int(getattr(re, name)) for name in names if name.isupper())
        parsed = list(_parser().parse(source, flags))
        return list(dict.fromkeys(islice(_join_options(parsed, 0), _MOST_SAMPLES)))
    except Exception:  # a text that is cut, or the syntax of another package
        return []


def _parser() -> Any:
    try:
        return importlib.import_module("re._parser")
    except ImportError:
        return importlib.import_module("sre_parse")


def _join_options(parts: list[Any], depth: int) -> Iterator[str]:
    """Yield strings for a sequence: each option of one part with the first ones of the others."""
    options = [
        list(islice(_options(str(name), value, depth + 1), _MOST_SAMPLES)) or [""] for name, value in parts
    ]
    first = [option[0] for option in options]
    yield "".join(first)
    for at, found in enumerate(options):
        for option in found[1:]:
            yield "".join([*first[:at], option, *first[at + 1 :]])


def _options(name: str, value: Any, depth: int) -> Iterator[str]:
    if depth > _MOST_DEPTH:
        return
    if name == "LITERAL":
        yield chr(value)
    elif name in ("ANY", "NOT_LITERAL"):
        yield from (character for character in (_ANY, *_OTHERS) if name == "ANY" or ord(character) != value)
    elif name == "IN":
        yield from _members(value)
    elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = value
        for text in _join_options(list(inner), depth):
            yield text * max(1, least)
        yield from (
            text * count
            for count in (least, least + 2)
            if count <= most
            for text in _join_options(list(inner), depth)
        )
    elif name == "BRANCH":
        for option in value[1]:
            yield from _join_options(list(option), depth)
    elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
        yield from _join_options(list(value[-1] if name == "SUBPATTERN" else value), depth)
    elif name == "ASSERT":
        yield from _join_options(list(value[1]), depth)
        yield ""
    else:
        yield ""


def _members(items: list[Any]) -> Iterator[str]:
    """Yield characters of a set; of a negated one, some that it perhaps contains."""
    names = [str(name) for name, _ in items]
    if names[:1] == ["NEGATE"]:
        yield from (_ANY, *_OTHERS)
        return
    for name, (_, value) in zip(names, items):
        if name == "LITERAL":
            yield chr(value)
        elif name == "RANGE":
            yield from (chr(value[0]), chr(value[1]))
        else:
            yield from _OTHERS


def _digest(pattern: Any, texts: tuple[str, ...]) -> str:
    found = [str(pattern.flags), repr(sorted(pattern.groupindex.items()))]
    for text in texts:
        item: Any = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
        matches = [
            pattern.match(item),
            pattern.fullmatch(item),
            *islice(pattern.finditer(item), _MOST_MATCHES),
        ]
        found.append(repr([match and match.regs for match in matches]))
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:12]
