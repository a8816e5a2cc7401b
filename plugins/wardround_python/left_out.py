"""Which new parameters a docstring leaves out, as a model sees it beside the rule that is sure."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from wardround.checks import Source
from wardround.drift.documented import Compared, Parameter
from wardround.drift.new_parameters import Surroundings, brought, features
from wardround_python.naming import naming

MODEL = "new-parameters"
MOST_ASKED = 20
"""Parameters of one function that the model is asked about; each takes about a millisecond."""
SWEPT_FILES = 5
"""A change that touches more files with the name sweeps; of sweeps little was measured."""


def likely_left_out(
    one: Compared, source: Source, ruled: Collection[Parameter]
) -> list[tuple[Parameter, float]]:
    """The new parameters that a model takes for left out, in the order of the signature, and how likely.

    Args:
        source: the file after the change.
        ruled: those of which a rule is sure; the model is not asked about them.
    """
    asked = list(islice((each for each in brought(one.change) if each not in ruled), MOST_ASKED))
    model = source.models.table(MODEL) if asked else None
    if model is None:
        return []
    before = naming(source.base_text or "").without(one.words_before)
    after = naming(source.text).without(one.words_after or "")
    around = Surroundings(one.change, before, after)
    scored = [(each, model.score(features(each, around))) for each in asked]
    return [
        (each, score)
        for each, score in scored
        if score >= model.threshold and not _is_swept(each.name, source)
    ]


def _is_swept(name: str, source: Source) -> bool:
    """Whether the change brings a name to many files at once."""
    naming_it = source.project.files_with_word([name], ("*.py",))
    return sum(source.is_changed(path) for path in naming_it) > SWEPT_FILES
