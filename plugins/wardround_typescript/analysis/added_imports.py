"""Imports of a script that name a missing module of the repository, or a missing export of one."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from wardround.checks.lazy import LazyPattern
from wardround.config.ignore_files import is_ignored
from wardround.languages.script.code import Code, code_of
from wardround.languages.script.syntax import Node
from wardround.semantics.semdiff.removed_uses import RemovedUse
from wardround_typescript.analysis.exports import Modules, provides, unquoted
from wardround_typescript.analysis.import_users import ExportUsers, below

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
    code = code_of(path, text)
    lost: dict[str, set[str]] = defaultdict(set)
    missing: list[str] = []
    for spec, names, is_new in _added_imports(code, is_added):
        target = modules.resolved(path, spec)
        if target is None and is_new:
            stem = _missing(path, spec, modules)
            missing += [stem] if stem is not None else []
        elif target is not None and target != path:
            lost[target].update(name for name in names if provides(target, name, modules) is False)
    for target, use in ExportUsers({m: n for m, n in lost.items() if n}, (), modules).uses_in(path, text):
        if is_added(use.line):
            yield target, use
    yield from _imports_of_missing(path, text, missing, modules, is_added)


def _added_imports(code: Code, is_added: Callable[[int], bool]) -> Iterator[tuple[str, set[str], bool]]:
    """Yield the specifier of each import with added uses, the used names, and True for a new import."""
    for node in code.kinds("import_statement", "export_statement"):
        source = node.child_by_field_name("source")
        names = {*_read_from_namespace(code, node, is_added)}
        is_new = _touches(code, node, is_added)
        if source is None or not (names or is_new):
            continue
        names.update(_names(code, node) if is_new else ())
        yield unquoted(code.module, source), names, is_new


def _imports_of_missing(
    path: str, text: str, gone: Sequence[str], modules: Modules, is_added: Callable[[int], bool]
) -> Iterator[tuple[str, RemovedUse]]:
    paths = {f"{stem}.ts": stem for stem in gone}
    with_missing = Modules(modules.project, [*paths], [*paths])
    for target, use in ExportUsers(dict.fromkeys(paths, ()), (), with_missing).uses_in(path, text):
        if is_added(use.line):
            yield paths[target], use


def _touches(code: Code, node: Node, is_added: Callable[[int], bool]) -> bool:
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    return any(map(is_added, range(first, last + 1)))


def _names(code: Code, node: Node) -> Iterator[str]:
    """Yield the exports that an import or a re-export names."""
    for one in below(node, ("import_specifier", "export_specifier")):
        yield code.field(one, "name")
    clause = next((one for one in node.named_children if one.type == "import_clause"), None)
    if clause is not None and any(one.type == "identifier" for one in clause.named_children):
        yield "default"


def _read_from_namespace(code: Code, node: Node, is_added: Callable[[int], bool]) -> Iterator[str]:
    """Yield the names that added lines read from a namespace import."""
    for one in below(node, ("namespace_import",)):
        local = code.text(one.named_children[0])
        for member in code.kinds("member_expression"):
            if is_added(member.start_point[0] + 1) and code.field(member, "object") == local:
                yield code.field(member, "property")


def _missing(importer: str, spec: str, modules: Modules) -> str | None:
    """Return the path, without a suffix, of a missing module that an import can only refer to."""
    stems = modules.stems_of(importer, spec)
    if len(stems) != 1 or stems[0].startswith("..") or _MADE.search(stems[0]) or _OTHER_KIND.search(spec):
        return None
    stem = _ENDING.sub("", stems[0])
    if modules.project.paths([f"{stem}.*", f"{stem}/*", stem]) or _is_generated(stems[0], stem, modules):
        return None
    files = modules.project.files_with_word([posixpath.basename(stem)], ["*.gitignore", "*package.json"])
    return None if files else stem


def _is_generated(written: str, stem: str, modules: Modules) -> bool:
    """Return True if git ignores a module, so that a build may generate it.

    A suffix alone, such as ``*.js``, is that of the output for sources in the same place, which are tracked.
    """
    paths = (written, stem, *(f"{stem}.{ending}" for ending in _SCRIPT_ENDINGS), f"{stem}/index.ts")
    return any(is_ignored(path, modules.project.read, by_suffix=False) for path in dict.fromkeys(paths))
