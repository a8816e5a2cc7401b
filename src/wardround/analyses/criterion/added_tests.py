"""The test cases that a change adds: their titles, assertions and exercised code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from wardround.analyses.criterion.added_code import AddedCode, LiveLine, is_constant
from wardround.analyses.criterion.demand import Outcome, is_negative, stems
from wardround.lazy import LazyPattern

_PYTHON_TEST = LazyPattern(r"(\s*)(?:async )?def (test\w*)\s*\(")
_SCRIPT_TEST = LazyPattern(
    r"(\s*)x?(?:it|test|specify)(?:\.\w+)*\s*\(\s*(?:\"([^\"]*)\"|'([^']*)'|`([^`]*)`)"
)
_ASSERTION = LazyPattern(
    r"\bassert\b|\bassert\w*\s*[(.]|\bexpect\s*\(|\.should\b|\bpytest\.raises\b|\bself\.assert\w+|"
    r"\bassert_\w+\s*\("
)
_ASSERTING = frozenset(
    """
    assert expect tobe toequal tostrictequal not is in and or none true false null undefined self to be
    equal equals
    asserttrue assertequal assertis assertfalse tobetruthy tobefalsy ok len
    """.split()  # noqa: SIM905 - a list of quoted words is harder to read
)
_NAME = LazyPattern(r"[A-Za-z_$][\w$]*")
_NEGATIVE_ASSERTION = LazyPattern(
    r"\bnot\b|\.not\b|!=|\bnone\b|\bfalse\b|\bnull\b|raises|tothrow|rejects|disabled|undefined|queryby|"
    r"\b40\d\b|\[\]|"
    r"== 0\b|\(0\)|assertraises|assertnot|assertfalse|hidden|empty"
)
_REFUSAL = LazyPattern(
    r"\b(?:pytest\.raises|assertraises\w*|tothrow\w*|rejects)\b|\b4\d\d\b|http_4\d\d|\berror\w*\b|\binvalid\b"
)
"""Assertions that an input is rejected."""
_STUBBED = LazyPattern(r"\s*([a-z_]\w*(?:\.\w+)*)\.return_value\s*=")
_NEGATED = LazyPattern(r"!=|\bnot in\b|\.not\.|\bassertnot\w+|\bis not\b|\bassert not\b")
_PRESENCE = LazyPattern(
    r"\.tomatchsnapshot\(\)|\.(?:tobeinthedocument|tobevisible|tobetruthy|tobedefined)\(|"
    r"\bis not none\b|\.exists\(\)\s*$"
)
_LOCAL = LazyPattern(
    r"\b(?:const|let|var|function|def|class)\s+([A-Za-z_$][\w$]*)|^\s*([A-Za-z_]\w*)\s*=[^=]", re.MULTILINE
)
_PATCH = LazyPattern(
    r"(?:setattr|patch(?:\.object)?|vi\.mock|jest\.mock|spyOn|stub)\s*\(([^\n]{0,200})|(\w+)\.mock(?:Impl|"
    r"Ret|Res)"
)
"""Calls that replace code by a stub of the test."""
_SKIPPED = LazyPattern(
    r"@(?:pytest\.mark\.|unittest\.)?(?:skip|xfail)|\b(?:it|test|describe)\.(?:skip|todo|fails)\b|"
    r"\bpytest\.skip\(|"
    r"\bself\.skiptest\(|\bx(?:it|test)\("
)
_TARGET = LazyPattern(r"\s*(?:const |let |var )?([a-z_$][\w$]*)")
_ADDRESS = LazyPattern(r"[\"'`](/[^\"'`?\s]*)")
_OPTION = LazyPattern(r"[\"'`](--?[a-z][\w-]*)")
_PARAMETER = LazyPattern(r"\\\{[^{}/]*\\\}|:[A-Za-z_]\w*|<[^<>/]*>|\\\$\\\{[^{}/]*\\\}")


class TestCase(msgspec.Struct, frozen=True, dict=True):
    """An added test.

    Attributes:
        title: its name, or its text.
        asserts: lines that assert something about the result of code, not about a constant.
    """

    __test__ = False  # not a test of this project

    path: str
    title: str
    lines: tuple[LiveLine, ...]
    asserts: tuple[LiveLine, ...]

    @cached_property
    def text(self) -> str:
        """Its lines in lower case."""
        return "\n".join(line.code for line in self.lines)

    @cached_property
    def original(self) -> str:
        """Its lines with capitals."""
        return "\n".join(line.original for line in self.lines)

    @cached_property
    def is_negative(self) -> bool:
        """True if its title or an assertion states that something does not happen."""
        return is_negative(self.title) or any(_NEGATIVE_ASSERTION.search(line.bare) for line in self.asserts)

    @property
    def is_about_presence(self) -> bool:
        """True if it asserts only that something exists."""
        return all(_PRESENCE.search(line.bare) for line in self.asserts)

    def denies(self, lines: Sequence[LiveLine]) -> bool:
        """Return True if the assertions among some lines are all negated."""
        asserted = [line for line in lines if line in self.asserts]
        return bool(asserted) and all(_NEGATED.search(line.bare) for line in asserted)

    def contradicts(self, outcome: Outcome) -> bool:
        """Return True if its assertions do not show a refusal that is demanded, or nothing else."""
        if outcome is Outcome.REFUSED:
            return bool(self.asserts) and not any(_shows_refusal(line) for line in self.asserts)
        if outcome is Outcome.ACCEPTED:
            return bool(self.asserts) and all(_REFUSAL.search(line.bare) for line in self.asserts)
        return False

    @property
    def title_is_negative(self) -> bool:
        """True if its title states that something does not happen."""
        return is_negative(self.title)

    @cached_property
    def body(self) -> tuple[LiveLine, ...]:
        """Its lines without that of its title."""
        return tuple(line for line in self.lines if self.title not in line.original)

    @cached_property
    def title_stems(self) -> frozenset[str]:
        """The stems of its title."""
        return stems(self.title)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its title, names and strings."""
        return stems(f"{self.title}\n{self.original}")

    def body_stems(self, unread: frozenset[str]) -> frozenset[str]:
        """Return the stems of its lines without its title and without names that the code does not read."""
        names = re.findall(r"[^\W_]\w*", "\n".join(line.original for line in self.body))
        return stems(" ".join(name for name in names if name.lower() not in unread))


