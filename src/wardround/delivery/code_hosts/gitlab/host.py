"""A merge request of GitLab.

Source: GitLab, "Merge requests API" and "Users API".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from wardround.delivery.code_hosts.client import ApiClient, ClientLimits, Clock
from wardround.delivery.code_hosts.code_host import Checks, Feedback, Merging
from wardround.delivery.code_hosts.credentials import token_of
from wardround.delivery.code_hosts.errors import HostError
from wardround.delivery.code_hosts.gitlab.checks import GitlabCommitStatuses
from wardround.delivery.code_hosts.gitlab.feedback import GitlabFeedback
from wardround.delivery.code_hosts.gitlab.merging import GitlabMerging
from wardround.delivery.code_hosts.gitlab.project import MergeRequest, User, account_of, request_path
from wardround.delivery.code_hosts.model import (
    Account,
    ChangeRequest,
    ChangeRequestReference,
    ChangeRequestState,
)

TOKEN = "GITLAB_TOKEN"  # noqa: S105  (the name of a variable)
_ADVICE = "a project access token with scope api and role Developer, as CI_JOB_TOKEN writes no comments"
_STATES = {
    "opened": ChangeRequestState.OPEN,
    "locked": ChangeRequestState.OPEN,  # while it is being merged
    "closed": ChangeRequestState.CLOSED,
    "merged": ChangeRequestState.MERGED,
}


class GitlabHost:
    """A merge request, with the rights of one token."""

    def __init__(self, reference: ChangeRequestReference, client: ApiClient) -> None:
        self._reference = reference
        self._client = client

    def account(self) -> Account:
        """Return the account of the token, for a token of a project its bot."""
        return self._user.account

    @cached_property
    def _user(self) -> User:
        return self._client.get("/user", User)

    @cached_property
    def feedback(self) -> Feedback:
        """The comments on the merge request."""
        return GitlabFeedback(self._client, self._reference, self.account())

    @cached_property
    def checks(self) -> Checks:
        """Commit statuses."""
        return GitlabCommitStatuses(self._client, self._reference)

    @property
    def commit_statuses(self) -> Checks:
        """The same: GitLab has one kind."""
        return self.checks

    @cached_property
    def merging(self) -> Merging:
        """Approvals and merging of the merge request."""
        return GitlabMerging(self._client, self._reference, self._user)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def change_request(self) -> ChangeRequest:
        """Return the merge request as it is now.

        Raises:
            HostError: GitLab has no commit of it, since its source branch was deleted.
        """
        found = self._client.get(request_path(self._reference), MergeRequest)
        if not found.sha:
            raise HostError(f"GitLab names no commit of merge request {found.iid}; push its source branch")
        return ChangeRequest(
            number=found.iid,
            head=found.sha,
            base="",
            target=found.target_branch,
            author=account_of(found.author),
            state=_STATES.get(found.state, ChangeRequestState.CLOSED),
            is_draft=found.draft,
        )


def open_gitlab(
    reference: ChangeRequestReference,
    environ: Mapping[str, str],
    limits: ClientLimits | None = None,
    clock: Clock | None = None,
) -> GitlabHost:
    """Return a merge request, without contacting GitLab.

    Raises:
        UsageError: ``GITLAB_TOKEN`` is not set or not a token.
    """
    token = token_of(environ, TOKEN, _ADVICE)
    client = ApiClient("GitLab", reference.api, {"PRIVATE-TOKEN": token}, TOKEN, limits, clock)
    return GitlabHost(reference, client)
