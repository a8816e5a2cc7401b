"""Where the models of the package lie, and at a glance whether they have a say; without what runs models."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

PACKAGE = "wardround_adapters"
METADATA_FILE = "adapter.metadata.json"


class _Glance(msgspec.Struct, frozen=True):
    """What a glance at the metadata of a model reads."""

    name: str
    state: str


def package_folder() -> Path | None:
    """Where the models that come with wardround lie."""
    spec = importlib.util.find_spec(PACKAGE)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def further_folders(root: Path, names: Sequence[str]) -> list[Path]:
    """The model folders that a configuration names, as seen from the root of its repository."""
    return [root / Path(name).expanduser() for name in names]


def are_in_shadow(names: Collection[str]) -> bool:
    """Whether the package has all models of these names, every one in shadow; in doubt they are not."""
    own = package_folder()
    if own is None:
        return False
    states = {one.name: one.state for one in _glances(own)}
    return all(states.get(name) == "shadow" for name in names)


def _glances(folder: Path) -> Iterator[_Glance]:
    for file in folder.glob(f"*/{METADATA_FILE}"):
        try:
            yield msgspec.json.decode(file.read_bytes(), type=_Glance)
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
            continue
