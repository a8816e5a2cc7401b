"""The choice of lines under a budget: whole spans first, whole lines always."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import Span, TextBudget
from wardround.authoring.context.redacted_tree import RedactedTree, redacted_lines
from wardround.change.repository import Repository

if TYPE_CHECKING:
    from tests.conftest import GitRepository

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LINES = [f"value_{n} = {n}" for n in range(1, 101)]


class Lines:
    """Lines of one file, in place of those of a repository."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def lines(self, path: str) -> list[str]:
        return self._lines


def _budget(lines: list[str], characters: int) -> TextBudget:
    return TextBudget(Lines(lines), "Code", characters)  # type: ignore[arg-type]


def test_a_span_that_does_not_fit_is_skipped_for_the_next_one() -> None:
    budget = _budget(LINES, 200)
    budget.add([Span("a.py", 1, 90), Span("a.py", 95, 96, "last")])
    assert [chosen.lines for chosen in budget.chosen] == [Span("a.py", 95, 96, "last")]
    assert budget.text() == (
        "# Code\n\n## a.py\n\nlines 95-96 last\n```\nvalue_95 = 95\nvalue_96 = 96\n```\n\n"
    )


def test_of_a_span_that_does_not_fit_the_lines_with_the_words_are_added() -> None:
    lines = [*LINES, "the discount of a basket", *LINES]
    budget = _budget(lines, 400)
    budget.add([Span("a.py", 1, 201, "total")], {"discount", "basket"})
    (chosen,) = budget.chosen
    assert (chosen.shown, chosen.of) == ("part", Span("a.py", 1, 201, "total"))
    assert chosen.lines.first_line <= 101 <= chosen.lines.last_line


def test_overlapping_spans_are_added_once() -> None:
    budget = _budget(LINES, 10_000)
    budget.add([Span("a.py", 1, 10), Span("a.py", 5, 12)])
    assert [chosen.lines for chosen in budget.chosen] == [Span("a.py", 1, 10)]


def test_a_line_of_backticks_cannot_end_a_block() -> None:
    budget = _budget(["````", "text"], 1000)
    budget.add([Span("a.md", 1, 2)])
    assert "\n`````\n````\ntext\n`````\n" in budget.text()


@given(
    st.integers(0, 3000),
    st.lists(st.tuples(st.integers(1, 100), st.integers(0, 99)), max_size=12),
)
def test_the_text_never_exceeds_its_characters(characters: int, ranges: list[tuple[int, int]]) -> None:
    budget = _budget(LINES, characters)
    spans = [Span("a.py", first, min(first + length, 100)) for first, length in ranges]
    budget.add(spans, {"value"})
    assert budget.used <= characters
    for chosen in budget.chosen:
        block = "\n".join(LINES[chosen.lines.first_line - 1 : chosen.lines.last_line])
        assert f"\n```\n{block}\n```\n" in budget.text()


def test_secrets_are_masked_and_every_line_keeps_its_number(repo: GitRepository) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabc\n-----END RSA PRIVATE KEY-----"
    commit = repo.commit({"a.py": f'first = 1\nKEY = """{key}"""\ntoken = "{TOKEN}"\nlast = 2\n'})
    with Repository(repo.root) as repository:
        tree = RedactedTree(BaseTree(repository, commit))
        lines = tree.lines("a.py")
    assert (len(lines), lines[0], lines[-1]) == (7, "first = 1", "last = 2")
    assert not any(secret in "\n".join(lines) for secret in (TOKEN, "MIIEowIBAAKCAQEA7"))
    assert {("a.py", 6)} <= tree.masked


def test_text_without_secrets_is_unchanged() -> None:
    text = "def total(lines):\n    return sum(lines)\n"
    assert redacted_lines(text, is_code=True) == text.splitlines()
