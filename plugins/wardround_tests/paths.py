"""Which files are tests, by name, and which files say how tests are run."""

from __future__ import annotations

import re

SCRIPT_ENDINGS = ("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts")

PYTHON_TESTS = (
    "test_*.py", "*_test.py", "*_tests.py", "test.py", "tests.py", "conftest.py",
    "tests/*.py", "*/tests/*.py", "test/*.py", "*/test/*.py",
)  # fmt: skip
SCRIPT_TESTS = tuple(
    pattern
    for ending in SCRIPT_ENDINGS
    for pattern in (
        f"*.test.{ending}", f"*.spec.{ending}", f"*.cy.{ending}", f"*_test.{ending}",
        f"__tests__/*.{ending}", f"*/__tests__/*.{ending}",
    )
)  # fmt: skip
"""Glob patterns as the host and git take them: with a slash they match the whole path, slashes included."""

PATTERNS = (*PYTHON_TESTS, *SCRIPT_TESTS)

_PYTHON_TEST = re.compile(r"(^|/)(test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$|(^|/)tests?/(.*/)?[^/]*\.py$")
_COLLECTED = re.compile(r"(^|/)(test_[^/]*|[^/]*_tests?|tests?)\.py$")
_SAMPLE = re.compile(r"(^|/)[^/]*(bench|example)[^/]*(/|\.py$)|(^|/)(fixtures?|docs?|testdata|test_data)/")
_SCRIPT = re.compile(r"\.(?:[cm]?[jt]s|[jt]sx)$")
_SCRIPT_TEST = re.compile(
    r"(^|/)__tests__/(.*/)?[^/]*\.(?:[cm]?[jt]s|[jt]sx)$|(\.(?:test|spec|cy)|_test)\.(?:[cm]?[jt]s|[jt]sx)$"
)
_NOT_PRODUCTION = re.compile(
    r"(^|/)(tests?|testing|__tests__|__mocks__|__fixtures__|fixtures?|e2e|specs?|cypress|examples?|docs?|"
    r"benchmarks?|bench|scripts?|tools?|demo|demos|samples?|stories|playground|vendor|third_party|"
    r"migrations|alembic|integration[-_]?tests?|type[-_]?tests?|test[-_]?utils?|codemods?)(/|$)"
    r"|(^|/)(conftest|setup|noxfile|tasks|fabfile)\.py$|(^|/)_?version\.py$"
    r"|\.(config|conf|stories|d|bench|test-d|spec-d|types?)\.[cm]?[jt]sx?$|(^|/)\.[^/]+"
)


def is_python_test(path: str) -> bool:
    """Whether a path is that of a Python file under test folders or with a test's name."""
    return _PYTHON_TEST.search(path) is not None


def is_collected(path: str) -> bool:
    """Whether a test runner looks for Python tests in a file, by its name, and finds no samples there."""
    return _COLLECTED.search(path) is not None and _SAMPLE.search(path) is None


def is_script_test(path: str, text: str = "") -> bool:
    """Whether a path is that of a test in JavaScript or TypeScript that runs; tests of types do not."""
    return _SCRIPT_TEST.search(path) is not None and "-d." not in path


def is_test(path: str) -> bool:
    return is_python_test(path) or _SCRIPT_TEST.search(path) is not None


def is_production(path: str) -> bool:
    """Whether a path is that of code which ships: Python or script, and no test, example, tool or setting."""
    is_code = path.endswith(".py") or _SCRIPT.search(path) is not None
    return is_code and not is_test(path) and _NOT_PRODUCTION.search(path) is None
