"""Test data: files whose defects are the subject of a test, such as a broken file for a parser.

They are in a folder of test data and excluded from the project's own linters or formatters. Only settings of
the trusted side apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from wardround.checks.lazy import LazyPattern
from wardround.config.globs import matches_ignore_pattern

_FOLDERS = LazyPattern(
    r"(?i)(?:^|/)(?:__fixtures__|__snapshots__|__testfixtures__|testdata|test[-_](?:data|cases|fixtures?)|fixtures?)/"
    r"|(?:^|/)(?:tests?|__tests__|specs?|testing)/(?:[^/]+/)*"
    r"(?:data|cases|corpus|expected|golden|inputs?|resources|samples?|snapshots?)/"
)
_BROKEN = LazyPattern(
    r"(?i)(?:^|[/_.-])(?:bad|broken|corrupt(?:ed)?|invalid|malformed|(?:syntax|parse)[-_]?errors?)(?=[/_.-])"
)
_TABLES = (
    ("tool", "ruff"), ("tool", "ruff", "lint"), ("tool", "ruff", "format"), ("tool", "black"),
    ("tool", "isort"), ("tool", "codespell"), (), ("lint",), ("format",),
)  # fmt: skip
"""The tables of pyproject.toml and ruff.toml that exclude files."""
_KEYS = ("exclude", "extend-exclude", "force-exclude", "skip", "skip_glob", "extend_skip", "extend_skip_glob")
_IGNORES = (".prettierignore", ".eslintignore", ".stylelintignore")
_BIOME = ("biome.json", "biome.jsonc")


def is_broken_data(path: str) -> bool:
    """Return True for a file in a folder of test data whose path names it as broken."""
    return _FOLDERS.search(path) is not None and _BROKEN.search(path) is not None


class TestData:
    """The test data of a project.

    Args:
        read: path -> the text of a file of the trusted side; None if there is none.
    """

    __test__ = False

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read

    def is_data(self, path: str) -> bool:
        """Return True if a file lies in a folder of test data."""
        return _FOLDERS.search(path) is not None

    def is_left_out(self, path: str) -> bool:
        """Return True for test data that a linter or formatter of the project excludes."""
        return self.is_data(path) and (
            any(matches_ignore_pattern(path, glob) for glob in self._globs)
            or any(pattern.search(path) for pattern in self._patterns)
        )

    @cached_property
    def _globs(self) -> tuple[str, ...]:
        globs = [*self._of_ini(), *self._of_ignore_files(), *self._of_biome(), *self._of_attributes()]
        return tuple(globs + [text for text in self._of_toml() if not _is_pattern(text)])

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        texts = [*self._of_pre_commit(), *(text for text in self._of_toml() if _is_pattern(text))]
        return tuple(_compiled(texts))

    def _of_toml(self) -> list[str]:
        import tomllib

        texts: list[str] = []
        for name in ("pyproject.toml", "ruff.toml", ".ruff.toml"):
            try:
                document = tomllib.loads(self._read(name) or "")
            except (tomllib.TOMLDecodeError, RecursionError):
                continue
            for table in _TABLES:
                settings = _inner(document, table)
                for key in _KEYS if table or name != "pyproject.toml" else ():
                    texts += _texts(settings.get(key))
        return texts

    def _of_ini(self) -> Iterator[str]:
        from configparser import ConfigParser  # only for files in folders of test data
        from configparser import Error as ConfigParserError

        for name in (".flake8", "setup.cfg", "tox.ini"):
            parser = ConfigParser(interpolation=None, strict=False)
            try:
                parser.read_string(self._read(name) or "")
            except ConfigParserError:
                continue
            for key in ("exclude", "extend-exclude"):
                yield from re.split(r"[,\s]+", parser.get("flake8", key, fallback="").strip())

    def _of_ignore_files(self) -> Iterator[str]:
        for name in _IGNORES:
            yield from (line.strip() for line in (self._read(name) or "").split("\n"))

    def _of_biome(self) -> Iterator[str]:
        import msgspec

        for name in _BIOME:
            text = re.sub(r"(?m)^[ \t]*//.*$", "", self._read(name) or "")
            try:
                document = msgspec.json.decode(text or "{}")
            except (msgspec.MsgspecError, RecursionError):
                continue
            for table in (("files",), ("formatter",), ("linter",)):
                settings = _inner(document, table)
                yield from _texts(settings.get("ignore"))
                yield from (
                    glob[1:].lstrip("!") for glob in _texts(settings.get("includes")) if glob[:1] == "!"
                )

    def _of_attributes(self) -> Iterator[str]:
        for line in (self._read(".gitattributes") or "").split("\n"):
            pattern, *attributes = line.split() or [""]
            if {"linguist-generated", "linguist-generated=true", "linguist-vendored"} & set(attributes):
                yield pattern

    def _of_pre_commit(self) -> list[str]:
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


def _inner(document: object, keys: Iterable[str]) -> dict[str, Any]:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _list(document: object, key: str) -> list[object]:
    value = _inner(document, ()).get(key)
    return value if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    """The patterns of a setting: a text, several separated by commas, or a list of texts."""
    if isinstance(value, str):
        return [value] if _is_pattern(value) else [text.strip() for text in value.split(",")]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _is_pattern(text: str) -> bool:
    """Return True for a regular expression, which black and pre-commit take."""
    return any(character in text for character in ("|", "^", "$", "\\", "(")) or "\n" in text


def _compiled(texts: Iterable[str]) -> Iterator[re.Pattern[str]]:
    for text in texts:
        try:
            yield re.compile(text, re.VERBOSE if "\n" in text else 0)
        except re.error:
            continue
