"""Environment variables that the documentation lists."""

from __future__ import annotations

import pytest

from tests.context.surface.differences import lines, surface

CODE = 'url = os.environ["SHOP_URL"]\nkey = os.getenv("SHOP_SECRET_KEY")\n'
README = {"README.md": "Set `SHOP_URL` and `SHOP_SECRET_KEY`.\n"}


def broken(head: str, others: dict[str, str] = README) -> list[str]:
    return lines(surface({"shop/app.py": CODE, **others}, {"shop/app.py": head}, package=False).breaking)


def test_a_documented_variable_that_nothing_reads_is_removed() -> None:
    assert broken(CODE.split("\n")[0]) == ["shop/app.py:2 environment variable `SHOP_SECRET_KEY` is removed"]


def test_an_undocumented_variable_is_nobodys_surface() -> None:
    assert broken("", {}) == []


@pytest.mark.parametrize(
    "other",
    [{"shop/other.py": 'env("SHOP_SECRET_KEY")\n'}, {"shop/conf.py": "class Shop:\n    secret_key: str\n"}],
)
def test_a_variable_that_another_file_reads_is_not_removed(other: dict[str, str]) -> None:
    assert broken(CODE.split("\n")[0], {**README, **other}) == []