def test_cases(code: AddedCode) -> list[TestCase]:
    """Find the test cases whose first line is added; skipped ones are excluded."""
    found = []
    for title, lines in _bodies(code.lines):
        if any(_SKIPPED.search(line.bare) for line in lines):
            continue
        names = {match[1] for line in lines if is_constant(line) and (match := _TARGET.match(line.bare))}
        stubs = frozenset(match[1] for line in lines if (match := _STUBBED.match(line.bare)))
        asserts = tuple(line for line in lines if _is_assertion(line, frozenset(names), stubs))
        found.append(TestCase(code.source.path, title, tuple(lines), asserts))
    return found


test_cases.__test__ = False  # type: ignore[attr-defined]


def _bodies(lines: Sequence[LiveLine]) -> Iterator[tuple[str, list[LiveLine]]]:
    """Yield each title with its lines, decorators included, until the next test or a lower indentation."""
    title, indent = "", 0
    body: list[LiveLine] = []
    decorators: list[LiveLine] = []
    for line in lines:
        match = _PYTHON_TEST.match(line.original) or _SCRIPT_TEST.match(line.original)
        if match:
            if title:
                yield title, body
            title = next(group for group in match.groups()[1:] if group) if any(match.groups()[1:]) else ""
            indent, body, decorators = len(match[1]), [*decorators, line], []
        elif line.original.lstrip().startswith("@"):
            decorators.append(line)
        elif title and (_indent_width(line) > indent or re.match(r"\s*[})\]]", line.original)):
            body.append(line)
        elif not decorators or (_indent_width(line) == 0 and not re.match(r"\s*[)\]}]", line.original)):
            if title:
                yield title, body
            title, body, decorators = "", [], []
    if title:
        yield title, body


def _indent_width(line: LiveLine) -> int:
    return len(line.original) - len(line.original.lstrip())


def _is_assertion(line: LiveLine, constants: frozenset[str], stubs: frozenset[str]) -> bool:
    """Return True for an assertion about something else than constants and stubs of the test."""
    if not _ASSERTION.search(line.bare) or any(f"assert {stub}(" in line.bare for stub in stubs):
        return False
    return bool({name.lower() for name in _NAME.findall(line.bare)} - _ASSERTING - constants)


def exercised_lines(test: TestCase, code: AddedCode) -> list[LiveLine]:
    """The lines of added code that a test reaches by a name, an address or an option; empty if none."""
    local = {name for match in _LOCAL.findall(test.original) for name in match if name}
    local |= {name for call in _PATCH.finditer(test.original) for name in _NAME.findall(call[0])}
    names = (set(_NAME.findall(_strip_title(test))) - local) & code.names
    addresses = set(_ADDRESS.findall(test.original))
    options = set(_OPTION.findall(test.original))
    found = [line for line in code.effective if names & set(_NAME.findall(line.original))]
    found += [
        line
        for line in code.effective
        if _has_address(line, addresses) or options & set(_OPTION.findall(line.original))
    ]
    if names and not found:
        found = list(code.effective[:1])
    return found


def _shows_refusal(line: LiveLine) -> bool:
    patterns = (_REFUSAL, _NEGATIVE_ASSERTION)
    return is_negative(line.code) or any(pattern.search(line.code) for pattern in patterns)


def _strip_title(test: TestCase) -> str:
    return test.original.replace(test.title, "", 1)


def _has_address(line: LiveLine, addresses: set[str]) -> bool:
    for route in _ADDRESS.findall(line.original):
        pattern = _PARAMETER.sub("[^/]+", re.escape(route)) + "/?"
        if len(route) > 1 and any(re.fullmatch(pattern, address) for address in addresses):
            return True
    return False
