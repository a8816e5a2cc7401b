"""The tests that pin the base or head of a difference."""

from __future__ import annotations

import pytest

from wardround.context.run_evidence import BehaviourDifference, InputOrigin, Observed
from wardround.workflows.behaviour.pin import PinnedSide, pinning_tests


def difference(call: str, before: Observed, after: Observed) -> BehaviourDifference:
    return BehaviourDifference("src/ports.py", "parse_port", 1, call, before, after, InputOrigin.RECORDED)


PORT = difference("parse_port('')", Observed(returned="None"), Observed(raised="ValueError('no port')"))


def test_the_old_result_is_expected() -> None:
    assert pinning_tests([PORT], PinnedSide.OLD) == (
        "import pytest\n\nfrom ports import parse_port\n\n\n"
        "def test_parse_port_keeps_its_result() -> None:\n    assert parse_port('') is None\n"
    )


def test_the_new_exception_is_expected() -> None:
    assert pinning_tests([PORT], PinnedSide.NEW).endswith(
        "    with pytest.raises(ValueError):\n        parse_port('')\n"
    )


@pytest.mark.parametrize(
    "call",
    [
        "parse_port(A(x=1))",
        "parse_port(<class A>)",
        "parse_port(__import__('os').remove('a'))",
        "a\nb",
        "1 + 1",
    ],
)
def test_what_is_not_a_call_with_literals_is_a_comment_in_a_skipped_test(call: str) -> None:
    found = pinning_tests([difference(call, Observed(returned="1"), Observed(returned="2"))], PinnedSide.OLD)

    compile(found, "test_pinned.py", "exec")
    assert "import ports" not in found
    assert "    pytest.skip(" in found
    assert all(line.startswith("    # ") for line in found.splitlines() if " parse_port(" in line)


def test_a_result_that_is_not_a_literal_is_not_written_as_code() -> None:
    hostile = Observed(returned="__import__('os')")

    found = pinning_tests([difference("parse_port(1)", hostile, hostile)], PinnedSide.NEW)

    assert "assert" not in found
    assert "# -> __import__('os')" in found
