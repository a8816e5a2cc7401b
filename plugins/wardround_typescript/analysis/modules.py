"""Resolution of imports to modules of the repository."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from wardround.change.repository_view import RepositoryView
from wardround.languages.jsonc import loads
from wardround.lazy import LazyPattern
from wardround_typescript.folders import folder_and_above

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json")
_WRITTEN_ENDING = LazyPattern(r"\.([mc]?)js(x?)$")
_ENDING = LazyPattern(r"(?:/index)?\.(?:d\.)?[mc]?[jt]sx?$")
_MOST_HOPS = 3
_NO_PACKAGE = ("@/", "~", "#", "$")
"""Prefixes of an alias that cannot be a package name; others fall back to the installed packages."""
_CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.app.json", "tsconfig.base.json")
_BUILT = LazyPattern(r"^\./(?:dist|build|lib|es|esm|cjs|src|out|modern|legacy|types)/")
_BUILT_INNER = LazyPattern(r"^(?:esm|cjs|es|modern|legacy|types|src)/")
_ENTRIES = ("types", "module", "main")
"""Keys of a manifest that name the file of the package itself."""
_Alias = tuple[str, list[str]]


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
        self._aliases = _Aliases(project)

    @cached_property
    def packages(self) -> dict[str, str]:
        """Return the names of the packages that contain the modules of interest, and their manifests."""
        found = {}
        for folder in sorted({posixpath.dirname(path) for path in self._sought}):
            manifest = self._manifest_above(folder)
            if manifest is None:
                continue
            name = self._manifest(manifest).get("name")
            if isinstance(name, str):
                found[name] = manifest
        return found

    def _manifest(self, path: str) -> Mapping[str, Any]:
        return loads(self.project.read(path) or "") or {}

    def _manifest_above(self, folder: str) -> str | None:
        manifests = (posixpath.join(above, "package.json") for above in folder_and_above(folder))
        return next((manifest for manifest in manifests if self.project.read(manifest) is not None), None)

    def resolve(self, importer: str, spec: str) -> str | None:
        """Return the path of the imported module; None if it is uncertain."""
        key = (posixpath.dirname(importer), spec)
        if key not in self._found:
            self._found[key] = self._only_file(self._stems(importer, spec))
        return self._found[key]

    def _only_file(self, stems: Iterator[str]) -> str | None:
        files = {self._file_at(stem) for stem in stems} - {None}
        return files.pop() if len(files) == 1 else None

    def stems_of(self, importer: str, spec: str) -> list[str]:
        """Return the paths, without suffixes, that an import names, existing or not; none if it may name a
        package.
        """
        if spec.startswith(".") or self._has_alias_only(importer, spec):
            return list(dict.fromkeys(self._stems(importer, spec)))
        return []

    def _has_alias_only(self, importer: str, spec: str) -> bool:
        """Return True for a name under an alias of the project that is not the name of a package."""
        if not spec.startswith(_NO_PACKAGE):
            return False
        aliases = self._aliases.of(posixpath.dirname(importer))
        heads = (pattern.partition("*")[0] for pattern, _ in aliases)
        return any(head and spec.startswith(head) for head in heads)

    def _has_module(self, path: str) -> bool:
        return path in self._removed or self.project.read(path) is not None

    def _file_at(self, stem: str) -> str | None:
        """Return the path of the first existing file for a stem."""
        return next((path for path in _candidates(stem) if self._has_module(path)), None)

    def _stems(self, importer: str, spec: str) -> Iterator[str]:
        spec = spec.partition("?")[0]
        folder = posixpath.dirname(importer)
        if spec.startswith("."):
            yield posixpath.normpath(posixpath.join(folder, spec))
            return
        for pattern, targets in self._aliases.of(folder):
            middle = _wildcard(pattern, spec)
            if middle is None:
                continue
            for target in targets:
                yield posixpath.normpath(target.replace("*", middle))
            if pattern != "*":
                return
        yield from self._package_sources(spec)

    def _package_sources(self, spec: str) -> Iterator[str]:
        """Yield the sources that a package of the workspace publishes under a name."""
        parts = spec.split("/")
        name = "/".join(parts[: 2 if spec.startswith("@") else 1])
        if name in self.packages:
            yield from self._entry(self.packages[name], f".{spec[len(name) :]}")

    def _entry(self, manifest: str, inner: str) -> Iterator[str]:
        folder = posixpath.dirname(manifest)
        stems = (self._source_of(folder, target) for target in _targets(self._manifest(manifest), inner))
        yield from sorted({stem for stem in stems if stem is not None})

    def _source_of(self, folder: str, target: str) -> str | None:
        """Return the stem of the source of a built file; None if there is none."""
        path = target if target.startswith("./") else f"./{target}"
        source = _ENDING.sub("", _BUILT_INNER.sub("", _BUILT.sub("", path).removeprefix("./")))
        stems = (posixpath.normpath(posixpath.join(folder, root, source)) for root in ("src", ""))
        return next((stem for stem in stems if self._file_at(stem) is not None), None)


class _Aliases:
    """The ``paths`` of the compiler's configurations."""

    def __init__(self, project: RepositoryView) -> None:
        self._project = project
        self._by_folder: dict[str, list[_Alias]] = {}

    def of(self, folder: str) -> list[_Alias]:
        """Return the aliases of the nearest configuration, the longest prefix first."""
        if folder not in self._by_folder:
            aliases = self._aliases_in(folder)
            if not aliases and folder:
                aliases = self.of(posixpath.dirname(folder))
            self._by_folder[folder] = sorted(aliases, key=lambda alias: -len(alias[0].partition("*")[0]))
        return self._by_folder[folder]

    def _aliases_in(self, folder: str) -> list[_Alias]:
        found = (self._aliases_of_config(posixpath.join(folder, name), _MOST_HOPS) for name in _CONFIGS)
        return next(filter(None, found), [])

    def _aliases_of_config(self, config: str, hops: int) -> list[_Alias]:
        text = self._project.read(config)
        content = loads(text) if text is not None else None
        if content is None or not hops:
            return []
        folder = posixpath.dirname(config)
        options = content.get("compilerOptions")
        if isinstance(options, dict) and ("paths" in options or "baseUrl" in options):
            return list(_patterns(options, folder))
        extended = (self._aliases_of_config(path, hops - 1) for path in _extended_paths(content, folder))
        return next(filter(None, extended), [])


