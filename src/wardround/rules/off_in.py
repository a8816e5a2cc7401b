"""Kinds of files in which the findings of a rule are off by default."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from wardround.errors import WardroundError
from wardround.rules.file_kinds import FileKind, kind_of_file
from wardround.rules.model import RULES_PACKAGE, Rule, package_folder
from wardround.rules.yaml_loader import load_yaml

FILE = "off_in.yml"


@cache
def kinds_off() -> dict[str, frozenset[FileKind]]:
    """Return rule -> the kinds, from the table that ships with the rules.

    Raises:
        WardroundError: the table is absent or invalid.
    """
    return read_kinds_off(package_folder(RULES_PACKAGE) / FILE)


def read_kinds_off(file: Path) -> dict[str, frozenset[FileKind]]:
    """Return the table of a file.

    Raises:
        WardroundError: it is absent or invalid.
    """
    try:
        return msgspec.convert(load_yaml(file.read_text("utf-8")) or {}, dict[str, frozenset[FileKind]])
    except (OSError, ValueError, msgspec.ValidationError) as cause:
        raise WardroundError(
            f"{RULES_PACKAGE}/{file.name} has no kinds of files: {cause}; install it again"
        ) from cause


def is_off_in(rule_id: str, path: str, *, preview: bool) -> bool:
    """Return True if the findings of a rule are off by default in files of this kind.

    Args:
        preview: the configuration's ``preview``, which shows a rule in every kind of file.
    """
    kinds = kinds_off().get(rule_id)
    return not preview and kinds is not None and kind_of_file(path) in kinds


def runs_in(rule: Rule, path: str, *, preview: bool) -> bool:
    """Return True if findings of a rule are shown in a file, unless the configuration names the rule."""
    return rule.runs(preview=preview) and not is_off_in(rule.id, path, preview=preview)
