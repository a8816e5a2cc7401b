"""Resolution of calls in a script by their source: to a function of the same file or of an imported one."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from wardround.change.repository_view import RepositoryView
from wardround.lazy import LazyPattern
from wardround_typescript.analysis.resolved_scripts import ResolvedScript, ScriptCallee, script_of
from wardround_typescript.folders import folder_and_above

_MOST_HOPS = 2
_ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs", "/index.ts", "/index.tsx", "/index.js")
_SCRIPT_ENDING = LazyPattern(r"\.[mc]?jsx?$")


def callee_of(
    written: str, is_new: bool, script: ResolvedScript, project: RepositoryView
) -> ScriptCallee | None:
    """Return the declaration that a call resolves to.

    Args:
        written: the callee as written: ``crop``, ``this.crop``, ``shapes.crop``.
    """
    owner, _, name = written.rpartition(".")
    if owner == "this":
        return None if is_new else script.method(name)
    if owner:
        module, there = script.imports.get(owner, ("", ""))
        return (
            _find_imported_function(module, name, script.path, project, _MOST_HOPS) if there == "*" else None
        )
    if name not in script.imports:
        return script.function(name)
    if name in script.bound:
        return None
    return _find_imported_function(*script.imports[name], script.path, project, _MOST_HOPS)


def _find_imported_function(
    module: str, name: str, importer: str, project: RepositoryView, hops: int
) -> ScriptCallee | None:
    found = imported_file(module, importer, project)
    if found is None or name == "*":
        return None
    script = script_of(*found)
    own_name = script.default_name() if name == "default" else name
    if own_name is None or not script.is_written:
        return None
    callee = script.function(own_name)
    return _passed_on(script, name, project, hops - 1) if callee is None and hops else callee


def _passed_on(script: ResolvedScript, name: str, project: RepositoryView, hops: int) -> ScriptCallee | None:
    """Return the declaration of a name that a file re-exports."""
    further = (
        _find_imported_function(*passed, script.path, project, hops) for passed in script.passed_on(name)
    )
    return next((callee for callee in further if callee is not None), None)


def origin(name: str, script: ResolvedScript, project: RepositoryView) -> tuple[ResolvedScript, str] | None:
    """Return the file that declares an imported name, and the name there."""
    module, there = script.imports.get(name, ("", ""))
    return None if there in ("", "*") else declared_in(module, there, script.path, project)


def declared_in(
    module: str, name: str, importer: str, project: RepositoryView, hops: int = _MOST_HOPS
) -> tuple[ResolvedScript, str] | None:
    """Return the file that declares a name of a module, and the name there; that of a default may differ."""
    found = imported_file(module, importer, project)
    script = script_of(*found) if found is not None else None
    if script is None or not script.is_written:
        return None
    own_name = script.default_name() if name == "default" else name
    if own_name is not None and own_name in script.bound:
        return script, own_name
    if not hops:
        return None
    further = (declared_in(*passed, script.path, project, hops - 1) for passed in script.passed_on(name))
    return next(filter(None, further), None)


def imported_file(module: str, importer: str, project: RepositoryView) -> tuple[str, str] | None:
    """Return path and text of the file that an import resolves to; None outside the repository."""
    for stem in stems_meant(module, importer):
        for path in _paths_of(stem):
            text = project.read(path)
            if text is not None:
                return path, text
    return None


def _paths_of(stem: str) -> Iterator[str]:
    """Yield the paths that an import of a stem may mean, in the order in which they are tried."""
    bare = _SCRIPT_ENDING.sub("", stem)
    if bare != stem:
        yield stem
    yield from (bare + ending for ending in _ENDINGS)


def stems_meant(module: str, importer: str) -> Iterator[str]:
    """Yield the paths an import may resolve to, without a suffix: relative, or from a root ``@`` or ``~``."""
    folder = posixpath.dirname(importer)
    if module.startswith("."):
        stem = posixpath.normpath(posixpath.join(folder, module))
        if not stem.startswith(".."):
            yield stem
    elif module.startswith(("@/", "~/")):
        for above in folder_and_above(folder):
            for root in ("src", ""):
                yield posixpath.normpath(posixpath.join(above, root, module[2:]))
