"""The event that started a CI run, as values that are independent of the CI system."""

from __future__ import annotations

import enum

import msgspec


class Provider(enum.StrEnum):
    """A CI system."""

    GITHUB = "github"
    GITLAB = "gitlab"
    JENKINS = "jenkins"
    AZURE = "azure"
    BITBUCKET = "bitbucket"
    GENERIC = "generic"


class CiEvent(msgspec.Struct, frozen=True):
    """The commits and branches of an event, independent of the CI system.

    Attributes:
        name: as the system calls it, such as ``pull_request``.
        head: the commit that the event is about; the checkout must contain it.
        target: the branch a change request is to be merged into.
        base: the commit the event itself compares ``head`` with. For a pull request it may be older than the
            tip of ``target``, and for a merge group it is exact.
        exact_base: the commit that the system itself compares or has merged ``head`` with for this run.
        previous: the commit that was reviewed last: before a push, or in the last successful build.
        pushed: the first of the commits that were pushed.
        default_branch: the repository's, unless the event is about that branch itself.
        may_be_default: the branch may be the default one, since the event does not name it: a commit that is
            in the default branch is compared with the one before.
        has_parent_only: compare with the commit before, as for a tag, which starts no change.
        is_deletion: a branch or a tag was deleted.
        branch, title, body: of the change request, in which a ticket may be named.
        change_request: its number.
    """

    provider: Provider
    name: str
    head: str | None = None
    target: str | None = None
    base: str | None = None
    exact_base: str | None = None
    previous: str | None = None
    pushed: str | None = None
    default_branch: str | None = None
    may_be_default: bool = False
    has_parent_only: bool = False
    is_deletion: bool = False
    branch: str = ""
    title: str = ""
    body: str = ""
    change_request: str = ""
