"""Settings of pytest and coverage, and those that let more tests pass than before."""

from __future__ import annotations

import configparser
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround_tests.changes.loosening import Loosening, added_line_with, line_of_removed_text, short

_WITH_VALUE = frozenset(
    {"-p", "-W", "-m", "-k", "--deselect", "--ignore", "--ignore-glob", "--cov-fail-under", "--reruns"}
)
_EXCLUDES = LazyPattern(r"(-k|-m|--deselect|--ignore|--ignore-glob|--lf|--last-failed)(=|$)|--no-cov$")
_IGNORES_FAILURES = LazyPattern(r"--reruns=[1-9]|--suppress-no-test-exit-code|-W=(ignore|default)")
_STRICT = LazyPattern(r"--strict(-markers|-config)?$|-W=error|--doctest-modules$")
_HARMLESS_PLUGINS = frozenset({"cacheprovider", "legacypath", "nose", "sugar", "logging"})
_YES = frozenset({"true", "1", "yes", "on"})
_STRICT_KEYS = ("xfail_strict", "strict_xfail", "strict", "strict_markers", "strict_config")
_NO_CODE = r"test|migrations|conftest|setup\.py|venv|site-packages|version|docs|examples?|\.tox"
"""Paths that are commonly excluded from coverage."""
_NO_LINES = (
    r"pragma|TYPE_CHECKING|NotImplemented|overload|abstract|__main__|__repr__|"
    r"\.\.\.|assert_never|Protocol|pass$"
)
"""Lines that are commonly excluded from coverage."""
_FEWER_ARE_LESS = ("testpaths", "python_files", "python_classes", "python_functions")


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """The settings of pytest and coverage in one file.

    Attributes:
        options: the options in ``addopts``, each with its value as ``name=value``.
        lists: settings that are lists of words, by name.
        filters: warning filters, in order.
        floor: minimum coverage in percent; None if unset.
    """

    options: tuple[str, ...] = ()
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    strict: frozenset[str] = frozenset()
    floor: float | None = None

    @property
    def fails_on_warnings(self) -> bool:
        return any(option.startswith("error") for option in (*self.filters, *self._warning_options))

    @property
    def _warning_options(self) -> tuple[str, ...]:
        return tuple(option.removeprefix("-W=") for option in self.options if option.startswith("-W="))


def pytest_settings(path: str, text: str) -> PytestSettings | None:
    """Parse the settings in a file; None if it is malformed."""
    try:
        tables: Mapping[str, Any] = tomllib.loads(text) if path.endswith(".toml") else _sections(text)
    except (ValueError, RecursionError, configparser.Error):
        return None
    if path.endswith("pyproject.toml"):
        tables = _table(tables, "tool")
    pytest = _table(tables, "pytest") or _table(tables, "tool:pytest")
    pytest = _table(pytest, "ini_options") or pytest
    report = _coverage_table(tables, "report")
    return PytestSettings(
        tuple(_options(pytest.get("addopts", ""))),
        _named_lists(pytest, report, _coverage_table(tables, "run")),
        tuple(_lines(pytest.get("filterwarnings", ""))),
        frozenset(key for key in _STRICT_KEYS if str(pytest.get(key, "")).lower() in _YES),
        _number(report.get("fail_under")),
    )


