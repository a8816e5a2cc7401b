"""PY084."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.checks.cases import change
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Severity
from wardround.languages.python.tree import parse
from wardround.semantics.semdiff.line_diff import span_of_line
from wardround.semantics.semdiff.removed_uses import RemovedUsesCheck
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
    provides,
    star_imports,
    stem_of,
)
from wardround_python.analysis.import_users import Users

_MOST_NAMES = 200
"""Names one file may lose; a change that takes more rewrites it."""


class MissingFirstPartyName(RemovedUsesCheck):
    """A module of this repository is imported that does not exist, or a name that the module does not define.

    The change removes, renames or moves what another file still imports, or adds an import of what is not
    there. The import raises ImportError as soon as the file is loaded, a read of the name AttributeError.
    Change the users in the same commit, keep the old name as an alias, or correct the import. An import
    counts only where it can mean nothing but that module: those that may fail (``try``, ``if`` on a version,
    ``type: ignore``), modules that compute their names and names that a star import provides are not
    reported. An import that only a type checker follows is a warning.
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
            path = file.base_path
            if path is None or not path.endswith(".py") or file.base_text is None:
                continue
            if not all(part.isidentifier() for part in stem_of(path).split("/")[-1:]):
                continue  # a script, which nothing can import
            if file.text != file.base_text or file.path != path:
                self._inspect(file, path, file.base_text)

    def _inspect_imports(self, file: ChangedFileView, text: str) -> None:
        """Report what added lines import that does not exist, unless the change removes it."""
        from wardround_python.analysis.added_imports import missing_uses

        for module, use in missing_uses(file.path, text, self.change.project, file.is_added):
            before = next((one.base_text for one in self.change.files if one.base_path == module), None)
            if before is not None and (not use.name or use.name in names_of(before)):
                continue  # a removal, reported where it is
            called = dotted_name(module, self.change.project)
            what = f'module "{called}" does not exist'
            if use.name:
                what = f'"{use.name}" is not defined in {module}'
            severity = Severity.WARN if use.is_for_types else None
            self.report(file.path, span_of_line(file, use.line), f"{what}; correct the import", severity)

    def _inspect(self, file: ChangedFileView, path: str, text: str) -> None:
        before = names_of(text)
        project = self.change.project
        now = module_at(stem_of(path), project)
        if now is None and not is_package(path):
            self._inspect_gone(file, path)
            return
        lost = [name for name in before if self._is_lost(now, path, name)]
        if not 0 < len(lost) <= _MOST_NAMES:
            return
        uses = Users(path, lost, project).uses()
        for package in self._star_importers(path):
            through = [n for n in lost if _is_exported(text, n) and provides(package, n, project) is False]
            uses += Users(package, through, project).uses() if through else []
        self.report_names(file, now or path, before, uses)

    def _is_lost(self, now: str | None, path: str, name: str) -> bool:
        project = self.change.project
        if now is not None:
            return provides(now, name, project) is False
        return not has_submodule(stem_of(path), name, project)

    def _star_importers(self, path: str) -> Iterator[str]:
        """The packages above a module that pass on all it has."""
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

    def _inspect_gone(self, file: ChangedFileView, path: str) -> None:
        """Report the imports of a module that is there no more."""
        project = self.change.project
        uses = Users(path, (), project, is_gone=True).uses()
        if uses and not has_other_source(stem_of(path), project) and not is_generated(path, project):
            self.report_module(file, dotted_name(path, project), uses)


def _is_exported(text: str, name: str) -> bool:
    """Return True if a star import of a module brought a name."""
    if "__all__" in text:
        return f'"{name}"' in text or f"'{name}'" in text
    return not name.startswith("_")
