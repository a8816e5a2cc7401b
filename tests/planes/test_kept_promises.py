"""A guarantee counts only if the code leaves no doubt about it."""

from __future__ import annotations

import pytest

from tests.planes.run_factory import difference
from wardround.context.run_evidence import Observed
from wardround.planes.kept_promises import guarantee_kept

NOW_NONE = {"before": Observed(returned="80"), "after": Observed(returned="None")}


def promise(text: str, **values: object) -> str:
    return guarantee_kept(text, difference(**(NOW_NONE | values)))


@pytest.mark.parametrize(
    "annotation", ["int", "str", "list[int]", "dict[str, int | None]", "tuple[int, ...]"]
)
def test_a_builtin_type_promises_that_it_is_not_none(annotation: str) -> None:
    found = promise(f"def parse_port(text) -> {annotation}:\n    ...\n")
    assert found == f"its annotation promises {annotation}"


@pytest.mark.parametrize(
    "annotation", ["int | None", "Optional[int]", "'int'", "Any", "T", "None", "Port", "a.int", "object"]
)
def test_any_other_annotation_promises_nothing_certain(annotation: str) -> None:
    assert promise(f"def parse_port(text) -> {annotation}:\n    ...\n") == ""


@pytest.mark.parametrize(
    "text",
    [
        "def parse_port(text):\n    ...\n",
        "async def parse_port(text) -> int:\n    ...\n",
        "@decorated\ndef parse_port(text) -> int:\n    ...\n",
        "def other(text) -> int:\n    ...\n",
        "\n\ndef parse_port(text) -> int:\n    ...\n",
        "def parse_port(text) -> int\n",
        "",
    ],
)
def test_what_is_not_certain_about_the_function_is_not_a_promise(text: str) -> None:
    assert promise(text) == ""


def test_the_annotation_is_retained_if_the_result_is_none_on_both_sides() -> None:
    text = "def parse_port(text) -> int:\n    ...\n"
    assert promise(text, before=Observed(returned="None")) == ""
    assert promise(text, before=Observed(raised="ValueError()")) == ""
    assert promise(text, after=Observed(raised="ValueError()")) == ""


EXAMPLE = 'def parse_port(text):\n    """Parse.\n\n    >>> parse_port(\'\')\n    {}\n    """\n'


def test_an_example_with_this_call_and_the_old_result_is_a_promise() -> None:
    assert promise(EXAMPLE.format("80")) == "its documentation shows this call with the old result"


@pytest.mark.parametrize("shown", ["81", "8...", "Traceback (most recent call last):\n    ValueError: 80"])
def test_an_example_with_another_result_is_none(shown: str) -> None:
    assert promise(EXAMPLE.format(shown)) == ""


def test_an_example_of_another_call_is_none() -> None:
    assert promise(EXAMPLE.format("80"), call="parse_port('a')") == ""
