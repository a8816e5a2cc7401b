"""Assertions in the fixtures and plugin hooks of a conftest, and their removal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround.storage.regex_cache import bounded_pattern
from wardround_tests.changes.line_diff import numbered_removed_lines
from wardround_tests.changes.loosening import Loosening, line_of_removed_text, short
from wardround_tests.changes.production_changes import Production

_ASSERTION = r"^\s*(assert\b|raise\b|pytest\.fail\(|self\.fail|throw new |expect\()"
_AUTOUSE = (
    r"(?m)^@pytest\.fixture\([^)]*autouse\s*=\s*True[^)]*\)\s*\n"
    r"(?:@[^\n]*\n)*(?:async )?def (\w+)[^\n]*"
)


def removed_assertions(file: ChangedFileView, code: Production) -> Iterator[Loosening]:
    """Yield the removed assertions of fixtures and plugin hooks that are nowhere else in the file."""
    base, head = (file.base_text or "").split("\n"), file.text or ""
    previous = sum(re.match(_ASSERTION, line) is not None for line in base)
    current = sum(re.match(_ASSERTION, line) is not None for line in head.split("\n"))
    if current >= previous:
        return
    for _, line in numbered_removed_lines(file):
        if re.match(_ASSERTION, line) and line.strip() not in head and not code.is_withdrawn(line):
            text = f"assertion of the test set-up is removed in the change under test: {short(line)}"
            yield Loosening(line_of_removed_text(file, line), text)
            return


def changed_autouse(file: ChangedFileView, removed: Sequence[str], code: Production) -> Iterator[Loosening]:
    """Yield autouse fixtures whose body changed: they affect every test in the folder."""
    if not removed:
        return
    before = dict(_fixtures(file.base_text or ""))
    for name, (line, body) in _fixtures(file.text or ""):
        if name in before and _code(before[name][1]) != _code(body):
            text = f'autouse fixture "{name}" changes together with the code under test'
            lost = set(_code(before[name][1])) - set(_code(body))
            is_less = _effective_statements(body) < _effective_statements(
                before[name][1]
            ) and not code.is_withdrawn(" ".join(lost))
            yield Loosening(line, text, None if is_less else Severity.INFO)


def _fixtures(text: str) -> Iterator[tuple[str, tuple[int, str]]]:
    for match in re.finditer(_AUTOUSE, text):
        start = text.rfind("def ", 0, match.end(1)) if "def " in match[0] else match.start()
        rest = re.match(r"(?:\n(?:[ \t][^\n]*)?)*", text[match.end() :])
        yield match[1], (text.count("\n", 0, start) + 1, rest[0] if rest else "")


def _code(body: str) -> list[str]:
    """Return the lines of a body without comments and blank lines."""
    return [
        line
        for line in (bounded_pattern(r"\s*#.*").sub("", code_line).strip() for code_line in body.split("\n"))
        if line
    ]


def _effective_statements(body: str) -> int:
    """Count the statements of a fixture that can fail or hold back a test."""
    return sum(line != "yield" and not line.startswith(('"""', "import ", "from ")) for line in _code(body))
