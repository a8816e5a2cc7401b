"""Exports of a module, and resolution of imports to modules of the repository."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import RepositoryView
from wardround.languages.jsonc import loads
from wardround.languages.script.syntax import Node, ScriptModule, inside, parsed

SOURCES = tuple(f"*.{one}" for one in ("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"))
"""Suffixes of files that may import a module."""
_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json")
_WRITTEN_ENDING = LazyPattern(r"\.([mc]?)js(x?)$")
_ENDING = LazyPattern(r"(?:/index)?\.(?:d\.)?[mc]?[jt]sx?$")
_UNKNOWN = LazyPattern(
    r"\bmodule\.exports\b|\bexports\.\w|\bexports\[|(?m:^export\s*=)|Object\.assign\(exports"
    r"|@(?:typedef|callback|enum)\b"
)
"""Signs of exports without an ``export`` statement: CommonJS, and JSDoc types."""
_MOST_HOPS = 3
_MODULES_KEPT = 64
_NO_PACKAGE = ("@/", "~", "#", "$")
"""Prefixes of an alias that cannot be a package name; others fall back to the installed packages."""
_CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.app.json", "tsconfig.base.json")
_BUILT = LazyPattern(r"^\./(?:dist|build|lib|es|esm|cjs|src|out|modern|legacy|types)/")
_BUILT_INNER = LazyPattern(r"^(?:esm|cjs|es|modern|legacy|types|src)/")


class Exports(msgspec.Struct, frozen=True):
    """The exports of a module.

    Attributes:
        names: the exported names with their lines; ``default`` is one of them.
        stars: the modules that it re-exports completely.
        is_unknown: it may have exports without an ``export`` statement.
        has_error: the parser could not read all of it.
    """

    names: Mapping[str, int]
    stars: Sequence[str]
    is_unknown: bool
    has_error: bool


@lru_cache(maxsize=_MODULES_KEPT)
def exports_of(path: str, text: str) -> Exports:
    module = parsed(path, text)
    names: dict[str, int] = {}
    stars: list[str] = []
    for node in module.root.named_children:
        if node.type != "export_statement":
            continue
        line = module.place(node)[0]
        source = node.child_by_field_name("source")
        if source is not None and any(child.type == "*" for child in node.children):
            stars.append(unquoted(module, source))
        for name in _exported(module, node):
            names.setdefault(name, line)
    return Exports(names, stars, _UNKNOWN.search(text) is not None, module.root.has_error)


def _exported(module: ScriptModule, node: Node) -> Iterator[str]:
    kinds = {child.type for child in node.children}
    if "default" in kinds:
        yield "default"
    for child in node.named_children:
        if child.type == "export_clause":
            for one in child.named_children:
                name = one.child_by_field_name("alias") or one.child_by_field_name("name")
                if name is not None:
                    yield module.of(name)
        elif child.type == "namespace_export":
            yield from (module.of(one) for one in child.named_children)
        elif "default" not in kinds:
            yield from declared_names(module, child)


def declared_names(module: ScriptModule, node: Node) -> Iterator[str]:
    """Yield the names that a declaration binds."""
    if node.type == "ambient_declaration":
        for child in node.named_children:
            yield from declared_names(module, child)
    elif node.type in ("lexical_declaration", "variable_declaration"):
        for one in node.named_children:
            pattern = one.child_by_field_name("name")
            yield from _bound(module, pattern) if pattern is not None else ()
    else:
        name = node.child_by_field_name("name")
        if name is not None:
            yield module.of(name)


def _bound(module: ScriptModule, pattern: Node) -> Iterator[str]:
    if pattern.type in ("identifier", "shorthand_property_identifier_pattern"):
        yield module.of(pattern)
    elif pattern.type == "pair_pattern":
        value = pattern.child_by_field_name("value")
        yield from _bound(module, value) if value is not None else ()
    elif pattern.type in ("assignment_pattern", "object_assignment_pattern"):
        left = pattern.child_by_field_name("left")
        yield from _bound(module, left) if left is not None else ()
    else:
        for child in pattern.named_children:
            yield from _bound(module, child)


def unquoted(module: ScriptModule, node: Node) -> str:
    return module.of(node)[1:-1]


def provides(path: str, name: str, modules: Modules, hops: int = _MOST_HOPS) -> bool | None:
    """Return True if a module exports a name, False if it does not, None if that is unknown."""
    text = modules.project.read(path)
    if text is None or path.endswith((".vue", ".svelte", ".json")):
        return None
    exports = exports_of(path, text)
    if name in exports.names:
        return True
    if path.endswith(".d.ts"):  # a declaration file may declare less than the script next to it exports
        return None
    is_empty = not (exports.names or exports.stars)
    if exports.is_unknown or is_empty or (exports.has_error and name in text):
        return None
    if name == "default":  # export * omits the default export
        return False
    return _provided_by_stars(path, exports.stars, name, modules, hops)


def _provided_by_stars(
    path: str, stars: Iterable[str], name: str, modules: Modules, hops: int
) -> bool | None:
    found: list[bool | None] = []
    for spec in stars:
        target = modules.resolved(path, spec)
        found.append(provides(target, name, modules, hops - 1) if target and hops else None)
    return True if True in found else None if None in found else False


class Modules:
    """The modules of a repository, by their import specifiers.

    Args:
        sought: the modules of interest; packages are resolved only if they contain one of them.
        removed: those of them that the change removed, to which imports may still refer.
    """

    def __init__(self, project: RepositoryView, sought: Sequence[str], removed: Collection[str] = ()) -> None:
        self.project = project
        self._sought = sought
        self._removed = frozenset(removed)
        self._found: dict[tuple[str, str], str | None] = {}
        self._aliases: dict[str, list[tuple[str, list[str]]]] = {}

    @cached_property
    def packages(self) -> dict[str, str]:
        """Return the names of the packages that contain the modules of interest, and their manifests."""
        found = {}
        for folder in sorted({posixpath.dirname(path) for path in self._sought}):
            manifest = self._manifest_above(folder)
            content = loads(self.project.read(manifest) or "") if manifest is not None else None
            name = content.get("name") if content is not None else None
            if isinstance(name, str) and manifest is not None:
                found[name] = manifest
        return found

    def _manifest_above(self, folder: str) -> str | None:
        while True:
            manifest = posixpath.join(folder, "package.json")
            if self.project.read(manifest) is not None:
                return manifest
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def resolved(self, importer: str, spec: str) -> str | None:
        """Return the path of the imported module; None if it is uncertain."""
        key = (posixpath.dirname(importer), spec)
        if key not in self._found:
            found = {path for stem in self._stems(importer, spec) if (path := self._at(stem)) is not None}
            self._found[key] = found.pop() if len(found) == 1 else None
        return self._found[key]

    def stems_of(self, importer: str, spec: str) -> list[str]:
        """Return the paths, without suffixes, that an import names, existing or not; none if it may name a
        package.
        """
        if not spec.startswith((".", *_NO_PACKAGE)):
            return []
        heads = [pattern.partition("*")[0] for pattern, _ in self._aliases_for(posixpath.dirname(importer))]
        is_ours = spec.startswith(".") or any(head and spec.startswith(head) for head in heads)
        return list(dict.fromkeys(self._stems(importer, spec))) if is_ours else []

    def _has(self, path: str) -> bool:
        return path in self._removed or self.project.read(path) is not None

    def _at(self, stem: str) -> str | None:
        """Return the path of the first existing file for a stem."""
        return next((path for path in self._candidates(stem) if self._has(path)), None)

    def _candidates(self, stem: str) -> Iterator[str]:
        if stem.startswith("..") or not stem:
            return
        typed = _WRITTEN_ENDING.sub(r".\1ts\2", stem)
        if typed != stem:
            yield from (typed, typed.removesuffix(".ts") + ".tsx", stem)
        elif posixpath.splitext(stem)[1] in _ENDINGS:
            yield stem
        yield from (stem + ending for ending in _ENDINGS)
        yield from (f"{stem}/index{ending}" for ending in _ENDINGS)

    def _stems(self, importer: str, spec: str) -> Iterator[str]:
        spec = spec.partition("?")[0]
        if spec.startswith("."):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(importer), spec))
            return
        aliases = self._aliases_for(posixpath.dirname(importer))
        for pattern, targets in aliases:
            head, star, tail = pattern.partition("*")
            if spec == pattern or (star and spec.startswith(head) and spec.endswith(tail)):
                middle = spec[len(head) : len(spec) - len(tail)]
                yield from (posixpath.normpath(target.replace("*", middle)) for target in targets)
                if pattern != "*":
                    return
        yield from self._of_package(spec)

    def _aliases_for(self, folder: str) -> list[tuple[str, list[str]]]:
        """Return the ``paths`` of the nearest configuration, the longest prefix first."""
        if folder not in self._aliases:
            found: list[tuple[str, list[str]]] = []
            for name in _CONFIGS:
                found = found or self._paths_of(posixpath.join(folder, name), _MOST_HOPS)
            if not found and folder:
                found = self._aliases_for(posixpath.dirname(folder))
            self._aliases[folder] = sorted(found, key=lambda one: -len(one[0].partition("*")[0]))
        return self._aliases[folder]

    def _paths_of(self, config: str, hops: int) -> list[tuple[str, list[str]]]:
        text = self.project.read(config)
        content = loads(text) if text is not None else None
        if content is None or not hops:
            return []
        options = content.get("compilerOptions")
        folder = posixpath.dirname(config)
        if isinstance(options, dict) and ("paths" in options or "baseUrl" in options):
            return list(_patterns(options, folder))
        for path in _extended(content, folder):
            paths = self._paths_of(path, hops - 1)
            if paths:
                return paths
        return []

    def _of_package(self, spec: str) -> Iterator[str]:
        """Yield the sources that a package of the workspace publishes under a name."""
        parts = spec.split("/")
        name = "/".join(parts[: 2 if spec.startswith("@") else 1])
        if name in self.packages:
            yield from self._entry(self.packages[name], f".{spec[len(name) :]}")

    def _entry(self, manifest: str, inner: str) -> Iterator[str]:
        content = loads(self.project.read(manifest) or "") or {}
        folder = posixpath.dirname(manifest)
        stems = (self._source_of(folder, target) for target in _targets(content, inner))
        yield from sorted({stem for stem in stems if stem is not None})

    def _source_of(self, folder: str, target: str) -> str | None:
        """Return the stem of the source of a built file; None if there is none."""
        path = target if target.startswith("./") else f"./{target}"
        source = _ENDING.sub("", _BUILT_INNER.sub("", _BUILT.sub("", path).removeprefix("./")))
        stems = (posixpath.normpath(posixpath.join(folder, root, source)) for root in ("src", ""))
        return next((stem for stem in stems if self._at(stem) is not None), None)


def _patterns(options: Mapping[str, Any], folder: str) -> Iterator[tuple[str, list[str]]]:
    """Return the ``paths`` of a configuration, and those that its ``baseUrl`` adds."""
    base = posixpath.join(folder, str(options.get("baseUrl", ".")))
    paths = options.get("paths")
    for pattern, targets in paths.items() if isinstance(paths, dict) else ():
        if isinstance(targets, list):
            yield pattern, [posixpath.normpath(posixpath.join(base, str(one))) for one in targets]
    if "baseUrl" in options:
        yield "*", [posixpath.normpath(posixpath.join(base, "*"))]


def _strings(value: object) -> Iterator[str]:
    """Yield the file names in one entry of ``exports``."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)


def string_arguments(module: ScriptModule, names: Sequence[str]) -> Iterator[tuple[Node, str]]:
    """Yield the calls of some functions with one string literal: ``import("./a")``, ``require("./a")``."""
    for node in inside(module.root):
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        arguments = node.child_by_field_name("arguments") if called is not None else None
        if called is None or arguments is None or module.of(called) not in names:
            continue
        given = arguments.named_children
        if given and given[0].type == "string":
            yield node, unquoted(module, given[0])


def _extended(content: Mapping[str, Any], folder: str) -> Iterator[str]:
    """Yield the paths of the configurations that a configuration extends by a relative path."""
    extended = content.get("extends")
    for one in extended if isinstance(extended, list) else [extended]:
        if isinstance(one, str) and one.startswith("."):
            path = posixpath.normpath(posixpath.join(folder, one))
            yield path if path.endswith(".json") else f"{path}.json"


def _targets(content: Mapping[str, Any], inner: str) -> list[str]:
    """Return the file names that a manifest publishes under a name."""
    exports = content.get("exports")
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        return [*_strings(exports.get(inner))]
    if inner != ".":
        return []
    return [*_strings(exports), *(str(content[k]) for k in ("types", "module", "main") if k in content)]
