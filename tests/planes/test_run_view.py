"""A plane only receives the part of a run that it judges."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.planes.evidence_factory import document
from tests.planes.run_factory import CLEAN
from wardround.context.run_evidence import RunEvidence
from wardround.findings import Plane
from wardround.planes.run_view import view_for

CONTEXT = replace(document(), run=CLEAN)


def test_the_tests_plane_sees_the_tests_alone() -> None:
    assert view_for(Plane.TESTS, CONTEXT).run == RunEvidence(tests=CLEAN.tests)


@pytest.mark.parametrize("plane", [Plane.SEMANTIC, Plane.CONTRACT])
def test_planes_about_behaviour_see_the_comparison_alone(plane: Plane) -> None:
    assert view_for(plane, CONTEXT).run == RunEvidence(behaviour=CLEAN.behaviour)


@pytest.mark.parametrize("plane", [Plane.INTENT, Plane.SECURITY, Plane.PERF])
def test_other_planes_see_nothing_of_a_run(plane: Plane) -> None:
    assert view_for(plane, CONTEXT).run is UNSET


def test_a_context_without_a_run_is_the_same_for_all() -> None:
    assert all(view_for(plane, document()) is not None for plane in Plane)
    assert view_for(Plane.TESTS, document()) == document()
