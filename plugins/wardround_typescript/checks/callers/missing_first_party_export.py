"""TS098."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import ChangeCase
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Severity
from wardround.semantics.semdiff.line_diff import span_of_line
from wardround.semantics.semdiff.removed_uses import RemovedUse, RemovedUsesCheck
from wardround_typescript.check import COMPONENTS, SCRIPTS

if TYPE_CHECKING:
    from wardround_typescript.analysis.exports import Modules

_MOST_NAMES = 200
"""Exports one file may lose; a change that takes more rewrites it."""
_LONGEST_TEXT = 400_000
_GENERATED = LazyPattern(r"(?i)generated|\.gen\.|(^|/)(dist|build|vendor|node_modules|__mocks__)/|\.min\.")
_OF_IMPORT = LazyPattern(r"\bimport\b|\bfrom\b|^\s*(?:type\s+)?\w+(?:\s+as\s+\w+)?,?\s*$")
_SEND = "export function send(to: string) {\n  return to;\n}\n"
_POST = _SEND.replace("send", "post")
_USE = "import { send } from './box';\nsend('a');\n"


def _renamed(others: dict[str, str], line: int | None = None, after: str | None = _POST) -> ChangeCase:
    """A change that renames ``send`` in ``src/mail/box.ts``."""
    path = "src/mail/box.ts"
    return ChangeCase({path: (_SEND, after)}, None if line is None else (path, line, 1), others)


def _importing(text: str, line: int | None = None) -> ChangeCase:
    """A change that adds a module with imports beside ``src/mail/box.ts``."""
    path = "src/mail/use.ts"
    others = {
        "src/mail/box.ts": _SEND,
        "src/mail/all.ts": "export * from 'elsewhere';\n",
        "src/mail/typed.js": f"/** @typedef {{string}} Sent */\n{_POST}",
        "src/mail/declared.d.ts": "export declare function post(): void;\n",
    }
    column = 3 if text.startswith("import {\n") else 1
    return ChangeCase({path: (None, text)}, None if line is None else (path, line, column), others)


class MissingFirstPartyExport(RemovedUsesCheck):
    """A module of this repository is imported that does not exist, or a name that the module does not export.

    The change removes, renames or moves what another file still imports, or adds an import of what is not
    there. The build fails, or the value is ``undefined`` where nothing checks it. Change the users in the
    same commit, keep the old name as an alias, or correct the import. An import counts only where it resolves
    to that module: by a relative path, the ``paths`` of tsconfig, or, for what is removed, a package of the
    workspace. CommonJS modules, generated ones, ``@ts-ignore`` and imports that may fail are not reported.
    """

    ID = "TS098"
    NAME = "missing-first-party-export"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "missing-import"
    PATHS = (*SCRIPTS, *COMPONENTS)
    TRIED_ON = (
        "599 newest commits of redux-toolkit, TanStack/query, hoppscotch and langfuse: no hit; of the "
        "commits that remove exports, applied without their other files, 327 of 336 names"
    )
    PREFILTER = "wardround_typescript.export_prefilters:removes_an_export_or_imports"
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _importing("import { send } from './box';\nimport './box.css';\n"),
        _importing("import { send } from './generated/box';\nimport { Route } from './+types/box';\n"),
        _importing("// @ts-expect-error\nimport { sent } from './box';\n"),
        _importing("import { sent } from '@shop/box';\nimport { send } from 'box';\n"),
        _importing("import { sent } from './all';\n"),
        _importing("import { Sent } from './typed';\nimport { sent } from './declared';\n"),
        _renamed({"src/mail/use.ts": "import { post } from './box';\n"}),
        _renamed({"src/mail/use.ts": _USE}, after=f"{_POST}export {{ post as send }};\n"),
        _renamed({"src/mail/use.ts": _USE, "src/mail/new.ts": _SEND}, after="export * from './new';\n"),
        _renamed({"src/mail/use.ts": _USE}, after="export * from 'elsewhere';\n"),
        _renamed({"src/mail/use.ts": _USE}, after="module.exports = load();\n"),
        _renamed({"src/mail/use.ts": f"// @ts-ignore\n{_USE}"}),
        _renamed({"src/other/use.ts": _USE, "src/other/box.ts": _SEND}),
        _renamed({"src/use.ts": "import { send } from '@/mail/box';\n"}),
        _renamed({"src/mail/use.ts": _USE, "src/mail/box.tsx": _SEND}, after=None),
        _renamed({"src/mail/use.ts": "import('./box').catch(() => null);\n"}, after=None),
        ChangeCase(
            {"src/box.ts": (_SEND, None), "src/box/index.ts": (None, _SEND)}, others={"src/use.ts": _USE}
        ),
        ChangeCase(
            {"src/box.ts": (_SEND, _POST), ".gitignore": ("", "dist\n")},
            others={"src/use.ts": "import * as box from './box';\nbox.post('a');\n"},
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _importing("import {\n  send,\n  sent,\n} from './box';\n", 3),
        _importing("import type { Sent } from './box';\n", 1),
        _importing("import box from './box';\n", 1),
        _importing("import * as box from './box';\nbox.send('a');\nbox.sent('a');\n", 3),
        _importing("import { send } from './bocks';\n", 1),
        _renamed({"src/mail/use.ts": _USE}, 1),
        _renamed({"src/mail/use.ts": _USE.replace("'./box'", "'./box.js'")}, 1),
        _renamed({"src/mail/use.ts": _USE}, 1, after=None),
        _renamed({"src/mail/Desk.vue": f"<script setup lang='ts'>\n{_USE}</script>\n"}, 1),
        _renamed({"src/mail/use.ts": "import * as box from './box';\nbox.send('a');\n"}, 1),
        _renamed({"src/mail/index.ts": "export { send as deliver } from './box';\n"}, 1),
        _renamed(
            {
                "src/mail/index.ts": "export * from './box';\n",
                "src/use.ts": "import { send } from './mail';\n",
            },
            1,
        ),
        _renamed({"src/mail/use.ts": "const { send } = await import('./box');\n"}, 1),
        _renamed(
            {
                "src/deep/use.ts": "import type { send } from '@/mail/box';\n",
                "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}',
                "tsconfig.json": '{"extends": "./tsconfig.base.json"}',
            },
            1,
        ),
        _renamed(
            {
                "src/deep/use.ts": _USE.replace("./box", "src/mail/box"),
                "tsconfig.json": '{"compilerOptions": {"baseUrl": "./"}}',
            },
            1,
        ),
        ChangeCase(
            {"packages/mail/src/index.ts": (_SEND, _POST)},
            ("packages/mail/src/index.ts", 1, 1),
            {
                "packages/mail/package.json": '{"name": "@shop/mail", "main": "./dist/index.js"}',
                "packages/app/src/use.ts": "import { send } from '@shop/mail';\n",
            },
        ),
        ChangeCase(
            {"src/box.ts": ("export default 1;\nexport const a = 1;\n", "export const a = 1;\n")},
            ("src/box.ts", 1, 1),
            {"src/use.ts": "import box from './box';\n"},
        ),
    ]

    def run(self) -> None:
        for file in self.change.files:
            if file.path.endswith(self.PATHS) and not _GENERATED.search(file.path):
                self._inspect_imports(file)
        files = {path: file for file in self.change.files if (path := self._inspected(file)) is not None}
        if not files:
            return
        gone = {path: file for path, file in files.items() if self.change.project.read(path) is None}
        kept = {path: file for path, file in files.items() if path not in gone}
        self._inspect_names({p: file for p, file in kept.items() if p.endswith(SCRIPTS) and ".d." not in p})
        if gone and not self.change.file(".gitignore"):
            self._inspect_gone(gone)

    def _inspect_imports(self, file: ChangedFileView) -> None:
        """Report what added lines import that does not exist, unless the change removes it."""
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
                continue  # a removal, reported where it is
            what = (
                f'"{use.name}" is not exported by {module}'
                if use.name
                else f'module "{module}" does not exist'
            )
            self.report(file.path, span_of_line(file, use.line), f"{what}; correct the import")

    def _removed_from(self, module: str) -> str | None:
        """The text before the change of a module, whose path may lack its ending."""
        paths = (module, *(f"{module}{ending}" for ending in self.PATHS))
        return next((one.base_text for one in self.change.files if one.base_path in paths), None)

    def _inspected(self, file: ChangedFileView) -> str | None:
        """The old path of a module that may have lost something."""
        path, text = file.base_path, file.base_text
        if path is None or text is None or not path.endswith(self.PATHS) or _GENERATED.search(path):
            return None
        return path if len(text) <= _LONGEST_TEXT and (file.text != text or file.path != path) else None

    def _inspect_gone(self, gone: Mapping[str, ChangedFileView]) -> None:
        """Report the imports of modules that are there no more."""
        from wardround_typescript.analysis.exports import Modules
        from wardround_typescript.analysis.import_users import ExportUsers

        words = {_home(path) for path in gone} - {""}
        modules = Modules(self.change.project, [*gone], [*gone])
        uses = ExportUsers(dict.fromkeys(gone, ()), words, modules).uses()
        for path, file in gone.items():
            if path in uses and not self._has_other(path.rpartition(".")[0]):
                self.report_module(file, path, uses[path])

    def _has_other(self, stem: str) -> bool:
        """Return True if an import of a module that is gone may mean another file."""
        patterns = [f"{stem}.*", f"{stem}/index.*", f"{stem}/package.json"]
        if stem.endswith("/index"):
            patterns += [f"{stem.removesuffix('/index')}.*", f"{stem.removesuffix('/index')}/package.json"]
        return bool(self.change.project.paths(patterns))

    def _inspect_names(self, files: Mapping[str, ChangedFileView]) -> None:
        """Report the imports of exports that their modules have no more."""
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
        """The exports that a module has no more, each with the modules by which it was to be had."""
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
        """The index files above a module that pass on all it exports, directly or through one another."""
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
    """Return True if a line that names an imported module, or a part of such a statement, is new."""
    before = set((base or "").split("\n"))
    return any(_OF_IMPORT.search(line) for line in text.split("\n") if line not in before)


def _home(path: str) -> str:
    """The word by which imports name a module: of an index its folder."""
    folder, name = posixpath.split(path.rpartition(".")[0])
    return posixpath.basename(folder) if name == "index" else name
