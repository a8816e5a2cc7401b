"""The old version of a file is only reviewed by the reporters of the new one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest
from wardround_python import tools
from wardround_python.specialist import PythonSpecialist

from tests.ruff_reviews import Judged
from tests.variants import specialist, variant
from wardround.checks.base import Check
from wardround.checks.source import SourceFile
from wardround.errors import UnknownRuleError
from wardround.findings import RawFinding, Span, Status
from wardround.host import PluginHost
from wardround.specialists import Specialist
from wardround.tools.tool import Invocation, Tool

if TYPE_CHECKING:
    from tests.conftest import GitRepository


class _Word(Check):
    """Says where its word begins a line."""

    WORD = ""

    def run(self) -> None:
        for number, line in enumerate(self.source.lines, 1):
            if line.startswith(self.WORD):
                self.report(Span(number, 1, number, 2), f"{self.WORD} is here")


class _Red(_Word):
    """Red is bad. So it is reported."""

    ID, NAME, WORD = "ACME001", "red", "red"


class _Blue(_Word):
    """Blue is bad. So it is reported."""

    ID, NAME, WORD = "ACME002", "blue", "blue"


class _Declared(_Word):
    """A rule that is no check. Reported by another specialist."""

    ID, NAME = "ACME009", "declared"


class Asked:
    """A specialist that records the checks requested from it; ``also`` is a code that none of them has."""

    def __init__(self, also: str = "") -> None:
        self.checks: list[list[str]] = []
        self._also = also

    def specialist(self) -> Specialist:
        return specialist(
            name="acme", patterns=("*.txt",), checks=(_Red, _Blue), run_checks=self._run,
            rules=lambda: [_Declared.rule("acme")],
        )  # fmt: skip

    def _run(self, checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
        self.checks.append([check.ID for check in checks])
        for item in checks:
            check = item(source)
            check.run()
            yield from (
                RawFinding(self._also or result.code, result.file, result.span, result.message)
                for result in check.results
            )


@pytest.mark.parametrize(
    ("also", "asked"),
    [
        ("", [["ACME001", "ACME002"], ["ACME001"]]),
        ("ACME009", [["ACME001", "ACME002"], ["ACME001", "ACME002"]]),
    ],
)
def test_only_the_checks_that_spoke_look_at_the_base(
    repo: GitRepository, also: str, asked: list[list[str]]
) -> None:
    repo.commit({"a.txt": "red\nplain\n"})
    acme = Asked(also)
    (finding,) = Judged(repo, PluginHost([acme.specialist()])).findings({"a.txt": "new\nred\nplain\n"})
    assert finding.status is Status.EXISTING
    assert acme.checks == asked


def test_a_code_that_no_rule_has_stops_the_run_in_one_sentence(repo: GitRepository) -> None:
    repo.commit({"a.txt": "plain\n"})
    with pytest.raises(UnknownRuleError, match="plugin 'acme' reported 'ACME404', for which it has no rule"):
        Judged(repo, PluginHost([Asked("ACME404").specialist()])).findings({"a.txt": "red\n"})


def test_a_tool_that_reported_nothing_is_not_run_on_the_base(repo: GitRepository) -> None:
    reported: list[tuple[str, list[str]]] = []

    def noting(tool: Tool) -> Tool:
        def command(run: Invocation) -> list[str]:
            reported.append((tool.name, [str(run.root.parent.name).partition("-")[0]]))
            return list(tool.command(run))

        return variant(tool, command=command)

    python = variant(PythonSpecialist(), tools=(noting(tools.RUFF), noting(tools.TY)), checks=())
    old = "import json\n\n\ndef give() -> int:\n    return 1\n"
    repo.commit({"a.py": old})
    (finding,) = Judged(repo, PluginHost([python])).findings({"a.py": old + "\n\nNUMBER = 2\n"})
    assert (finding.rule, finding.status) == ("ruff/F401", Status.EXISTING)
    assert [item for item in sorted(reported) if item[1] != ["probe"]] == [
        ("ruff", ["base"]),
        ("ruff", ["head"]),
        ("ty", ["head"]),
    ]
