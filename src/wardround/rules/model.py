"""The model of the rule catalogue: rules and groups of rules."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import msgspec

from wardround.findings import Plane, Severity
from wardround.rules.cases import Case
from wardround.rules.maturity import Maturity

RULES_PACKAGE = "wardround_rules"


class Rule(msgspec.Struct, frozen=True):
    """A documented demand.

    Attributes:
        id: ``<tool or specialist>/<code>``, as findings and suppressions name it.
        defect_class: the defect, whichever tool reports it; the key for merging duplicates.
        masked: findings of this rule are at secrets, so the source there is never printed.
        disabled_reason: why the rule is not shown unless a project requests it; empty if it is shown.
        not_selected_reason: why the tool does not report it by default; a project may request it.
        maturity: stable rules run by default, preview rules by configuration.
        infers_coverage: it infers which changed lines tests run; a run that shows them replaces its findings.
        specialist: the specialist that reports it where several review a file; if empty, that of the tool.
        valid: cases that are not reported, unparsed; see ``wardround.rules.cases``.
        invalid: cases that are reported.
        case_path: the path of the file in a case that names none.
    """

    id: str
    name: str
    plane: Plane
    severity: Severity
    defect_class: str
    why: str
    url: str | None = None
    masked: bool = False
    disabled_reason: str = ""
    not_selected_reason: str = ""
    maturity: Maturity = Maturity.STABLE
    infers_coverage: bool = False
    specialist: str = ""
    valid: tuple[Case, ...] = ()
    invalid: tuple[Case, ...] = ()
    case_path: str = "case.py"
    reported_by: tuple[str, ...] = ()

    @property
    def is_shown(self) -> bool:
        """True if findings of the rule are shown where a project does not configure it."""
        return not self.off_reason

    @property
    def off_reason(self) -> str:
        """The reason why findings of the rule are not shown by default; empty if they are."""
        return self.disabled_reason or self.not_selected_reason or self.maturity.off_reason

    def runs(self, *, preview: bool) -> bool:
        """Return True if findings of the rule are shown where the configuration does not name it.

        Args:
            preview: the configuration's ``preview``.
        """
        return not self.disabled_reason and self.maturity.runs(preview=preview)

    @property
    def code(self) -> str:
        return self.id.partition("/")[2]


@cache
def package_folder(package: str) -> Path:
    """Return the data folder of a package, which the engines read too: always files on disk."""
    return Path(importlib.import_module(package).__path__[0])


class RuleGroup(msgspec.Struct, frozen=True):
    """Rules that are loaded together.

    Attributes:
        prefix: the first part of their ids, where all have the same.
        one: code -> its rule, or None if it cannot be loaded without the rest.
    """

    load: Callable[[], Iterable[Rule]]
    prefix: str | None = None
    one: Callable[[str], Rule | None] = lambda code: None