def _candidates(stem: str) -> Iterator[str]:
    """Yield the files that an import of a stem may load, in the order in which they are tried."""
    if stem.startswith("..") or not stem:
        return
    typed = _WRITTEN_ENDING.sub(r".\1ts\2", stem)
    if typed != stem:
        yield from (typed, typed.removesuffix(".ts") + ".tsx", stem)
    elif posixpath.splitext(stem)[1] in _ENDINGS:
        yield stem
    yield from (stem + ending for ending in _ENDINGS)
    yield from (f"{stem}/index{ending}" for ending in _ENDINGS)


def _wildcard(pattern: str, spec: str) -> str | None:
    """Return the string matched by the ``*`` of an alias; "" for an alias without it; None if it does not
    match.
    """
    head, star, tail = pattern.partition("*")
    is_between = spec.startswith(head) and spec.endswith(tail)
    if spec == pattern or (star and is_between):
        return spec[len(head) : len(spec) - len(tail)]
    return None


def _patterns(options: Mapping[str, Any], folder: str) -> Iterator[_Alias]:
    """Yield the ``paths`` of a configuration, and those that its ``baseUrl`` adds."""
    base = posixpath.join(folder, str(options.get("baseUrl", ".")))
    paths = options.get("paths")
    for pattern, targets in paths.items() if isinstance(paths, dict) else ():
        if isinstance(targets, list):
            yield pattern, [posixpath.normpath(posixpath.join(base, str(target))) for target in targets]
    if "baseUrl" in options:
        yield "*", [posixpath.normpath(posixpath.join(base, "*"))]


def _strings(value: object) -> Iterator[str]:
    """Yield the file names in one entry of ``exports``."""
    match value:
        case str():
            yield value
        case dict():
            for condition in value.values():
                yield from _strings(condition)


def _extended_paths(content: Mapping[str, Any], folder: str) -> Iterator[str]:
    """Yield the paths of the configurations that a configuration extends by a relative path."""
    extended = content.get("extends")
    for config in extended if isinstance(extended, list) else [extended]:
        if isinstance(config, str) and config.startswith("."):
            path = posixpath.normpath(posixpath.join(folder, config))
            yield path if path.endswith(".json") else f"{path}.json"


def _targets(content: Mapping[str, Any], inner: str) -> list[str]:
    """Return the file names that a manifest publishes under a name."""
    exports = content.get("exports")
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        return [*_strings(exports.get(inner))]
    if inner != ".":
        return []
    return [*_strings(exports), *(str(content[key]) for key in _ENTRIES if key in content)]


def import_word(path: str) -> str:
    """Return the word by which imports name a module: the folder for an index file."""
    folder, name = posixpath.split(path.rpartition(".")[0])
    return posixpath.basename(folder) if name == "index" else name
