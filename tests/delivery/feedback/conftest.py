from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.delivery.feedback.reviews_to_post import APIS, HEAD, GithubPosting, Posting
from tests.delivery.github_api import GithubApi


@pytest.fixture(params=APIS)
def posting(request: pytest.FixtureRequest) -> Iterator[Posting]:
    api = APIS[request.param](HEAD, {"src/a.py": range(1, 41)})
    with api.server.serve() as url:
        yield Posting(request.param, api, url)


@pytest.fixture
def github() -> Iterator[GithubPosting]:
    api = GithubApi(HEAD, {"src/a.py": range(1, 41)})
    with api.server.serve() as url:
        yield GithubPosting("github", api, url)
