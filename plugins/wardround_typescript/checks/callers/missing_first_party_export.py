"""TS098: missing first party export."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from wardround.checks.cases import change
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.config.ignore_files import is_ignored
from wardround.findings import Plane, Severity
from wardround.semantics.semdiff.line_diff import span_of_line
from wardround.semantics.semdiff.removed_uses import RemovedUse, RemovedUsesCheck
from wardround_typescript.check import COMPONENTS, SCRIPTS

if TYPE_CHECKING:
    from wardround_typescript.analysis.exports import Modules

_MOST_NAMES = 200
"""Number of exports that one file may lose; a change that removes more rewrites it."""
_LONGEST_TEXT = 400_000
_GENERATED = LazyPattern(r"(?i)generated|\.gen\.|(^|/)(dist|build|vendor|node_modules|__mocks__)/|\.min\.")
_ADJACENT = LazyPattern(
    r"\.(test|tests|spec|stories|story|mock|mocks|bench|e2e|cy|module)\.\w+$|\.(css|scss|md|snap)$"
)
"""Files with the stem of a module that an import of the stem never means."""
_OF_IMPORT = LazyPattern(r"\bimport\b|\bfrom\b|^\s*(?:type\s+)?\w+(?:\s+as\s+\w+)?,?\s*$")


class MissingFirstPartyExport(RemovedUsesCheck):
    """An import names a module or an export of this repository that does not exist.

    The change removes, renames or moves something that another file still imports, or adds an import of
    something that does not exist. The build fails, or the value is ``undefined`` where nothing checks it.
    Change the importing files in the same commit, keep the old name as an alias, or correct the import. An
    import counts only where it resolves to that module: by a relative path, the ``paths`` of tsconfig, or,
    for removed exports, a package of the workspace. CommonJS modules, generated ones, modules that git
    ignores, ``@ts-ignore`` and imports that may fail are not reported.
    """

    ID = "TS098"
    NAME = "missing-first-party-export"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "missing-import"
    PATHS = (*SCRIPTS, *COMPONENTS)
    PREFILTER = "wardround_typescript.export_prefilters:removes_an_export_or_imports"
    VALID = [
        change(
            {
                "src/mail/use.ts": (
                    None,
                    """
                    import { send } from './box';
                    import './box.css';
                    """,
                ),
            },
            others={
                "src/mail/box.ts": """
                export function send(to: string) {
                  return to;
                }
                """,
                "src/mail/all.ts": """
                export * from 'elsewhere';
                """,
                "src/mail/typed.js": """
                /** @typedef {string} Sent */
                export function post(to: string) {
                  return to;
                }
                """,
                "src/mail/declared.d.ts": """
                export declare function post(): void;
                """,
            },
        ),
        change(
            {
                "src/mail/use.ts": (
                    None,
                    """
                    import { send } from './generated/box';
                    import { Route } from './+types/box';
                    """,
                ),
            },
            others={
                "src/mail/box.ts": """
                export function send(to: string) {
                  return to;
                }
                """,
                "src/mail/all.ts": """
                export * from 'elsewhere';
                """,
                "src/mail/typed.js": """
                /** @typedef {string} Sent */
                export function post(to: string) {
                  return to;
                }
                """,
                "src/mail/declared.d.ts": """
                export declare function post(): void;
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "src/mail/use.ts": (
                    None,
                    """
                    import {
                      send,
                      «sent,»
                    } from './box';
                    """,
                ),
            },
            others={
                "src/mail/box.ts": """
                export function send(to: string) {
                  return to;
                }
                """,
                "src/mail/all.ts": """
                export * from 'elsewhere';
                """,
                "src/mail/typed.js": """
                /** @typedef {string} Sent */
                export function post(to: string) {
                  return to;
                }
                """,
                "src/mail/declared.d.ts": """
                export declare function post(): void;
                """,
            },
        ),
        change(
            {
                "src/mail/use.ts": (
                    None,
                    """
                    «import type { Sent } from './box';»
                    """,
                ),
            },
            others={
                "src/mail/box.ts": """
                export function send(to: string) {
                  return to;
                }
                """,
                "src/mail/all.ts": """
                export * from 'elsewhere';
                """,
                "src/mail/typed.js": """
                /** @typedef {string} Sent */
                export function post(to: string) {
                  return to;
                }
                """,
                "src/mail/declared.d.ts": """
                export declare function post(): void;
                """,
            },
        ),
    ]

    def run(self) -> None:
        for file in self.change.files:
            if file.path.endswith(self.PATHS) and not _GENERATED.search(file.path):
                self._inspect_imports(file)
        files = {path: file for file in self.change.files if (path := self._inspected(file)) is not None}
        if files:
            self._inspect_exports(files)

    def _inspect_exports(self, files: Mapping[str, ChangedFileView]) -> None:
        read = self.change.project.read
        removed = {path: file for path, file in files.items() if read(path) is None}
        remaining = {path: file for path, file in files.items() if path not in removed}
        removed = {path: file for path, file in removed.items() if not is_ignored(path, read)}
        self._inspect_names(
            {p: file for p, file in remaining.items() if p.endswith(SCRIPTS) and ".d." not in p}
        )
        if removed and not self.change.file(".gitignore"):
            self._inspect_removed(removed)

    def _inspect_imports(self, file: ChangedFileView) -> None:
        """Report added imports of something that does not exist, unless the change removes it."""
        from wardround_typescript.analysis.added_imports import missing_uses
        from wardround_typescript.analysis.exports import Modules, exports_of

        if (
            file.text is None
            or len(file.text) > _LONGEST_TEXT
            or not _imports_more(file.base_text, file.text)
        ):
            return
        modules = Modules(self.change.project, [])
        for module, use in missing_uses(file.path, file.text, modules, file.is_added):
            before = self._removed_from(module)
            if before is not None and (not use.name or use.name in exports_of(module, before).names):
                continue  # reported at the removal
            what = (
                f'"{use.name}" is not exported by {module}'
                if use.name
                else f'module "{module}" does not exist'
            )
            self.report(file.path, span_of_line(file, use.line), f"{what}; correct the import")

    def _removed_from(self, module: str) -> str | None:
        """Return the text of a module before the change; its path may lack the suffix."""
        paths = (module, *(f"{module}{ending}" for ending in self.PATHS))
        return next((one.base_text for one in self.change.files if one.base_path in paths), None)

    def _inspected(self, file: ChangedFileView) -> str | None:
        """Return the old path of a module that may have lost an export."""
        path, text = file.base_path, file.base_text
        if path is None or text is None or not path.endswith(self.PATHS) or _GENERATED.search(path):
            return None
        return path if len(text) <= _LONGEST_TEXT and (file.text != text or file.path != path) else None

    def _inspect_removed(self, removed: Mapping[str, ChangedFileView]) -> None:
        """Report the imports of modules that no longer exist."""
        from wardround_typescript.analysis.exports import Modules
        from wardround_typescript.analysis.import_users import ExportUsers

        words = {_home(path) for path in removed} - {""}
        modules = Modules(self.change.project, [*removed], [*removed])
        uses = ExportUsers(dict.fromkeys(removed, ()), words, modules).uses()
        for path, file in removed.items():
            if path in uses and not self._has_other(path.rpartition(".")[0]):
                self.report_module(file, path, uses[path])

    def _has_other(self, stem: str) -> bool:
        """Return True if an import of a removed module may resolve to another file."""
        patterns = [f"{stem}.*", f"{stem}/index.*", f"{stem}/package.json"]
        if stem.endswith("/index"):
            patterns += [f"{stem.removesuffix('/index')}.*", f"{stem.removesuffix('/index')}/package.json"]
        return any(not _ADJACENT.search(path) for path in self.change.project.paths(patterns))

    def _inspect_names(self, files: Mapping[str, ChangedFileView]) -> None:
        """Report the imports of exports that were removed from their modules."""
        from wardround_typescript.analysis.exports import Modules, exports_of
        from wardround_typescript.analysis.import_users import ExportUsers

        modules = Modules(self.change.project, [*files])
        losses: dict[str, set[str]] = defaultdict(set)
        homes: dict[tuple[str, str], str] = {}
        words = set()
        for path, file in files.items():
            for through, name in self._lost(path, file.base_text or "", modules):
                losses[through].add(name)
                homes[through, name] = path
                words.add(_home(path) if name == "default" else name)
        uses: dict[str, list[RemovedUse]] = defaultdict(list)
        for through, found in ExportUsers(losses, words - {""}, modules).uses().items():
            for use in found:
                uses[homes[through, use.name]].append(use)
        for path in sorted(uses):
            before = exports_of(path, files[path].base_text or "").names
            self.report_names(files[path], path, before, uses[path])

    def _lost(self, path: str, text: str, modules: Modules) -> Iterator[tuple[str, str]]:
        """Return the exports that a module lost, each with the modules that exported it."""
        from wardround_typescript.analysis.exports import exports_of, provides

        before = exports_of(path, text)
        lost = [name for name in before.names if provides(path, name, modules) is False]
        if before.is_unknown or not 0 < len(lost) <= _MOST_NAMES:
            return
        yield from ((path, name) for name in lost)
        for barrel in self._barrels(path, modules):
            passed = [name for name in lost if name != "default"]
            yield from ((barrel, name) for name in passed if provides(barrel, name, modules) is False)

    def _barrels(self, path: str, modules: Modules) -> Iterator[str]:
        """Yield the index files above a module that re-export all of it, directly or through one another."""
        from wardround_typescript.analysis.exports import exports_of

        passing = {path}
        folder = posixpath.dirname(path)
        while True:
            for ending in (".ts", ".tsx", ".js", ".mts", ".mjs"):
                barrel = posixpath.join(folder, f"index{ending}")
                text = self.change.project.read(barrel) if barrel != path else None
                stars = exports_of(barrel, text).stars if text is not None else ()
                if any(modules.resolved(barrel, spec) in passing for spec in stars):
                    passing.add(barrel)
                    yield barrel
            if not folder:
                return
            folder = posixpath.dirname(folder)


def _imports_more(base: str | None, text: str) -> bool:
    """Return True if the change added a line that names an imported module or a part of such a statement."""
    before = set((base or "").split("\n"))
    return any(_OF_IMPORT.search(line) for line in text.split("\n") if line not in before)


def _home(path: str) -> str:
    """Return the word by which imports name a module: the folder for an index file."""
    folder, name = posixpath.split(path.rpartition(".")[0])
    return posixpath.basename(folder) if name == "index" else name
