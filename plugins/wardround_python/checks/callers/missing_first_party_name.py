from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Severity
from wardround.languages.python.tree import parse
from wardround.rules.cases import change
from wardround.semantics.semdiff.line_diff import span_of_line
from wardround.semantics.semdiff.removed_uses import RemovedUse, RemovedUsesCheck
from wardround_python.analysis.exports import (
    UNREADABLE,
    dotted_name,
    has_other_source,
    has_submodule,
    imported_module,
    is_generated,
    is_package,
    module_at,
    names_of,
    provides_name,
    star_imports,
    stem_of,
)
from wardround_python.analysis.import_users import ImportUsers

_MAX_LOST_NAMES = 200
"""Most names one file may lose; a change that removes more is a rewrite."""


class MissingFirstPartyName(RemovedUsesCheck):
    """An import refers to a module of this repository, or a name in it, that does not exist.

    The change removes, renames or moves a name that another file still imports, or adds an import of a
    missing one. The import raises ImportError as soon as the file is loaded; reading the name raises
    AttributeError. Update the importing files in the same commit, keep the old name as an alias, or
    correct the import.

    An import counts only if it can refer to nothing but that module: imports that may fail (``try``,
    ``if`` on a version, ``type: ignore``), modules that compute their names and names that a star import
    provides are not reported. An import that only a type checker follows is a warning.
    """

    ID = "PY084"
    NAME = "missing-first-party-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "missing-import"
    PATHS = (".py",)
    PREFILTER = "wardround_python.prefilters:removes_a_binding_or_uses_an_import"
    VALID = [
        change(
            {
                "mail/box.py": (
                    """
                    def send(to):
                        return to
                    """,
                    """
                    def post(to):
                        return to
                    """,
                ),
            },
            others={
                "mail/__init__.py": "",
                "app.py": """
                from mail.box import post

                post(1)
                """,
            },
        ),
        change(
            {
                "mail/box.py": (
                    """
                    def send(to):
                        return to
                    """,
                    """
                    def post(to):
                        return to
                    send = post
                    """,
                ),
            },
            others={
                "mail/__init__.py": "",
                "app.py": """
                from mail.box import send

                send(1)
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "app.py": (
                    None,
                    """
                    import os
                    «from mail.box import sent»
                    """,
                ),
            },
            others={
                "mail/__init__.py": "",
                "mail/box.py": """
                def send(to):
                    return to
                """,
            },
        ),
        change(
            {
                "mail/desk.py": (
                    """
                    from . import box
                    """,
                    """
                    from . import box

                    «box.sent(1)»
                    """,
                ),
            },
            others={
                "mail/__init__.py": "",
                "mail/box.py": """
                def send(to):
                    return to
                """,
            },
        ),
    ]

    def run(self) -> None:
        for file in self.change.files:
            if file.path.endswith(".py") and file.text is not None:
                self._inspect_imports(file, file.text)
            self._inspect_base(file)

    def _inspect_base(self, file: ChangedFileView) -> None:
        """Report the imports of what a module defined before the change."""
        path = file.base_path
        if path is None or not path.endswith(".py") or file.base_text is None:
            return
        is_importable = all(part.isidentifier() for part in stem_of(path).split("/")[-1:])
        if is_importable and (file.text != file.base_text or file.path != path):
            self._inspect(file, path, file.base_text)

    def _inspect_imports(self, file: ChangedFileView, text: str) -> None:
        """Report missing modules and names that added lines import, unless the change removes them."""
        from wardround_python.analysis.added_imports import missing_uses

        for module, use in missing_uses(file.path, text, self.change.project, file.is_added):
            before = next((other.base_text for other in self.change.files if other.base_path == module), None)
            if before is not None and (not use.name or use.name in names_of(before)):
                continue  # a removal, reported where it is
            dotted = dotted_name(module, self.change.project)
            problem = f'module "{dotted}" does not exist'
            if use.name:
                problem = f'"{use.name}" is not defined in {module}'
            severity = Severity.WARN if use.is_for_types else None
            self.report(file.path, span_of_line(file, use.line), f"{problem}; correct the import", severity)

    def _inspect(self, file: ChangedFileView, path: str, text: str) -> None:
        before = names_of(text)
        module_path = module_at(stem_of(path), self.change.project)
        if module_path is None and not is_package(path):
            self._inspect_removed_module(file, path)
            return
        lost = [name for name in before if self._is_lost(module_path, path, name)]
        if 0 < len(lost) <= _MAX_LOST_NAMES:
            uses = ImportUsers(path, lost, self.change.project).uses()
            for package in self._star_importers(path):
                uses += self._uses_through(package, lost, text)
            self.report_names(file, module_path or path, before, uses)

    def _uses_through(self, package: str, lost: Sequence[str], text: str) -> list[RemovedUse]:
        """Return the uses of lost names that a package re-exported."""
        project = self.change.project
        reexported = [
            n for n in lost if _is_exported(text, n) and provides_name(package, n, project) is False
        ]
        return ImportUsers(package, reexported, project).uses() if reexported else []

    def _is_lost(self, module_path: str | None, path: str, name: str) -> bool:
        project = self.change.project
        if module_path is not None:
            return provides_name(module_path, name, project) is False
        return not has_submodule(stem_of(path), name, project)

    def _star_importers(self, path: str) -> Iterator[str]:
        """Yield the packages above a module that re-export all its names."""
        project = self.change.project
        folders = path.split("/")[:-1]
        for depth in range(len(folders), 0, -1):
            package = "/".join([*folders[:depth], "__init__.py"])
            text = project.read(package) if package != path else None
            try:
                tree = parse(text) if text is not None and "import *" in text else None
            except UNREADABLE:
                continue
            if tree and any(imported_module(package, node, project) == path for node in star_imports(tree)):
                yield package

    def _inspect_removed_module(self, file: ChangedFileView, path: str) -> None:
        """Report the imports of a removed module."""
        project = self.change.project
        uses = ImportUsers(path, (), project, is_gone=True).uses()
        if uses and not has_other_source(stem_of(path), project) and not is_generated(path, project):
            self.report_module(file, dotted_name(path, project), uses)


def _is_exported(text: str, name: str) -> bool:
    """Return True if a star import of the module provided the name."""
    if "__all__" in text:
        return f'"{name}"' in text or f"'{name}'" in text
    return not name.startswith("_")
