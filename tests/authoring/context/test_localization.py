"""The ready text of a localization that has pointers alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from wardround.authoring.context.localization import with_text
from wardround.authoring.stages import CodePointer, LocalizationResult
from wardround.change.repository import Repository

if TYPE_CHECKING:
    from tests.conftest import GitRepository

CART = "def total(lines):\n    return sum(lines)\n\n\ndef clear(lines):\n    lines.clear()\n"
CLEAR = CodePointer("shop/cart.py", 5, 6, "clear")
TEXT = "# Code\n\n## shop/cart.py\n\nlines 5-6 clear\n```\ndef clear(lines):\n    lines.clear()\n```\n\n"


@pytest.fixture
def repository(repo: GitRepository) -> Iterator[Repository]:
    repo.commit({"shop/cart.py": CART})
    with Repository(repo.root) as opened:
        yield opened


def _head(repository: Repository) -> str:
    found = repository.head()
    assert found is not None
    return found


def test_pointers_become_text_within_their_tokens_and_missing_files_are_left_out(
    repository: Repository,
) -> None:
    head = _head(repository)
    pointers = (CLEAR, CodePointer("shop/gone.py", 1, 2))
    result = with_text(repository, head, LocalizationResult(pointers, {"by": "acme"}), 100)
    assert result.text == TEXT
    assert result.pointers == pointers
    assert [(at.path, at.first_line, at.last_line) for at in result.shown] == [("shop/cart.py", 5, 6)]
    assert result.shown[0].blob == dict(repository.blobs_of(head))["shop/cart.py"]
    assert result.metadata == {"by": "acme"}

    empty = with_text(repository, head, LocalizationResult((CLEAR,)), 5)
    assert (empty.text, empty.shown) == ("", ())


def test_a_result_with_a_ready_text_stays_as_it_is(repository: Repository) -> None:
    result = LocalizationResult("the label", code=(CLEAR,))
    assert with_text(repository, _head(repository), result, 100) is result
