from __future__ import annotations

from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround.semantics.supply_chain.notes import LockChange, LockNote
from wardround_supply_chain.check import SupplyChainCheck


class OutdatedLockFile(SupplyChainCheck):
    """A manifest demands a dependency that its lock file does not contain in such a version.

    An installation with a frozen lock file fails, and any other one installs versions that nobody reviewed.
    Update the lock file in the same commit.

    Reported for uv, Poetry, PDM, Pipenv, npm, pnpm, yarn and Bun, if the change is the reason, once for each
    manifest.
    """

    ID = "SC001"
    NAME = "outdated-lock-file"
    DEFECT_CLASS = "outdated-lock-file"
    MATURITY = Maturity.PREVIEW
    PATHS = ("package.json", "pyproject.toml", "pipfile", "pnpm-workspace", ".lock", "-lock.", "shrinkwrap")
    VALID = [
        change(
            {
                "package.json": (
                    '{"dependencies": {"a": "^1.0.0"}}\n',
                    '{"dependencies": {"a": "^2.0.0"}}\n',
                ),
                "package-lock.json": (
                    '{"packages": {"": {"dependencies": {"a": "^1.0.0"}}}}\n',
                    '{"packages": {"": {"dependencies": {"a": "^2.0.0"}}}}\n',
                ),
            },
        ),
        change(
            {"package.json": ('{"dependencies": {"a": "^1.0.0"}}\n', '{"dependencies": {"a": "^2.0.0"}}\n')},
        ),
    ]
    INVALID = [
        change(
            {
                "package.json": (
                    '{"dependencies": {"a": "^1.0.0"}}\n',
                    '«{"dependencies": {"a": "^2.0.0"}}»\n',
                )
            },
            others={"package-lock.json": '{"packages": {"": {"dependencies": {"a": "^1.0.0"}}}}\n'},
        ),
        change(
            {
                "pyproject.toml": (
                    '[tool.poetry.dependencies]\nsix = "^1.0"\n',
                    '[tool.poetry.dependencies]\n«six = "^2.0"»\n',
                )
            },
            others={"poetry.lock": '[[package]]\nname = "six"\nversion = "1.17.0"\n'},
        ),
    ]

    def run(self) -> None:
        reported: set[tuple[str, str]] = set()
        for note in self.notes().locks:
            key = (note.file, note.manifest)
            if note.change in (LockChange.UNSATISFIED, LockChange.NOT_UPDATED) and key not in reported:
                reported.add(key)
                self._report(note)

    def _report(self, note: LockNote) -> None:
        subject = f"{note.name}: {note.reason}" if note.name else note.reason
        message = f"{note.file} does not belong to {note.manifest}: {subject}; update the lock file"
        manifest = self.file(note.manifest)
        if manifest is None:
            self.report_line(note.file, note.line, message)
        else:
            self.report_line(note.manifest, _line_of(note.manifest, manifest.text or "", note.name), message)


def _line_of(path: str, text: str, name: str) -> int:
    """Return the line of a dependency in a manifest; 1 without a name."""
    from wardround.semantics.supply_chain.manifests import read_manifest  # for findings alone

    lines = (
        dependency.line for dependency in read_manifest(path, text).dependencies if dependency.name == name
    )
    return next(lines, 1)
