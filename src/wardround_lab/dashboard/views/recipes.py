"""The recipes that can be trained: those of the repository, and those that come with wardround."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from wardround.change.repository import WORKTREE, Repository
from wardround.errors import GitError, TrainingError, UsageError
from wardround.inference.locations import RECIPE_FILE, package_folder
from wardround_lab.corpora.audit import read_audit
from wardround_lab.dashboard.stores import Stores
from wardround_lab.training.promote import records_of
from wardround_lab.training.recipe import read_yaml
from wardround_lab.training.recipe_registry import CHOICE, KINDS, kind_of

_PATTERNS = (":(glob)**/*recipe*.yml", ":(glob)**/*recipe*.yaml", ":(glob)**/*recipe*/*.yml")
_MOST_RECIPES = 200
SHIPPED = "shipped: "
_MINE = "mine it with `wardround data mine`"
_ROWS = "make it as the comment in the recipe says"


class RecipeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A recipe.

    Attributes:
        name: in the list: its path in the repository, or ``shipped: NAME``.
        model: the name of the adapter.
        steps: None if the recipe does not say.
        trouble: why it cannot be started now: what is wrong with it or with its records; empty if it can be.
    """

    name: str
    model: str
    kind: str
    title: str
    base: str
    steps: int | None
    records: tuple[str, ...]
    trouble: str


def recipe_rows(stores: Stores) -> list[RecipeRow]:
    """Return the recipes of the repository, then the shipped ones, by name."""
    rows = [row for name, path in _recipes(stores) if (row := _row(name, path)) is not None]
    return [_shorten(row, f"{stores.repository}{os.sep}") for row in rows]


def _shorten(row: RecipeRow, root: str) -> RecipeRow:
    """Return a row whose message names files from the root of the repository."""
    return msgspec.structs.replace(row, trouble=row.trouble.replace(root, ""))


def recipe_named(stores: Stores, name: str) -> Path:
    """Return the file of a recipe by its name in the list.

    Raises:
        UsageError: it is not in the list.
    """
    found = dict(_recipes(stores)).get(name)
    if found is None:
        raise UsageError(
            f"{name!r}: neither a recipe of this repository nor one of wardround's; choose one of the list"
        )
    return found


def _recipes(stores: Stores) -> Iterator[tuple[str, Path]]:
    root = stores.repository
    shipped = [] if (own := package_folder()) is None else sorted(own.glob(f"*/{RECIPE_FILE}"))
    own_files = {path.resolve() for path in shipped}
    for name in _repository_recipes(root)[:_MOST_RECIPES]:
        path = (root / name).resolve()
        is_copy = path.is_relative_to(stores.training.resolve()) or path in own_files
        if path.is_file() and path.is_relative_to(root.resolve()) and not is_copy:
            yield name, root / name
    for path in shipped:
        yield f"{SHIPPED}{path.parent.name}", path


def _repository_recipes(root: Path) -> list[str]:
    try:
        with Repository(root) as repository:
            return repository.tracked_paths(WORKTREE, _PATTERNS)
    except GitError:
        return []


def _row(name: str, path: Path) -> RecipeRow | None:
    """Return the row of a recipe; None for a file of the repository that is none."""
    try:
        content = read_yaml(path, dict[str, Any], "recipe")
    except TrainingError as cause:
        return _invalid_row(name, str(cause))
    if not {"name", "data"} <= set(content):
        return None
    kind = str(content.get("kind", CHOICE))
    training = content.get("trees" if kind == "trees" else "training")
    steps = training.get("rounds" if kind == "trees" else "steps") if isinstance(training, dict) else None
    return RecipeRow(
        name=name,
        model=str(content["name"]),
        kind=kind,
        title=str(content.get("title", "")),
        base=str(content.get("base", "" if kind == "trees" else "minilm")),
        steps=steps if isinstance(steps, int) else None,
        records=tuple(record.name for record in records_of(path)),
        trouble=recipe_trouble(path),
    )


def _invalid_row(name: str, trouble: str) -> RecipeRow:
    return RecipeRow(name=name, model="", kind="", title="", base="", steps=None, records=(), trouble=trouble)


def recipe_trouble(path: Path) -> str:
    """Return what a training of a recipe would stop at before a model is loaded; empty for nothing."""
    try:
        kind = kind_of(path)
        kind.read(path)
        is_trees = kind is KINDS["trees"]
        for records in records_of(path):
            if not records.is_file():
                return f"{records.name} is missing; {_ROWS if is_trees else _MINE}"
            if not is_trees:  # rows are numbers, which the training checks itself
                read_audit(records)
    except (TrainingError, UsageError) as cause:
        return str(cause)
    return ""
