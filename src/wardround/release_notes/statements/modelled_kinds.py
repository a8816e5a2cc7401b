"""The kinds that a model states for commits without a prefix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.analyses.task_kinds import MODEL
from wardround.errors import ModelError
from wardround.release_notes.history.history import HistoryCommit
from wardround.release_notes.model import NoteKind
from wardround.text.task_kinds import kind_of_prefix
from wardround.text.task_text import task_text

if TYPE_CHECKING:
    from wardround.inference.api import Classifier

_KINDS = {
    "bug": NoteKind.FIX,
    "feature": NoteKind.FEATURE,
    "performance": NoteKind.PERFORMANCE,
    "documentation": NoteKind.DOCUMENTATION,
    "refactoring": NoteKind.INTERNAL,
    "test": NoteKind.INTERNAL,
    "build": NoteKind.INTERNAL,
    "dependency": NoteKind.DEPENDENCIES,
}
_MOST_TEXTS = 10_000


@contextmanager
def installed_classifier(root: Path) -> Iterator[Classifier | None]:
    """Provide the installed model of kinds; None if there is none.

    Args:
        root: of the repository, whose configuration chooses no model here.
    """
    from wardround.config.schema import RunSettings
    from wardround.execution.broker import open_broker  # only where a model may be installed
    from wardround.tools.tool import Profile

    broker = open_broker(RunSettings(), Profile.CI, root, (), use_models=True)
    if broker is None:
        yield None
        return
    with closing(broker):
        yield broker.models.scope((MODEL,), _MOST_TEXTS).classifier(MODEL)


def modelled_kinds(classifier: Classifier | None, commits: Iterable[HistoryCommit]) -> Mapping[str, NoteKind]:
    """Return the kind of each commit without a prefix that a model classifies above its threshold."""
    if classifier is None:
        return {}
    found = {commit.id: _kind(classifier, commit) for commit in commits}
    return {commit: kind for commit, kind in found.items() if kind is not None}


def _kind(classifier: Classifier, commit: HistoryCommit) -> NoteKind | None:
    message = commit.message
    text = "" if kind_of_prefix(message.title) else task_text(message.title, message.body)
    if not text:
        return None
    try:
        probabilities = classifier.probabilities(text)
    except ModelError:
        return None
    best = max(probabilities, key=lambda name: probabilities[name])
    return _KINDS.get(best) if probabilities[best] >= classifier.threshold else None
