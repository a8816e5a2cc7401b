"""Settings of JavaScript test runners, and those that let more tests pass than before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround_tests.changes.loosening import Loosening, added_line_with, line_of_removed, short
from wardround_tests.changes.test_commands import narrower

_LIST = r"[\"']?\b({keys})[\"']?\s*(?::|\+?=)\s*\["
_STRING = LazyPattern(
    r"//[^\n]*|/\*(?s:.*?)\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|[\[\]]"
)
_GROWING = "testPathIgnorePatterns|modulePathIgnorePatterns|exclude|testIgnore|excludeSpecPattern"
_SHRINKING = "testMatch|include|specPattern|roots|projects"
_INSTALLED = "node_modules"
"""Runners exclude it by default; a list of a project's own has to repeat it."""
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
        new = [one for one in _missing_in(items, old) if _INSTALLED not in one]
        if not new or len(items) <= len(old):
            continue
        if key != "exclude" or _ABOUT_TESTS.search(new[0]) is not None:
            yield Loosening(added_line_with(file, new[0]), f"{key} {effect}: {short(new[0])}")


def _missing_in(items: Sequence[str], others: Sequence[str]) -> list[str]:
    return [one for one in items if one not in others]


def loosened_script_settings(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield the settings by which a script test runner lets more tests pass than before."""
    if re.search(r"jest|test|cypress|mocha|karma", f"{file.path}\n{file.text or ''}"):
        yield from grown_lists(file, _GROWING, "excludes more tests from the run")
        yield from _uncovered(file)
        yield from _shrunk_lists(file)
    yield from _more_retries(file)
    yield from _removed_thresholds(file)
    if file.path.rpartition("/")[2] == "package.json":
        yield from _loosened_scripts(file)


def _shrunk_lists(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield lists of tests that have fewer items than before."""
    after = lists_in(file.text or "", _SHRINKING)
    for key, items in lists_in(file.base_text or "", _SHRINKING).items():
        now = after.get(key, [])
        removed = _missing_in(items, now)
        if removed and now and set(now) < set(items) and _ABOUT_TESTS.search(removed[0]):
            text = f"{key} no longer includes {short(removed[0])}"
            yield Loosening(line_of_removed(file, removed[0], key), text)


def _uncovered(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield code that is excluded from the coverage of a threshold."""
    if re.search("(?i)threshold", file.text or "") is None:
        return
    keys = "collectCoverageFrom|coveragePathIgnorePatterns"
    before = lists_in(file.base_text or "", keys)
    for key, items in lists_in(file.text or "", keys).items():
        new = _missing_in(items, before.get(key, []))
        excluded = [one for one in new if key != "collectCoverageFrom" or one.startswith("!")]
        if key in before and excluded:
            text = f"{key} excludes code from the required coverage: {short(excluded[0])}"
            yield Loosening(added_line_with(file, excluded[0]), text)


def _more_retries(file: ChangedFileView) -> Iterator[Loosening]:
    was = max((_times(match[2]) for match in _RETRIES.finditer(file.base_text or "")), default=0)
    found = list(_RETRIES.finditer(file.text or ""))
    now = max((_times(match[2]) for match in found), default=0)
    if now > was:
        match = next(match for match in found if _times(match[2]) == now)
        line = (file.text or "").count("\n", 0, match.start()) + 1
        text = f"failing tests are retried {now} times instead of {was} in the change under test"
        yield Loosening(line, text)


def _times(text: str) -> int:
    return max((int(one) for one in re.findall(r"\b\d{1,3}\b", text)), default=0)


def _removed_thresholds(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield the removed coverage thresholds."""
    if not re.search("(?i)threshold", file.base_text or ""):
        return
    has = {match[1] for match in _FLOOR.finditer(file.text or "")}
    removed = [match for match in _FLOOR.finditer(file.base_text or "") if match[1] not in has]
    for match in removed[:1]:
        yield Loosening(line_of_removed(file, match[0]), f"coverage threshold for {match[1]} is removed")


def _loosened_scripts(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield package scripts that run fewer tests than before."""
    before, after = _scripts(file.base_text or ""), _scripts(file.text or "")
    for name, was in before.items():
        now = after.get(name)
        if now is None:
            if name == "test" and not any(was in one for one in after.values()):
                yield Loosening(line_of_removed(file, f'"{name}"'), f'script "{name}" is removed')
        elif now != was and name.startswith("test"):
            reason = narrower(was, " && ".join([now, *_called(now, after)]))
            if reason:
                yield Loosening(added_line_with(file, f'"{name}"'), f'script "{name}" {reason}')


def _called(command: str, scripts: dict[str, str]) -> list[str]:
    """Return the scripts that a command runs by name, one level deep."""
    words = set(re.findall(r"[\w:-]+", command))
    return [text for name, text in scripts.items() if name in words]


def _scripts(text: str) -> dict[str, str]:
    try:
        found = json.loads(text).get("scripts", {})
        return {name: command for name, command in found.items() if isinstance(command, str)}
    except (ValueError, AttributeError, RecursionError):
        return {}
