"""New parameters that a docstring omits, as scored by a model, next to the rule that is certain."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.checks.source import SourceFile
from wardround.semantics.docdrift.model import DocumentedPair, Parameter
from wardround.semantics.docdrift.new_parameters import features
from wardround_python.docdrift.names import surroundings

MODEL = "new-parameters"
MOST_ASKED = 20
"""Maximum number of parameters of one function that the model scores; each takes about a millisecond."""
SWEPT_FILES = 5
"""A change that touches more files with the name is a sweep, for which few measurements exist."""


def probably_undocumented(
    pair: DocumentedPair, source: SourceFile, in_doubt: Sequence[Parameter]
) -> list[tuple[Parameter, float]]:
    """Return the new parameters that a model scores as omitted, with their probability.

    Args:
        source: the file after the change.
    """
    model = source.models.table(MODEL) if in_doubt else None
    if model is None:
        return []
    around = surroundings(pair, source.base_text or "", source.text)
    scored = [(each, model.score(features(each, around))) for each in in_doubt[:MOST_ASKED]]
    return [
        (each, score)
        for each, score in scored
        if score >= model.threshold and not _is_swept(each.name, source)
    ]


def _is_swept(name: str, source: SourceFile) -> bool:
    """Return True if the change adds a name to many files at once."""
    naming_it = source.project.files_with_word([name], ("*.py",))
    return sum(source.is_changed(path) for path in naming_it) > SWEPT_FILES
