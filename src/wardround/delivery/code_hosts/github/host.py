"""A pull request of GitHub.

Source: GitHub, "REST API endpoints for pull requests".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

import msgspec

from wardround.delivery.code_hosts.client import ApiClient, ClientLimits, Clock
from wardround.delivery.code_hosts.credentials import token_of
from wardround.delivery.code_hosts.errors import RefusedByHost
from wardround.delivery.code_hosts.github.checks import GithubCheckRuns, GithubCommitStatuses
from wardround.delivery.code_hosts.github.feedback import GithubFeedback
from wardround.delivery.code_hosts.github.graphql import Graphql
from wardround.delivery.code_hosts.github.merging import GithubMerging
from wardround.delivery.code_hosts.model import (
    Account,
    ChangeRequest,
    ChangeRequestReference,
    ChangeRequestState,
)
from wardround.errors import UsageError

TOKEN = "GITHUB_TOKEN"  # noqa: S105  (the name of a variable)
_VERSION = "2022-11-28"
_REPOSITORY = re.compile(r"[A-Za-z0-9_-]+/(?!\.{1,2}$)[A-Za-z0-9_.-]+")


class User(msgspec.Struct, frozen=True):
    """A user of GitHub; ``login`` is the name."""

    id: int
    login: str

    @property
    def account(self) -> Account:
        """The user as an account."""
        return Account(self.id, self.login)


class _Head(msgspec.Struct, frozen=True):
    sha: str
    ref: str


class _PullRequest(msgspec.Struct, frozen=True):
    number: int
    state: str
    head: _Head
    base: _Head
    user: User
    draft: bool = False
    merged: bool = False
    node_id: str = ""


class _ViewerAccount(msgspec.Struct, frozen=True, rename="camel"):
    database_id: int
    login: str

    @property
    def account(self) -> Account:
        return Account(self.database_id, self.login)


class _Viewer(msgspec.Struct, frozen=True):
    viewer: _ViewerAccount


ACCOUNT = "WARDROUND_ACCOUNT_ID"
"""Names the account of a token that GitHub does not."""
_FORBIDDEN = 403
_VIEWER = "query Viewer { viewer { databaseId login } }"
"""The token of a workflow may not read ``/user``."""


class GithubHost:
    """A pull request, with the rights of one token.

    Args:
        account_id: of the token, where GitHub does not name it; 0 if it is not known.
    """

    def __init__(self, reference: ChangeRequestReference, client: ApiClient, account_id: int = 0) -> None:
        self._reference = reference
        self._client = client
        self._account_id = account_id
        self._path = f"/repos/{reference.repository}"

    def account(self) -> Account:
        """Return the account of the token."""
        return self._account

    @cached_property
    def _account(self) -> Account:
        """The account by GraphQL, by REST, or by the environment.

        Without it nothing is written: a run that does not know its own comments would repeat them.
        """
        try:
            return Graphql(self._client).query(_VIEWER, {}, _Viewer).viewer.account
        except RefusedByHost as refused:
            if refused.status != _FORBIDDEN:
                raise
        try:
            return self._client.get("/user", User).account
        except RefusedByHost as refused:
            if refused.status != _FORBIDDEN:
                raise
        if not self._account_id:
            raise UsageError(
                f"GitHub does not name the account of {TOKEN}; set {ACCOUNT} to the id of the account that "
                "its comments have"
            )
        return Account(self._account_id, "")

    @cached_property
    def feedback(self) -> GithubFeedback:
        """The comments on the pull request."""
        return GithubFeedback(self._client, self._reference.repository, self._reference.number)

    @cached_property
    def checks(self) -> GithubCheckRuns:
        """Check runs of commits."""
        return GithubCheckRuns(self._client, self._reference.repository)

    @cached_property
    def commit_statuses(self) -> GithubCommitStatuses:
        """Commit statuses, for a token that cannot create check runs."""
        return GithubCommitStatuses(self._client, self._reference.repository)

    @cached_property
    def merging(self) -> GithubMerging:
        """Approvals and merging of the pull request."""
        return GithubMerging(self._client, self._reference, self.account())

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def change_request(self) -> ChangeRequest:
        """Return the pull request as it is now."""
        found = self._client.get(f"{self._path}/pulls/{self._reference.number}", _PullRequest)
        state = ChangeRequestState.MERGED if found.merged else ChangeRequestState(found.state)
        return ChangeRequest(
            number=found.number,
            head=found.head.sha,
            base=found.base.sha,
            target=found.base.ref,
            author=found.user.account,
            state=state,
            is_draft=found.draft,
        )


def open_github(
    reference: ChangeRequestReference,
    environ: Mapping[str, str],
    limits: ClientLimits | None = None,
    clock: Clock | None = None,
) -> GithubHost:
    """Return a pull request, without contacting GitHub.

    Raises:
        UsageError: the repository has no owner, ``GITHUB_TOKEN`` is not set, or ``WARDROUND_ACCOUNT_ID`` is
            not a number.
    """
    if not _REPOSITORY.fullmatch(reference.repository):
        raise UsageError(f"--repository {reference.repository}: not a repository of GitHub; give OWNER/NAME")
    account = environ.get(ACCOUNT, "")
    if account and not (account.isdecimal() and account.isascii()):
        raise UsageError(f"{ACCOUNT} is not a number; give the id of an account")
    client = github_client(reference.api, environ, limits, clock)
    return GithubHost(reference, client, int(account or 0))


def github_client(
    api: str, environ: Mapping[str, str], limits: ClientLimits | None = None, clock: Clock | None = None
) -> ApiClient:
    """Return a client of GitHub with the token of the environment.

    Raises:
        UsageError: ``GITHUB_TOKEN`` is not set or not a token.
    """
    token = token_of(environ, TOKEN, "the token of an account that may write to pull requests")
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": _VERSION,
    }
    return ApiClient("GitHub", api, headers, TOKEN, limits, clock)
