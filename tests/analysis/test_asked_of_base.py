"""The old version of a file is asked only about what was said of the new one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from tests.analysis.conftest import Judged
from wardround.checks import Check, Source
from wardround.findings import RawResult, Span, Status
from wardround.host import Host
from wardround.specialists import Specialist

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
    """A rule that is no check. So another says it."""

    ID, NAME = "ACME009", "declared"


class Asked:
    """A specialist that notes which checks it was asked for; ``also`` is a code that none of them has."""

    def __init__(self, also: str = "") -> None:
        self.checks: list[list[str]] = []
        self._also = also

    def specialist(self) -> Specialist:
        return Specialist(
            name="acme", patterns=("*.txt",), checks=(_Red, _Blue), run_checks=self._run,
            rules=lambda: [_Declared.rule("acme")],
        )  # fmt: skip

    def _run(self, checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
        self.checks.append([check.ID for check in checks])
        for one in checks:
            check = one(source)
            check.run()
            yield from (
                RawResult(self._also or result.code, result.file, result.span, result.message)
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
    (finding,) = Judged(repo, Host([acme.specialist()])).findings({"a.txt": "new\nred\nplain\n"})
    assert finding.status is Status.EXISTING
    assert acme.checks == asked
