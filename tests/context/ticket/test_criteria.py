"""Acceptance criteria are found in the forms in which people write them, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from wardround.context.ticket.criteria import MAX_CRITERIA, MAX_UNPARSED, parse_criteria
from wardround.context.ticket.plain_text import MAX_LINE
from wardround.context.ticket.wiki_markup import wiki_markdown

CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in sorted((Path(__file__).parent / "cases").glob("*.yml"))
    for case in yaml.safe_load(path.read_text("utf-8"))
]


def test_there_are_cases_of_every_form() -> None:
    forms = {form for case in CASES for item in case.values[0]["criteria"] for form in item}

    assert len(CASES) >= 60
    assert forms == {"checklist", "section", "numbered", "gherkin", "table"}


@pytest.mark.parametrize("case", CASES)
def test_the_criteria_of_a_description(case: dict[str, Any]) -> None:
    text = wiki_markdown(case["text"]) if case.get("markup") == "wiki" else case["text"]

    parsed = parse_criteria(text)

    assert [{item.form: item.text} for item in parsed.criteria] == case["criteria"]
    assert list(parsed.unparsed) == case.get("unparsed", [])
    if "ids" in case:
        assert [item.id for item in parsed.criteria] == case["ids"]


def test_ids_are_unique() -> None:
    parsed = parse_criteria("## AC\n- AC1: it starts\n- it stops\n- AC1: it pauses\n- c2: it resumes\n")

    assert len({item.id for item in parsed.criteria}) == 4


def test_the_number_of_criteria_is_limited_and_the_rest_is_listed() -> None:
    parsed = parse_criteria("## AC\n" + "- it works\n" * 300)

    assert len(parsed.criteria) == MAX_CRITERIA
    assert len(parsed.unparsed) == MAX_UNPARSED + 1
    assert parsed.unparsed[-1] == "50 more parts"


def test_a_long_criterion_is_cut() -> None:
    (criterion,) = parse_criteria("## AC\n- it works " + "and works " * 2000).criteria

    assert len(criterion.text) == MAX_LINE
    assert criterion.text.endswith("…")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 300_000,
        "> " * 150_000,
        "- " * 150_000,
        "`" * 300_000,
        "<!--" * 100_000,
        "<tr>" * 100_000,
        "<" * 300_000,
        "<" + "`" * 300_000,
        "<p " + "a " * 100_000,
        "&amp" * 100_000,
        "*a " * 100_000,
        "|a" * 100_000 + "\n" + "|-" * 100_000,
        "\n".join(" " * (2 * depth) + "- a" for depth in range(400)),
        "## AC\n" + "a: " * 100_000,
        "given " * 50_000 + "\nwhen " * 20_000,
        "\ud800 lone surrogate",
    ],
    ids=lambda text: text[:12],
)
def test_hostile_structure_does_not_break_the_parser(text: str) -> None:
    parse_criteria(text)


def test_text_beyond_the_limit_is_reported_as_unparsed() -> None:
    parsed = parse_criteria("word " * 100_000)

    assert parsed.unparsed == ("the text after 200,000 characters",)
