"""The options that a script declares with commander, cac or yargs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.scanner import Scan
from wardround.semantics.docdrift.cli_options import CommandLine, Option

_CALL = LazyPattern(r"(?:\.\s{0,99}(?:option|requiredOption)|(?<![\w.])new\s+Option)\s{0,9}\(")
_FIRST = LazyPattern(r"\s{0,99}(?P<quote>['\"`])(?P<text>[^'\"`\n]{1,200})(?P=quote)\s{0,99}(?P<next>[,)])")
_STRING = LazyPattern(r"\s{0,99}(['\"`])((?:\\.|(?!\1)[^\\\n]){0,600})\1\s{0,99}(?=[,)+])")
_LITERAL = LazyPattern(r"\s{0,99}(?:(['\"`])([^'\"`\n]{0,99})\1|(-?\d[\d._]{0,20}|true|false))\s{0,99}\)")
_NAME = LazyPattern(r"(?<![\w-])--?[A-Za-z](?:[\w.-]*\w)?")
_PLAIN = LazyPattern(r"[A-Za-z][\w-]*")
_KEY = r"(?<![\w.])['\"]?{}['\"]?\s{{0,9}}:\s{{0,99}}"
_DEFAULT = LazyPattern(
    _KEY.format("default") + r"(?:(['\"`])([^'\"`\n]{0,99})\1|(-?\d[\d._]{0,20}|true|false)\s{0,99}[,}\n])"
)
_SAID = LazyPattern(
    _KEY.format("(?:describe|description|desc)") + r"(['\"`])((?:\\.|(?!\1)[^\\\n]){0,600})\1"
)
_CHOICES = LazyPattern(_KEY.format("choices") + r"\[([^\]\[]{0,600})\]")
_ITEM = LazyPattern(r"(['\"`])([^'\"`\n]{0,99})\1")


def declares_options(text: str) -> bool:
    """Return True if a text can declare an option."""
    return "ption(" in text and (
        "commander" in text or "yargs" in text or "cac" in text or ".option(" in text
    )


@lru_cache(maxsize=16)
def command_line(text: str) -> CommandLine:
    """Yield the options that a script declares."""
    return _Reader(Scan(text), "yargs" in text).read()


class _Reader:
    def __init__(self, scan: Scan, by_yargs: bool) -> None:
        self._scan = scan
        self._by_yargs = by_yargs

    def read(self) -> CommandLine:
        options: list[Option] = []
        computed = 0
        for call in _CALL.finditer(self._scan.structure):
            end = self._scan.pairs.get(call.end() - 1)
            first = _FIRST.match(self._scan.code, call.end())
            if end is None:
                continue
            if first is None:
                computed += 1
                continue
            options += self._option(call.start(), first["text"], first.end() - 1, end)
        return CommandLine(tuple(options), computed)

    def _option(self, start: int, told: str, place: int, end: int) -> Iterator[Option]:
        """Read an option: its first argument, the end of that argument, the closing bracket."""
        names = tuple(_NAME.findall(told))
        if not names and self._by_yargs and _PLAIN.fullmatch(told):
            names = (f"--{told}",)
        long = tuple(name for name in names if name.startswith("--"))
        if not long:
            return
        rest = self._scan.code[place : end + 1]
        message, at, default, choices = self._details(rest, told.startswith("-"))
        yield Option(
            long,
            self._line(start),
            self._line(end),
            tuple(name for name in names if name not in long),
            default,
            choices,
            message,
            self._line(place + at) if message else 0,
        )

    def _details(self, rest: str, is_flag: bool) -> tuple[str, int, str | None, tuple[str, ...]]:
        """Return the help, its position, the default and the choices in the further arguments."""
        if not rest.startswith(","):
            return "", 0, None, ()
        text = _STRING.match(rest, 1) if is_flag else _SAID.search(rest)
        behind = text.end() + 1 if text else 1
        default = (_LITERAL.match(rest, behind) if is_flag else None) or _DEFAULT.search(rest)
        listed = _CHOICES.search(rest)
        choices = tuple(item[2] for item in _ITEM.finditer(listed[1])) if listed else ()
        return text[2] if text else "", text.start(2) if text else 0, _default_value(default), choices

    def _line(self, place: int) -> int:
        return self._scan.text.count("\n", 0, place) + 1


def _default_value(match: re.Match[str] | None) -> str | None:
    return next((group for group in match.groups()[1:] if group is not None), None) if match else None
