"""The kind of a commit from its message and what it changes."""

from __future__ import annotations

import pytest

from wardround.release_notes.history.message import read_message
from wardround.release_notes.history.path_class import PathClass
from wardround.release_notes.model import NoteKind
from wardround.release_notes.statements.commit_kind import KindEvidence, kind_of
from wardround.release_notes.statements.sentence import read_subject

PRODUCT = frozenset({PathClass.PRODUCT})


def _kind(
    text: str,
    classes: frozenset[PathClass] = PRODUCT,
    modelled: NoteKind | None = None,
    *,
    deprecates: bool = False,
) -> NoteKind:
    message = read_message(text)
    return kind_of(KindEvidence(message, read_subject(message.title), classes, modelled, deprecates))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("feat: x", NoteKind.FEATURE),
        ("fix(cart): x", NoteKind.FIX),
        ("fix(ci): x", NoteKind.INTERNAL),
        ("docs(cart): x", NoteKind.DOCUMENTATION),
        ("chore(deps): bump x", NoteKind.DEPENDENCIES),
        ("🐛 x", NoteKind.FIX),
        (":sparkles: x", NoteKind.FEATURE),
        ("Add a limit", NoteKind.FEATURE),
        ("Carts can now be limited", NoteKind.FEATURE),
        ("Native carts: add a limit", NoteKind.FEATURE),
        ("Don't fail for empty carts", NoteKind.FIX),
        ("Totals no longer crash", NoteKind.FIX),
        ("Fix CVE-2024-12345", NoteKind.SECURITY),
        ("Keep rows\n\nGHSA-abcd-1234-efgh", NoteKind.SECURITY),
        ("Prevent path traversal in names", NoteKind.SECURITY),
        ("Deprecate total", NoteKind.DEPRECATION),
        ("Make totals faster", NoteKind.PERFORMANCE),
        ("Reduce the memory of carts", NoteKind.PERFORMANCE),
        ("Refactor carts", NoteKind.INTERNAL),
        ("Add more tests", NoteKind.INTERNAL),
        ("Move helpers from _cart.py to _rows.py", NoteKind.INTERNAL),
        ("Release 1.2.0", NoteKind.INTERNAL),
        ("Fix typo in docstring", NoteKind.DOCUMENTATION),
        ("Round totals to cents", NoteKind.CHANGE),
    ],
)
def test_a_message_states_a_kind(text: str, kind: NoteKind) -> None:
    assert _kind(text) is kind


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        ({PathClass.DOCUMENTATION}, NoteKind.DOCUMENTATION),
        ({PathClass.DOCUMENTATION, PathClass.CHANGELOG}, NoteKind.DOCUMENTATION),
        ({PathClass.TESTS}, NoteKind.INTERNAL),
        ({PathClass.MANIFEST, PathClass.TOOLING}, NoteKind.INTERNAL),
    ],
)
def test_what_leaves_the_product_as_it_is_is_no_feature(classes: set[PathClass], kind: NoteKind) -> None:
    assert _kind("feat: add x", frozenset(classes)) is kind


def test_the_support_of_a_language_is_noticed_though_only_the_manifest_changes() -> None:
    manifest = frozenset({PathClass.MANIFEST})
    assert _kind("Drop support for Python 3.8", manifest) is NoteKind.CHANGE
    assert _kind("Sort keys", manifest) is NoteKind.INTERNAL


def test_a_warning_of_a_deprecation_decides_where_words_do_not() -> None:
    assert _kind("Round totals to cents", deprecates=True) is NoteKind.DEPRECATION
    assert _kind("Add a limit", deprecates=True) is NoteKind.FEATURE


def test_a_model_decides_where_no_prefix_does() -> None:
    assert _kind("Round totals to cents", modelled=NoteKind.FIX) is NoteKind.FIX
    assert _kind("feat: round totals to cents", modelled=NoteKind.FIX) is NoteKind.FEATURE


@pytest.mark.parametrize(
    "subject", ["0.18.0 release", "Update version", "Dist rebuild", "Update version to 2.0"]
)
def test_a_subject_that_only_states_a_release_is_internal(subject: str) -> None:
    assert _kind(subject) is NoteKind.INTERNAL


@pytest.mark.parametrize("subject", ["Update version check", "Show the version of a release"])
def test_a_subject_about_versions_of_the_product_is_noticed(subject: str) -> None:
    assert _kind(subject) is not NoteKind.INTERNAL
