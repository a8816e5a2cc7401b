"""The files of a tree that decide what a build does, beside its back end and what it compiles.

A build that runs code of the tree can read all of it, so that the files are those which its scripts name; if
a script runs other code of the tree, all files of the project.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import walk
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.projects import table

_SCRIPTS = ("setup.py", "hatch_build.py", "pdm_build.py", "build.py")
_TOOLS = ("setuptools", "hatch", "pdm", "poetry")
_ATTRIBUTE = LazyPattern(r"(?m)^\s*version\s*=\s*attr:\s*([\w.]{1,300})")
_NAMING = frozenset({"attr", "build", "custom-hook", "getter", "path", "script"})
"""Keys in the tables of back ends that name code, or a file from which a version is taken."""
_RUNS = LazyPattern(
    r"\b(?:__import__|eval|exec|import_module|os\.system|popen|run_path|runpy|spec_from_file_location|subprocess)\b"
)
_TEXTS = (".md", ".rst")
"""Files that a script reads only to describe the project."""
_DEEPEST = 10


def build_code(folder: str, document: Mapping[str, object], files: TreeFiles) -> Collection[str]:
    """Return the paths of files that decide a build.

    Args:
        folder: of the project.
        document: its ``pyproject.toml``.
    """
    project = _Project(folder, files)
    found = {project.stem + name for name in (*_SCRIPTS, "setup.cfg")} & project.paths
    tables = [table(document, "tool", name) for name in _TOOLS]
    named = {text for one in tables for text in _named(one, is_naming=False, depth=0)}
    scripts = found | {posixpath.join(folder, text) for text in named} & project.paths
    found |= scripts
    for text in (*named, *_ATTRIBUTE.findall(files.text(f"{project.stem}setup.cfg") or "")):
        module, _, attribute = text.replace(":", ".").rpartition(".")
        found |= (modules := project.modules(module))
        if modules and not any(_states(files.text(path) or "", attribute) for path in modules):
            return project.paths
    for path in scripts:
        script = _parsed(files.text(path) or "") if path.endswith(".py") else None
        if script is not None and project.runs_others(script, files.text(path) or ""):
            return project.paths
        found |= project.read_by(script)
    return found


class _Project:
    """The files of one project."""

    def __init__(self, folder: str, files: TreeFiles) -> None:
        self.stem = f"{folder}/" if folder else ""
        self.paths = frozenset(path for path in files.paths if path.startswith(self.stem))

    def modules(self, name: str) -> frozenset[str]:
        """Return the paths that a module can have."""
        place = name.replace(".", "/")
        roots = (self.stem, f"{self.stem}src/") if place else ()
        return self.paths & {f"{root}{place}{ending}" for root in roots for ending in (".py", "/__init__.py")}

    def runs_others(self, script: ast.Module, text: str) -> bool:
        """Return True if a script imports modules of the tree, or starts programs or text as code."""
        return _RUNS.search(text) is not None or any(map(self._has, _imports(script)))

    def read_by(self, script: ast.Module | None) -> frozenset[str]:
        """Return the files whose names are in the texts of a script."""
        nodes = walk(script) if script is not None else ()
        texts = {one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)}
        names = {posixpath.basename(text) for text in texts if not text.endswith(_TEXTS)}
        return frozenset(path for path in self.paths if posixpath.basename(path) in names)

    def _has(self, name: str) -> bool:
        stems = tuple(f"{self.stem}{root}{name}{end}" for root in ("", "src/") for end in ("/", ".py"))
        return any(path.startswith(stems) for path in self.paths)


def _named(value: object, *, is_naming: bool, depth: int) -> Iterator[str]:
    """Yield the texts below keys that name code."""
    if isinstance(value, str) and is_naming:
        yield value
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, one in value.items():
            yield from _named(one, is_naming=name in _NAMING, depth=depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for one in value:
            yield from _named(one, is_naming=is_naming, depth=depth + 1)


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
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse(text)
    return None
