"""Notes of real histories: what is stated, in which section, and with which commits."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.release_notes.histories import merge, notes_of, texts, the_statement
from wardround.release_notes.model import NoteKind


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A repository whose first release is tagged."""
    repo.commit({"shop/cart.py": "def total():\n    return 0\n", "README.md": "# Shop\n"}, "Initial commit")
    repo.git("tag", "v1")
    return repo


def test_a_pull_request_is_one_statement_with_all_its_commits(shop: GitRepository) -> None:
    parts = {"Add Cart.limit": {"shop/cart.py": "x = 1\n"}, "fix tests": {"tests/test_cart.py": "x = 2\n"}}
    merged = merge(shop, parts, "Merge pull request #12 from ann/limit\n\nfeat: limit the rows of a cart")
    notes = notes_of(shop.root)
    statement = the_statement(notes, "Limit the rows of a cart")
    assert statement.kind is NoteKind.FEATURE
    assert statement.references == ("#12",)
    assert len(statement.commits) == 3
    assert statement.commits[-1] == merged
    assert [len(commit.merged) for commit in notes.commits] == [0, 0, 2]


def test_commits_of_an_untitled_pull_request_keep_their_texts(shop: GitRepository) -> None:
    parts = {"Fix empty carts": {"shop/cart.py": "x = 1\n"}, "typo": {"shop/cart.py": "x = 2\n"}}
    merge(shop, parts, "Merge pull request #12 from ann/fix")
    notes = notes_of(shop.root)
    assert texts(notes, NoteKind.FIX) == ["Fix empty carts"]
    assert len(the_statement(notes, "Fix empty carts").commits) == 2
    assert texts(notes, NoteKind.INTERNAL) == []
    assert notes.unattributed == ()


def test_a_commit_and_its_revert_cancel_and_are_listed(shop: GitRepository) -> None:
    added = shop.commit({"shop/cart.py": "x = 1\n"}, "Add a limit (#3)")
    shop.git("revert", "--no-edit", added)
    reverting = shop.git("rev-parse", "HEAD").strip()
    notes = notes_of(shop.root)
    assert notes.statements == ()
    (item,) = notes.unattributed
    assert (item.text, item.commits) == ("Add a limit", (added, reverting))
    assert item.reason == f"reverted within the range by {reverting[:10]}"


def test_a_revert_of_a_revert_restores_the_statement(shop: GitRepository) -> None:
    added = shop.commit({"shop/cart.py": "x = 1\n"}, "Add a limit")
    shop.git("revert", "--no-edit", added)
    shop.git("revert", "--no-edit", "HEAD")
    notes = notes_of(shop.root)
    assert texts(notes, NoteKind.FEATURE) == ["Add a limit"]
    assert notes.unattributed == ()


def test_a_revert_of_an_earlier_release_is_a_change(shop: GitRepository) -> None:
    shop.commit({"shop/cart.py": "x = 1\n"}, 'Revert "Round totals"')
    assert texts(notes_of(shop.root), NoteKind.CHANGE) == ['Revert "Round totals"']


def test_commits_that_leave_the_product_as_it_is_are_no_features(shop: GitRepository) -> None:
    shop.commit({"docs/cart.md": "x\n"}, "Add a page about carts")
    shop.commit({"tests/test_cart.py": "x = 1\n"}, "feat: add tests of carts")
    shop.commit({".github/workflows/ci.yml": "on: push\n"}, "Add a workflow")
    notes = notes_of(shop.root)
    assert texts(notes, NoteKind.DOCUMENTATION) == ["Add a page about carts"]
    assert texts(notes, NoteKind.INTERNAL) == ["Add a workflow", "Add tests of carts"]


def test_commits_without_a_text_are_listed(shop: GitRepository) -> None:
    unnamed = shop.commit({"shop/cart.py": "x = 1\n"}, "...")
    notes = notes_of(shop.root)
    assert notes.statements == ()
    assert [(item.reason, item.commits) for item in notes.unattributed] == [
        ("the message states nothing", (unnamed,))
    ]


def test_a_breaking_commit_is_first_with_its_footer(shop: GitRepository) -> None:
    shop.commit(
        {"shop/cart.py": "x = 1\n"},
        "feat!: drop total\n\nBREAKING CHANGE: call sum() instead. It is shorter.",
    )
    shop.commit({"shop/cart.py": "x = 2\n"}, "feat: add sum")
    assert notes_of(shop.root).statements[0].text == "Drop total: call `sum()` instead"


def test_the_removal_of_deprecated_code_is_stated_by_name(shop: GitRepository) -> None:
    project = '[build-system]\nrequires = []\n\n[project]\nname = "shop"\n'
    shop.commit({"pyproject.toml": project, "shop/__init__.py": "def total(): ...\n\n\ndef tax(): ...\n"})
    shop.git("tag", "v2")
    removal = shop.commit({"shop/__init__.py": "def total(): ...\n"}, "Remove deprecated code (#7)")
    (statement,) = notes_of(shop.root, "v2..HEAD").statements
    assert (statement.text, statement.commits) == ("Remove `shop.tax`", (removal,))


def test_a_message_that_is_not_utf8_is_read(shop: GitRepository) -> None:
    shop.stage({"shop/cart.py": "x = 1\n"})
    file = shop.root.parent / "message"
    file.write_bytes("Fix the price of a café".encode("latin-1"))
    shop.git("-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "--file", file)
    assert texts(notes_of(shop.root), NoteKind.FIX) == ["Fix the price of a café"]


def test_an_empty_range_has_no_statements(shop: GitRepository) -> None:
    notes = notes_of(shop.root)
    assert (notes.commits, notes.statements) == ((), ())
