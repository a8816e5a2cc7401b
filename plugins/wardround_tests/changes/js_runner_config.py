"""Settings of JavaScript test runners, and those that let more tests pass than before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from wardround.checks.source import ChangedFileView
from wardround.lazy import LazyPattern
from wardround_tests.changes.loosening import Loosening, added_line_with, line_of_removed_text, short
from wardround_tests.changes.test_commands import narrower

_LIST = r"[\"']?\b({keys})[\"']?\s*(?::|\+?=)\s*\["
_STRING = LazyPattern(
    r"//[^\n]*|/\*(?s:.*?)\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|[\[\]]"
)
_GROWING = "testPathIgnorePatterns|modulePathIgnorePatterns|exclude|testIgnore|excludeSpecPattern"
_SHRINKING = "testMatch|include|specPattern|roots|projects"
_INSTALLED = "node_modules"
"""Runners exclude it by default; a project's own exclusion list has to repeat it."""
_SHARED_NAMES = frozenset({"exclude", "include"})
"""Names of lists that other tools use as well."""
_ABOUT_TESTS = LazyPattern(r"test|spec|e2e|\.[cm]?[jt]sx?\b")
_RETRIES = LazyPattern(r"(?<![\w/-])(retry|retries|retryTimes)\b[\"']?\s*[:(]\s*([^,\n})]*)")
_FLOOR = LazyPattern(r"[\"']?\b(statements|branches|functions|lines)[\"']?\s*:\s*(-?\d+(?:\.\d+)?)")


def lists_in(text: str, keys: str) -> dict[str, list[str]]:
    """Return the strings of each named list; ``keys`` is an alternation pattern of names."""
    found: dict[str, list[str]] = {}
    for match in re.finditer(_LIST.format(keys=keys), text):
        if "//" in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]:
            continue
        if match[1] in _SHARED_NAMES and not _is_for_tests(text, match.start()):
            continue
        items, depth = found.setdefault(match[1], []), 1
        for token in _STRING.finditer(text, match.end()):
            depth += {"[": 1, "]": -1}.get(token[0], 0)
            if not depth:
                break
            if token[0][0] in "'\"`":
                items.append(token[0][1:-1])
    return found


def _is_for_tests(text: str, start: int) -> bool:
    """Return True if an offset is directly in the braces of ``test``, not of coverage or a plugin."""
    depth = 0
    for brace in reversed(list(re.finditer(r"[{}]", text[:start]))):
        depth += 1 if brace[0] == "}" else -1
        if depth < 0:
            return re.search(r"\btest[\"']?\s*:\s*$", text[: brace.start()][-20:]) is not None
    return False


def grown_lists(file: ChangedFileView, keys: str, effect: str) -> Iterator[Loosening]:
    """Yield lists that have more items than before, where each item excludes something from the run."""
    before = lists_in(file.base_text or "", keys)
    for key, items in lists_in(file.text or "", keys).items():
        old = before.get(key, [])
        new = [item for item in _missing_in(items, old) if _INSTALLED not in item]
        if not new or len(items) <= len(old):
            continue
        if key != "exclude" or _ABOUT_TESTS.search(new[0]) is not None:
            yield Loosening(added_line_with(file, new[0]), f"{key} {effect}: {short(new[0])}")


def _missing_in(items: Sequence[str], others: Sequence[str]) -> list[str]:
    return [item for item in items if item not in others]


