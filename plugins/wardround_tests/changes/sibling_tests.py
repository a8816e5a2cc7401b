"""Which tests a module has, and whether those beside it have any."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from wardround.checks.source import RepositoryView
from wardround.storage.regex_cache import bounded
from wardround_tests.file_kinds import SCRIPT_ENDINGS, is_test

_READ = 20
"""Tests that are read, of those that name a module."""
_BESIDE = 20
"""Modules of a folder that are asked about."""
_COMPONENTS = ("tsx", "jsx")
_SHORTEST = 3
_FOR_FOLDER = ("__init__", "index", "mod")
_NAMED = r"(?:\bfrom|\bimport|\(|:)\s*[\"'`]([^\"'`\s]+)[\"'`]"


def module_name(path: str) -> str:
    """What an import of a module names: its file, or its folder where the file stands for that."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] or stem if stem in _FOR_FOLDER else stem


def imports(text: str, test: str, path: str) -> bool:
    """Return True if the text of a test imports, or replaces, the module that stands at a path."""
    if path.endswith(".py"):
        return _imports_python(text, path)
    stem = _stem(path)
    return any(_is_at(named, test, stem) for named in re.findall(_NAMED, text))


def _imports_python(text: str, path: str) -> bool:
    name = re.escape(module_name(path))
    if bounded(rf"(?m)^\s*(?:import|from)\s+\.*{name}\b").search(text) is not None:
        return True
    folder = re.escape(_stem(path).rpartition("/")[0].rpartition("/")[2])
    within = rf"\b{folder}\.{name}\b|from\s+[\w.]*\b{folder}\s+import\b[^#;]{{0,400}}?\b{name}\b"
    return bool(folder) and re.search(within, text) is not None


def _is_at(named: str, test: str, stem: str) -> bool:
    """Return True if what a test imports is a module: by its place, or by the last two parts of its name."""
    named = re.sub(r"(/index)?(\.\w{1,4})?$", "", named)
    if named.startswith("."):
        return posixpath.normpath(posixpath.join(posixpath.dirname(test), named)) == stem
    return named.split("/")[-2:] == stem.split("/")[-2:]


def _stem(path: str) -> str:
    """A path without its ending; the folder where the file stands for that."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder if folder and stem in _FOR_FOLDER else posixpath.join(folder, stem)


def is_tested(project: RepositoryView, path: str, patterns: Sequence[str]) -> bool:
    """Return True if a test of the project imports a module, or is named after it."""
    name = module_name(path)
    if any(map(is_test, project.paths(_named_after(name, path)))):
        return True
    return _any_imports(project, [path], patterns)


def has_tested_neighbour(
    project: RepositoryView, path: str, patterns: Sequence[str], new: Sequence[str]
) -> bool:
    """Return True if a test imports another module, which is not new, of the folder that a module stands in.

    Components are held against components: a project that tests its hooks may never render anything.
    """
    folder, slash, _ = path.rpartition("/")
    ending = path.rpartition(".")[2]
    endings = ("py",) if ending == "py" else _COMPONENTS if ending in _COMPONENTS else SCRIPT_ENDINGS
    found = project.paths(tuple(f"{folder}{slash}*.{one}" for one in endings))
    beside = sorted(
        one
        for one in found
        if one != path
        and one not in new
        and one.rpartition("/")[0] == folder
        and not is_test(one)
        and _is_telling(one)
    )
    return _any_imports(project, beside[:_BESIDE], patterns)


def _is_telling(path: str) -> bool:
    return len(module_name(path)) >= _SHORTEST and not path.endswith(("/__init__.py", "conftest.py"))


def _named_after(name: str, path: str) -> tuple[str, ...]:
    if path.endswith(".py"):
        return tuple(f"{start}{one}.py" for one in (f"test_{name}", f"{name}_test") for start in ("", "*/"))
    ending = "*sx" if path.endswith(_COMPONENTS) else "*"
    return tuple(f"{start}{name}.{mark}.{ending}" for mark in ("test", "spec") for start in ("", "*/"))


def _any_imports(project: RepositoryView, paths: Sequence[str], patterns: Sequence[str]) -> bool:
    if not paths:
        return False
    names = sorted({module_name(path) for path in paths})
    naming = [one for one in project.files_with_word(names, patterns) if is_test(one)]
    if paths[0].endswith(_COMPONENTS):  # tests of a helper that stands in its file show nothing of it
        naming = [one for one in naming if one.endswith(_COMPONENTS)]
    for test in naming[:_READ]:
        text = project.read(test) or ""
        if any(imports(text, test, path) for path in paths if module_name(path) in text):
            return True
    return False
