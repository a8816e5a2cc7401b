"""Messages against the hunks of real changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.retrieval.hunk_search import ChangedCode, changed_code, rank

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.retrieval.conftest import GroupEmbedder

SHOP = (
    "import os\n\n\ndef total(basket):\n    return sum(basket)\n\n\n"
    + "x = 1\n" * 20
    + "def mail():\n    send()\n"
)


def _code(repo: GitRepository, base: str, head: str) -> list[ChangedCode]:
    with Repository(repo.root) as repository:
        change: Change = repository.range(base, head)
        return changed_code(change, FileTexts(GitChangeSource(repository, change), change))


def test_hunks_know_their_place_and_what_they_stand_in(repo: GitRepository) -> None:
    old: dict[str, str | bytes] = {
        "shop.py": SHOP,
        "gone.py": "def old():\n    pass\n",
        "logo.png": b"\x00\xff",
    }
    base = repo.commit(old)
    changed = SHOP.replace("sum(basket)", "sum(basket) - rebate(basket)").replace("send()", "send(retries=2)")
    repo.git("rm", "--quiet", "gone.py")
    files: dict[str, str | bytes] = {"shop.py": changed, "new.py": "def fresh():\n    pass\n"}
    files["logo.png"] = b"\x00\xfe"
    head = repo.commit(files)
    assert _code(repo, base, head) == [
        ChangedCode("gone.py", 1, 3, "def old():", "def old():\n    pass\n"),
        ChangedCode("new.py", 1, 2, "def fresh():", "def fresh():\n    pass"),
        ChangedCode(
            "shop.py", 5, 5, "def total(basket):",
            "    return sum(basket) - rebate(basket)\n    return sum(basket)",
        ),
        ChangedCode("shop.py", 29, 29, "def mail():", "    send(retries=2)\n    send()"),
    ]  # fmt: skip


def test_blocks_with_few_lines_between_them_are_one_hunk(repo: GitRepository) -> None:
    lines = [f"line {n}" for n in range(1, 31)]
    base = repo.commit({"a.txt": "\n".join(lines)})
    for at in (3, 8, 20):
        lines[at] += " changed"
    head = repo.commit({"a.txt": "\n".join(lines)})
    assert [(hunk.line, hunk.end_line) for hunk in _code(repo, base, head)] == [(4, 9), (21, 21)]


def test_a_removal_is_shown_where_it_was(repo: GitRepository) -> None:
    base = repo.commit({"a.py": "def f():\n    one()\n    two()\n"})
    head = repo.commit({"a.py": "def f():\n    two()\n"})
    assert _code(repo, base, head) == [ChangedCode("a.py", 1, 1, "def f():", "    one()")]


def _hunks() -> list[ChangedCode]:
    bodies = {
        "auth.py": "credentials = password",
        "cart.py": "price = discount",
        "news.py": "smtp.letter",
        "retry.py": "attempts += 1",
        "retry_test.py": "attempts == 2",
        "zebra.py": "stripes",
    }
    return [ChangedCode(path, 1, 1, "", body) for path, body in bodies.items()]


def test_words_alone_order_hunks() -> None:
    found = rank("fix: count the attempts of a retry", _hunks())
    assert [item.hunk.path for item in found][:2] == ["retry.py", "retry_test.py"]
    assert found[0].lexical > 0
    assert {item.model for item in found} == {None}


def test_the_model_finds_what_shares_no_word(embedder: GroupEmbedder) -> None:
    found = rank("users can not sign in", _hunks(), embedder)
    assert found[0].hunk.path == "auth.py"
    assert found[0].lexical == 0
    wholes, bodies = [f"{h.path}\n\n{h.text}" for h in _hunks()], [h.text for h in _hunks()]
    assert embedder.asked == ["users can not sign in", *wholes, *bodies]


def test_the_first_line_of_a_message_is_queried_about_too(embedder: GroupEmbedder) -> None:
    rank("Users can not sign in\n\nSince the last release.", _hunks(), embedder)
    assert embedder.asked[:2] == ["Users can not sign in\n\nSince the last release.", "Users can not sign in"]


def test_a_hunk_gains_by_the_others_of_its_file() -> None:
    hunks = [
        *_hunks(),
        ChangedCode("retry.py", 9, 9, "", "pause()"),
        ChangedCode("sleep.py", 9, 9, "", "pause()"),
    ]
    found = rank("count the attempts", hunks)
    order = [(item.hunk.path, item.hunk.line) for item in found]
    assert order.index(("retry.py", 9)) < order.index(("sleep.py", 9))


def test_few_hunks_are_ordered_by_words_even_with_a_model(embedder: GroupEmbedder) -> None:
    found = rank("stripes when you sign in", [_hunks()[0], _hunks()[5]], embedder)
    assert [item.hunk.path for item in found] == ["zebra.py", "auth.py"]
    assert all(item.model is not None for item in found)


def test_the_order_does_not_depend_on_the_order_given(embedder: GroupEmbedder) -> None:
    for query in ("retry", "nothing at all shares this", ""):
        there = rank(query, _hunks(), embedder)
        assert rank(query, _hunks()[::-1], embedder) == there


def test_no_hunks_are_no_evidence(embedder: GroupEmbedder) -> None:
    assert rank("anything", [], embedder) == []
