"""The stores of a dashboard in a folder, for tests of its views."""

from __future__ import annotations

from pathlib import Path

from wardround_lab.dashboard.stores import Stores


def stores_in(folder: Path, **changes: object) -> Stores:
    """Return stores that are all in one folder."""
    places: dict[str, object] = {
        "repository": folder,
        "records": folder / "records.sqlite",
        "judgements": folder / "judgements",
        "data": folder / "data",
        "training": folder / "training",
        "experiments": str(folder / "lab.sqlite"),
        "runs": folder / "artifacts",
    }
    return Stores(**(places | changes))  # type: ignore[arg-type]
