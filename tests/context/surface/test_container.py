"""Images that a workflow of the repository pushes."""

from __future__ import annotations

import pytest

from tests.context.surface.differences import lines, surface

IMAGE = """\
FROM python:3.13 AS base
EXPOSE 80/tcp 443
VOLUME ["/data"]
FROM base
USER app
ENTRYPOINT ["shop"]
"""
PUSHES = {".github/workflows/release.yml": "steps:\n- uses: docker/build-push-action@v6\n"}


def broken(head: str, path: str = "Dockerfile", others: dict[str, str] = PUSHES) -> list[str]:
    return lines(surface({path: IMAGE, **others}, {path: head}, package=False).breaking)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (" 443", "", "Dockerfile:2 port `443` of Dockerfile is removed"),
        ('VOLUME ["/data"]\n', "", "Dockerfile:3 volume `/data` of Dockerfile is removed"),
        ("USER app", "USER shop", "Dockerfile:5 user of Dockerfile is `shop` instead of `app`"),
        ('ENTRYPOINT ["shop"]\n', "", "Dockerfile:6 entry point of Dockerfile is removed"),
    ],
)
def test_an_image_that_offers_less(before: str, after: str, expected: str) -> None:
    assert broken(IMAGE.replace(before, after)) == [expected]


@pytest.mark.parametrize(
    ("before", "after"),
    [("80/tcp", "80"), (" 443", " 443 8443"), ('["shop"]', '["tini", "--", "shop"]'), ("3.13", "3.14")],
)
def test_an_image_that_offers_as_much(before: str, after: str) -> None:
    assert broken(IMAGE.replace(before, after)) == []


@pytest.mark.parametrize("path", ["Dockerfile.dev", ".devcontainer/Dockerfile", "tests/Dockerfile"])
def test_images_for_development_are_nobodys_surface(path: str) -> None:
    assert broken("FROM x\n", path) == []


def test_an_image_that_nothing_pushes_is_not_published() -> None:
    assert broken("FROM x\n", others={}) == []
