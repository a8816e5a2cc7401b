"""The search for the files of a project that may call the functions of a module."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import islice

from wardround.change.repository_view import RepositoryView
from wardround.lazy import LazyPattern
from wardround_typescript.dataflow.scope import ModuleScope

_PATTERNS = ("*.ts", "*.tsx", "*.js", "*.jsx", "*.mts", "*.mjs", "*.cjs")
_MAX_CALLERS = 8
_MAX_READ = 24
_MIN_NAME_LENGTH = 4
"""Shorter names of functions are not searched for."""
_TEST = LazyPattern(
    r"(^|/)(__tests__|__mocks__|tests?|e2e|specs?|cypress|fixtures|mocks)/|\.(\w*test|spec|stories|e2e)\.[mc]?[jt]sx?$|\.d\.ts$"
)
_ENTRY_MODULES = frozenset({"index", "main", "mod", "route", "page"})
"""Modules that are imported by the name of their folder."""
_FREQUENT_NAMES = frozenset(
    {"utils", "util", "helpers", "helper", "index", "types", "common", "lib", "constants", "config"}
)


def possible_callers(
    project: RepositoryView, scope: ModuleScope, functions: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the (path, source) of files that name the module or its class, and one of its functions."""
    words = list(dict.fromkeys(_words(scope, functions)))
    if not words:
        return
    paths = project.files_with_word(words, _PATTERNS)[:_MAX_READ]
    others = (path for path in paths if path != scope.module.path and not _TEST.search(path))
    texts = ((path, project.read(path)) for path in others)
    callers = ((path, text) for path, text in texts if text is not None and _mentions_any(text, functions))
    yield from islice(callers, _MAX_CALLERS)


def _mentions_any(text: str, functions: Sequence[str]) -> bool:
    """Return True if a source calls a function, or mentions it."""
    return any(f"{name}(" in text or f" {name}" in text for name in functions)


def _words(scope: ModuleScope, functions: Sequence[str]) -> Iterator[str]:
    """Words of a caller: names of classes and objects, of the module, or of functions."""
    classes = [name for name in scope.classes if name.isidentifier()]
    yield from classes
    yield from (name[:1].lower() + name[1:] for name in classes)
    stem = posixpath.basename(scope.module.path).partition(".")[0]
    if stem in _ENTRY_MODULES:
        stem = posixpath.basename(posixpath.dirname(scope.module.path))
    if stem and stem not in _FREQUENT_NAMES:
        yield stem
    if not classes:
        yield from (name for name in functions if len(name) >= _MIN_NAME_LENGTH)
