"""Statements of commits by what their files contain, and by a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.conftest import GitRepository
from tests.release_notes.histories import notes_of, texts, the_statement
from wardround.change.repository import Repository
from wardround.errors import ModelError
from wardround.release_notes.history.revisions import revisions_of_range
from wardround.release_notes.model import NoteKind
from wardround.release_notes.notes import Sources, write_notes

CART = 'class CartRow:\n    """A row."""\n\n    def add(self):\n        return 1  # row\n'


@dataclass(frozen=True)
class FixedClassifier:
    """A model with one answer, or with an error."""

    kind: str
    probability: float
    threshold: float = 0.8

    def probabilities(self, text: str) -> Mapping[str, float]:
        if not self.kind:
            raise ModelError("the model is damaged")
        return {self.kind: self.probability, "build": 1 - self.probability}


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit({"shop.py": CART}, "Initial commit")
    repo.git("tag", "v1")
    return repo


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("A row.", "A row of a cart.", NoteKind.DOCUMENTATION),
        ("# row", "# the row", NoteKind.INTERNAL),
        ("return 1", "return 2", NoteKind.CHANGE),
    ],
)
def test_a_change_of_comments_or_documentation_alters_no_product(
    shop: GitRepository, old: str, new: str, kind: NoteKind
) -> None:
    shop.commit({"shop.py": CART.replace(old, new)}, "State the row")
    assert texts(notes_of(shop.root), kind) == ["State the row"]


def test_a_commit_that_adds_a_warning_deprecates(shop: GitRepository) -> None:
    warned = CART.replace("return 1", "warnings.warn('x', DeprecationWarning)\n        return 1")
    shop.commit({"shop.py": warned}, "Prefer the total")
    shop.git("tag", "v2")
    shop.commit({"shop.py": CART}, "Raise the total")
    assert texts(notes_of(shop.root, "v1..v2"), NoteKind.DEPRECATION) == ["Prefer the total"]
    assert texts(notes_of(shop.root, "v2..HEAD"), NoteKind.DEPRECATION) == []


def test_names_of_the_changed_code_are_code(shop: GitRepository) -> None:
    shop.commit({"shop.py": CART.replace("return 1", "return 2")}, "Sort each CartRow of a GitHub cart")
    assert texts(notes_of(shop.root), NoteKind.CHANGE) == ["Sort each `CartRow` of a GitHub cart"]


@pytest.mark.parametrize(
    ("classifier", "kind"),
    [
        (FixedClassifier("bug", 0.9), NoteKind.FIX),
        (FixedClassifier("bug", 0.7), NoteKind.CHANGE),
        (FixedClassifier("", 0), NoteKind.CHANGE),
        (None, NoteKind.CHANGE),
    ],
)
def test_a_model_states_a_kind_only_above_its_threshold(
    shop: GitRepository, classifier: FixedClassifier | None, kind: NoteKind
) -> None:
    shop.commit({"shop.py": CART.replace("return 1", "return 2")}, "Sort rows")
    with Repository(shop.root) as repository:
        sources = Sources(classifier=classifier)
        notes = write_notes(repository, revisions_of_range(repository, "v1"), sources)
    assert the_statement(notes, "Sort rows").kind is kind


def test_the_area_is_the_scope_or_the_package(repo: GitRepository) -> None:
    packages = {"packages/cart/package.json": "{}\n", "packages/tax/package.json": "{}\n"}
    repo.commit(packages, "Initial commit")
    repo.git("tag", "v1")
    repo.commit({"packages/cart/index.ts": "export {}\n"}, "feat: add rows")
    repo.commit({"packages/cart/a.ts": "a\n", "packages/tax/a.ts": "a\n"}, "feat(api): add taxes")
    statements = [(statement.area, statement.text) for statement in notes_of(repo.root).statements]
    assert statements == [("api", "Add taxes"), ("cart", "Add rows")]


def test_statements_of_a_ticket_are_joined(shop: GitRepository) -> None:
    first = shop.commit({"a.py": "x = 1\n"}, "SHOP-7: Add a limit")
    second = shop.commit({"b.py": "x = 1\n"}, "SHOP-7: Allow a second limit")
    statement = the_statement(notes_of(shop.root), "Add a limit; allow a second limit")
    assert (statement.commits, statement.references) == ((first, second), ("SHOP-7",))


def test_corrections_of_language_are_one_statement(shop: GitRepository) -> None:
    shop.commit({"docs/a.md": "a\n"}, "Fix typo in a")
    shop.commit({"docs/b.md": "b\n"}, "Fix broken links")
    notes = notes_of(shop.root)
    assert len(the_statement(notes, "Correct spelling, wording and links").commits) == 2


def test_messages_that_state_nothing_are_one_item(shop: GitRepository) -> None:
    commits = [shop.commit({"a.py": f"x = {number}\n"}, ".") for number in (1, 2)]
    (item,) = notes_of(shop.root).unattributed
    assert (item.text, item.reason) == ("2 commits", "their messages state nothing")
    assert sorted(item.commits) == sorted(commits)
