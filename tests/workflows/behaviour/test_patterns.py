"""Regular expressions in results that match the same."""

from __future__ import annotations

import pytest

from wardround.context.run_evidence import InputOrigin
from wardround.workflows.behaviour.comparison import CallPair, FunctionResult
from wardround.workflows.behaviour.patterns import drop_equal_patterns
from wardround.workflows.behaviour.stages import ReplayedCall

BEFORE, AFTER = (f"re.compile({text!r})" for text in (r"\s[^\s\S]", r"\s(?!)"))


def call(text: str, pattern: str, digest: str) -> ReplayedCall:
    return ReplayedCall(1, 0, InputOrigin.RECORDED, "test", "returned", text=text, compiled={pattern: digest})


@pytest.mark.parametrize("form", ["[{}]", "Rule(pattern={}), with __str__()={!r}"])
@pytest.mark.parametrize("digest", ["same", "other"])
def test_patterns_are_compared_by_what_they_match_also_in_the_text_of_a_text(form: str, digest: str) -> None:
    base = call(form.format(BEFORE, f"Rule({BEFORE}, 'a', \"b\")"), BEFORE, "same")
    head = call(form.format(AFTER, f"Rule({AFTER}, 'a', \"b\")"), AFTER, digest)

    (found,) = drop_equal_patterns((FunctionResult(1, 1, (CallPair(base, head),)),), [base], [head])

    assert len(found.differing) == (digest == "other")
