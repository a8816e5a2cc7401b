from __future__ import annotations

from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround.semantics.supply_chain.notes import DependencyChange, LockChange
from wardround_supply_chain.check import SupplyChainCheck

_REPORTED = (LockChange.REDIRECTED, LockChange.INTEGRITY, LockChange.OTHER_PACKAGE, LockChange.INSECURE)
_STATED = (DependencyChange.SOURCE, DependencyChange.REGISTRY)
"""Changes of a manifest after which the lock file has another source on purpose."""


class RedirectedPackage(SupplyChainCheck):
    """A lock file resolves the same version of a package to another URL, or to other content.

    A published version does not change. An entry with another host or hash for the same version installs
    code that nobody reviewed, and reviewers rarely read lock files. Generate the lock file again from the
    registry.

    Also reported: an archive of another package than that of the entry, and an archive without TLS. Mirrors
    of the same registry, other algorithms of hashes, additional archives of a version, and a source that the
    manifest changes in the same commit are not reported.
    """

    ID = "SC002"
    NAME = "redirected-package"
    DEFECT_CLASS = "redirected-package"
    MATURITY = Maturity.PREVIEW
    PATHS = (".lock", "-lock.", "npm-shrinkwrap")
    VALID = [
        change(
            {
                "yarn.lock": (
                    'a@^1:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz"\n',
                    'a@^1:\n  version "1.0.0"\n  resolved "https://registry.npmjs.org/a/-/a-1.0.0.tgz"\n',
                )
            },
        ),
        change(
            {
                "yarn.lock": (
                    'a@^1:\n  version "1.0.0"\n  integrity sha512-AAAA\n',
                    'a@^1:\n  version "1.0.1"\n  integrity sha512-BBBB\n',
                )
            },
        ),
    ]
    INVALID = [
        change(
            {
                "yarn.lock": (
                    'a@^1:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz"\n',
                    '«a@^1:»\n  version "1.0.0"\n  resolved "https://evil.example/a/-/a-1.0.0.tgz"\n',
                )
            },
        ),
        change(
            {
                "yarn.lock": (
                    'a@^1:\n  version "1.0.0"\n  integrity sha512-AAAA\n',
                    '«a@^1:»\n  version "1.0.0"\n  integrity sha512-BBBB\n',
                )
            },
        ),
    ]

    def run(self) -> None:
        notes = self.notes()
        moved = {dependency.name for dependency in notes.dependencies if dependency.change in _STATED}
        for note in notes.locks:
            if note.change in _REPORTED and note.name not in moved:
                message = f"{note.name}: {note.reason}; generate the lock file again from the registry"
                self.report_line(note.file, note.line, message)
