"""The answers of an author: applied exactly, or rejected with a reason for its author."""

from __future__ import annotations

import json

import pytest

from wardround.authoring.endpoint.patch_answer import UnusableAnswer, decode_answer, patch_of
from wardround.authoring.stages import PatchedFile

FILES = {"a.py": "x = 1\ny = 2\nx = 1\n", "b.py": "z = 3\n"}


def answer(*edits: tuple[str, str, str]) -> str:
    items = [{"file": file, "find": find, "replace": replace} for file, find, replace in edits]
    return json.dumps({"edits": items, "reason": "Because."})


def patched(text: str) -> dict[str, str | None]:
    return {file.path: file.text for file in patch_of(decode_answer(text), FILES.get, "m").files}


def test_edits_are_applied_in_their_order() -> None:
    text = answer(("a.py", "y = 2", "y = 3"), ("a.py", "y = 3", "y = 4"), ("new/c.py", "", "c = 1\n"))
    assert patched(text) == {"a.py": "x = 1\ny = 4\nx = 1\n", "new/c.py": "c = 1\n"}


def test_reasoning_and_a_fence_around_an_answer_are_ignored() -> None:
    text = f'<think>{{"edits": 1}}</think>\nHere:\n```json\n{answer(("b.py", "z = 3", "z = 4"))}\n```\nDone.'
    assert patched(text) == {"b.py": "z = 4\n"}


def test_no_edits_are_an_answer() -> None:
    found = decode_answer('{"edits": [], "reason": "The input does not show it."}')
    assert (found.edits, found.reason) == ((), "The input does not show it.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "[1, 2",
        '{"reason": "x"}',
        '{"edits": "all"}',
        '{"edits": [{"file": "a.py"}], "reason": ""}',
        "[]",
    ],
)
def test_a_text_without_an_answer_is_rejected(text: str) -> None:
    with pytest.raises(UnusableAnswer, match=r"it has no JSON document|does not have the required form"):
        decode_answer(text)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (("a.py", "x = 1", "x = 2"), "occur 2 times and not once"),
        (("a.py", "q = 1", "x = 2"), "occur 0 times and not once"),
        (("a.py", "", "x = 2"), '"a.py" exists, so an edit of it needs the lines to find'),
        (("missing.py", "x", "y"), 'there is no text file "missing.py"'),
        (("a.py", "y = 2", "y = \0"), 'the replacement in "a.py" is binary'),
        (("../outside.py", "", "x"), "is not a path in the repository"),
        ((".git/hooks/pre-commit", "", "x"), "is not a path in the repository"),
    ],
)
def test_an_edit_that_cannot_be_applied_has_a_reason(edit: tuple[str, str, str], reason: str) -> None:
    with pytest.raises(UnusableAnswer, match=reason):
        patched(answer(edit))


def test_the_number_of_edits_is_bounded() -> None:
    with pytest.raises(UnusableAnswer, match="more than 50 edits"):
        patched(answer(*[("a.py", "", "")] * 51))


def test_a_patch_has_its_files_in_order() -> None:
    text = answer(("b.py", "z = 3", "z = 4"), ("a.py", "y = 2", "y = 3"))
    files = patch_of(decode_answer(text), FILES.get, "m").files
    assert files == (PatchedFile("a.py", "x = 1\ny = 3\nx = 1\n"), PatchedFile("b.py", "z = 4\n"))
