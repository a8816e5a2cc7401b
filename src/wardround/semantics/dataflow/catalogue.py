"""Catalogues of sources, sinks and sanitizers: data files of each language, read once."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from wardround.errors import WardroundError
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.yaml_loader import load_yaml

Catalogue = TypeVar("Catalogue")


def load_catalogue(
    language: str, name: str, shape: type[Catalogue], package: str = RULES_PACKAGE
) -> Catalogue:
    """Read ``<package>/dataflow/<language>/<name>.yml``.

    Raises:
        WardroundError: the file is absent or does not have the shape.
    """
    file = package_folder(package) / "dataflow" / language / f"{name}.yml"
    try:
        return msgspec.convert(load_yaml(file.read_text("utf-8")), shape)
    except (OSError, msgspec.ValidationError) as cause:
        raise WardroundError(
            f"{package}/dataflow/{language}/{name}.yml is not a catalogue: {cause}"
        ) from cause


def catalogue_files(package: str = RULES_PACKAGE) -> list[str]:
    """Return the paths of the catalogues of all languages, sorted: the results of checks depend on them."""
    return sorted(str(file) for file in (package_folder(package) / "dataflow").glob("*/*.yml"))
