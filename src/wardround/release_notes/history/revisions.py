"""The two revisions whose difference the notes describe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.change.commit_log import Tag
from wardround.change.repository import Repository
from wardround.change.revisions import require_revision
from wardround.errors import GitError, UsageError
from wardround.release_notes.history.tag_version import TagVersion, version_of_tag

_EXAMPLE = "give FROM..TO, such as v1.2.0..HEAD"


class Revisions(msgspec.Struct, frozen=True):
    """Base and head of a range, as the user named them, and their full commit names."""

    base: str
    base_commit: str
    head: str
    head_commit: str


def revisions_of_range(repository: Repository, text: str) -> Revisions:
    """Return the revisions of ``FROM..TO``, or of ``FROM``, whose head is HEAD.

    Raises:
        UsageError: the text is not a range.
        GitError: a name denotes no commit, the two share none, or this clone lacks commits between them.
    """
    base, dots, head = text.partition("..")
    if head.startswith("."):
        raise UsageError(f"{text}: three dots are a symmetric difference; {_EXAMPLE}")
    if not base or (dots and not head) or ".." in head:
        raise UsageError(f"{text!r} is not a range; {_EXAMPLE}")
    return _revisions(repository, base, head or "HEAD")


def revisions_since_last_tag(repository: Repository, head: str = "HEAD") -> Revisions:
    """Return the revisions from the nearest tag of a version before the head.

    Tags of the head itself do not count, so that the notes of a tagged release are those since the release
    before it; of a final release, tags of its candidates do not count either.

    Raises:
        GitError: no tag before the head names a version.
    """
    require_revision(head)
    head_commit = repository.commit(head)
    tag = _last_tag(repository, head_commit)
    if not tag:
        raise GitError(
            f"no tag before {head} names a version in {repository.root}; give FROM..TO, or fetch the tags "
            "with git fetch --tags"
        )
    return _revisions(repository, tag, head)


def _last_tag(repository: Repository, head: str) -> str:
    log = repository.commit_log
    versions = list(_versions_of_tags(log.tags_before(head)))
    of_head = [item.version for item in versions if item.commit == head]
    before = [item for item in versions if item.commit != head]
    usable = [item for item in before if _is_usable(item.version, of_head)]
    return _preferred_tag(usable, log.nearest_tag(head, [item.version.tag for item in usable]))


class _TaggedVersion(msgspec.Struct, frozen=True):
    commit: str
    version: TagVersion


def _versions_of_tags(tags: Iterable[Tag]) -> Iterator[_TaggedVersion]:
    for tag in tags:
        version = version_of_tag(tag.name)
        if version is not None:
            yield _TaggedVersion(tag.commit, version)


def _preferred_tag(versions: Sequence[_TaggedVersion], nearest: str) -> str:
    """Return the tag of a final release, of all tags of the commit that has the nearest one."""
    commits = {item.version.tag: item.commit for item in versions}
    same = [item.version for item in versions if item.commit == commits.get(nearest)]
    final = [version.tag for version in same if not version.is_prerelease]
    return max(final, default=nearest)


def _is_usable(version: TagVersion, of_head: list[TagVersion]) -> bool:
    """Return True if the notes of a head with some tags can begin at a version."""
    if not of_head:
        return True
    is_final = not any(own.is_prerelease for own in of_head)
    return version.package in {own.package for own in of_head} and not (is_final and version.is_prerelease)


def _revisions(repository: Repository, base: str, head: str) -> Revisions:
    for name in (base, head):
        require_revision(name)
    found = Revisions(base, repository.commit(base), head, repository.commit(head))
    if not repository.commit_log.merge_base(found.base_commit, found.head_commit):
        raise GitError(_unrelated_message(repository, base, head))
    _require_direction(repository, found)
    _require_commits(repository, found)
    return found


def _require_direction(repository: Repository, revisions: Revisions) -> None:
    base, head = revisions.base, revisions.head
    is_same = revisions.base_commit == revisions.head_commit
    if not is_same and repository.is_ancestor(revisions.head_commit, revisions.base_commit):
        raise GitError(f"{head} is an ancestor of {base}; give {head}..{base}")


def _unrelated_message(repository: Repository, base: str, head: str) -> str:
    if repository.is_shallow:
        return (
            f"this clone is shallow and lacks commits between {base} and {head}; run git fetch --unshallow "
            "or set fetch-depth: 0 in the workflow"
        )
    return f"{base} and {head} share no commit in {repository.root}; name two revisions of one history"


def _require_commits(repository: Repository, revisions: Revisions) -> None:
    """Refuse a range that contains a commit whose parents a shallow clone lacks."""
    shallow = repository.common_dir / "shallow"
    if not shallow.is_file():
        return
    boundary = set(shallow.read_text().split())
    if boundary & set(repository.commit_log.ids_between(revisions.base_commit, revisions.head_commit)):
        raise GitError(_unrelated_message(repository, revisions.base, revisions.head))
