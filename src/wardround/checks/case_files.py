"""Additional cases of rules: a folder with one YAML file per rule, of the same form as the cases in its
check.

``<folder>/<ID>.yml`` holds ``valid`` and ``invalid``. An item is a string, or a mapping with ``source`` and
``path``, ``base``, ``others`` or ``fixed``; for a change, a mapping with ``files`` and ``others`` or
``message``. ``«`` and ``»`` mark the reported span.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from wardround.errors import WardroundError
from wardround.rules.cases import ChangeCase, Invalid, Valid, parse_change_texts, parse_text
from wardround.rules.yaml_loader import load_yaml

Shape = TypeVar("Shape")


class _Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    path: str = ""
    base: str | None = None
    others: dict[str, str] = {}
    fixed: str | None = None

    def parse(self, path: str) -> Valid | Invalid:
        return parse_text(self.source, self.path or path, self.base, self.others, self.fixed)


class _Sides(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    before: str | None = None
    after: str | None = None


class _ChangeItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    files: dict[str, _Sides]
    others: dict[str, str] = {}
    message: str = ""

    def parse(self) -> ChangeCase:
        texts = {path: (sides.before, sides.after) for path, sides in self.files.items()}
        return parse_change_texts(texts, self.others, self.message)


class _CaseFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    valid: list[str | _Item] = []
    invalid: list[str | _Item] = []


class _ChangeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    valid: list[_ChangeItem] = []
    invalid: list[_ChangeItem] = []


def load_cases(folder: Path, rule: str, path: str) -> tuple[list[Valid], list[Invalid]]:
    """Return the further cases of a rule, those that must not be reported and those that must.

    Args:
        rule: its id without the specialist: ``ACME001``.
        path: path of the file in a case that names none.

    Raises:
        WardroundError: the file cannot be read as cases, or a case is in the wrong list.
    """
    file = _read(folder, rule, _CaseFile)
    parsed = [
        [parse_text(item, path) if isinstance(item, str) else item.parse(path) for item in items]
        for items in (file.valid, file.invalid)
    ]
    valid = [case for case in parsed[0] if isinstance(case, Valid)]
    invalid = [case for case in parsed[1] if isinstance(case, Invalid)]
    _require_all(folder, rule, len(valid) == len(file.valid) and len(invalid) == len(file.invalid))
    return valid, invalid


def load_change_cases(folder: Path, rule: str) -> tuple[list[ChangeCase], list[ChangeCase]]:
    """Return the same of a rule about changes.

    Raises:
        WardroundError: the file cannot be read as cases, or a case is in the wrong list.
    """
    file = _read(folder, rule, _ChangeFile)
    valid, invalid = [item.parse() for item in file.valid], [item.parse() for item in file.invalid]
    is_sorted = all(case.place is None for case in valid) and all(case.place for case in invalid)
    _require_all(folder, rule, is_sorted)
    return valid, invalid


def _read(folder: Path, rule: str, shape: type[Shape]) -> Shape:
    file = folder / f"{rule}.yml"
    if not file.exists():
        return shape()
    try:
        return msgspec.convert(load_yaml(file.read_text("utf-8")), shape)
    except msgspec.ValidationError as cause:
        raise WardroundError(f"{file}: {cause}") from cause


def _require_all(folder: Path, rule: str, is_sorted: bool) -> None:
    if not is_sorted:
        raise WardroundError(
            f"{folder / rule}.yml: each case of 'invalid' has the marks « and », and none of 'valid' has them"
        )