def loosened_script_settings(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield the settings by which a script test runner lets more tests pass than before."""
    if re.search(r"jest|test|cypress|mocha|karma", f"{file.path}\n{file.text or ''}"):
        yield from grown_lists(file, _GROWING, "excludes more tests from the run")
        yield from _uncovered_code(file)
        yield from _shrunk_lists(file)
    yield from _more_retries(file)
    yield from _removed_thresholds(file)
    if file.path.rpartition("/")[2] == "package.json":
        yield from _loosened_scripts(file)


def _shrunk_lists(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield lists of tests that have fewer items than before."""
    after = lists_in(file.text or "", _SHRINKING)
    for key, items in lists_in(file.base_text or "", _SHRINKING).items():
        current = after.get(key, [])
        removed = _missing_in(items, current)
        if removed and current and set(current) < set(items) and _ABOUT_TESTS.search(removed[0]):
            text = f"{key} no longer includes {short(removed[0])}"
            yield Loosening(line_of_removed_text(file, removed[0], key), text)


def _uncovered_code(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield code that is excluded from the coverage of a threshold."""
    head = file.text or ""
    if re.search("(?i)threshold", head) is None:
        return
    keys = "collectCoverageFrom|coveragePathIgnorePatterns"
    before = lists_in(file.base_text or "", keys)
    for key, patterns in lists_in(head, keys).items():
        new = _missing_in(patterns, before[key]) if key in before else []
        excluded = [pattern for pattern in new if _is_exclusion(key, pattern)]
        if excluded:
            text = f"{key} excludes code from the required coverage: {short(excluded[0])}"
            yield Loosening(added_line_with(file, excluded[0]), text)


def _is_exclusion(key: str, pattern: str) -> bool:
    return key != "collectCoverageFrom" or pattern.startswith("!")


def _more_retries(file: ChangedFileView) -> Iterator[Loosening]:
    previous = max((_times(match[2]) for match in _RETRIES.finditer(file.base_text or "")), default=0)
    found = list(_RETRIES.finditer(file.text or ""))
    current = max((_times(match[2]) for match in found), default=0)
    if current > previous:
        match = next(match for match in found if _times(match[2]) == current)
        line = (file.text or "").count("\n", 0, match.start()) + 1
        text = f"failing tests are retried {current} times instead of {previous} in the change under test"
        yield Loosening(line, text)


def _times(text: str) -> int:
    return max((int(number) for number in re.findall(r"\b\d{1,3}\b", text)), default=0)


def _removed_thresholds(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield the first of the removed coverage thresholds."""
    base = file.base_text or ""
    if not re.search("(?i)threshold", base):
        return
    remaining = {floor[1] for floor in _FLOOR.finditer(file.text or "")}
    for floor in _FLOOR.finditer(base):
        if floor[1] not in remaining:
            text = f"coverage threshold for {floor[1]} is removed"
            yield Loosening(line_of_removed_text(file, floor[0]), text)
            return


def _loosened_scripts(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield package scripts that run fewer tests than before."""
    before, after = _scripts(file.base_text or ""), _scripts(file.text or "")
    for name, old in before.items():
        new = after.get(name)
        if new is not None:
            yield from _reduced_script(file, name, old, after)
        elif name == "test" and not any(old in script for script in after.values()):
            yield Loosening(line_of_removed_text(file, f'"{name}"'), f'script "{name}" is removed')


def _reduced_script(
    file: ChangedFileView, name: str, old: str, scripts: dict[str, str]
) -> Iterator[Loosening]:
    """Yield a script of tests that runs fewer of them, itself or by the scripts that it calls."""
    new = scripts[name]
    if new == old or not name.startswith("test"):
        return
    reason = narrower(old, " && ".join([new, *_called_scripts(new, scripts)]))
    if reason:
        yield Loosening(added_line_with(file, f'"{name}"'), f'script "{name}" {reason}')


def _called_scripts(command: str, scripts: dict[str, str]) -> list[str]:
    """Return the scripts that a command runs by name, one level deep."""
    words = set(re.findall(r"[\w:-]+", command))
    return [text for name, text in scripts.items() if name in words]


def _scripts(text: str) -> dict[str, str]:
    try:
        found = json.loads(text).get("scripts", {})
        return {name: command for name, command in found.items() if isinstance(command, str)}
    except (ValueError, AttributeError, RecursionError):
        return {}
