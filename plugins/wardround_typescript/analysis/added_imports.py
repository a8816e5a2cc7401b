"""Imports of a script that name a missing module of the repository, or a missing export of one."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from wardround.config.ignore_files import is_ignored
from wardround.languages.script.code import Code, code_of
from wardround.languages.script.syntax import Node
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.removed_uses import RemovedUse
from wardround_typescript.analysis.exports import provides_name, unquote
from wardround_typescript.analysis.import_users import ExportUsers, below, import_clause
from wardround_typescript.analysis.modules import Modules
from wardround_typescript.syntax.nodes import parts

_MADE = LazyPattern(
    r"(?i)(^|/)[.+$_]|gen(erated)?(/|$)|\b(dist|build|out|lib|vendor|node_modules|public|wasm|types?)\b|[!?#:]"
)
"""Paths of modules that a build, a framework or a loader may generate."""
_OTHER_KIND = LazyPattern(
    r"\.(?:css|s[ac]ss|less|styl|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|json5?|graphql|gql|mdx?|html?|astro"
    r"|wasm|txt|ya?ml|node|proto|glsl|sql|csv|mp[34]|po|pdf|xml)$"
)
_ENDING = LazyPattern(r"\.[mc]?[jt]sx?$")
_SCRIPT_ENDINGS = ("ts", "tsx", "d.ts", "js", "jsx", "mjs")


def missing_uses(
    path: str, text: str, modules: Modules, is_added: Callable[[int], bool]
) -> Iterator[tuple[str, RemovedUse]]:
    """Yield the uses on added lines that the repository lacks, each with the path of its module.

    A missing module has the path of its import, without a suffix.
    """
    lost: dict[str, set[str]] = defaultdict(set)
    missing: list[str] = []
    for spec, names, is_new in _added_imports(code_of(path, text), is_added):
        target = modules.resolve(path, spec)
        if target is not None:
            lost[target].update(name for name in names if _lacks_export(target, name, path, modules))
        elif is_new:
            missing += _missing_modules(path, spec, modules)
    users = ExportUsers({module: names for module, names in lost.items() if names}, (), modules)
    for target, use in users.uses_in(path, text):
        if is_added(use.line):
            yield target, use
    yield from _imports_of_missing(path, text, missing, modules, is_added)


def _lacks_export(target: str, name: str, importer: str, modules: Modules) -> bool:
    """Return True if another module certainly does not export a name."""
    return target != importer and provides_name(target, name, modules) is False


def _added_imports(code: Code, is_added: Callable[[int], bool]) -> Iterator[tuple[str, set[str], bool]]:
    """Yield the specifier of each import with added uses, the used names, and True for a new import."""
    for node in code.kinds("import_statement", "export_statement"):
        source = node.child_by_field_name("source")
        names = {*_read_from_namespace(code, node, is_added)}
        is_new = _touches_added_line(code, node, is_added)
        if source is None or not (names or is_new):
            continue
        names.update(_names(code, node) if is_new else ())
        yield unquote(code.module, source), names, is_new


def _imports_of_missing(
    path: str, text: str, gone: Sequence[str], modules: Modules, is_added: Callable[[int], bool]
) -> Iterator[tuple[str, RemovedUse]]:
    paths = {f"{stem}.ts": stem for stem in gone}
    with_missing = Modules(modules.project, [*paths], [*paths])
    for target, use in ExportUsers(dict.fromkeys(paths, ()), (), with_missing).uses_in(path, text):
        if is_added(use.line):
            yield paths[target], use


def _touches_added_line(code: Code, node: Node, is_added: Callable[[int], bool]) -> bool:
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    return any(map(is_added, range(first, last + 1)))


def _names(code: Code, node: Node) -> Iterator[str]:
    """Yield the exports that an import or a re-export names."""
    for specifier in below(node, ("import_specifier", "export_specifier")):
        yield code.field(specifier, "name")
    if any(binding.type == "identifier" for binding in parts(import_clause(node))):
        yield "default"


def _read_from_namespace(code: Code, node: Node, is_added: Callable[[int], bool]) -> Iterator[str]:
    """Yield the names that added lines read from a namespace import."""
    for namespace in below(node, ("namespace_import",)):
        local = code.text(namespace.named_children[0])
        for member in code.kinds("member_expression"):
            if is_added(member.start_point[0] + 1) and code.field(member, "object") == local:
                yield code.field(member, "property")


def _missing_modules(importer: str, spec: str, modules: Modules) -> Iterator[str]:
    """Yield the path, without a suffix, of a missing module that an import can only refer to."""
    stems = modules.stems_of(importer, spec)
    if len(stems) != 1 or _may_be_generated(stems[0]) or _OTHER_KIND.search(spec):
        return
    stem = _ENDING.sub("", stems[0])
    if modules.project.paths([f"{stem}.*", f"{stem}/*", stem]):
        return
    if _is_generated(stems[0], stem, modules):
        return
    if not modules.project.files_with_word([posixpath.basename(stem)], ["*.gitignore", "*package.json"]):
        yield stem


def _may_be_generated(path: str) -> bool:
    """Return True for a path that a build may generate, or outside of the repository."""
    return path.startswith("..") or _MADE.search(path) is not None


def _is_generated(written: str, stem: str, modules: Modules) -> bool:
    """Return True if git ignores a module, so that a build may generate it.

    A suffix alone, such as ``*.js``, matches the output of sources in the same folder, which are tracked.
    """
    paths = (written, stem, *(f"{stem}.{ending}" for ending in _SCRIPT_ENDINGS), f"{stem}/index.ts")
    return any(is_ignored(path, modules.project.read, by_suffix=False) for path in dict.fromkeys(paths))
