"""The measured precision of the sources that contributed to a review, from the table of the rules."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import msgspec

from wardround.errors import WardroundError
from wardround.planes.claims import MeasuredPrecision
from wardround.rules.model import RULES_PACKAGE, package_folder

FILE = "precision.yml"


def precision_of(sources: Collection[str]) -> dict[str, MeasuredPrecision]:
    """Return the precision of the sources that were measured; the table is read only if there are some.

    Raises:
        WardroundError: the table is absent or invalid.
    """
    if not sources:
        return {}
    known = load_precision()
    return {name: known[name] for name in sorted(sources) if name in known}


@cache
def load_precision() -> dict[str, MeasuredPrecision]:
    """Return the precision of every source.

    Raises:
        WardroundError: the file is absent or invalid.
    """
    from wardround.rules.yaml_loader import load_yaml  # only reviews with such a source read YAML

    try:
        text = (package_folder(RULES_PACKAGE) / FILE).read_text("utf-8")
        return msgspec.convert(load_yaml(text), dict[str, MeasuredPrecision])
    except (OSError, ValueError, msgspec.ValidationError) as cause:
        raise WardroundError(f"{RULES_PACKAGE}/{FILE} has no precision: {cause}; install it again") from cause
