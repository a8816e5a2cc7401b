"""A ticket in a file: markdown, JSON, a document, or a saved response."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.sources.file import MAX_BYTES, TicketFile


def fetched(folder: Path, name: str, content: object) -> Ticket:
    data = content if isinstance(content, (str, bytes)) else json.dumps(content)
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return TicketFile(folder).fetch(Reference("file", name))


def test_markdown(tmp_path: Path) -> None:
    ticket = fetched(tmp_path, "export.md", "\ufeff# Export\n\n## AC\n- it works\n")

    assert (ticket.key, ticket.title, ticket.source, ticket.url) == ("export.md", "Export", "file", "")
    assert [item.text for item in ticket.criteria] == ["it works"]


def test_an_empty_file_is_named_by_its_name(tmp_path: Path) -> None:
    assert fetched(tmp_path, "empty.txt", "").title == "empty.txt"


def test_json_with_a_title_and_criteria(tmp_path: Path) -> None:
    content = {"key": "T-1", "title": "Export", "description": "text", "criteria": ["a\nb works", "c works"]}

    ticket = fetched(tmp_path, "t.json", content)

    assert (ticket.key, ticket.title) == ("T-1", "Export")
    assert [item.text for item in ticket.criteria] == ["a b works", "c works"]


def test_a_document_and_saved_responses(tmp_path: Path) -> None:
    heading = {"type": "heading", "attrs": {"level": 1}, "content": [{"type": "text", "text": "Title"}]}
    document = {"type": "doc", "version": 1, "content": [heading]}
    jira = {"key": "A-1", "fields": {"summary": "From Jira", "description": document}}
    github = {
        "number": 3,
        "title": "From GitHub",
        "body": None,
        "html_url": "https://github.com/a/b/issues/3",
    }

    assert fetched(tmp_path, "a.adf", document).title == "Title"
    assert fetched(tmp_path, "b.json", {"title": "x", "description": document}).description == "# Title"
    assert fetched(tmp_path, "c.json", jira).key == "A-1"
    assert fetched(tmp_path, "d.json", github).title == "From GitHub"
    assert {fetched(tmp_path, "c.json", jira).source, fetched(tmp_path, "d.json", github).source} == {"file"}


def test_the_same_text_is_the_same_ticket_in_every_folder(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()

    assert fetched(tmp_path / "a", "t.md", "# T") == fetched(tmp_path / "b", "t.md", "# T")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.json", "{", "not valid JSON"),
        ("a.json", "[" * 100_000, "not valid JSON"),
        ("a.json", "[1]", "unexpected shape"),
        ("a.json", {"title": "x", "sever": 1}, "unexpected shape.*sever"),
        ("a.json", {"title": 3}, "unexpected shape.*title"),
        ("a.json", {"body": "x"}, "unexpected shape.*number"),
        ("a.json", {"fields": {"summary": "x"}}, "unexpected shape.*key"),
        ("a.json", {"key": "x", "fields": {}}, "no summary"),
        ("a.md", b"\xff\xfe\x00", "not UTF-8"),
        ("a.md", b"x" * (MAX_BYTES + 1), "more than 2,097,152 bytes"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_file_that_is_not_a_ticket_is_an_error(
    tmp_path: Path, name: str, content: object, words: str
) -> None:
    with pytest.raises(TicketError, match=words) as caught:
        fetched(tmp_path, name, content)

    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["missing.md", "folder/", "nul\0.md", "x" * 5000 + ".md"], ids=lambda n: n[:8]
)
def test_a_path_that_cannot_be_read_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(TicketError, match=r"cannot be read|not a regular file"):
        TicketFile(tmp_path).fetch(Reference("file", name))


def test_a_pipe_is_rejected_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")

    with pytest.raises(TicketError, match="not a regular file"):
        TicketFile(tmp_path).fetch(Reference("file", "pipe.md"))
