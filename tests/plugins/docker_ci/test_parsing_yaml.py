from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.languages.yaml.tree import documents, passage, walk


def _root(text: str) -> Mapping:
    (root,) = documents(text)
    assert isinstance(root, Mapping)
    return root


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: plain text # c\n", "plain text"),
        ("a: 'it''s'\n", "it 's"),
        ('a: "b \\"c\\" é"\n', 'b  "c " é'),
        ("a: |\n  one\n  two\n", "  one\n  two\n"),
        ("a: >\n  one\n  two\n\n  three\n", "  one   two\n\n  three\n"),
        ("a: &x !!str b\n", "b"),
    ],
)
def test_a_passage_is_as_long_as_the_source_it_is_for(text: str, said: str) -> None:
    scalar = _root(text).scalar("a")
    assert scalar is not None
    found = passage(text, scalar)
    assert found.text == said
    assert len(text[found.start : found.end]) == len(said)


def test_offsets_count_code_points_behind_a_byte_order_mark_and_windows_line_ends() -> None:
    text = "\ufeffa: é😀\r\nb: x\r\n"
    root = _root(text)
    assert [(text[k.start : k.end], text[v.start : v.end]) for k, v in root.entries] == [
        ("a", "é😀"),
        ("b", "x"),
    ]


def test_merge_keys_are_looked_through_and_own_keys_come_first() -> None:
    root = _root("x: &x {a: 1, b: 2}\ny:\n  <<: [*x]\n  a: 3\n")
    assert (root.text("y", "a"), root.text("y", "b"), root.text("y", "c")) == ("3", "2", "")


def test_a_node_that_contains_itself_is_walked_once() -> None:
    root = _root("a: &a\n  b: *a\n  <<: *a\n")
    assert len(list(walk(root))) == 2
    assert root.mapping("a").get("none") is None


@pytest.mark.parametrize("text", ["a: [", "a: b: c\n", "[" * 5000, "- " * 5000, "\x00", "a: \udcff"])
def test_what_is_not_a_yaml_is_a_syntax_error(text: str) -> None:
    with pytest.raises(SyntaxError):
        documents(text)


@given(st.text(alphabet="ab: -[]{}|>&*<'\"\\\n#!é", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = documents(text)
    except SyntaxError:
        return
    for document in found:
        for node in walk(document):
            if isinstance(node, Scalar):
                assert 0 <= passage(text, node).start <= len(text)
