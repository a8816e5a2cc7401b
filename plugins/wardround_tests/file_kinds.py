"""Test files and production files, by path."""

from __future__ import annotations

CODE = (".py", ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts")
"""Substrings: the path of every file that can be production code or a test contains one."""

IN_TESTS = ("import", "require", "describe", "expect")
"""Words: every test file contains one."""

SCRIPT_ENDINGS = ("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts")

PYTHON_TESTS = (
    "*_test.py", "*_tests.py",
    *(
        pattern
        for name in ("test_*.py", "test.py", "tests.py", "conftest.py", "tests/*.py", "test/*.py")
        for pattern in (name, f"*/{name}")
    ),
)  # fmt: skip
PYTEST_SETTINGS = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", ".pytest.ini", "pytest.toml")

SCRIPT_TESTS = tuple(
    pattern
    for ending in SCRIPT_ENDINGS
    for pattern in (
        f"*.test.{ending}", f"*.spec.{ending}", f"*.cy.{ending}", f"*_test.{ending}", f"*-test.{ending}",
        f"*-spec.{ending}", f"*.e2e.{ending}", f"__tests__/*.{ending}", f"*/__tests__/*.{ending}",
    )
)  # fmt: skip
"""Glob patterns of the host and git: they match the full path, slashes included."""

PATTERNS = (*PYTHON_TESTS, *SCRIPT_TESTS)

_SCRIPT_ENDINGS = tuple(f".{ending}" for ending in SCRIPT_ENDINGS)
_SCRIPT_MARKS = ("test", "spec", "cy", "e2e")
_SCRIPT_STEMS = ("_test", "-test", "-spec")
_SAMPLES = frozenset({"fixture", "fixtures", "doc", "docs", "testdata", "test_data"})
_NO_PRODUCTION = frozenset(
    {
        "test",
        "tests",
        "testing",
        "test-utils",
        "test_utils",
        "testutils",
        "type-tests",
        "typetests",
        "integration-tests",
        "integration_tests",
        "__tests__",
        "__mocks__",
        "__fixtures__",
        "fixture",
        "fixtures",
        "e2e",
        "spec",
        "specs",
        "cypress",
        "example",
        "examples",
        "doc",
        "docs",
        "benchmark",
        "benchmarks",
        "bench",
        "script",
        "scripts",
        "tool",
        "tools",
        "demo",
        "demos",
        "sample",
        "samples",
        "stories",
        "playground",
        "vendor",
        "third_party",
        "migrations",
        "alembic",
        "codemod",
        "codemods",
    }
)
_NO_PRODUCTION_NAMES = frozenset(
    {"conftest.py", "setup.py", "noxfile.py", "tasks.py", "fabfile.py", "version.py", "_version.py"}
)
_NO_PRODUCTION_MARKS = frozenset(
    {"config", "conf", "stories", "d", "bench", "test-d", "spec-d", "type", "types"}
)


def is_python_test(path: str) -> bool:
    """Return True if a path is a Python file in a test folder or with the name of a test."""
    if not path.endswith(".py"):
        return False
    *folders, name = path.split("/")
    return name == "conftest.py" or _is_test_name(name) or "tests" in folders or "test" in folders


def _is_test_name(name: str) -> bool:
    stem = name.removesuffix(".py")
    return stem.startswith("test_") or stem.endswith(("_test", "_tests")) or stem in ("test", "tests")


def is_collected(path: str) -> bool:
    """Return True if a test runner collects Python tests from a file, and the file is not a sample."""
    parts = path.split("/")
    if not path.endswith(".py") or not _is_test_name(parts[-1]):
        return False
    return not any("bench" in part or "example" in part for part in parts) and _SAMPLES.isdisjoint(parts[:-1])


def _is_script_test_file(path: str) -> bool:
    if not path.endswith(_SCRIPT_ENDINGS):
        return False
    *folders, name = path.split("/")
    marks = name.split(".")
    return "__tests__" in folders or marks[-2] in _SCRIPT_MARKS or marks[-2].endswith(_SCRIPT_STEMS)


def is_script_test(path: str, text: str = "") -> bool:
    """Return True if a path is an executable JavaScript or TypeScript test, not a type test."""
    return _is_script_test_file(path) and "-d." not in path


def is_type_test(path: str) -> bool:
    """Return True if a path is a test of types, which a compiler checks and nothing executes."""
    *_, mark, ending = ("", *path.rpartition("/")[2].split("."))
    return mark in ("test-d", "spec-d") and ending in SCRIPT_ENDINGS


def is_test(path: str) -> bool:
    return is_python_test(path) or _is_script_test_file(path)


def is_production(path: str) -> bool:
    """Return True if a path is production code, not a test, example, tool or setting."""
    if not path.endswith((".py", *_SCRIPT_ENDINGS)) or is_test(path):
        return False
    *folders, name = path.split("/")
    if name in _NO_PRODUCTION_NAMES or any(part.startswith(".") for part in (*folders, name)):
        return False
    if not _NO_PRODUCTION.isdisjoint(folders):
        return False
    if any(folder.endswith(("-tests", "_tests", "-test")) for folder in folders):
        return False
    marks = name.split(".")
    return len(marks) <= 2 or marks[-2] not in _NO_PRODUCTION_MARKS


def concerns_tests(path: str) -> bool:
    """Return True if any part of a path mentions tests, as the name of a suite or its data."""
    *folders, name = path.lower().split("/")
    return any("test" in part or "spec" in part for part in (*folders, name)) or "t" in folders
