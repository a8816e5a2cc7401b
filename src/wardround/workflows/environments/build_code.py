"""The files of a tree that decide what a build does, in addition to its back end and what it compiles.

A build that runs code of the tree can read all of it, so that the files are those which its scripts name; if
a script runs other code of the tree, all files of the project.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import UNREADABLE, parse, walk
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.projects import table

_SCRIPTS = ("setup.py", "hatch_build.py", "pdm_build.py", "build.py")
_NO_BUILDS = frozenset({
    "bandit", "basedpyright", "black", "bumpversion", "cibuildwheel", "codespell", "commitizen", "coverage",
    "isort", "mypy", "nox", "pylint", "pyright", "pytest", "ruff", "semantic_release", "taskipy", "towncrier",
    "tox", "ty", "wardround",
})  # fmt: skip
"""Tables of ``tool`` that no build reads."""
_DIRECTIVE = LazyPattern(r"(?m)^[^#\n]{0,200}=[ \t]*(?:attr|file):[ \t]*(.{1,1000}?)[ \t]*$")
"""The value of a key in ``setup.cfg`` that is read from a module or from files."""
_NAMING = frozenset({"attr", "build", "custom-hook", "file", "filename", "files", "getter", "path", "script"})
"""Keys in the tables of back ends that name code, or files with versions and requirements."""
_FOLDERS = frozenset({"provider-path"})
"""Keys that name folders of code."""
_RUNS = LazyPattern(
    r"\b(?:__import__|eval|exec|import_module|os\.system|popen|run_path|runpy|spec_from_file_location|subprocess)\b"
)
_VALUE = LazyPattern(r"^([\w.]{1,300})[.:]\w{1,100}$")
_DESCRIPTIONS = (".md", ".rst")
"""Files that a script reads only to describe the project."""
_DEEPEST = 10


def build_code(folder: str, document: Mapping[str, object], files: TreeFiles) -> Collection[str]:
    """Return the paths of files that decide a build.

    Args:
        folder: of the project.
        document: its ``pyproject.toml``.
    """
    project = _Project(folder, files)
    tables = build_tables(document)
    named = {*_named(tables, _NAMING), *_directives(project.text(f"{project.stem}setup.cfg"))}
    scripts = {project.stem + name for name in (*_SCRIPTS, "setup.cfg")}
    scripts |= {posixpath.normpath(project.stem + text) for text in named if not text.endswith(_DESCRIPTIONS)}
    scripts &= project.paths
    has_folder = next(_named(tables, _FOLDERS), None) is not None
    if has_folder or any(map(project.runs_others, scripts)) or any(map(project.is_computed, named)):
        return project.paths
    return scripts.union(*map(project.read_by, scripts), *map(project.modules, named))


class _Project:
    """The files of one project."""

    def __init__(self, folder: str, files: TreeFiles) -> None:
        self._files = files
        self.stem = f"{folder}/" if folder else ""
        self.paths = frozenset(path for path in files.paths if path.startswith(self.stem))

    def text(self, path: str) -> str:
        """Return the text of a file; empty if there is none."""
        return self._files.text(path) or ""

    def modules(self, value: str) -> frozenset[str]:
        """Return the paths that the module of a value, as ``package.module.name``, can have."""
        found = _VALUE.search(value)
        place = found[1].replace(".", "/") if found else ""
        roots = (self.stem, f"{self.stem}src/") if place else ()
        return self.paths & {f"{root}{place}{ending}" for root in roots for ending in (".py", "/__init__.py")}

    def is_computed(self, value: str) -> bool:
        """Return True if the module of a value must run to tell it."""
        name = value.replace(":", ".").rpartition(".")[2]
        return any(not _states(self.text(path), name) for path in self.modules(value))

    def runs_others(self, path: str) -> bool:
        """Return True if a script imports modules of the tree, or starts programs or text as code."""
        if not path.endswith(".py"):
            return False
        text = self.text(path)
        script = _parsed(text)
        return script is None or _RUNS.search(text) is not None or any(map(self._has, _imports(script)))

    def read_by(self, path: str) -> frozenset[str]:
        """Return the files whose names are in the texts of a script."""
        script = _parsed(self.text(path)) if path.endswith(".py") else None
        nodes = walk(script) if script is not None else ()
        texts = {one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)}
        names = {posixpath.basename(text) for text in texts if not text.endswith(_DESCRIPTIONS)}
        return frozenset(path for path in self.paths if posixpath.basename(path) in names)

    def _has(self, name: str) -> bool:
        stems = tuple(f"{self.stem}{root}{name}{end}" for root in ("", "src/") for end in ("/", ".py"))
        return any(path.startswith(stems) for path in self.paths)


def build_tables(document: Mapping[str, object]) -> dict[str, object]:
    """Return the tables of a ``pyproject.toml`` that a build may read."""
    return {name: one for name, one in table(document, "tool").items() if name not in _NO_BUILDS}


def _directives(text: str) -> Iterator[str]:
    for value in _DIRECTIVE.findall(text):
        yield from map(str.strip, value.split(","))


def _named(
    value: object, names: Collection[str], *, is_naming: bool = False, depth: int = 0
) -> Iterator[str]:
    """Yield the texts below keys of some names."""
    if isinstance(value, str) and is_naming:
        yield value
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, one in value.items():
            yield from _named(one, names, is_naming=name in names, depth=depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for one in value:
            yield from _named(one, names, is_naming=is_naming, depth=depth + 1)


def _states(text: str, name: str) -> bool:
    """Return True if a module gives a name a plain value, which a back end reads without running it."""
    module = _parsed(text)
    for node in module.body if module is not None else ():
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(one, ast.Name) and one.id == name for one in targets):
            return isinstance(getattr(node, "value", None), ast.Constant)
    return False


def _imports(script: ast.Module) -> Iterator[str]:
    """Yield the first parts of the names of imported modules."""
    for node in walk(script):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def _parsed(text: str) -> ast.Module | None:
    with suppress(*UNREADABLE):
        return parse(text)
    return None
