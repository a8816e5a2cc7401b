"""The public name of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.change.repository_name import find_repository_name


@pytest.mark.parametrize(
    ("folder", "origin", "name"),
    [
        ("x", "https://example.org/acme/shop.git", "acme/shop"),
        ("x", "git@example.org:acme/shop", "acme/shop"),
        ("x", "ssh://git@example.org:22/group/acme/shop/", "acme/shop"),
        ("acme+shop/repo", "", "acme/shop"),
        ("acme+shop.git", "file:///some/where", "acme/shop"),
        ("shop/.git", "", "shop"),
        ("shop.git", "../other", "shop"),
    ],
)
def test_names_of_repositories(tmp_path: Path, folder: str, origin: str, name: str) -> None:
    assert find_repository_name(tmp_path / folder, origin) == name
