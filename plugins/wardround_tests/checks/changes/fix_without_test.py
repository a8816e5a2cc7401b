from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Severity, Span
from wardround.rules.cases import change
from wardround.storage.regex_cache import bounded_pattern
from wardround_tests.changes.behaviour import changes_behaviour
from wardround_tests.changes.line_diff import added_lines
from wardround_tests.changes.sibling_tests import is_tested
from wardround_tests.file_kinds import (
    CODE,
    PYTHON_TESTS,
    SCRIPT_TESTS,
    concerns_tests,
    is_production,
)

_FIX = (
    r"(?i)^\W*(\[[^\]]*\]\s*)?(fix(es|ed)?|bug(fix)?|hotfix|correct(s|ed|ly)?|repair(s|ed)?)\b|"
    r"^[\w/().,-]{1,30}:\s+(fix(es|ed)?|correct(s|ed)?|repair)\b|^[^\n]{0,60}\b(bug ?fix|regression)\b|"
    r"^[^\n]{0,60}\b(off[- ]by[- ]one|race condition|dead ?lock|memory leak|infinite loop|data loss|"
    r"double[- ](count|charg|book|submi|encod)\w*|(do not|don'?t|stop|avoid|prevents?|never|no longer) "
    r"(crash|fail|drop|los|rais|throw|leak|hang|swallow|doubl|overflow|divid|truncat|overwrit|duplicat|corrupt)\w*|"
    r"(crash|crashes|crashing|hangs|wrong|incorrect|broken) (when|if|on|for|in|with|after)|"
    r"when \w+ (is|are) (empty|missing|none|null|undefined|zero|negative))\b|"
    r"\b(fix(es|ed)?|close[sd]?|resolve[sd]?)\s*:?\s+(\w+/[\w.-]+)?#\d+"
)
_NOT_A_BUG = (
    r"(?i)\b(typos?|docs?|docstrings?|document\w*|annotations?|signatures?|readme|spelling|grammar|comments?|changelog|lint(ing|er|s)?|"
    r"format(ting)?|style|typing|type ?(hints?|check(ing|er)?|errors?|annotations?|defs?)|"
    r"types?|mypy|pyright|tsc?|ci|workflow|"
    r"build|release|deps|dependenc\w+|bump|flaky|tests?|coverage|warnings?|deprecat\w+|lockfile|pre-commit|ruff|"
    r"eslint|prettier|imports?|links?|revert|merge|jsdoc|rename|chore|refactor|example|examples|benchmark)\b|^feat"
)
_COMMENT = (
    r"^\s*[\w-]*[cC]lass(Name)?=|^\s*(type )?\w+( as \w+)?,\s*$|"
    r"^\s*(#|//|/\*|\*|\"\"\"|'''|import |from \S+ import|export \* |$)|^\s*[)\]}>,;:({\[\"']*\s*$"
)
_SETTINGS = r"(?i)(^|/)[\w-]*(config|configuration|env|environment|settings)(\.\w+)?\.\w+$"
_SCHEMA = r"\b(z|yup|[jJ]oi)\.object\(|\bcreateEnv\(|\bBaseSettings\b"
_TEXTS = r"(?i)(^|/)[\w-]*(prompts?|constants?|consts|messages|defaults|locales?|strings)(\.\w+)?\.\w+$"
_SCHEMA_ENTRY = (
    r"^\s*[\w\"']+\??:\s*z\s*\.[^=]*,?\s*$|"
    r"^\s*\.(optional|default|nullable|nullish|min|max|int|positive|nonnegative|email|url|describe)\([^()=]*\),?\s*$"
)
_LITERAL = r"[-+]?[\d._]+|\"[^\"]*\"|'[^']*'|`[^`$]*`|true|false|null|None|True|False"
_CONSTANT = (
    r"^\s*(?:export\s+)?(?:(?:const|let|final)\s+)?[\w\"'.]+(?:\s*:\s*[\w\[\], |]+)?\s*[=:]\s*"
    rf"(?:{_LITERAL})[,;]?\s*$|^\s*(?:{_LITERAL})[,;]?\s*$"
)


