"""A specialist refutes findings of others about values that it knows, unless the project enabled the rule."""

from __future__ import annotations

from collections.abc import Callable

from tests.processors.factory import PYTHON, candidate, inputs, raw
from tests.variants import variant
from wardround.findings import Span
from wardround.processors.model import Candidate, ReviewFindings
from wardround.processors.refute import RefuteFindings


def _refutes_line_one(
    path: str, text: str, defect_class: str, span: Span, other: Callable[[str], str | None]
) -> bool:
    return span.line == 1 and "known" in text and (path, defect_class) == ("a.py", "mutable-default")


REFUTING = variant(PYTHON, refutes=_refutes_line_one)


def _kept(*candidates: Candidate, text: str = "known\n") -> list[int]:
    given = inputs(head={"a.py": text}, specialists=(REFUTING,))
    done = RefuteFindings().apply(ReviewFindings(candidates=candidates), given)
    return [item.finding.span.line for item in done.candidates]


def test_a_refuted_result_of_a_tool_is_excluded() -> None:
    assert _kept(candidate(1), candidate(2)) == [2]


def test_a_rule_the_project_enabled_is_not_refuted() -> None:
    assert _kept(candidate(1, result=raw(explicitly_enabled=True))) == [1]


def test_a_specialist_does_not_refute_its_own_checks() -> None:
    assert _kept(candidate(1, rule="python/PY001")) == [1]
    assert _kept(candidate(1, rule="python/PY001", specialist="tests")) == []


def test_a_file_that_is_not_utf8_is_not_refuted() -> None:
    assert _kept(candidate(1), text="other\n") == [1]
