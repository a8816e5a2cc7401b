"""The commits that a CI run compares, by its event."""

from __future__ import annotations

import msgspec

from wardround.delivery.checkout import Checkout
from wardround.delivery.ci_event import CiEvent
from wardround.errors import GitError

_SHOWN = 12
"""Digits of a commit id in a message."""


class RevisionRange(msgspec.Struct, frozen=True):
    """The commits of a review.

    Attributes:
        base: a commit, or the empty tree if all of ``head`` is new.
        notice: why there is nothing to review, or why less than expected is reviewed.
        error: why the checkout is not that of the event, so that no part of it was reviewed.
    """

    base: str
    head: str
    notice: str | None = None
    error: str | None = None


class EventComparison:
    """The comparison for one event; an explicit base or head overrides those of the event."""

    def __init__(self, checkout: Checkout, event: CiEvent) -> None:
        self._checkout = checkout
        self._event = event

    def compare(self, base: str | None, head: str | None) -> RevisionRange:
        """Find both commits, fetching those that a shallow clone lacks.

        Raises:
            GitError: a name has no commit, here or at ``origin``, or the two share no history.
        """
        head_id = self._require(head or "HEAD", "--head-ref")
        if head in (None, "", "HEAD") and (error := self._unrelated_head(head_id)):
            return RevisionRange(head_id, head_id, error=error)
        if base:
            return self._explicit(base, head_id)
        event = self._event
        if event.is_deletion:
            return RevisionRange(
                head_id, head_id, notice="the push deleted a ref: there is nothing to review"
            )
        if event.exact_base is not None:
            return self._revision_range(self._related_commit(event.exact_base, head_id), head_id)
        if event.target is not None:
            return self._revision_range(self._target_base(head_id), head_id)
        if event.base is not None:
            return self._revision_range(self._related_commit(event.base, head_id), head_id)
        return self._since_previous(head_id)

    def _unrelated_head(self, head: str) -> str | None:
        """Return why the commit under review does not contain the event's own; None if it does."""
        expected = self._event.head
        if expected is None or expected == head or expected in self._checkout.parents(head):
            return None
        known = self._checkout.commit(expected)
        if known is not None and self._checkout.merge_base(known, head, complete=False) == known:
            return None
        return (
            f"the {self._event.name} event is about commit {expected[:_SHOWN]}, which is not part of "
            f"the checked-out {head[:_SHOWN]}, so it was not reviewed; give it as head-ref"
        )

    def _explicit(self, base: str, head: str) -> RevisionRange:
        base_id = self._require(base, "--base-ref")
        if self._checkout.merge_base(base_id, head) is None:
            raise GitError(
                f"--base-ref {base} and {head[:_SHOWN]} share no commit{self._source()}; give another base"
            )
        return self._revision_range(base_id, head)

    def _target_base(self, head: str) -> str:
        """Return the commit that a change request is compared with.

        For a merge commit created by the server, that is the first parent: the tip of the target branch at
        that time. The event's own base may be older, and then commits that others merged since would be
        reviewed too.
        """
        event, parents = self._event, self._checkout.parents(head)
        if len(parents) == 2 and event.head is not None and parents[1] == event.head:
            first = self._checkout.first_parent(head)
            if first is not None:
                return first
        assert event.target is not None
        tip = self._checkout.branch(event.target, event.base) or event.base
        if tip is None:
            raise GitError(
                f"the target branch {event.target!r} is not in this clone and cannot be fetched"
                f"{self._source()}; check it out too, or give --base-ref"
            )
        return self._related_commit(tip, head)

    def _related_commit(self, base: str, head: str) -> str:
        """Return a commit, if it is available and shares history with the head.

        Raises:
            GitError: it is not, or does not.
        """
        known = self._checkout.commit(base)
        if known is None or self._checkout.merge_base(known, head) is None:
            raise GitError(
                f"the base {base[:_SHOWN]} of the {self._event.name} event has no history in common with "
                f"{head[:_SHOWN]}{self._source()}; fetch more history, or give --base-ref"
            )
        return known

    def _since_previous(self, head: str) -> RevisionRange:
        """Everything since the commit that was reviewed last, or since the branch left the default branch."""
        checkout = self._checkout
        base = self._previous(head) or self._default_base(head)
        if base is not None:
            return self._revision_range(base, head)
        parent = checkout.first_parent(head)
        if parent is not None:
            return self._revision_range(parent, head, self._only_last(head))
        if checkout.parents(head):
            raise GitError(
                f"the commit before {head[:_SHOWN]} is not in this clone and cannot be fetched"
                f"{self._source()}; "
                "check out more history, or give --base-ref"
            )
        return RevisionRange(checkout.empty_tree, head)

    def _previous(self, head: str) -> str | None:
        """Return the commit that was reviewed last, if the head has a common history with it."""
        for known in (self._event.previous, self._commit_before_push()):
            found = None if known is None else self._checkout.commit(known)
            if found is not None and self._checkout.merge_base(found, head) is not None:
                return found
        return None

    def _default_base(self, head: str) -> str | None:
        """Return the default branch, unless the head may be on it."""
        event = self._event
        if event.default_branch is None or event.has_parent_only:
            return None
        default = self._default_branch(event.default_branch, head)
        if default is None or (event.may_be_default and self._contains_head(default, head)):
            return None
        return default

    def _commit_before_push(self) -> str | None:
        """Return the commit before the first one of a push, if the one before the push no longer exists."""
        event = self._event
        if event.previous is None or event.pushed is None or self._checkout.commit(event.pushed) is None:
            return None
        return self._checkout.first_parent(event.pushed)

    def _default_branch(self, name: str, head: str) -> str | None:
        tip = self._checkout.default_branch() if name == "HEAD" else self._checkout.branch(name, None)
        return None if tip is None or self._checkout.merge_base(tip, head) is None else tip

    def _only_last(self, head: str) -> str | None:
        if self._event.previous is None:
            return None
        return (
            f"the commit {self._event.previous[:_SHOWN]} that was reviewed last no longer exists, "
            f"so only {head[:_SHOWN]} is reviewed; give --base-ref to review more"
        )

    def _revision_range(self, base: str, head: str, notice: str | None = None) -> RevisionRange:
        if self._contains_head(base, head):
            notice = f"{head[:_SHOWN]} is part of its base {base[:_SHOWN]}: there is nothing to review"
        return RevisionRange(base, head, notice)

    def _contains_head(self, base: str, head: str) -> bool:
        return base == head or self._checkout.merge_base(base, head) == head

    def _require(self, revision: str, option: str) -> str:
        found = self._checkout.commit(revision)
        if found is None:
            raise GitError(
                f"{option}: {revision!r} is not a commit in this clone or at origin{self._source()}"
            )
        return found

    def _source(self) -> str:
        return f" ({self._checkout.fetch_error})" if self._checkout.fetch_error else ""
