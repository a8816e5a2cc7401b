"""Commands that run tests, and comparison of what two of them run."""

from __future__ import annotations

import re
from collections.abc import Iterator

RUNS_TESTS = (
    r"\b(pytest|py\.test|vitest|jest|tox|nox|unittest|mocha|playwright test|hatch (run )?test|go test|"
    r"(npm|yarn|pnpm|bun)( run)? test\S*|make (test|check)\S*|cargo test|coverage run)\b(?![-:=])"
)
"""Pattern of a test run; a string, since compiling it takes longer than a review that does not need it."""
_SELECTING = frozenset(
    {"-k", "-m", "--deselect", "--ignore", "--ignore-glob", "--lf", "--last-failed", "--no-cov", "-t",
     "--grep", "--testNamePattern", "--testPathPattern", "--testPathPatterns", "--testPathIgnorePatterns",
     "--grep-invert", "--exclude", "--onlyChanged", "--changed", "--changedSince"}
)  # fmt: skip
_IGNORING_FAILURES = frozenset(
    {"--passWithNoTests", "--reruns", "--retries", "--retry", "--suppress-no-test-exit-code"}
)
_STRICT = frozenset({"--strict-markers", "--strict-config", "--strict", "--cov-fail-under", "--fail-under"})
_NOTHING = r"^\s*@?(echo\b|true\b|:\s*$|exit 0)"


def runs_tests(command: str) -> bool:
    return re.search(RUNS_TESTS, command) is not None


def narrower(before: str, after: str) -> str:
    """Return how a command runs or requires less than another; empty if it does not."""
    if runs_tests(before) and _has_no_effect(after):
        return "no longer runs tests"
    old, new = list(_runs(before)), list(_runs(after))
    if not old or not new:
        return ""
    if len(new) < len(old) and set(new) < set(old):
        removed = next(run for run in old if run not in new)
        return f"no longer runs {removed}"
    if len(old) != len(new):
        return ""
    return next(filter(None, map(_reduction, old, new)), "")


def _has_no_effect(command: str) -> bool:
    is_empty = not command.strip() or re.search(_NOTHING, command) is not None
    return is_empty and not runs_tests(command)


def _runs(command: str) -> Iterator[str]:
    for part in re.split(r"&&|\|\||;", command):
        if runs_tests(part):
            yield " ".join(part.split())


def _reduction(before: str, after: str) -> str:
    """Return how one run of tests is reduced; empty if it is not."""
    old, new = _words(before), _words(after)
    lost = next((word for word in old if _flag(word) in _STRICT - set(map(_flag, new))), "")
    if reason := _loosening_flag(old, new):
        return reason
    return f"no longer has {lost}" if lost else _narrowed_path(old, new, after)


def _flag(word: str) -> str:
    return word.partition("=")[0]


def _loosening_flag(old: list[str], new: list[str]) -> str:
    """Return the effect of the first added flag that excludes tests or ignores failures."""
    flags = set(map(_flag, old))
    for word in new:
        if _flag(word) in flags:
            continue
        if _flag(word) in _SELECTING and not _names_module(new, word):
            return f"excludes tests from the run: {word}"
        if _flag(word) in _IGNORING_FAILURES:
            return f"ignores failing tests: {word}"
    return ""


def _narrowed_path(old: list[str], new: list[str], command: str) -> str:
    """Return the effect of replacing a test path by one of its subfolders or files."""
    old_paths, new_paths = set(filter(_is_path, old)), set(filter(_is_path, new))
    missing = [path for path in sorted(old_paths) if not _names_path(command, path)]
    if not missing or not new_paths:
        return ""
    for path in new_paths - old_paths:
        if not any(_is_under(path, old_path) for old_path in old_paths):
            return ""
    return f"runs only a part of {missing[0]}"


def _names_path(command: str, path: str) -> bool:
    return re.search(rf"{re.escape(path)}(?![\w/:-])", command) is not None


def _names_module(words: list[str], word: str) -> bool:
    """Return True if ``-m`` names a Python module to run, or ``-t`` belongs to another program."""
    before = words[words.index(word) - 1] if words.index(word) else ""
    return (word == "-m" and bool(re.match(r"(.*/)?(python|coverage|run)\S*$", before))) or before == "run"


def _words(command: str) -> list[str]:
    return re.findall(r"[^\s\"',\[\]()]+", command)


def _is_path(word: str) -> bool:
    if word.startswith(("-", "$", "{")):
        return False
    return re.search(r"(^|/)(tests?|spec|e2e|unit|integration)\b", word) is not None


def _is_under(path: str, folder: str) -> bool:
    return path.startswith((f"{folder.rstrip('/')}/", f"{folder}::"))
