"""The files of a tree that determine a build, in addition to its back end and the compiled sources.

A build that runs code of the tree can read all of it, so that the files are those which its scripts name; if
a script runs other code of the tree, all files of the project.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from wardround.languages.python.tree import UNREADABLE, parse, walk
from wardround.lazy import LazyPattern
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import table, texts

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
    r"\b(?:__import__|builtins|cffi_modules|eval|exec[lv]?[ep]{0,2}|import_module|load_(?:module|source)|os\.system"
    r"|popen|posix_spawnp?|resolve_name|run_(?:module|path)|runpy|SourceFileLoader|spawn[lv][ep]{0,2}"
    r"|spec_from_file_location|subprocess|sys\.path)\b|(?<![.\w])compile\("
)
_LISTS = LazyPattern(r"\b(?:fwalk|i?glob|iterdir|listdir|rglob|scandir|walk)\(")
"""Calls by which a script reads files whose names it does not contain."""
_COMMANDS = LazyPattern(r"(?m)^[ \t]*(?:cmdclass|command_packages|commands|setup_hooks|setup-hooks)\b")
"""Keys of ``setup.cfg`` that name code of the tree, also of its own sections for ``distutils``."""
_CODE = frozenset({"cmdclass"})
"""The same in ``pyproject.toml``."""
_FLIT = "flit"
_VALUE = LazyPattern(r"^([\w.]{1,300})[.:]\w{1,100}$")
_DESCRIPTIONS = (".md", ".rst")
"""Files that a script reads only to describe the project."""
_ENDING = LazyPattern(r"^[\w-]*\.(?!md$|rst$)\w{1,10}$")
"""The end of a file name that a script puts together."""
_DEEPEST = 10


def build_code(folder: str, document: Mapping[str, object], files: TreeFiles) -> Collection[str]:
    """Return the paths of files that decide a build.

    Args:
        folder: folder of the project.
        document: its ``pyproject.toml``.
    """
    project = _Project(folder, files)
    tables = build_tables(document)
    settings = project.text(f"{project.stem}setup.cfg")
    named = {*_strings_below_keys(tables, _NAMING), *_directives(settings), *_flit_versions(document)}
    scripts = {project.stem + name for name in (*_SCRIPTS, "setup.cfg")}
    scripts |= {posixpath.normpath(project.stem + text) for text in named if not text.endswith(_DESCRIPTIONS)}
    scripts &= project.paths
    scripts |= project.back_end(texts(table(document, "build-system").get("backend-path")))
    has_folder = next(_strings_below_keys(tables, _FOLDERS), None) is not None or _has_key(tables, _CODE)
    is_open = has_folder or _COMMANDS.search(settings) is not None
    if is_open or any(map(project.runs_others, scripts)) or any(map(project.is_computed, named)):
        return project.paths
    return scripts.union(*map(project.read_by, scripts), *map(project.modules, named))


class _Project:
    """The files of one project."""

    def __init__(self, folder: str, files: TreeFiles) -> None:
        self._files = files
        self.stem = f"{folder}/" if folder else ""
        self.paths = frozenset(path for path in files.paths if path.startswith(self.stem))

    def back_end(self, folders: Collection[str]) -> frozenset[str]:
        """Return the files below the folders of ``backend-path``; of the project's own, all modules."""
        found: set[str] = set()
        for folder in folders:
            location = posixpath.normpath(posixpath.join(self.stem or ".", folder))
            is_own = location == posixpath.normpath(self.stem or ".")
            stem = self.stem if is_own else f"{location}/"
            found.update(
                path
                for path in self._files.paths
                if path.startswith(stem) and (not is_own or path.endswith(".py"))
            )
        return frozenset(found)

    def text(self, path: str) -> str:
        """Return the content of a file; empty if there is none."""
        return self._files.text(path) or ""

    def modules(self, value: str) -> frozenset[str]:
        """Return the paths that the module of a value, as ``package.module.name``, can have."""
        found = _VALUE.search(value)
        location = found[1].replace(".", "/") if found else ""
        roots = (self.stem, f"{self.stem}src/") if location else ()
        return self.paths & {
            f"{root}{location}{ending}" for root in roots for ending in (".py", "/__init__.py")
        }

    def is_computed(self, value: str) -> bool:
        """Return True if the module of a value must run to tell it."""
        name = value.replace(":", ".").rpartition(".")[2]
        return any(not _states_plainly(self.text(path), name) for path in self.modules(value))

    def runs_others(self, path: str) -> bool:
        """Return True if a script imports modules of the tree, runs other code, or lists folders."""
        if not path.endswith(".py"):
            return False
        text = self.text(path)
        script = _parse_module(text)
        is_open = _RUNS.search(text) is not None or _LISTS.search(text) is not None
        return script is None or is_open or any(map(self._has_module, _imports(script)))

    def read_by(self, path: str) -> frozenset[str]:
        """Return the files whose names, or suffixes of their names, are in the strings of a script."""
        script = _parse_module(self.text(path)) if path.endswith(".py") else None
        nodes = list(walk(script)) if script is not None else []
        names = {posixpath.basename(text) for text in _texts_in(nodes) if not text.endswith(_DESCRIPTIONS)}
        last_parts = (part.rpartition("/")[2] for part in _last_parts_of_strings(nodes))
        ends = tuple(filter(_ENDING.search, last_parts))
        return frozenset(
            path for path in self.paths if posixpath.basename(path) in names or path.endswith(ends)
        )

    def _has_module(self, name: str) -> bool:
        stems = tuple(f"{self.stem}{root}{name}{end}" for root in ("", "src/") for end in ("/", ".py"))
        return any(path.startswith(stems) for path in self.paths)


