"""The files that the imports of TypeScript and JavaScript modules mean.

Relative paths, index files, the path aliases of the nearest compiler settings, and the packages of a
workspace; an entry that names a built file is searched in the sources of its package.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from wardround.context.code_graph.manifests import Manifest

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_WRITTEN = re.compile(r"\.[cm]?[jt]sx?$")
_BUILT = re.compile(
    r"^(?:dist|build|lib|es|esm|cjs|out|modern|legacy|types|dist-types)/(?:(?:esm|cjs|es|src|types)/)*"
)
_SETTINGS = ("tsconfig.json", "jsconfig.json", "tsconfig.app.json", "tsconfig.base.json")
_MOST_EXTENDED = 5


_ALIASES = ("@", "~")
"""Aliases that programs configure in code, such as the settings of Vite, which are not run."""


class ScriptModules:
    """The modules of a tree.

    Args:
        paths: paths of all source files of the tree.
        manifests: the settings of modules, by path.
    """

    def __init__(self, paths: Collection[str], manifests: Mapping[str, Manifest]) -> None:
        self._paths = paths
        self._manifests = manifests
        self._aliases: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}

    def resolve(self, path: str, module: str) -> str:
        """Return the file of a module that a file imports; empty for one outside the tree."""
        folder = posixpath.dirname(path)
        if module.startswith("."):
            return self._file(posixpath.join(folder, module))
        for candidate in (*self._candidates(folder, module), *self._conventional(folder, module)):
            found = self._file(candidate)
            if found:
                return found
        return self._package_file(module)

    def _file(self, stem: str) -> str:
        """Return the source file of a path that may lack its suffix, or have the suffix of its output."""
        stem = posixpath.normpath(stem)
        if stem in self._paths:
            return stem
        plain = _WRITTEN.sub("", stem)
        for base in dict.fromkeys((stem, plain, f"{stem}/index")):
            for suffix in _SUFFIXES:
                if base + suffix in self._paths:
                    return base + suffix
        return ""

    def _candidates(self, folder: str, module: str) -> Iterator[str]:
        """Yield the paths that the aliases around a folder give a module."""
        for pattern, targets in self._aliases_of(folder):
            before, star, after = pattern.partition("*")
            is_match = module.startswith(before) and module.endswith(after) if star else module == pattern
            if is_match:
                middle = module[len(before) : len(module) - len(after)] if star else ""
                yield from (target.replace("*", middle, 1) for target in targets)

    def _conventional(self, folder: str, module: str) -> Iterator[str]:
        """Yield the paths of ``@/`` and ``~/``, which bundlers are configured to resolve in ``src``."""
        alias, _, rest = module.partition("/")
        while alias in _ALIASES and rest:
            if posixpath.basename(folder) == "src":
                yield posixpath.join(folder, rest)
            elif posixpath.join(folder, "package.json") in self._manifests:
                yield posixpath.join(folder, "src", rest)
            if not folder:
                return
            folder = posixpath.dirname(folder)

    def _aliases_of(self, folder: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        known = self._aliases.get(folder)
        if known is None:
            known = self._aliases[folder] = tuple(self._found_aliases(folder))
        return known

    def _found_aliases(self, folder: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the aliases of the settings of a folder, or of the nearest one above that has some."""
        settings = [item for name in _SETTINGS if (item := self._manifests.get(posixpath.join(folder, name)))]
        found = [alias for setting in settings for alias in self._declared_paths(setting, _MOST_EXTENDED)]
        if found or not folder:
            yield from found
        else:
            yield from self._aliases_of(posixpath.dirname(folder))

    def _declared_paths(self, settings: Manifest, depth: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        base = posixpath.join(settings.folder, settings.base or ".")
        for pattern, targets in settings.paths.items():
            yield pattern, tuple(posixpath.normpath(posixpath.join(base, target)) for target in targets)
        if settings.base is not None:
            yield "*", (posixpath.normpath(posixpath.join(base, "*")),)
        for extended in settings.extends if depth else ():
            other = self._extended_manifest(settings.folder, extended)
            if other is not None:
                yield from self._declared_paths(other, depth - 1)

    def _extended_manifest(self, folder: str, name: str) -> Manifest | None:
        if name.startswith("."):
            path = posixpath.normpath(posixpath.join(folder, name))
        else:
            package, _, rest = self._split(name)
            path = posixpath.join(package, rest) if package else ""
        return self._manifests.get(path) or self._manifests.get(f"{path}.json")

    def _package_file(self, module: str) -> str:
        """Return the file of a module of another package of the repository."""
        folder, name, rest = self._split(module)
        if not name:
            return ""
        for target in self._entries(name, rest):
            inner = target.removeprefix("./")
            for path in dict.fromkeys((inner, _BUILT.sub("src/", inner), _BUILT.sub("", inner))):
                found = self._file(posixpath.join(folder, path))
                if found:
                    return found
        guesses = (rest, f"src/{rest}") if rest else ("src/index", "index")
        return next(filter(None, (self._file(posixpath.join(folder, guess)) for guess in guesses)), "")

    def _split(self, module: str) -> tuple[str, str, str]:
        """Return the folder and the name of a package, and the path in it; empty for one outside the tree."""
        parts = module.split("/")
        for count in (2, 1) if module.startswith("@") else (1,):
            name = "/".join(parts[:count])
            if name in self._packages:
                return self._packages[name].folder, name, "/".join(parts[count:])
        return "", "", ""

    def _entries(self, name: str, rest: str) -> Iterator[str]:
        for subpath, targets in self._packages[name].entries.items():
            expected = f"./{rest}" if rest else "."
            before, star, after = subpath.partition("*")
            if expected == subpath:
                yield from targets
            elif star and expected.startswith(before) and expected.endswith(after):
                middle = expected[len(before) : len(expected) - len(after)]
                yield from (target.replace("*", middle, 1) for target in targets)

    @cached_property
    def _packages(self) -> dict[str, Manifest]:
        """The packages by name; of several with one name the nearest to the root: others are fixtures."""
        paths = sorted(self._manifests, key=lambda path: (-path.count("/"), path))
        packages = (self._manifests[path] for path in paths if path.endswith("package.json"))
        return {package.name: package for package in packages if package.name}
