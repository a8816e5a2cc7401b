"""Folded findings are counted and named in the text report; other reports are not affected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wardround.findings import Estimate, Finding, Severity, Status
from wardround.processors.triage import RuleGroupFold, Triage
from wardround.reports import formats, renderer, text

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.reports.conftest import Factory

FOR_PEOPLE = ("text", "markdown", "html")


def folding(order: Sequence[Finding], *folded: Finding, crowds: Sequence[RuleGroupFold] = ()) -> Triage:
    ranks = {finding.fingerprint: location for location, finding in enumerate(order)}
    return Triage(ranks, frozenset(f.fingerprint for f in folded), tuple(crowds))


def small(make: Factory, rule: str, file: str, line: int, severity: Severity = Severity.INFO) -> Finding:
    location = (line, 1, line, 2)
    return make.finding(rule, file, location, severity=severity, rationale="", message=f"about {file}:{line}")


def test_a_complete_report(make: Factory) -> None:
    first = small(make, "ruff/F821", "b.py", 3, Severity.ERROR)
    shown = small(make, "ruff/RET505", "a.py", 1)
    low = [small(make, "ruff/RET505", f"{name}.py", 2) for name in "abcde"]
    alone = small(make, "ruff/SIM108", "a.py", 9)
    review = make.review(first, shown, *low, alone)
    review = replace(review, triage=folding([first, shown, *low, alone], *low, alone))
    assert text.render(review) == (
        "b.py\n"
        "  3:1 error  about b.py:3 [ruff/F821]\n"
        "\n"
        "a.py\n"
        "  1:1 info  about a.py:1 [ruff/RET505]\n"
        "     1 | \n"
        "       | ^\n"
        "\n"
        "folded\n"
        "  5 more of ruff/RET505 in a.py, b.py, c.py and 2 more files: --all shows them\n"
        "  1 of ruff/SIM108 in a.py: --all shows it\n"
        "\n"
        "wardround: blocked - 1 error, 7 notes, 5 files, 0.25 s, 6 folded\n"
    )


def test_findings_that_the_judge_folds_are_one_line(make: Factory) -> None:
    unlikely = Estimate(0.01, 0.02, "", is_folded=True)
    rules = ("ruff/A001", "ruff/A001", "ruff/A002", "ruff/A003", "ruff/A004")
    notes = [
        replace(small(make, rule, "a.py", line), estimate=unlikely) for line, rule in enumerate(rules, 1)
    ]
    review = replace(make.review(*notes), triage=folding(notes, *notes))
    assert text.render(review) == (
        "folded\n"
        "  5 less likely (ruff/A001, ruff/A002, ruff/A003 and 1 more rule): --all shows\n"
        "    them\n"
        "\n"
        "wardround: pass - 5 notes, 1 file, 0.25 s, 5 folded\n"
    )


def test_annotations_leave_out_findings_that_the_judge_folds(make: Factory) -> None:
    shown = small(make, "ruff/A001", "a.py", 1)
    folded = replace(small(make, "ruff/A002", "a.py", 2), estimate=Estimate(0.01, 0.02, "", is_folded=True))
    review = make.review(shown, folded)
    printed = renderer("github")(review)
    assert "A001" in printed
    assert "A002" not in printed
    assert ", 1 folded" in printed
    unfolded = replace(review, config=replace(review.config, root=replace(review.config.root, fold=False)))
    assert "A002" in renderer("github")(unfolded)


def test_many_of_one_rule_are_offered_as_one_task(make: Factory) -> None:
    many = [small(make, "ruff/UP006", "a.py", n) for n in range(1, 10)]
    crowd = RuleGroupFold("ruff/UP006", 9, 40, 7)
    review = replace(make.review(*many), triage=folding(many, *many[3:], crowds=[crowd]))
    assert text.render(review).split("\nfolded\n", 1)[1] == (
        "  6 more of ruff/UP006 in a.py: --all shows them; the repository has 40 findings\n"
        "    of this rule; wardround review --fix fixes 7 at once, or accept them:\n"
        "    wardround baseline write\n"
        "\n"
        "wardround: pass - 9 notes, 1 file, 0.25 s, 6 folded\n"
    )


def test_errors_stand_first_and_the_others_by_file_and_line(make: Factory) -> None:
    findings = [small(make, f"ruff/X{n}", "a.py", n, Severity.WARN) for n in (1, 2)]
    wrong = small(make, "ruff/X3", "b.py", 3, Severity.ERROR)
    review = replace(make.review(*findings, wrong), triage=folding([findings[1], wrong, findings[0]]))
    rendered = text.render(review)
    locations = [rendered.index(f"about {location}") for location in ("b.py:3", "a.py:1", "a.py:2")]
    assert locations == sorted(locations)
    assert "folded" not in rendered


def test_what_is_waived_is_not_looked_up(make: Factory) -> None:
    waived = make.finding(status=Status.SUPPRESSED)
    review = replace(make.review(waived), triage=folding([]))
    assert text.render(review) == "wardround: pass - no findings, 1 file, 0.25 s, 1 suppressed\n"


@pytest.mark.parametrize("name", [name for name in formats() if name not in FOR_PEOPLE])
def test_machines_are_reported_the_same_as_without(make: Factory, name: str) -> None:
    findings = make.many(40)
    review = make.review(*findings)
    ranked = replace(review, triage=folding(findings, *findings[:20]))
    assert renderer(name)(ranked) == renderer(name)(review)


class TestInAReview:
    """Ten findings of a rule that few people act on, and one of a rule that many do."""

    @pytest.fixture
    def notes(self, repo: GitRepository) -> GitRepository:
        bodies = "".join(f"def f{n}(x: Optional[int]) -> None:\n    print(x)\n\n\n" for n in range(10))
        repo.stage(
            {
                "a.py": f"import os\nfrom typing import Optional\n\n\n{bodies}",
                "pyproject.toml": '[tool.ruff]\ntarget-version = "py312"\nlint.select = ["F", "UP"]\n',
                ".wardround.toml": 'judge = "off"\n',
            }
        )
        return repo

    def test_all_shows_what_is_folded(self, notes: GitRepository) -> None:
        folded = notes.wardround("review").stdout
        assert "7 more of ruff/UP045 in a.py: --all shows them" in folded
        assert "7 folded" in folded
        every = notes.wardround("review", "--all").stdout
        assert "folded" not in every
        assert every.count("[ruff/UP045]") == 10

    def test_a_project_may_switch_it_off(self, notes: GitRepository) -> None:
        notes.stage({".wardround.toml": 'judge = "off"\nfold = false\n'})
        assert "folded" not in notes.wardround("review").stdout

    def test_json_is_the_same_with_and_without(self, notes: GitRepository) -> None:
        item, other = (notes.report(*options)["findings"] for options in ((), ("--all",)))
        assert item == other
        assert len(item) == 11
