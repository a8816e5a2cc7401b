"""The role of a changed file in a project, by its name, its mode and its specialists."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from wardround.change.diff import ChangedFile, FileStatus
from wardround.lazy import LazyPattern
from wardround.planes.evidence import ANY_TEXT, FileRole
from wardround.planes.executed_prose import is_executed_prose

_PROSE = (".adoc", ".md", ".rst")
_PLAIN_TEXT = ".txt"
"""Also the suffix of requirements, build files and word lists: documentation only by its stem or folder."""
_STEMS = frozenset({"authors", "changelog", "contributing", "copying", "license", "notice", "readme"})
_FOLDERS = frozenset({"doc", "docs"})
_INSTRUCTIONS = frozenset({"agents", "claude", "copilot-instructions", "gemini", "skill"})
"""Stems of files that coding agents obey."""
_PACKAGES = LazyPattern(r"requirement|constraint|(?:^|[-_.])(?:req|dep|package|pip|lock)")
_WORDS = LazyPattern(r"word|spell|dictionar")
"""Names of word lists, whose lines look like those of packages."""
_REQUIREMENT = LazyPattern(
    r"--?[a-z][\w-]*[ =]\S|[\w.-]+(?:\[[\w,. -]*\])?\s*(?:[=~!<>]=|[<>])\s*[=\w*]"
    r"|[\w.-]+\s*@\s*\S{1,20}:/|git\+"
)
"""A line by which pip chooses a version, an address or an option."""
_FOLDERS_OF_INSTRUCTIONS = frozenset({"agents", "instructions", "prompt", "prompts", "skills"})
_TESTS = frozenset(
    {
        "cassettes", "e2e", "fixture", "fixtures", "golden", "snapshot", "snapshots", "spec", "specs", "test",
        "testcases", "testdata", "testing", "tests",
    }
)  # fmt: skip
"""Words in the names of folders whose files tests read."""
_HOOKS = "runtest|report|collection|pyfunc|session|unconfigure|cmdline"
_REPORTS = LazyPattern(
    rf"(?m)^[ \t]*(?:pytest_plugins\b|(?:async[ \t]+)?def[ \t]+pytest_(?:{_HOOKS})\w*"
    r"|(?:from|import)[ \t]+_pytest\b)|\bpluginmanager\.register\b|\bimport_module\([\"']_pytest"
    r"|\bsys\.(?:monitoring|setprofile|settrace)\b"
)
"""Test support code that determines what the framework runs and reports; no test verifies it."""
_WORD_END = re.compile(r"[-_.]+")


def role_of(file: ChangedFile, specialists: Collection[str], read: Callable[[str], bytes | None]) -> FileRole:
    """Return the role of a changed file.

    Args:
        specialists: the names of those that review it.
        read: path -> the content at the head.
    """
    if "tests" in specialists:
        return FileRole.SOURCE if _REPORTS.search(_read_prefix(file, read)) else FileRole.TEST
    if not ANY_TEXT.issuperset(specialists):
        return FileRole.SOURCE
    names = {file.path, file.base_path or file.path}
    if all(map(_is_named_documentation, names)) and _is_plain_file(file, specialists, read):
        is_test = any(map(_is_of_tests, names)) or is_executed_prose(file, _read_prefix(file, read))
        return FileRole.TEST if is_test else FileRole.DOCUMENTATION
    return FileRole.OTHER


def _is_of_tests(path: str) -> bool:
    """Return True for prose that tests may read: in a test folder, or named like a test."""
    *folders, name = path.lower().split("/")
    for folder in folders:
        if folder in _FOLDERS:  # documentation about tests
            return False
        if not _TESTS.isdisjoint(_WORD_END.split(folder)):
            return True
    words = _WORD_END.split(name)
    return "test" in (words[0], *words[-2:-1])


def _is_named_documentation(path: str) -> bool:
    *folders, name = path.lower().split("/")
    stem, dot, _ = name.partition(".")
    if any(part.startswith(".") for part in (*folders, name)) or _is_instruction(folders, name):
        return False
    if name.endswith(_PROSE):
        return True
    return (not dot or name.endswith(_PLAIN_TEXT)) and (
        stem in _STEMS or (bool(dot) and not _FOLDERS.isdisjoint(folders))
    )


def _is_instruction(folders: Sequence[str], name: str) -> bool:
    """Return True for prose that instructs language models; in a documentation folder only by its stem."""
    if name.partition(".")[0] in _INSTRUCTIONS:
        return True
    is_named = not _FOLDERS_OF_INSTRUCTIONS.isdisjoint((*folders, *_WORD_END.split(name)[:-1]))
    return is_named and _FOLDERS.isdisjoint(folders)


def _is_plain_file(
    file: ChangedFile, specialists: Collection[str], read: Callable[[str], bytes | None]
) -> bool:
    """Return True for text that a specialist reads and that is not executable."""
    if file.status is FileStatus.DELETED:
        return not _is_named_list(file.path)
    text = _read_prefix(file, read)
    if file.path.lower().endswith(_PLAIN_TEXT) and _lists_packages(file.path, text):
        return False
    return file.mode == "100644" and bool(specialists) and "\0" not in text


def _read_prefix(file: ChangedFile, read: Callable[[str], bytes | None]) -> str:
    return (read(file.path) or b"").decode("utf-8", "replace")


def _lists_packages(path: str, text: str) -> bool:
    """Return True for text that a package manager can install from, in any folder."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if _is_named_list(path) or any(map(_REQUIREMENT.match, lines)):
        return True
    is_of_words = _WORDS.search(path.rpartition("/")[2].lower()) is not None
    return bool(lines) and not is_of_words and not any(" " in line for line in lines)


def _is_named_list(path: str) -> bool:
    return (
        path.lower().endswith(_PLAIN_TEXT) and _PACKAGES.search(path.rpartition("/")[2].lower()) is not None
    )
