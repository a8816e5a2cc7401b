"""The confidence of a plane follows from its claims and their sources, in any order."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from wardround.analyses import change_tests, criteria, intent
from wardround.planes import run_findings
from wardround.planes.claims import (
    MOST_SOURCES,
    ClaimSource,
    MeasuredPrecision,
    SourceKind,
    claim,
    confidence_of,
    measured_source,
    static_source,
)
from wardround.planes.measured_precision import load_precision, precision_of

MODEL = ClaimSource("model", SourceKind.MODEL, 0.8, "calibration")
NOTE = ClaimSource("note", SourceKind.NOTE, 0.3, "counted")


def test_a_claim_is_as_precise_as_its_best_source() -> None:
    assert claim("x", [MODEL, static_source("ruff", is_tool=True)]).confidence == 1.0
    assert claim("x", [MODEL, NOTE]).confidence == 0.8


def test_a_claim_without_a_source_has_no_confidence() -> None:
    assert claim("x", []).confidence == 0.0


def test_a_plane_is_as_confident_as_its_weakest_claim() -> None:
    claims = [claim("a", [MODEL]), claim("b", [static_source("ruff")])]
    assert confidence_of(claims) == 0.8
    assert confidence_of([]) == 0.0


def test_a_note_does_not_count() -> None:
    assert confidence_of([claim("a", [MODEL]), claim("b", [NOTE], counts=False)]) == 0.8


def test_the_order_of_sources_and_claims_does_not_matter() -> None:
    sources = (MODEL, NOTE, static_source("a"), static_source("b"))
    assert len({claim("x", some) for some in itertools.permutations(sources)}) == 1
    claims = [claim(str(number), [replace(MODEL, precision=number / 7)]) for number in range(5)]
    assert len({confidence_of(some) for some in itertools.permutations(claims)}) == 1


def test_many_sources_are_counted() -> None:
    found = claim("x", [static_source(f"check {number:02}") for number in range(MOST_SOURCES + 3)])
    assert (len(found.sources), found.more_sources) == (MOST_SOURCES, 3)


@pytest.mark.parametrize(("right", "of", "share"), [(1, 3, 0.333), (2, 3, 0.666), (3, 3, 1.0), (0, 3, 0.0)])
def test_a_measured_precision_is_rounded_down(right: int, of: int, share: float) -> None:
    known = MeasuredPrecision(SourceKind.RETRIEVAL, right, of, "evals/x.py")
    assert known.share == share
    source = measured_source("x", SourceKind.RETRIEVAL, known)
    assert (source.precision, source.derived_from) == (share, f"{right} of {of}, evals/x.py")


def test_a_source_that_was_not_measured_has_no_precision() -> None:
    found = measured_source("x", SourceKind.RETRIEVAL, None)
    assert (found.precision, found.derived_from) == (0.0, "not measured")


def test_more_right_ones_than_results_are_rejected() -> None:
    with pytest.raises(ValueError, match="4 right ones of 3"):
        MeasuredPrecision(SourceKind.RETRIEVAL, 4, 3, "evals/x.py")


def test_the_table_names_an_evaluation_that_exists() -> None:
    root = Path(__file__).parents[2]
    for name, known in load_precision().items():
        assert (root / known.evaluation.split()[0]).is_file(), name


def test_every_source_of_a_plane_is_in_the_table() -> None:
    assert load_precision().keys() == {
        criteria.CRITERIA_MET, intent.SCOPE_NOTES, intent.KIND_NOTES, intent.COMPANIONS,
        change_tests.RESOLVED, change_tests.NAMED, change_tests.COVERAGE, run_findings.UNNOTICED_MUTATION,
        "run/behaviour", "run/published-behaviour",
    }  # fmt: skip


def test_only_contributing_sources_are_read() -> None:
    assert precision_of(()) == {}
    assert list(precision_of({"criteria-met"})) == ["criteria-met"]


def test_one_more_source_never_lowers_a_claim_and_one_more_claim_never_raises_a_plane() -> None:
    source = random.Random(7)
    for _ in range(2_000):
        sources = [replace(MODEL, name=str(n), precision=source.random()) for n in range(source.randrange(4))]
        more = replace(MODEL, name="more", precision=source.random())
        assert claim("x", [*sources, more]).confidence >= claim("x", sources).confidence
        claims = [claim(str(n), [item]) for n, item in enumerate(sources)] or [claim("y", [MODEL])]
        assert confidence_of([*claims, claim("z", [more])]) <= confidence_of(claims)
