from __future__ import annotations

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.findings import Plane, Severity, Span
from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround.semantics.semdiff.line_diff import removal_site, span_of_line

_CHANGELOGS = tuple(f"*{name}*.{suffix}" for name in ("CHANGELOG", "CHANGES", "HISTORY", "NEWS", "changelog")
                    for suffix in ("md", "rst", "txt"))  # fmt: skip
_UNVERSIONED = frozenset({SurfaceKind.SQL_SCHEMA, SurfaceKind.SETTINGS, SurfaceKind.CONTAINER})
"""Surfaces of applications, which are rarely announced to users by a changelog."""
_START = Span(1, 1, 1, 1)
_PYPROJECT = '[build-system]\nrequires = ["hatchling"]\n\n[project]\nname = "mail"\n'


class UnannouncedBreak(ChangeCheck):
    """A change breaks users of a published package, action or HTTP interface, and nothing announces it.

    They learn about it from an error after the update. Add an entry to the changelog, raise the version, or
    mark the commit with ``!`` or ``BREAKING CHANGE``.

    Surfaces are those of the table in ``docs/verdicts.md``, if their users read a changelog: not database
    schemas, images and environment variables. A repository without a changelog is not reported. All changes
    are one finding, only in the profile ``ci``.
    """

    ID = "CT009"
    NAME = "unannounced-break"
    DEFECT_CLASS = "unannounced-break"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    PREFILTER = "wardround_contract.prefilters:loses_a_line"
    VALID = [
        change(
            {
                "src/mail/__init__.py": ("def send(): ...\n\ndef get(): ...\n", "def get(): ...\n"),
                "CHANGELOG.md": ("# 1.0\n", "# 2.0\n\n- Removed `send`.\n\n# 1.0\n"),
            },
            others={"pyproject.toml": _PYPROJECT},
        ),
        change(
            {"src/mail/__init__.py": ("def send(): ...\n\ndef get(): ...\n", "def get(): ...\n")},
            others={"pyproject.toml": _PYPROJECT, "CHANGELOG.md": "# 1.0\n"},
            message="feat!: one way to read mail",
        ),
    ]
    INVALID = [
        change(
            {"src/mail/__init__.py": ("def send(): ...\n\ndef get(): ...\n", "«def get(): ...»\n")},
            others={"pyproject.toml": _PYPROJECT, "CHANGELOG.md": "# 1.0\n"},
        ),
        change(
            {
                "action.yml": (
                    "inputs:\n  target: {}\n  level: {}\n",
                    "«inputs:»\n  level: {}\n",
                ),
            },
            others={"docs/changelog.md": "# 1.0\n"},
        ),
    ]

    def run(self) -> None:
        surface = self.change.surface() if self.change.reports(type(self)) else None
        if surface is None:
            return
        found = [change for change in surface.unannounced if change.kind not in _UNVERSIONED]
        changelogs = self.change.project.paths(_CHANGELOGS) if found else ()
        own = [path for path in changelogs if "node_modules/" not in path]
        if own:
            self._report(found, min(own, key=lambda path: (path.count("/"), path)))

    def _report(self, found: list[SurfaceChange], changelog: str) -> None:
        first = found[0]
        file = self.change.file(first.path) or self.change.files[0]
        more = f" and {len(found) - 1} more changes break users" if len(found) > 1 else ", which breaks users"
        what = f"{first.name} {first.detail}{more}, and nothing announces it"
        self.report(file.path, _span(file, first), f"{what}; add an entry to {changelog}")


def _span(file: ChangedFileView, found: SurfaceChange) -> Span:
    """Return the position at the head; of something that is removed, the line that is there now."""
    if file.text is None or file.path != found.path:
        return _START
    if found.detail == "is removed":
        return removal_site(file, found.line)
    return span_of_line(file, found.line)
