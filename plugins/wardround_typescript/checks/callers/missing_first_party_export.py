from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from wardround.checks.source import ChangedFileView
from wardround.config.ignore_files import is_ignored
from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import change
from wardround.semantics.semdiff.line_diff import span_of_line
from wardround.semantics.semdiff.removed_uses import RemovedUse, RemovedUsesCheck
from wardround_typescript.check import COMPONENTS, SCRIPTS

if TYPE_CHECKING:
    from wardround_typescript.analysis.modules import Modules

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
        files = {path: file for file in self.change.files if (path := self._inspected_path(file)) is not None}
        if files:
            self._inspect_exports(files)

    def _inspect_exports(self, files: Mapping[str, ChangedFileView]) -> None:
        read = self.change.project.read
        remaining: dict[str, ChangedFileView] = {}
        removed: dict[str, ChangedFileView] = {}
        for path, file in files.items():
            if read(path) is not None:
                remaining[path] = file
            elif not is_ignored(path, read):
                removed[path] = file
        self._inspect_names({path: file for path, file in remaining.items() if _is_script(path)})
        if removed and not self.change.file(".gitignore"):
            self._check_removed_modules(removed)

    def _inspect_imports(self, file: ChangedFileView) -> None:
        """Report added imports of something that does not exist, unless the change removes it."""
        from wardround_typescript.analysis.added_imports import missing_uses
        from wardround_typescript.analysis.modules import Modules

        text = file.text
        if text is None or len(text) > _LONGEST_TEXT or not _imports_more(file.base_text, text):
            return
        modules = Modules(self.change.project, [])
        for module, use in missing_uses(file.path, text, modules, file.is_added):
            if not self._is_removal(module, use.name):
                span = span_of_line(file, use.line)
                self.report(file.path, span, f"{_problem(module, use.name)}; correct the import")

    def _is_removal(self, module: str, name: str) -> bool:
        """Return True for a module or an export that the change removes, which is reported there."""
        from wardround_typescript.analysis.exports import exports_of

        before = self._removed_from(module)
        if before is None:
            return False
        return not name or name in exports_of(module, before).names

    def _removed_from(self, module: str) -> str | None:
        """Return the text of a module before the change; its path may lack the suffix."""
        paths = (module, *(f"{module}{ending}" for ending in self.PATHS))
        return next((file.base_text for file in self.change.files if file.base_path in paths), None)

    def _inspected_path(self, file: ChangedFileView) -> str | None:
        """Return the old path of a module that may have lost an export."""
        path, text = file.base_path, file.base_text
        if path is None or text is None or len(text) > _LONGEST_TEXT:
            return None
        if not path.endswith(self.PATHS) or _GENERATED.search(path):
            return None
        is_same = file.text == text and file.path == path
        return None if is_same else path

    def _check_removed_modules(self, removed: Mapping[str, ChangedFileView]) -> None:
        """Report the imports of modules that no longer exist."""
        from wardround_typescript.analysis.import_users import ExportUsers
        from wardround_typescript.analysis.modules import Modules, import_word

        words = {import_word(path) for path in removed} - {""}
        modules = Modules(self.change.project, [*removed], [*removed])
        uses = ExportUsers(dict.fromkeys(removed, ()), words, modules).uses()
        for path, file in removed.items():
            if path in uses and not self._has_other(path.rpartition(".")[0]):
                self.report_module(file, path, uses[path])

    def _has_other(self, stem: str) -> bool:
        """Return True if an import of a removed module may resolve to another file."""
        folder = stem.removesuffix("/index")
        patterns = [f"{stem}.*", f"{stem}/index.*", f"{stem}/package.json"]
        if folder != stem:
            patterns += [f"{folder}.*", f"{folder}/package.json"]
        return any(not _ADJACENT.search(path) for path in self.change.project.paths(patterns))

    def _inspect_names(self, files: Mapping[str, ChangedFileView]) -> None:
        """Report the imports of exports that were removed from their modules."""
        from wardround_typescript.analysis.exports import exports_of
        from wardround_typescript.analysis.modules import Modules

        uses = self._uses_of_removed_exports(files, Modules(self.change.project, [*files]))
        for path in sorted(uses):
            before = exports_of(path, files[path].base_text or "").names
            self.report_names(files[path], path, before, uses[path])

    def _uses_of_removed_exports(
        self, files: Mapping[str, ChangedFileView], modules: Modules
    ) -> dict[str, list[RemovedUse]]:
        """Return the uses of the exports that some files lost, by the file that declared them."""
        from wardround_typescript.analysis.import_users import ExportUsers
        from wardround_typescript.analysis.lost_exports import lost_exports

        names: dict[str, set[str]] = defaultdict(set)
        homes: dict[tuple[str, str], str] = {}
        words = set()
        for lost in lost_exports(files, modules):
            names[lost.through].add(lost.name)
            homes[lost.through, lost.name] = lost.home
            words.add(lost.word)
        uses: dict[str, list[RemovedUse]] = defaultdict(list)
        for through, found in ExportUsers(names, words - {""}, modules).uses().items():
            for use in found:
                uses[homes[through, use.name]].append(use)
        return uses


def _is_script(path: str) -> bool:
    return path.endswith(SCRIPTS) and ".d." not in path


def _problem(module: str, name: str) -> str:
    return f'"{name}" is not exported by {module}' if name else f'module "{module}" does not exist'


def _imports_more(base: str | None, text: str) -> bool:
    """Return True if the change added a line that names an imported module, or a part of an import
    statement.
    """
    before = set((base or "").split("\n"))
    added = (line for line in text.split("\n") if line not in before)
    return any(_OF_IMPORT.search(line) for line in added)
