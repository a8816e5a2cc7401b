"""Training tasks of the code graph: the function that has the purpose of other code."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.retrieval.lexical_features import OVERLAP_NAMES, lexical_features
from wardround.training_tasks import Choice, History, Task
from wardround_lab.tasks.helper_reuse import mine_reuse_choices
from wardround_lab.tasks.namesakes import mine_namesake_choices


def tasks() -> list[Task]:
    """Return the tasks of this plugin."""
    return [
        Task(
            name="helper-reuse",
            specialist="contract",
            title="which existing function replaced this code",
            mine=_mine,
            features=lexical_features,
            feature_names=OVERLAP_NAMES,
        ),
        Task(
            name="namesakes",
            specialist="contract",
            title="which function has the same name in another file",
            mine=_mine_namesakes,
            features=lexical_features,
            feature_names=OVERLAP_NAMES,
        ),
    ]


def _mine(history: History) -> Iterator[Choice]:
    return mine_reuse_choices(history)


def _mine_namesakes(history: History) -> Iterator[Choice]:
    return mine_namesake_choices(history)
