"""What is counted about the findings of a review, and the measured rates of their rules."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import msgspec

from wardround.errors import WardroundError
from wardround.findings import Finding
from wardround.processors import dismissals
from wardround.processors.baseline import Baseline
from wardround.processors.dismissals import Dismissals
from wardround.processors.triage import (
    Counters,
    Rates,
    ScoredFinding,
    Triage,
    function_lengths,
    is_import,
    is_test,
    triage,
)
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.yaml_loader import load_yaml

_MEASURED = "ruff"
"""The one tool whose rules were followed through histories."""


def rank(
    shown: Sequence[Finding],
    every: Sequence[Finding],
    text_of: Callable[[str], str | None],
    baseline: Baseline,
    dismissed: Dismissals,
    today: datetime.date,
) -> Triage:
    """Rank and fold the findings that would be shown.

    Args:
        every: all findings of the reviewed files, old ones too.
        baseline: what is accepted elsewhere counts as known.
    """
    rates = load_action_rates()
    faded = dismissals.by_rule(dismissed, today)
    counted = _Counted(every, text_of, baseline)
    weighed = [
        ScoredFinding(
            finding,
            counted.about(finding),
            rates.rules.get(finding.rule.removeprefix(f"{_MEASURED}/")) if _is_measured(finding) else None,
            faded.get(finding.rule, 0.0),
        )
        for finding in shown
    ]
    return triage(weighed, rates.ranking)


def _is_measured(finding: Finding) -> bool:
    return finding.rule.startswith(f"{_MEASURED}/")


@cache
def load_action_rates(tool: str = _MEASURED) -> Rates:
    """The rates that come with the rules.

    Raises:
        WardroundError: the file is absent or does not have the shape of ``Rates``.
    """
    source = package_folder(RULES_PACKAGE) / "triage" / f"{tool}.yml"
    try:
        return msgspec.convert(load_yaml(source.read_text("utf-8")), Rates)
    except (OSError, msgspec.ValidationError) as cause:
        raise WardroundError(f"{RULES_PACKAGE}/triage/{tool}.yml holds no rates: {cause}") from cause


class _Counted:
    """The counters of findings; each file is read once."""

    def __init__(
        self, every: Sequence[Finding], text_of: Callable[[str], str | None], baseline: Baseline
    ) -> None:
        here = {finding.file for finding in every}
        self._text_of = text_of
        self._files: dict[str, tuple[Sequence[str], Sequence[int] | None]] = {}
        self._in_file = Counter(finding.file for finding in every)
        self._same_in_file = Counter((finding.file, finding.rule) for finding in every)
        self._same: Mapping[str, int] = Counter(finding.rule for finding in every) + Counter(
            entry.rule for entry in baseline.findings if entry.file not in here
        )

    def about(self, finding: Finding) -> Counters:
        lines, functions = self._file(finding.file)
        at = finding.span.line - 1
        return Counters(
            is_test=is_test(finding.file),
            lines=len(lines),
            in_file=self._in_file[finding.file],
            same_in_file=self._same_in_file[finding.file, finding.rule],
            same_in_repository=self._same[finding.rule],
            no_fix=finding.suggested_fix is None,
            is_import=at < len(lines) and is_import(lines[at]),
            function_lines=None if functions is None or at >= len(functions) else functions[at],
        )

    def _file(self, path: str) -> tuple[Sequence[str], Sequence[int] | None]:
        if path not in self._files:
            lines = (self._text_of(path) or "").split("\n")
            self._files[path] = lines, function_lengths(lines) if path.endswith((".py", ".pyi")) else None
        return self._files[path]
