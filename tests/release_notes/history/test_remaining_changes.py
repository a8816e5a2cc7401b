"""A commit is stated only if its change is between base and head."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.release_notes.histories import notes_of
from wardround.release_notes.history.remaining_changes import IN_BASE, WITHDRAWN
from wardround.release_notes.model import ReleaseNotes

CART = "def total(rows):\n    return sum(row.price for row in rows)\n"
TAXED = CART + "\n\ndef add_surcharge(amount):\n    return amount * 2\n"
GUARDED = (
    "def total(rows):\n    if rows is None:\n        return 0\n    return sum(row.price for row in rows)\n"
)


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit({"shop/cart.py": CART, "shop/till.py": "OPEN = True\n"}, "Begin")
    repo.git("tag", "v1")
    return repo


def _stated(notes: ReleaseNotes) -> set[str]:
    return {statement.text for statement in notes.statements}


def _absent(notes: ReleaseNotes, reason: str) -> set[str]:
    return {item.text for item in notes.unattributed if item.reason == reason}


def test_a_feature_that_a_revert_without_a_name_takes_back_is_listed_and_not_stated(
    shop: GitRepository,
) -> None:
    shop.commit({"shop/cart.py": TAXED}, "feat: surcharge")
    shop.commit({"shop/cart.py": CART}, "Back to simple carts")
    notes = notes_of(shop.root)
    assert "Surcharge" not in _stated(notes)
    assert _absent(notes, WITHDRAWN) == {"feat: surcharge"}


def test_it_is_listed_although_the_file_changes_in_another_place(shop: GitRepository) -> None:
    shop.commit({"shop/cart.py": TAXED}, "feat: surcharge")
    shop.commit({"shop/cart.py": GUARDED}, "fix: total of no rows")
    notes = notes_of(shop.root)
    assert _absent(notes, WITHDRAWN) == {"feat: surcharge"}
    assert "Total of no rows" in _stated(notes)


def test_a_feature_that_is_written_in_other_words_later_is_stated(shop: GitRepository) -> None:
    shop.commit({"shop/cart.py": TAXED}, "feat: surcharge")
    shop.commit({"shop/cart.py": TAXED.replace("amount * 2", "round(amount + amount)")}, "refactor: rounding")
    assert "Surcharge" in _stated(notes_of(shop.root))


def test_a_feature_whose_file_moves_is_stated(shop: GitRepository) -> None:
    shop.commit({"shop/cart.py": TAXED}, "feat: surcharge")
    shop.git("mv", "shop/cart.py", "shop/basket.py")
    shop.commit({}, "refactor: baskets")
    assert "Surcharge" in _stated(notes_of(shop.root))


def test_a_fix_that_a_release_branch_has_by_another_patch_is_not_new(shop: GitRepository) -> None:
    shop.git("switch", "--quiet", "--create", "release")
    shop.commit({"shop/cart.py": f"LIMIT = 3\n{GUARDED}"}, "Backport the guard and set a limit")
    shop.git("tag", "v1.1")
    shop.git("switch", "--quiet", "main")
    shop.commit({"shop/cart.py": GUARDED}, "fix: total of no rows")
    shop.commit({"shop/till.py": "OPEN = True\nBELL = True\n"}, "feat: bell")
    notes = notes_of(shop.root, "v1.1..HEAD")
    assert _absent(notes, IN_BASE) == {"fix: total of no rows"}
    assert "Bell" in _stated(notes)


def test_a_line_that_the_base_has_elsewhere_is_new_where_it_is_added(shop: GitRepository) -> None:
    shop.commit({"shop/till.py": f"OPEN = True\n{CART}"}, "feat: total at the till")
    assert "Total at the till" in _stated(notes_of(shop.root))
