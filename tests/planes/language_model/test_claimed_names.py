"""The names in claims whose code the second pass gets."""

from __future__ import annotations

import pytest

from tests.planes.language_model.questions_factory import question_of
from wardround.findings import Plane
from wardround.planes.language_model.claimed_names import MOST_NAMES, claimed_names
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.verified_claims import CheckedClaim

CODE = "    return filter(values, key=reader.rank)  # the order of values matters"
HUNK = SentHunk("app.py", "app.py", (f"5 + {CODE}",), {5: CODE})


def claim(message: str, quote: str = "") -> CheckedClaim:
    return CheckedClaim("app.py", 5, quote, "warn", message)


def names(*claims: CheckedClaim) -> list[str]:
    return claimed_names(claims, question_of(Plane.SEMANTIC, HUNK))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("clean_name and cleanName drop _private names.", ["clean_name", "cleanName", "_private"]),
        ("`load` fails, and total() is wrong.", ["load", "total"]),
        ("The filter drops the rank.", ["filter", "rank"]),
        ("The order of values matters.", []),
        ("It is None for self and return.", []),
    ],
    ids=["forms of code", "marked as code", "names in the sent code", "words of a comment", "reserved words"],
)
def test_names_are_reported_from_words(message: str, expected: list[str]) -> None:
    assert names(claim(message)) == expected


def test_names_of_the_message_come_before_those_of_the_quote() -> None:
    assert names(claim("clean_name drops it.", "sorted(rows)")) == ["clean_name", "sorted", "rows"]


def test_each_claim_has_a_name_before_any_has_a_second() -> None:
    found = names(claim("one_a one_b"), claim("two_a two_b"))
    assert found == ["one_a", "two_a", "one_b", "two_b"]


def test_the_number_of_names_is_bounded() -> None:
    many = " ".join(f"name_{number}" for number in range(3 * MOST_NAMES))
    assert len(names(claim(many))) == MOST_NAMES
