"""Breaking changes for ``planted_breaks.py``: a definition is changed, its uses in other files are not.

Candidates are found by syntax trees of the standard library and by text, independently of the code graph that
the checks use: a definition counts if its name is defined once in the repository and another file uses it.
"""

from __future__ import annotations

import random
from collections import defaultdict

from evals.planting.automation import ci_files
from evals.planting.checkout import Break, Checkout, Planter
from evals.planting.data import dbt_models, python_fields, sql_columns
from evals.planting.definitions import enum_members, python_definitions, script_exports, script_members
from evals.planting.modules import python_modules, script_modules
from evals.planting.names import python_names, script_keys

PLANTERS: tuple[Planter, ...] = (
    python_definitions, enum_members, python_modules, python_names, python_fields, script_exports,
    script_modules, script_members, script_keys, dbt_models, sql_columns, ci_files,
)  # fmt: skip
"""Finds candidates of one or several kinds."""


def planted(checkout: Checkout, count: int, seed: int) -> list[Break]:
    """Return up to a number of breaks of a repository, in turn over the kinds, in a fixed order."""
    by_kind: dict[tuple[str, str], list[Break]] = defaultdict(list)
    for planter in PLANTERS:
        for plant in planter(checkout):
            by_kind[plant.language, plant.kind].append(plant)
    shuffled = random.Random(seed)
    queues = []
    for key in sorted(by_kind):
        breaks = sorted(by_kind[key], key=lambda item: (item.name, sorted(item.edits)))
        shuffled.shuffle(breaks)
        queues.append(breaks)
    found: list[Break] = []
    while any(queues) and len(found) < count:
        for queue in queues:
            if queue and len(found) < count:
                found.append(queue.pop())
    return found
