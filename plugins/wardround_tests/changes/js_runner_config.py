"""The settings of test runners for JavaScript, and what of them lets more pass than before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround_tests.changes.loosening import Eased, line_that_brings, line_that_lost, short
from wardround_tests.changes.test_commands import narrower

_LIST = r"[\"']?\b({keys})[\"']?\s*(?::|\+?=)\s*\["
_STRING = LazyPattern(
    r"//[^\n]*|/\*(?s:.*?)\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|[\[\]]"
)
_GROWING = "testPathIgnorePatterns|modulePathIgnorePatterns|exclude|testIgnore|excludeSpecPattern"
_SHRINKING = "testMatch|include|specPattern|roots|projects"
_OF_MANY = frozenset({"exclude", "include"})
"""Names of lists that other tools have too."""
_ABOUT_TESTS = LazyPattern(r"test|spec|e2e|\.[cm]?[jt]sx?\b")
_RETRIES = LazyPattern(r"[\"']?\b(retry|retries|retryTimes)\b[\"']?\s*[:(]\s*([^,\n})]*)")
_FLOOR = LazyPattern(r"[\"']?\b(statements|branches|functions|lines)[\"']?\s*:\s*(-?\d+(?:\.\d+)?)")


def lists_in(text: str, keys: str) -> dict[str, list[str]]:
    """The strings in lists by the lists' names; ``keys`` are names as alternatives of a pattern."""
    found: dict[str, list[str]] = {}
    for match in re.finditer(_LIST.format(keys=keys), text):
        if match[1] in _OF_MANY and not _is_for_tests(text, match.start()):
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
    """Return True if a place stands right in the braces of ``test``, and not in those of coverage or a plugin."""
    depth = 0
    for brace in reversed(list(re.finditer(r"[{}]", text[:start]))):
        depth += 1 if brace[0] == "}" else -1
        if depth < 0:
            return re.search(r"\btest[\"']?\s*:\s*$", text[: brace.start()][-20:]) is not None
    return False


def grown_lists(file: ChangedFileView, keys: str, says: str) -> Iterator[Eased]:
    """Lists that have more items than before, where each takes something out of the run."""
    before = lists_in(file.base_text or "", keys)
    for key, items in lists_in(file.text or "", keys).items():
        new = [one for one in items if one not in before.get(key, [])]
        is_meant = key != "exclude" or (bool(new) and _ABOUT_TESTS.search(new[0]) is not None)
        if new and is_meant and len(items) > len(before.get(key, [])):
            yield Eased(line_that_brings(file, new[0]), f"{key} {says}: {short(new[0])}")


def eased_script_settings(file: ChangedFileView) -> Iterator[Eased]:
    """The settings by which a test runner for scripts lets more pass than before."""
    before, after = file.base_text or "", file.text or ""
    if re.search(r"jest|test|cypress|mocha|karma", f"{file.path}\n{after}"):
        yield from grown_lists(file, _GROWING, "takes more tests out of the run")
        yield from _uncovered(file)
        was, now = lists_in(before, _SHRINKING), lists_in(after, _SHRINKING)
        for key, items in was.items():
            gone = [one for one in items if one not in now.get(key, [])]
            if gone and now.get(key) and set(now[key]) < set(items) and _ABOUT_TESTS.search(gone[0]):
                yield Eased(line_that_lost(file, gone[0], key), f"{key} no longer has {short(gone[0])}")
    yield from _more_retries(file)
    yield from _floors_gone(file)
    if file.path.rpartition("/")[2] == "package.json":
        yield from _eased_scripts(file)


def _uncovered(file: ChangedFileView) -> Iterator[Eased]:
    """Code that is taken out of the coverage for which there is a threshold."""
    if re.search("(?i)threshold", file.text or "") is None:
        return
    keys = "collectCoverageFrom|coveragePathIgnorePatterns"
    before = lists_in(file.base_text or "", keys)
    for key, items in lists_in(file.text or "", keys).items():
        new = [one for one in items if one not in before.get(key, [])]
        out = [one for one in new if key != "collectCoverageFrom" or one.startswith("!")]
        if key in before and out:
            text = f"{key} takes code out of the coverage that is asked for: {short(out[0])}"
            yield Eased(line_that_brings(file, out[0]), text)


def _more_retries(file: ChangedFileView) -> Iterator[Eased]:
    was = max((_times(match[2]) for match in _RETRIES.finditer(file.base_text or "")), default=0)
    found = list(_RETRIES.finditer(file.text or ""))
    now = max((_times(match[2]) for match in found), default=0)
    if now > was:
        match = next(match for match in found if _times(match[2]) == now)
        line = (file.text or "").count("\n", 0, match.start()) + 1
        text = f"a test that fails is run again {now} times, in the change that it judges; before: {was}"
        yield Eased(line, text)


def _times(text: str) -> int:
    return max((int(one) for one in re.findall(r"\b\d{1,3}\b", text)), default=0)


def _floors_gone(file: ChangedFileView) -> Iterator[Eased]:
    """Thresholds of coverage that are there no more."""
    if not re.search("(?i)threshold", file.base_text or ""):
        return
    has = {match[1] for match in _FLOOR.finditer(file.text or "")}
    gone = [match for match in _FLOOR.finditer(file.base_text or "") if match[1] not in has]
    for match in gone[:1]:
        yield Eased(line_that_lost(file, match[0]), f"no threshold for the coverage of {match[1]} any more")


def _eased_scripts(file: ChangedFileView) -> Iterator[Eased]:
    """Scripts of a package that run fewer tests than before."""
    before, after = _scripts(file.base_text or ""), _scripts(file.text or "")
    for name, was in before.items():
        now = after.get(name)
        if not name.startswith("test") or now == was:
            continue
        if now is None:
            if not any(was in one for one in after.values()) and name == "test":
                yield Eased(line_that_lost(file, f'"{name}"'), f'there is no script "{name}" any more')
            continue
        reason = narrower(was, " && ".join([now, *_called(now, after)]))
        if reason:
            yield Eased(line_that_brings(file, f'"{name}"'), f'the script "{name}" {reason}')


def _called(command: str, scripts: dict[str, str]) -> list[str]:
    """The scripts that a command runs by name, one step deep."""
    words = set(re.findall(r"[\w:-]+", command))
    return [text for name, text in scripts.items() if name in words]


def _scripts(text: str) -> dict[str, str]:
    try:
        found = json.loads(text).get("scripts", {})
        return {name: command for name, command in found.items() if isinstance(command, str)}
    except (ValueError, AttributeError, RecursionError):
        return {}