def _coverage_table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table of coverage settings, in whichever format of file."""
    nested = _table(_table(tables, "coverage"), name)
    return nested or _table(tables, f"coverage:{name}") or _table(tables, name)


def _named_lists(
    pytest: Mapping[str, Any], report: Mapping[str, Any], run: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    lists = {key: tuple(_words(pytest.get(key, ""))) for key in (*_FEWER_ARE_LESS, "norecursedirs")}
    lists["excluded"] = (*_lines(report.get("exclude_lines", "")), *_lines(report.get("exclude_also", "")))
    lists["omit"] = (*_words(run.get("omit", "")), *_words(report.get("omit", "")))
    return lists


def _sections(text: str) -> dict[str, Any]:
    parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def _table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = tables.get(name)
    return found if isinstance(found, dict) else {}


def _lines(value: object) -> list[str]:
    """Return the items of a list or the lines of a string, without comments and blank ones."""
    lines = value if isinstance(value, list) else str(value or "").split("\n")
    stripped = [str(line).strip() for line in lines]
    return [line for line in stripped if line and not line.startswith("#")]


def _words(value: object) -> list[str]:
    return _lines(value) if isinstance(value, list) else str(value or "").split()


def _options(value: object) -> Iterator[str]:
    try:
        words = _lines(value) if isinstance(value, list) else shlex.split(str(value or ""), comments=True)
    except ValueError:
        return
    pending = ""
    for word in words:
        if pending:
            yield f"{pending}={word}"
            pending = ""
        elif word in _WITH_VALUE:
            pending = word
        else:
            yield re.sub(r"^(-[pWmk])(?=[^=])", r"\1=", word) if not word.startswith("--") else word


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def loosened_settings(file: ChangedFileView) -> Iterator[Loosening]:
    """Yield the settings by which pytest or coverage lets more tests pass than before."""
    before = pytest_settings(file.base_path or file.path, file.base_text or "")
    after = pytest_settings(file.path, file.text or "")
    if before is None or after is None or before == after:
        return
    yield from _loosened_options(file, before, after)
    yield from _loosened_filters(file, before, after)
    yield from _loosened_lists(file, before, after)
    for key in sorted(before.strict - after.strict):
        yield Loosening(
            line_of_removed_text(file, key, key), f"{key} is disabled together with the code under test"
        )
    yield from _lower_floor(file, before.floor, after.floor, "fail_under")


def _loosened_options(
    file: ChangedFileView, before: PytestSettings, after: PytestSettings
) -> Iterator[Loosening]:
    for option in after.options:
        message = _effect_of_option(option) if option not in before.options else ""
        if message:
            name, _, value = option.partition("=")
            yield Loosening(added_line_with(file, value or name), message)
    for option in before.options:
        if _STRICT.match(option) and option not in after.options:
            line = line_of_removed_text(file, option.partition("=")[0], "addopts")
            yield Loosening(line, f"{option} is removed, so its violations no longer fail tests")
    yield from _lower_floor(file, _floor(before), _floor(after), "--cov-fail-under")


def _effect_of_option(option: str) -> str:
    """Return the message about an added option; empty if it is harmless."""
    name, _, value = option.partition("=")
    if _EXCLUDES.match(option):
        return f"excludes tests from the run in the change under test: {short(option)}"
    if _IGNORES_FAILURES.match(option):
        return f"ignores failing tests in the change under test: {short(option)}"
    if name == "-p" and value.startswith("no:") and value[3:] not in _HARMLESS_PLUGINS:
        return f"disables a pytest plugin in the change under test: {value[3:]}"
    return ""


def _floor(settings: PytestSettings) -> float | None:
    found = [
        option.partition("=")[2] for option in settings.options if option.startswith("--cov-fail-under=")
    ]
    return _number(found[-1]) if found else None


def _lower_floor(
    file: ChangedFileView, previous: float | None, current: float | None, name: str
) -> Iterator[Loosening]:
    if previous is not None and current is None:
        line = line_of_removed_text(file, name, "addopts" if name.startswith("-") else name)
        yield Loosening(line, f"{name}={previous:g} is removed together with the code under test")
    elif previous is not None and current is not None and current < previous:
        text = f"{name} is lowered from {previous:g} to {current:g} together with the code under test"
        yield Loosening(added_line_with(file, name), text)


def _loosened_filters(
    file: ChangedFileView, before: PytestSettings, after: PytestSettings
) -> Iterator[Loosening]:
    """Yield warnings that failed a test and no longer do; a filter for one message is reported as info."""
    if "error" in before.filters and "error" not in after.filters:
        text = "warning filter error is removed, so warnings no longer fail tests"
        yield Loosening(line_of_removed_text(file, "error"), text)
    if not (before.fails_on_warnings and after.fails_on_warnings):
        return
    for entry in after.filters:
        is_named = re.match(r"\w+\s*:\s*[^:\s]|\w+::[^:]*:[^:]", entry) is not None
        if entry not in before.filters and _lets_pass(entry, is_named):
            text = f"a warning no longer fails tests, together with the code under test: {short(entry)}"
            line = added_line_with(file, entry[:30].partition("\\")[0])
            yield Loosening(line, text, Severity.INFO if is_named else None)


def _lets_pass(warning_filter: str, is_named: bool) -> bool:
    if warning_filter.startswith("ignore"):
        return True
    return warning_filter.startswith(("default", "once")) and not is_named


def _loosened_lists(
    file: ChangedFileView, before: PytestSettings, after: PytestSettings
) -> Iterator[Loosening]:
    yield from _shorter_lists(file, before, after)
    if before.lists["norecursedirs"]:
        for word in _new_in("norecursedirs", before, after):
            if "test" in word:
                yield Loosening(added_line_with(file, word), f"norecursedirs excludes {short(word)}")
    if before.floor is not None:
        yield from _lower_coverage(file, before, after)


def _new_in(key: str, before: PytestSettings, after: PytestSettings) -> list[str]:
    return [item for item in after.lists[key] if item not in before.lists[key]]


def _shorter_lists(
    file: ChangedFileView, before: PytestSettings, after: PytestSettings
) -> Iterator[Loosening]:
    """Yield the lists of tests that have fewer items than before."""
    for key in _FEWER_ARE_LESS:
        previous, current = before.lists[key], after.lists[key]
        removed = _new_in(key, after, before)
        if removed and current and set(current) < set(previous):
            text = f"{key} no longer includes {short(removed[0])}, so tests are excluded from the run"
            yield Loosening(line_of_removed_text(file, removed[0], key), text)


def _lower_coverage(
    file: ChangedFileView, before: PytestSettings, after: PytestSettings
) -> Iterator[Loosening]:
    """Yield code that is excluded from the required coverage."""
    lines = _new_in("excluded", before, after)
    if lines and re.search(_NO_LINES, lines[0]) is None:
        text = f"lines are excluded from the required coverage: {short(lines[0])}"
        yield Loosening(added_line_with(file, lines[0]), text)
    paths = _new_in("omit", before, after)
    if paths and re.search(_NO_CODE, paths[0]) is None:
        text = f"omit excludes code from the required coverage: {short(paths[0])}"
        yield Loosening(added_line_with(file, paths[0]), text)
