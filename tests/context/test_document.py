"""The id of a context is a digest over exactly the input of the planes; stored ids stay valid."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from wardround.change.diff import Change, ChangedFile, FileStatus, Hunk
from wardround.context.canonical import canonical_json
from wardround.context.document import ContextDocument, ContextFile, ContextHunk, describe, document_id
from wardround.context.ticket.model import Criterion, Ticket

FILE = ChangedFile("a.py", "b.py", FileStatus.RENAMED, "100644", "3" * 40, "4" * 40, (Hunk(1, 1, 1, 2),))
CHANGE = Change("1" * 40, "2" * 40, (FILE,))
ID = "sha256:76eb3b50682390ecc285c980eb0d6a3c9248d74870249920eae118cb90b796f9"

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
TICKET = Ticket("T-1", "Title", "jira", criteria=(Criterion("AC1", "It works", "section"),))
HUNKS = st.builds(ContextHunk, *[st.integers(0, 9)] * 4)
FILES = st.builds(
    ContextFile,
    path=TEXT, status=TEXT, mode=TEXT, base_path=st.none() | TEXT, path_bytes=TEXT, base_path_bytes=TEXT,
    base_content=TEXT, head_content=TEXT, hunks=st.lists(HUNKS, max_size=2).map(tuple),
    is_fragment=st.booleans(), is_incomparable=st.booleans(), first_for=st.lists(TEXT, max_size=2).map(tuple),
)  # fmt: skip
DOCUMENTS = st.builds(
    ContextDocument,
    base=TEXT, target=TEXT, head=TEXT, files=st.lists(FILES, min_size=1, max_size=2).map(tuple),
    ticket=st.none() | st.just(TICKET), schema=st.just("wardround.context/1"),
)  # fmt: skip


def test_the_format_is_fixed() -> None:
    assert document_id(describe(CHANGE, {})) == ID


@given(DOCUMENTS)
def test_a_document_survives_its_canonical_form(document: ContextDocument) -> None:
    assert msgspec.json.decode(canonical_json(document), type=ContextDocument) == document


def _other(value: Any) -> Any:
    """A value that differs."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, tuple):
        return (*value, value[-1] if value else "x")
    if isinstance(value, Ticket):
        return replace(value, title=f"{value.title}x")
    return "x" if value is None else f"{value}x"


@given(DOCUMENTS)
def test_every_field_counts(document: ContextDocument) -> None:
    names = [field.name for field in fields(document) if field.name not in ("schema", "files")]
    others = [replace(document, **{name: _other(getattr(document, name))}) for name in names]
    first, *rest = document.files
    for field in fields(first):
        value = getattr(first, field.name)
        hunk = (ContextHunk(1, 2, 3, 4),)
        other = (*value, *hunk) if field.name == "hunks" else _other(value)
        others.append(replace(document, files=(replace(first, **{field.name: other}), *rest)))
    others.append(replace(document, files=(*document.files, first)))
    others.append(replace(document, files=tuple(rest)))
    ids = [document_id(item) for item in (document, *others)]
    assert len(set(ids)) == len(ids)


def test_hunks_count() -> None:
    changed = replace(CHANGE, files=(replace(FILE, hunks=(Hunk(1, 1, 2, 2),)),))
    assert document_id(describe(changed, {})) != ID


def test_the_order_of_files_does_not_count() -> None:
    other = replace(FILE, path="c.py")
    item, two = (replace(CHANGE, files=files) for files in ((FILE, other), (other, FILE)))
    assert document_id(describe(item, {})) == document_id(describe(two, {}))


def test_content_without_an_object_id_has_a_digest() -> None:
    unnamed = replace(CHANGE, files=(replace(FILE, head_blob=None),))
    assert describe(unnamed, {"a.py": b"\x05" * 32}).files[0].head_content == f"sha256:{'05' * 32}"


def test_names_that_look_alike_when_escaped_differ() -> None:
    changes = [replace(CHANGE, files=(replace(FILE, path=path),)) for path in ("a\udce4.py", r"a\xe4.py")]
    documents = [describe(change, {}) for change in changes]
    assert documents[0].files[0].path == documents[1].files[0].path
    assert document_id(documents[0]) != document_id(documents[1])


def test_a_document_of_another_schema_is_rejected() -> None:
    values = json.loads(canonical_json(describe(CHANGE, {}))) | {"schema": "wardround.context/2"}
    with pytest.raises(msgspec.ValidationError, match=r"wardround\.context/2"):
        msgspec.convert(values, ContextDocument)
