"""Declarative rules: YAML files with the pattern of an engine and its cases."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from wardround.errors import WardroundError
from wardround.findings import Plane, Severity
from wardround.rules.cases import Invalid, Valid, parse_text
from wardround.rules.maturity import Maturity
from wardround.rules.model import RULES_PACKAGE, Rule, package_folder
from wardround.rules.yaml_loader import load_yaml
from wardround.storage.digest import file_stamp, sha256


class DeclaredCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Source that a declarative rule must report at one position; for sources that contain ``«`` or ``»``."""

    source: str
    line: int
    column: int


class DeclaredMetadata(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The ``metadata`` of a declarative rule; the rest of the file is in its engine's own syntax.

    ``needs`` are substrings; every file that the rule can match contains one of them, so that the engine need
    not run on others. It is empty if there are none. ``path`` is the name of the files of the cases. ``off``
    gives the reason why the rule is not shown by default. In the ``invalid`` cases, ``«`` and ``»`` mark the
    reported span.
    """

    name: str
    plane: Plane
    severity: str
    defect_class: str
    valid: list[str]
    invalid: list[str | DeclaredCase]
    why: str = ""
    needs: list[str] = []
    path: str = ""
    disabled_reason: str = msgspec.field(default="", name="off")
    maturity: Maturity = Maturity.STABLE

    @property
    def case_path(self) -> str:
        return self.path or "case.py"

    def invalid_cases(self) -> list[Valid | Invalid]:
        """Parse the cases that the rule must report."""
        return [self.parse(case) for case in self.invalid]

    def parse(self, case: str | DeclaredCase) -> Valid | Invalid:
        if isinstance(case, str):
            return parse_text(case, self.case_path)
        return Invalid(case.source, case.line, case.column, self.case_path)


class DeclarativeRule(msgspec.Struct, frozen=True):
    """The part of a rule file that does not depend on its engine."""

    id: str
    message: str
    metadata: DeclaredMetadata
    note: str = ""


def load_declarative(folder: str, engine: str, package: str = RULES_PACKAGE) -> list[DeclarativeRule]:
    """Load the declarative rules of one engine for one kind of code, by id.

    Raises:
        WardroundError: a rule file lacks its metadata.
    """
    return [rule for rule, _ in declared_sources(folder, engine, package)]


def declared_sources(
    folder: str, engine: str, package: str = RULES_PACKAGE
) -> list[tuple[DeclarativeRule, dict[str, Any]]]:
    """Load the same with all keys of each file."""
    found = []
    for source in (package_folder(package) / folder / engine).iterdir():
        if not source.name.endswith(".yml"):
            continue
        content = load_yaml(source.read_text("utf-8"))
        for rule in content.get("rules", [content]):
            try:
                found.append((msgspec.convert(rule, DeclarativeRule), rule))
            except msgspec.ValidationError as cause:
                raise WardroundError(f"{package}/{folder}/{engine}/{source.name}: {cause}") from cause
    return sorted(found, key=lambda pair: pair[0].id)


def rules_folder(folder: str, package: str = RULES_PACKAGE) -> Path:
    """Return the folder of the declarative rules for one kind of code."""
    return package_folder(package) / folder


def rules_digest(folder: str, engine: str, package: str = RULES_PACKAGE) -> str:
    """Return a digest of the declarative rules of one engine, on which its results depend."""
    rules = rules_folder(folder, package) / engine
    names = sorted(name for name in os.listdir(rules) if name.endswith(".yml"))
    states = (f"{name} {file_stamp(f'{rules}/{name}')}" for name in names)
    return sha256("\n".join(states).encode()).hexdigest()


def declarative_rules(folder: str, engine: str, package: str = RULES_PACKAGE) -> list[Rule]:
    """Return the same as entries of the catalogue."""
    return [
        Rule(
            id=f"{engine}/{rule.id}",
            name=rule.metadata.name,
            plane=rule.metadata.plane,
            severity=Severity.from_label(rule.metadata.severity),
            defect_class=rule.metadata.defect_class,
            disabled_reason=rule.metadata.disabled_reason,
            maturity=rule.metadata.maturity,
            why=(rule.metadata.why or rule.note or rule.message).strip(),
            valid=tuple(rule.metadata.valid),
            invalid=tuple(rule.metadata.invalid_cases()),
            case_path=rule.metadata.case_path,
            reported_by=(engine,),
        )
        for rule in load_declarative(folder, engine, package)
    ]
