"""Tests of a module, and of the other modules in its folder."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from wardround.change.repository_view import RepositoryView
from wardround.storage.regex_cache import bounded_pattern
from wardround_tests.file_kinds import SCRIPT_ENDINGS, is_test

_READ = 20
"""Maximum number of tests read of those that name a module."""
_SIBLINGS = 20
"""Maximum number of modules of a folder that are considered."""
_COMPONENTS = ("tsx", "jsx")
_SHORTEST = 3
_FOR_FOLDER = ("__init__", "index", "mod")
_NAMED = r"(?:\bfrom|\bimport|\(|:)\s*[\"'`]([^\"'`\s]+)[\"'`]"


def module_name(path: str) -> str:
    """Return the name by which a module is imported: its file, or its folder for an index file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] or stem if stem in _FOR_FOLDER else stem


def imports_module(text: str, test: str, path: str) -> bool:
    """Return True if the text of a test imports or replaces the module at a path."""
    if path.endswith(".py"):
        return _imports_python(text, path)
    stem = _stem(path)
    return any(_is_at(named, test, stem) for named in re.findall(_NAMED, text))


def _imports_python(text: str, path: str) -> bool:
    name = re.escape(module_name(path))
    if bounded_pattern(rf"(?m)^\s*(?:import|from)\s+\.*{name}\b").search(text) is not None:
        return True
    folder = re.escape(_stem(path).rpartition("/")[0].rpartition("/")[2])
    within = rf"\b{folder}\.{name}\b|from\s+[\w.]*\b{folder}\s+import\b[^#;]{{0,400}}?\b{name}\b"
    return bool(folder) and re.search(within, text) is not None


def _is_at(named: str, test: str, stem: str) -> bool:
    """Return True if an import names a module: by its path, or by the last two parts of its name."""
    named = re.sub(r"(/index)?(\.\w{1,4})?$", "", named)
    if named.startswith("."):
        return posixpath.normpath(posixpath.join(posixpath.dirname(test), named)) == stem
    return named.split("/")[-2:] == stem.split("/")[-2:]


def _stem(path: str) -> str:
    """Return a path without its extension; the folder for an index file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder if folder and stem in _FOR_FOLDER else posixpath.join(folder, stem)


def is_tested(project: RepositoryView, path: str, patterns: Sequence[str]) -> bool:
    """Return True if a test of the project imports a module or is named after it."""
    name = module_name(path)
    if any(map(is_test, project.paths(_named_after(name, path)))):
        return True
    return _any_imports(project, [path], patterns)


def has_tested_neighbour(
    project: RepositoryView, path: str, patterns: Sequence[str], new: Sequence[str]
) -> bool:
    """Return True if a test imports another existing module of the folder of a module.

    Components are compared with components: a project that tests its hooks may never render anything.
    """
    folder, slash, _ = path.rpartition("/")
    ending = path.rpartition(".")[2]
    endings = ("py",) if ending == "py" else _COMPONENTS if ending in _COMPONENTS else SCRIPT_ENDINGS
    found = project.paths(tuple(f"{folder}{slash}*.{extension}" for extension in endings))
    siblings = sorted(
        candidate
        for candidate in found
        if candidate != path
        and candidate not in new
        and candidate.rpartition("/")[0] == folder
        and not is_test(candidate)
        and _is_distinctive(candidate)
    )
    return _any_imports(project, siblings[:_SIBLINGS], patterns)


def _is_distinctive(path: str) -> bool:
    return len(module_name(path)) >= _SHORTEST and not path.endswith(("/__init__.py", "conftest.py"))


def _named_after(name: str, path: str) -> tuple[str, ...]:
    if path.endswith(".py"):
        return tuple(f"{start}{stem}.py" for stem in (f"test_{name}", f"{name}_test") for start in ("", "*/"))
    ending = "*sx" if path.endswith(_COMPONENTS) else "*"
    return tuple(f"{start}{name}.{mark}.{ending}" for mark in ("test", "spec") for start in ("", "*/"))


def _any_imports(project: RepositoryView, paths: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return True if a test that names one of the modules imports it."""
    if not paths:
        return False
    for test in _tests_naming(project, paths, patterns)[:_READ]:
        text = project.read(test) or ""
        if any(imports_module(text, test, path) for path in paths if module_name(path) in text):
            return True
    return False


def _tests_naming(project: RepositoryView, paths: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the tests that name one of the modules; for components only tests of components."""
    names = sorted({module_name(path) for path in paths})
    found = [file for file in project.files_with_word(names, patterns) if is_test(file)]
    if paths[0].endswith(_COMPONENTS):  # tests of a helper in its file do not test the component
        return [candidate for candidate in found if candidate.endswith(_COMPONENTS)]
    return found
