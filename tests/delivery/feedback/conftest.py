from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.delivery.feedback.reviews_to_post import HEAD, Posting
from tests.delivery.github_api import GithubApi


@pytest.fixture
def posting() -> Iterator[Posting]:
    api = GithubApi(HEAD, {"src/a.py": range(1, 41)})
    with api.server.serve() as url:
        yield Posting(api, url)
