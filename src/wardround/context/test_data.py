"""Files that are data of tests, kept as they are on purpose, by the settings of the project's own tools.

What is wrong in them is what a test is about: a formatter's input, a broken file for a parser. Such a file is
in a folder of test data and left out by the project's linters or formatters. Only settings of the trusted
side count, and findings about security are kept.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator
from configparser import ConfigParser
from configparser import Error as ConfigParserError
from functools import cached_property
from typing import Any

from wardround.checks.lazy import LazyPattern

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
"""Where pyproject.toml and ruff.toml leave files out."""
_KEYS = ("exclude", "extend-exclude", "force-exclude", "skip", "skip_glob", "extend_skip", "extend_skip_glob")
_IGNORES = (".prettierignore", ".eslintignore", ".stylelintignore")
_BIOME = ("biome.json", "biome.jsonc")


def is_broken_data(path: str) -> bool:
    """Return True for a file in a folder of test data whose path says that it is broken."""
    return _FOLDERS.search(path) is not None and _BROKEN.search(path) is not None


class TestData:
    """The data of a project's tests.

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
        """Return True for test data that a linter or formatter of the project leaves out."""
        return self.is_data(path) and (
            any(_fits(path, glob) for glob in self._globs) or any(one.search(path) for one in self._patterns)
        )

    @cached_property
    def _globs(self) -> tuple[str, ...]:
        found = [*self._of_ini(), *self._of_ignore_files(), *self._of_biome(), *self._of_attributes()]
        return tuple(found + [one for one in self._of_toml() if not _is_pattern(one)])

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        written = [*self._of_pre_commit(), *(one for one in self._of_toml() if _is_pattern(one))]
        return tuple(_compiled(written))

    def _of_toml(self) -> list[str]:
        import tomllib

        found: list[str] = []
        for name in ("pyproject.toml", "ruff.toml", ".ruff.toml"):
            try:
                document = tomllib.loads(self._read(name) or "")
            except (tomllib.TOMLDecodeError, RecursionError):
                continue
            for table in _TABLES:
                settings = _inner(document, table)
                for key in _KEYS if table or name != "pyproject.toml" else ():
                    found += _texts(settings.get(key))
        return found

    def _of_ini(self) -> Iterator[str]:
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
                yield from (one[1:].lstrip("!") for one in _texts(settings.get("includes")) if one[:1] == "!")

    def _of_attributes(self) -> Iterator[str]:
        for line in (self._read(".gitattributes") or "").split("\n"):
            pattern, *attributes = line.split() or [""]
            if {"linguist-generated", "linguist-generated=true", "linguist-vendored"} & set(attributes):
                yield pattern

    def _of_pre_commit(self) -> list[str]:
        from wardround.rules.yaml_loader import load_yaml

        text = self._read(".pre-commit-config.yaml") or ""
        if "exclude" not in text:
            return []
        try:
            document = load_yaml(text)
        except ValueError:
            return []
        hooks = [hook for one in _list(document, "repos") for hook in _list(one, "hooks")]
        return [one for holder in (document, *hooks) for one in _texts(_inner(holder, ()).get("exclude"))]


def _inner(document: object, keys: Iterable[str]) -> dict[str, Any]:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _list(document: object, key: str) -> list[object]:
    found = _inner(document, ()).get(key)
    return found if isinstance(found, list) else []


def _texts(value: object) -> list[str]:
    """The patterns of a setting: a text, several apart by commas, or a list of texts."""
    if isinstance(value, str):
        return [value] if _is_pattern(value) else [one.strip() for one in value.split(",")]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _is_pattern(text: str) -> bool:
    """Return True for a regular expression, which black and pre-commit take."""
    return any(sign in text for sign in ("|", "^", "$", "\\", "(")) or "\n" in text


def _compiled(written: Iterable[str]) -> Iterator[re.Pattern[str]]:
    for one in written:
        try:
            yield re.compile(one, re.VERBOSE if "\n" in one else 0)
        except re.error:
            continue


def _fits(path: str, glob: str) -> bool:
    """Return True if a pattern in the way of .gitignore fits a path or a folder above it."""
    if not glob or glob.startswith(("#", "!")):
        return False
    pattern = glob.removeprefix("./").strip("/").removesuffix("/**").removesuffix("/*").removeprefix("**/")
    parts = path.split("/")
    above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    if "/" in pattern:
        anywhere = f"*/{pattern}"
        return any(fnmatch.fnmatchcase(one, pattern) or fnmatch.fnmatchcase(one, anywhere) for one in above)
    return any(fnmatch.fnmatchcase(part, pattern) for part in parts)