def build_tables(document: Mapping[str, object]) -> dict[str, object]:
    """Return the tables of a ``pyproject.toml`` that a build may read."""
    return {name: settings for name, settings in table(document, "tool").items() if name not in _NO_BUILDS}


def _flit_versions(document: Mapping[str, object]) -> Iterator[str]:
    """Yield the version that flit reads from the package itself, which it imports unless it is constant."""
    backend = table(document, "build-system").get("build-backend")
    name = table(document, "project").get("name")
    module = table(document, "tool", "flit", "module").get("name", name)
    if isinstance(backend, str) and backend.startswith(_FLIT) and isinstance(module, str):
        yield f"{module.replace('-', '_')}.__version__"


def _last_parts_of_strings(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the last constant part of each built string."""
    for node in nodes:
        last = _last_part(node)
        if isinstance(last, ast.Constant) and isinstance(last.value, str):
            yield last.value.rpartition("}")[2].rpartition("%s")[2]


def _texts_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _last_part(node: ast.AST) -> ast.AST | None:
    """Return the last constant part of a string; None for strings that are not built."""
    match node:
        case ast.JoinedStr(values=[*_, last]):
            return last
        case ast.BinOp(op=ast.Add(), right=last):
            return last
        case ast.BinOp(op=ast.Mod(), left=last):
            return last
        case ast.Attribute(attr="format", value=last):
            return last
    return None


def _has_key(value: object, names: Collection[str], depth: int = 0) -> bool:
    """Return True if a table, or a nested one, has one of the keys."""
    if not isinstance(value, dict) or depth >= _DEEPEST:
        return False
    return any(name in names or _has_key(part, names, depth + 1) for name, part in value.items())


def _directives(text: str) -> Iterator[str]:
    for value in _DIRECTIVE.findall(text):
        yield from map(str.strip, value.split(","))


def _strings_below_keys(
    value: object, names: Collection[str], *, is_naming: bool = False, depth: int = 0
) -> Iterator[str]:
    """Yield the strings below keys of some names."""
    if isinstance(value, str) and is_naming:
        yield value
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, part in value.items():
            yield from _strings_below_keys(part, names, is_naming=name in names, depth=depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for part in value:
            yield from _strings_below_keys(part, names, is_naming=is_naming, depth=depth + 1)


def _states_plainly(text: str, name: str) -> bool:
    """Return True if a module assigns a plain value to a name, which a back end reads without running it."""
    module = _parse_module(text)
    for node in module.body if module is not None else ():
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return isinstance(getattr(node, "value", None), ast.Constant)
    return False


def _imports(script: ast.Module) -> Iterator[str]:
    """Yield the first parts of the names of imported modules."""
    for node in walk(script):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def _parse_module(text: str) -> ast.Module | None:
    with suppress(*UNREADABLE):
        return parse(text)
    return None
