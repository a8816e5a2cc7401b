"""The part of a run that a plane receives: only the outcome that it judges."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from wardround.context.document import ContextDocument
from wardround.context.run_evidence import RunEvidence
from wardround.findings import Plane

_BEHAVIOUR = frozenset({Plane.SEMANTIC, Plane.CONTRACT})


def view_for(plane: Plane, context: ContextDocument) -> ContextDocument:
    """Return the context with the part of the run that a plane judges."""
    run = context.run
    if not isinstance(run, RunEvidence):
        return context
    if plane is Plane.TESTS:
        return replace(context, run=RunEvidence(tests=run.tests))
    if plane in _BEHAVIOUR:
        return replace(context, run=RunEvidence(behaviour=run.behaviour))
    return replace(context, run=msgspec.UNSET)
