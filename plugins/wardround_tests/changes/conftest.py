"""What fixtures and hooks of a conftest demand of the tests, and how they come to demand less."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround.storage.regex_cache import bounded
from wardround_tests.changes.line_diff import numbered_removed_lines
from wardround_tests.changes.loosening import Eased, line_that_lost, short
from wardround_tests.changes.production_changes import Production

_DEMAND = r"^\s*(assert\b|raise\b|pytest\.fail\(|self\.fail|throw new |expect\()"
_AUTOUSE = (
    r"(?m)^@pytest\.fixture\([^)]*autouse\s*=\s*True[^)]*\)\s*\n"
    r"(?:@[^\n]*\n)*(?:async )?def (\w+)[^\n]*"
)


def fewer_demands(file: ChangedFileView, code: Production) -> Iterator[Eased]:
    """Assertions of what runs around the tests that are gone, and stand nowhere else in the file."""
    base, head = (file.base_text or "").split("\n"), file.text or ""
    was = sum(re.match(_DEMAND, line) is not None for line in base)
    now = sum(re.match(_DEMAND, line) is not None for line in head.split("\n"))
    if now >= was:
        return
    for _, line in numbered_removed_lines(file):
        if re.match(_DEMAND, line) and line.strip() not in head and not code.is_withdrawn(line):
            text = f"this no longer fails a test, in the change that it judges: {short(line)}"
            yield Eased(line_that_lost(file, line), text)
            return


def changed_autouse(file: ChangedFileView, gone: Sequence[str], code: Production) -> Iterator[Eased]:
    """Autouse fixtures whose body is another than before: they decide about every test below them."""
    if not gone:
        return
    before = dict(_fixtures(file.base_text or ""))
    for name, (line, body) in _fixtures(file.text or ""):
        if name in before and _code(before[name][1]) != _code(body):
            text = f'the fixture "{name}", which every test gets, is changed with the code that it judges'
            lost = set(_code(before[name][1])) - set(_code(body))
            is_less = _demands(body) < _demands(before[name][1]) and not code.is_withdrawn(" ".join(lost))
            yield Eased(line, text, None if is_less else Severity.INFO)


def _fixtures(text: str) -> Iterator[tuple[str, tuple[int, str]]]:
    for match in re.finditer(_AUTOUSE, text):
        start = text.rfind("def ", 0, match.end(1)) if "def " in match[0] else match.start()
        rest = re.match(r"(?:\n(?:[ \t][^\n]*)?)*", text[match.end() :])
        yield match[1], (text.count("\n", 0, start) + 1, rest[0] if rest else "")


def _code(body: str) -> list[str]:
    """The lines of a body without comments, and without what types and formatters change."""
    return [line for line in (bounded(r"\s*#.*").sub("", one).strip() for one in body.split("\n")) if line]


def _demands(body: str) -> int:
    """How many statements of a fixture could fail or hold back a test."""
    return sum(line != "yield" and not line.startswith(('"""', "import ", "from ")) for line in _code(body))
