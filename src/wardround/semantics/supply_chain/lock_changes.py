"""Entries of a lock file that changed their origin or their content without another version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from wardround.semantics.supply_chain.locks.entry import LockDetails, LockEntry, LockFile
from wardround.semantics.supply_chain.notes import LockChange, LockNote, display_text
from wardround.semantics.supply_chain.urls import USUAL_HOSTS, host_of, is_plain_http

_MOST_COPIES = 50
"""Entries of the same version that are compared; packages are installed several times."""
_LOCAL = ("file:", "link:", "portal:", "workspace:")
"""Versions that are files of the repository, which the change itself has."""
_Found = tuple[LockChange, str]


def lock_notes(path: str, base: LockFile | None, head: LockFile) -> Iterator[LockNote]:
    """Compare the entries of base and head.

    Args:
        base: None for an added file, whose entries have no former origin.
    """
    if head.problem:
        yield LockNote(path, 1, LockChange.UNREADABLE, reason=head.problem)
        return
    old = _group_by_version(base)
    new = [entry for entry in _changed_entries(head, base) if not entry.version.startswith(_LOCAL)]
    hosts = _hosts(base) if new and base is not None else None
    for entry in new:
        details = head.details(entry)
        same = old.get((entry.name, entry.version), [])
        former = [base.details(copy) for copy in same[:_MOST_COPIES]] if base else []
        for change, reason in _notes_of_entry(entry, details, former, hosts):
            yield LockNote(path, entry.line, change, display_text(entry.name), reason=display_text(reason))


def _group_by_version(lock: LockFile | None) -> dict[tuple[str, str], list[LockEntry]]:
    found: dict[tuple[str, str], list[LockEntry]] = defaultdict(list)
    for entry in lock.entries if lock is not None else ():
        found[entry.name, entry.version].append(entry)
    return found


def _changed_entries(head: LockFile, base: LockFile | None) -> Sequence[LockEntry]:
    """Return the entries that the base does not have in the same form."""
    known = {entry.key: entry.raw for entry in base.entries} if base is not None else {}
    return [entry for entry in head.entries if known.get(entry.key) != entry.raw]


def _hosts(lock: LockFile) -> frozenset[str]:
    if lock.hosts is not None:
        return lock.hosts
    details = (lock.details(entry) for entry in lock.entries)
    return frozenset(host_of(url) for detail in details for url in detail.urls) - {""}


def _notes_of_entry(
    entry: LockEntry, current: LockDetails, former: Sequence[LockDetails], hosts: Collection[str] | None
) -> Iterator[_Found]:
    if former and not any(_is_same(details, current) for details in former):
        yield from _differences(former[0], current, entry.version)
    elif not former and hosts is not None:
        yield from _foreign(current, hosts)
    packages = {"", entry.name, *(details.package for details in former)}
    if current.package not in packages:
        yield LockChange.OTHER_PACKAGE, f"its archive is that of {current.package}"
    insecure = _insecure(current)
    if insecure and not any(map(_insecure, former)):
        yield LockChange.INSECURE, f"{insecure[0]} is not encrypted"


def _insecure(details: LockDetails) -> list[str]:
    return [url for url in details.urls if is_plain_http(url)]


def _is_same(item: LockDetails, other: LockDetails) -> bool:
    return not any(_differences(item, other, ""))


def _differences(old: LockDetails, new: LockDetails, version: str) -> Iterator[_Found]:
    """Compare the origin and the hashes of the same version."""
    removed_items, came = _hosts_of(old) - _hosts_of(new), _hosts_of(new) - _hosts_of(old)
    if came and (removed_items or old.urls or came - USUAL_HOSTS):
        former = ", ".join(sorted(removed_items)) or "the registry"
        yield LockChange.REDIRECTED, f"{version} came from {former}, and now from {', '.join(sorted(came))}"
    different = _different_hashes(old.hashes, new.hashes)
    if different:
        yield LockChange.INTEGRITY, f"{version} has another hash: {different}"
    elif old.hashes and not new.hashes:
        yield LockChange.INTEGRITY_REMOVED, f"{version} has no hash any more"


def _hosts_of(details: LockDetails) -> set[str]:
    return {host_of(url) for url in details.urls} - {""}


def _different_hashes(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Return the first archive with another hash; a list of hashes may grow, and not lose one as well."""
    for name in sorted(old.keys() & new.keys()):
        if old[name] != new[name]:
            return f"{name} {new[name]}"
    added, removed = new.keys() - old.keys(), old.keys() - new.keys()
    is_list = all(name == value for name, value in (*old.items(), *new.items()))
    return min(added) if is_list and added and removed else ""


def _foreign(current: LockDetails, hosts: Collection[str]) -> Iterator[_Found]:
    """Yield a new version from a host that the lock file did not use."""
    for host in sorted(_hosts_of(current) - set(hosts) - USUAL_HOSTS):
        yield LockChange.FOREIGN_HOST, f"it comes from {host}, which the lock file did not use"
