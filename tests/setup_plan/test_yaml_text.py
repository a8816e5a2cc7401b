"""Lines are added to YAML as text; what is there stays byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from wardround.setup_plan.yaml_text import NotUnderstood, YamlText

ENTRY = {"repo": "x", "hooks": [{"id": "y"}]}
LINES = ["- repo: x", "  hooks:", "    - id: y"]


def append(value: Any) -> None:
    value["repos"].append(ENTRY)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("repos:\n- repo: a\n", "repos:\n- repo: a\n- repo: x\n  hooks:\n    - id: y\n"),
        ("repos:\n  - repo: a", "repos:\n  - repo: a\n  - repo: x\n    hooks:\n      - id: y\n"),
        (
            "repos:\n  - repo: a  # why\n    # inside\n    rev: b\n\n  # outside\nci: {}\n",
            "repos:\n  - repo: a  # why\n    # inside\n    rev: b\n  - repo: x\n    hooks:\n      - id: y\n\n"
            "  # outside\nci: {}\n",
        ),
        (
            "repos:\r\n  - repo: a\r\n",
            "repos:\r\n  - repo: a\r\n  - repo: x\r\n    hooks:\r\n      - id: y\r\n",
        ),
        (
            "repos:\n  - repo: a\n    text: |\n      one\n\n\nlast: 1\n",
            "repos:\n  - repo: a\n    text: |\n      one\n"
            "  - repo: x\n    hooks:\n      - id: y\n\n\nlast: 1\n",
        ),
        (
            "repos:\n  - repo: a\n    hooks: [{id: b,\n      args: [c]}]\nlast: 1\n",
            "repos:\n  - repo: a\n    hooks: [{id: b,\n      args: [c]}]\n"
            "  - repo: x\n    hooks:\n      - id: y\nlast: 1\n",
        ),
    ],
)
def test_an_item_follows_the_last_one_in_its_indentation(before: str, after: str) -> None:
    assert YamlText(before.encode()).with_item(["repos"], LINES, append).decode() == after


@pytest.mark.parametrize(
    "text",
    ["repos: []\n", "repos: [{repo: a}]\n", "repos:\n", "other: 1\n", "repos:\n  -\n    repo: a\n    b: 1\n"],
)
def test_a_list_in_another_form_is_not_extended(text: str) -> None:
    with pytest.raises(NotUnderstood):
        YamlText(text.encode()).with_item(["repos"], LINES, append)


@pytest.mark.parametrize("text", [b"\xff", b"a: [", b"- a\n", b"{a: 1}\n", b"a: 1\n---\nb: 2\n", b"text\n"])
def test_another_text_is_not_understood(text: bytes) -> None:
    with pytest.raises(NotUnderstood):
        YamlText(text)


def test_a_key_follows_an_empty_line_and_tags_of_applications_stay() -> None:
    before = b"a:\n  script: [!reference [.b, script]]"
    changed = YamlText(before).with_key(["c: 1"], lambda value: value.update(c=1))
    assert changed == before + b"\n\nc: 1\n"


def test_a_document_that_ends_is_not_extended() -> None:
    with pytest.raises(NotUnderstood):
        YamlText(b"a: 1\n...\n").with_key(["b: 2"], lambda value: value.update(b=2))
