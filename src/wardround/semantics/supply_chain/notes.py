"""Notes about the supply chain of a change: for policies and readers, never a finding by themselves."""

from __future__ import annotations

import enum

import msgspec

from wardround.text.escaping import one_line

MOST_NOTES = 300
"""Maximum number of notes of each kind; it bounds the size of a record."""
_LONGEST = 160


class DependencyChange(enum.StrEnum):
    """The way in which a change affects a dependency.

    ``widened``: the head accepts every version of the base, and more. ``unpinned``: it no longer names one
    version, digest or commit. ``source``: from a registry to git, a URL or a path. ``registry``: another
    package index. ``integrity``: without its hash. ``runtime``: from development to runtime.
    """

    ADDED = "added"
    REMOVED = "removed"
    WIDENED = "widened"
    UNPINNED = "unpinned"
    SOURCE = "source"
    REGISTRY = "registry"
    INTEGRITY = "integrity"
    RUNTIME = "runtime"


class DependencyNote(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A dependency that the change adds, removes or loosens.

    Attributes:
        line: line number at the head, 1-based; at the base if the dependency was removed.
        ecosystem: ``pypi``, ``npm``, ``docker`` or ``github-actions``.
        scope: the use of the dependency: ``runtime``, ``dev``, ``optional``, ``peer``, ``build``,
            ``constraint``, ``catalog``, ``image``, ``action``, ``tool`` or ``index``.
        base, head: the requirements, without credentials.
    """

    file: str
    line: int
    change: DependencyChange
    ecosystem: str
    name: str
    scope: str
    base: str = ""
    head: str = ""


class LockChange(enum.StrEnum):
    """The kind of contradiction between a lock file and its manifest, or its former state.

    ``unsatisfied``: it does not contain what the manifest demands. ``not-updated``: the manifest changed, and
    it has the hash of the former one. ``lock-only``: it changed and no manifest did. ``redirected``: the same
    version from another host. ``integrity``: the same version with another hash. ``integrity-removed``: the
    same version without its hash. ``foreign-host``: a version from a host that the lock file did not use.
    ``other-package``: the archive is that of another package. ``insecure``: without TLS. ``unreadable``: it
    cannot be read. ``removed``: no lock file is left.
    """

    UNSATISFIED = "unsatisfied"
    NOT_UPDATED = "not-updated"
    LOCK_ONLY = "lock-only"
    REDIRECTED = "redirected"
    INTEGRITY = "integrity"
    INTEGRITY_REMOVED = "integrity-removed"
    FOREIGN_HOST = "foreign-host"
    OTHER_PACKAGE = "other-package"
    INSECURE = "insecure"
    UNREADABLE = "unreadable"
    REMOVED = "removed"


class LockNote(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """An inconsistency of a lock file.

    Attributes:
        file: the lock file.
        line: line number of its entry at the head, 1-based.
        name: name of the package; empty if the note is about the file.
        manifest: the file that it belongs to; empty if the note is about an entry.
        reason: the evidence in words.
    """

    file: str
    line: int
    change: LockChange
    name: str = ""
    manifest: str = ""
    reason: str = ""


class InstallNote(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """Code that an installation runs, and that the change adds or alters.

    Attributes:
        kind: ``script``, ``locked-script``, ``setup``, ``backend``, ``allowed-build`` or ``plugin``.
        name: name of the script or the package.
    """

    file: str
    line: int
    kind: str
    name: str
    reason: str


class SupplyChainNotes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All notes about the supply chain of one change.

    Attributes:
        omitted: the number of notes beyond the limit.
    """

    dependencies: tuple[DependencyNote, ...] = ()
    locks: tuple[LockNote, ...] = ()
    installs: tuple[InstallNote, ...] = ()
    omitted: int = 0


def display_text(text: str) -> str:
    """Return a text as notes show it: on one line, shortened, without credentials."""
    from wardround.semantics.supply_chain.urls import strip_credentials

    line = one_line(strip_credentials(text[: 4 * _LONGEST]))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
