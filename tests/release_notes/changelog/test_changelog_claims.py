"""The claims of changelog entries that commits can confirm."""

from __future__ import annotations

import pytest

from wardround.release_notes.changelog.changelog_claims import names_in, references_in, version_claims


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Add `Cart.limit()` and `--dry-run`", ["Cart.limit", "--dry-run"]),
        ("Add :meth:`~.Cart.add`, ``remove(item)`` and `max_items=3`", ["Cart.add", "remove", "max_items"]),
        ("See :class:`the cart <shop.Cart>`, :issue:`12`, :user:`somebody`", ["shop.Cart"]),
        ("A link `to text <https://example.org>`_ and `a b` and `1.2`", []),
        ("Return `None`, `true` or `ok` for `shop/cart.py`", []),
        ("`a.b.name` twice: `a.b.name`", ["a.b.name"]),
    ],
)
def test_the_names_of_code_in_an_entry(text: str, names: list[str]) -> None:
    assert names_in(text) == names


def test_the_numbers_of_issues_and_pull_requests() -> None:
    text = "([#12](https://a.org/pull/12)), GH-13, :pr:`14`, !15, org/shop#16, see /issues/17; not 18"
    assert references_in(text) == {"12", "13", "14", "15", "17"}


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Bump prawcore to 3.0.2.", [("prawcore", "3.0.2")]),
        ("Require `requests` >= 2.31", [("requests", "2.31")]),
        ("Upgrade lodash from 4.17.1 to 4.17.2", [("lodash", "4.17.2")]),
        ("Requires Node.js v20.1 or higher", [("Node.js", "20.1")]),
        ("Update the documentation of 3 functions", []),
    ],
)
def test_the_dependencies_whose_versions_an_entry_raises(text: str, claims: list[tuple[str, str]]) -> None:
    assert [(claim.dependency, claim.version) for claim in version_claims(text)] == claims
