"""The kind of a commit: by its prefix, by what it changes, by a model, and by how its subject begins."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from wardround.release_notes.history.message import Message
from wardround.release_notes.history.path_class import PathClass
from wardround.release_notes.model import NoteKind
from wardround.release_notes.statements import subject_words
from wardround.release_notes.statements.sentence import Subject, imperative

_BY_TYPE = {
    NoteKind.FEATURE: ("feat", "feature", "add", "added", "enh", "enhancement"),
    NoteKind.FIX: ("fix", "bugfix", "bug", "hotfix"),
    NoteKind.PERFORMANCE: ("perf", "performance"),
    NoteKind.SECURITY: ("security", "sec"),
    NoteKind.DEPRECATION: ("deprecate", "deprecated", "deprecation", "depr"),
    NoteKind.CHANGE: ("change", "changed", "remove", "removed", "improvement", "improve", "revert", "api"),
    NoteKind.DOCUMENTATION: ("docs", "doc", "documentation", "typo", "typos"),
    NoteKind.DEPENDENCIES: ("deps", "dep"),
    NoteKind.INTERNAL: (
        "style", "refactor", "refact", "refactoring", "test", "tests", "testing", "tst", "build", "bld",
        "ci", "chore", "maint", "mnt", "maintenance", "dev", "lint", "cleanup", "clean", "internal",
        "infra", "misc", "meta", "pkg", "packaging", "bump", "release", "rel", "wip",
    ),
}  # fmt: skip
_TYPES = {name: kind for kind, names in _BY_TYPE.items() for name in names}
_BY_PICTOGRAM = {
    NoteKind.FEATURE: ("✨", ":sparkles:", "🚀", ":rocket:"),
    NoteKind.FIX: ("🐛", ":bug:", "🩹", "🚑", ":ambulance:", "🐞"),
    NoteKind.PERFORMANCE: ("⚡", ":zap:"),
    NoteKind.SECURITY: ("🔒", ":lock:"),
    NoteKind.DEPRECATION: ("🗑", ":wastebasket:"),
    NoteKind.DOCUMENTATION: ("📝", ":memo:", "📚", ":books:", "✏", ":pencil2:", "🌐"),
    NoteKind.INTERNAL: (
        "🔧", "👷", "💚", "♻", ":recycle:", "✅", "🎨", ":art:", "🚨", "🔖", ":bookmark:", "👥", "🍱", "🚚",
        ":white_check_mark:", ":construction_worker:", ":wrench:",
    ),
    NoteKind.DEPENDENCIES: ("⬆", ":arrow_up:", "⬇", ":arrow_down:"),
}  # fmt: skip
_PICTOGRAMS = {sign: kind for kind, signs in _BY_PICTOGRAM.items() for sign in signs}
_INTERNAL_SCOPES = frozenset({
    "ci", "test", "tests", "testing", "build", "dev", "deps-dev", "dev-deps", "lint", "release", "docker",
    "e2e", "bench", "benchmark", "benchmarks", "tooling", "scripts", "pre-commit", "workflow",
    "workflows", "github", "actions", "repo",
})  # fmt: skip
_DOCUMENTATION_SCOPES = frozenset(
    {"doc", "docs", "readme", "documentation", "examples", "example", "website"}
)
_DEPENDENCY_SCOPES = frozenset({"deps", "dependencies", "dep"})


class KindEvidence(msgspec.Struct, frozen=True):
    """The facts from which the kind of a commit follows.

    Attributes:
        classes: the classes of its changed files.
        modelled: the kind that a model states; None without one.
        deprecates: it adds a warning of a deprecation to the product.
    """

    message: Message
    subject: Subject
    classes: Collection[PathClass]
    modelled: NoteKind | None = None
    deprecates: bool = False


def kind_of(evidence: KindEvidence) -> NoteKind:
    """Return the kind of a commit; ``change`` if it changes the product in an unknown way."""
    subject = evidence.subject
    by_paths = _kind_by_paths(evidence)
    if by_paths is not None:
        return by_paths
    stated = _stated_kind(subject)
    if stated is NoteKind.INTERNAL or stated is NoteKind.DOCUMENTATION:
        return stated
    if _is_about_security(evidence):
        return NoteKind.SECURITY
    return stated or evidence.modelled or _kind_by_words(evidence)


def _is_about_security(evidence: KindEvidence) -> bool:
    texts = (evidence.subject.text, evidence.message.body)
    has_id = any(subject_words.SECURITY_ID.search(text) for text in texts)
    return has_id or subject_words.SECURITY.search(evidence.subject.text) is not None


def _kind_by_paths(evidence: KindEvidence) -> NoteKind | None:
    """Return the kind of a change that leaves the product as it is; None for another, and for no change."""
    classes = frozenset(evidence.classes)
    if not classes or PathClass.PRODUCT in classes:
        return None
    if PathClass.MANIFEST in classes and subject_words.SUPPORT.match(evidence.subject.text):
        is_added = subject_words.FEATURE.match(evidence.subject.text) is not None
        return NoteKind.FEATURE if is_added else NoteKind.CHANGE
    if classes <= {PathClass.DOCUMENTATION, PathClass.CHANGELOG} and PathClass.DOCUMENTATION in classes:
        return NoteKind.DOCUMENTATION
    return NoteKind.INTERNAL


def _stated_kind(subject: Subject) -> NoteKind | None:
    """Return the kind that prefix, scope, tags or pictogram state."""
    scope = subject.scope.lower()
    if scope in _INTERNAL_SCOPES or subject_words.TOOL.fullmatch(scope):
        return NoteKind.INTERNAL
    if scope in _DOCUMENTATION_SCOPES or not _DOCUMENTATION_SCOPES.isdisjoint(subject.tags):
        return NoteKind.DOCUMENTATION
    if scope in _DEPENDENCY_SCOPES:
        return NoteKind.DEPENDENCIES
    return _TYPES.get(subject.type) or _PICTOGRAMS.get(subject.pictogram.rstrip("\ufe0f"))


def _kind_by_words(evidence: KindEvidence) -> NoteKind:
    text = imperative(evidence.subject.text.replace("`", ""))
    if subject_words.HOUSEKEEPING.match(text):
        return NoteKind.INTERNAL
    stated = _kind_of_opening(text) or _kind_of_opening(text.partition(": ")[2])
    return stated or (NoteKind.DEPRECATION if evidence.deprecates else NoteKind.CHANGE)


def _kind_of_opening(text: str) -> NoteKind | None:
    return next((kind for kind, pattern in _BY_WORDS if text and pattern.match(text)), None)


_BY_WORDS = (
    (NoteKind.DEPRECATION, subject_words.DEPRECATION),
    (NoteKind.PERFORMANCE, subject_words.PERFORMANCE),
    (NoteKind.DOCUMENTATION, subject_words.DOCUMENTATION),
    (NoteKind.INTERNAL, subject_words.INTERNAL),
    (NoteKind.FIX, subject_words.FIX),
    (NoteKind.FEATURE, subject_words.FEATURE),
)
