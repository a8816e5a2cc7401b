"""Test data: files whose defects are the subject of a test, such as a broken file for a parser.

They are in a folder of test data and excluded from the project's own linters or formatters. Only settings of
the trusted side apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from wardround.lazy import LazyPattern
from wardround.text.globs import matches_ignore_pattern
from wardround.tools.excluded_files import ExcludedFiles

_FOLDERS = LazyPattern(
    r"(?i)(?:^|/)(?:__fixtures__|__snapshots__|__testfixtures__|testdata|test[-_](?:data|cases|fixtures?)|fixtures?)/"
    r"|(?:^|/)(?:tests?|__tests__|specs?|testing)/(?:[^/]+/)*"
    r"(?:data|cases|corpus|expected|golden|inputs?|resources|samples?|snapshots?)/"
)
_BROKEN = LazyPattern(
    r"(?i)(?:^|[/_.-])(?:bad|broken|corrupt(?:ed)?|invalid|malformed|(?:syntax|parse)[-_]?errors?)(?=[/_.-])"
)
_KEYS = ("exclude", "extend-exclude", "force-exclude", "skip", "skip_glob", "extend_skip", "extend_skip_glob")
_OF_OTHER_PROGRAMS = (
    ExcludedFiles(("pyproject.toml",), (("tool", "black"), ("tool", "isort"), ("tool", "codespell")), _KEYS),
    ExcludedFiles((".flake8", "setup.cfg", "tox.ini"), (("flake8",),), ("exclude", "extend-exclude")),
    ExcludedFiles((".prettierignore", ".stylelintignore")),
)
"""The settings of programs that are none of our tools."""


def is_broken_data(path: str) -> bool:
    """Return True for a file in a folder of test data whose path names it as broken."""
    return _FOLDERS.search(path) is not None and _BROKEN.search(path) is not None


class TestData:
    """The test data of a project.

    Args:
        read: path -> the content of a file at the trusted side; None if there is none.
        of_tools: returns the settings that exclude files from tools; called if a file is test data.
    """

    __test__ = False

    def __init__(
        self, read: Callable[[str], str | None], of_tools: Callable[[], Iterable[ExcludedFiles]] = tuple
    ) -> None:
        self._read = read
        self._of_tools = of_tools

    def is_data(self, path: str) -> bool:
        """Return True if a file lies in a folder of test data."""
        return _FOLDERS.search(path) is not None

    def is_excluded(self, path: str) -> bool:
        """Return True for test data that a linter or formatter of the project excludes."""
        return self.is_data(path) and (
            any(matches_ignore_pattern(path, glob) for glob in self._globs)
            or any(pattern.search(path) for pattern in self._patterns)
        )

    @cached_property
    def _globs(self) -> tuple[str, ...]:
        return (*self._excluded_patterns[0], *self._attribute_patterns())

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(_compile_patterns([*self._pre_commit_patterns(), *self._excluded_patterns[1]]))

    @cached_property
    def _excluded_patterns(self) -> tuple[list[str], list[str]]:
        """The globs and the regular expressions in the settings of all programs."""
        globs: list[str] = []
        patterns: list[str] = []
        for setting in (*self._of_tools(), *_OF_OTHER_PROGRAMS):
            for file in setting.files:
                for text in self._texts(file, setting):
                    may_be_pattern = file.endswith(".toml")
                    (patterns if may_be_pattern and _is_pattern(text) else globs).append(text)
        return globs, patterns

    def _texts(self, file: str, setting: ExcludedFiles) -> Iterator[str]:
        document = self._load_tables(file)
        if isinstance(document, str):
            yield from (line.strip() for line in document.split("\n"))
            return
        for table in setting.tables:
            values = _inner(document, table)
            for key in setting.keys:
                yield from _texts(values.get(key))
            included = _texts(values.get(setting.included))
            yield from (glob[1:].lstrip("!") for glob in included if glob[:1] == "!")

    def _load_tables(self, file: str) -> dict[str, Any] | str:
        """Return the tables of a file by name, or its text if it has none; no table if it cannot be read."""
        if file not in self._documents:
            self._documents[file] = _parse(file, self._read(file) or "")
        return self._documents[file]

    @cached_property
    def _documents(self) -> dict[str, dict[str, Any] | str]:
        return {}

    def _attribute_patterns(self) -> Iterator[str]:
        for line in (self._read(".gitattributes") or "").split("\n"):
            pattern, *attributes = line.split() or [""]
            if {"linguist-generated", "linguist-generated=true", "linguist-vendored"} & set(attributes):
                yield pattern

    def _pre_commit_patterns(self) -> list[str]:
        from wardround.rules.yaml_loader import parse_yaml

        text = self._read(".pre-commit-config.yaml") or ""
        if "exclude" not in text:
            return []
        try:
            document = parse_yaml(text)
        except ValueError:
            return []
        hooks = [hook for repo in _list(document, "repos") for hook in _list(repo, "hooks")]
        tables = [_inner(table, ()) for table in (document, *hooks)]
        return [text for table in tables for text in _texts(table.get("exclude"))]


def _parse(file: str, text: str) -> dict[str, Any] | str:
    match file.rpartition(".")[2]:
        case "toml":
            return _read_toml(text)
        case "json" | "jsonc":
            return _read_json(text)
        case "flake8" | "cfg" | "ini":
            return _read_ini(text)
    return text


def _read_toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _read_json(text: str) -> dict[str, Any]:
    import msgspec

    try:
        document = msgspec.json.decode(re.sub(r"(?m)^[ \t]*//.*$", "", text) or "{}")
    except (msgspec.MsgspecError, RecursionError):
        return {}
    return _inner(document, ())


def _read_ini(text: str) -> dict[str, Any]:
    from configparser import ConfigParser  # only for files in folders of test data
    from configparser import Error as ConfigParserError

    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except ConfigParserError:
        return {}
    return {
        name: {key: re.split(r"[,\s]+", value.strip()) for key, value in table.items() if value}
        for name, table in parser.items()
    }


def _inner(document: object, keys: Iterable[str]) -> dict[str, Any]:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _list(document: object, key: str) -> list[object]:
    value = _inner(document, ()).get(key)
    return value if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    """Return the patterns of a setting: a string, several separated by commas, or a list of strings."""
    if isinstance(value, str):
        return [value] if _is_pattern(value) else [text.strip() for text in value.split(",")]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _is_pattern(text: str) -> bool:
    """Return True for a regular expression, which black and pre-commit take."""
    return any(character in text for character in ("|", "^", "$", "\\", "(")) or "\n" in text


def _compile_patterns(texts: Iterable[str]) -> Iterator[re.Pattern[str]]:
    for text in texts:
        try:
            yield re.compile(text, re.VERBOSE if "\n" in text else 0)
        except re.error:
            continue