class FixWithoutTest(ChangeCheck):
    """A commit that fixes a bug changes tested code but no test.

    Nothing shows that the bug existed or is fixed, and nothing prevents its return. Add a test that fails
    without the fix. Of several commits the first one counts: later fixes mostly repair the same change. Not
    reported for renames, message changes, markup and metadata, and functions that are only extracted.
    """

    ID = "TE202"
    NAME = "fix-without-test"
    SEVERITY = Severity.INFO
    PATHS = CODE
    VALID = [
        change(
            {
                "shop.py": (
                    """
                    def total(xs):
                        return 0
                    """,
                    """
                    def total(xs):
                        return sum(xs)
                    """,
                ),
            },
            others={
                "tests/test_shop.py": """
                import shop
                def test_a():
                    assert shop.a
                """,
            },
            message="Sum the basket",
        ),
        change(
            {
                "shop.py": (
                    """
                    def total(xs):
                        return 0
                    """,
                    """
                    def total(xs):
                        return sum(xs)
                    """,
                ),
            },
            others={
                "tests/test_shop.py": """
                import shop
                def test_a():
                    assert shop.a
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop.py": (
                    """
                    def total(xs):
                        return 0
                    """,
                    """
                    def total(xs):
                    «    return sum(xs)»
                    """,
                ),
            },
            others={
                "tests/test_shop.py": """
                import shop
                def test_a():
                    assert shop.a
                """,
            },
            message="Correct off-by-one in the sum",
        ),
        change(
            {
                "shop.py": (
                    """
                    def total(xs):
                        return 0
                    """,
                    """
                    def total(xs):
                    «    return sum(xs)»
                    """,
                ),
            },
            others={
                "tests/test_shop.py": """
                import shop
                def test_a():
                    assert shop.a
                """,
            },
            message="Don't crash on empty baskets",
        ),
    ]

    def run(self) -> None:
        fixing = self.change.messages[-1] if self.change.messages else ""
        if not _is_fix(fixing) or any(concerns_tests(f.path) for f in self.change.files):
            return
        for file in self.change.files:
            first = _first_code_line(file)
            if first is not None and self._is_tested(file):
                line, text = first
                subject = fixing.partition("\n")[0][:60]
                message = f'"{subject}" fixes a bug without a test; add one that fails without the fix'
                self.report(file.path, Span(line, 1, line, len(text) + 1), message)
                return

    def _is_tested(self, file: ChangedFileView) -> bool:
        """Return True if the project tests this file; an untested file needs more than one test."""
        patterns = PYTHON_TESTS if file.path.endswith(".py") else SCRIPT_TESTS
        return is_tested(self.change.project, file.path, patterns)


def _is_fix(message: str) -> bool:
    if not message:
        return False  # at commit there is none yet, and the patterns take longer than a small change
    subject = message.partition("\n")[0]
    return re.search(_FIX, message) is not None and re.search(_NOT_A_BUG, subject) is None


def _first_code_line(file: ChangedFileView) -> tuple[int, str] | None:
    """Return the first added line of code in an existing production file."""
    if not is_production(file.path) or file.base_path is None or file.text is None:
        return None
    return next(_code_lines(file), None) if changes_behaviour(file) else None


def _code_lines(file: ChangedFileView) -> Iterator[tuple[int, str]]:
    """Yield the added lines for which a test would not merely repeat the code."""
    text, path = file.text or "", file.path
    is_for_settings = re.search(_SETTINGS, path) is not None
    if is_for_settings and re.search(_SCHEMA, text):
        return
    is_for_text = is_for_settings or re.search(_TEXTS, path) is not None
    for number, line in added_lines(file):
        is_comment = bounded_pattern(_COMMENT).match(line) or bounded_pattern(_SCHEMA_ENTRY).match(line)
        if not is_comment and not (is_for_text and _is_value(text, number, line)):
            yield number, line


def _is_value(text: str, number: int, line: str) -> bool:
    """Return True if a line is a constant or part of a multi-line string."""
    return bounded_pattern(_CONSTANT).match(line) is not None or _is_in_string(text, number, line)


def _is_in_string(text: str, number: int, line: str) -> bool:
    """Return True if a line is inside a multi-line string."""
    before = "\n".join(text.split("\n")[: number - 1])
    marks = ("`", '"""', "'''")
    return not any(mark in line for mark in marks) and (
        re.search(r"\$\{|^\s*\{", line) is None and any(before.count(mark) % 2 for mark in marks)
    )
