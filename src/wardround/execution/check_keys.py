"""Keys of the results of checks in the cache: a digest of all their inputs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from wardround import __version__
from wardround.assignment.work_units import WorkUnit
from wardround.execution.review_side import ReviewSide
from wardround.lazy import LazySequence, files_state, package_state
from wardround.semantics.dataflow.catalogue import catalogue_files
from wardround.specialists import Specialist
from wardround.storage.digest import digest_key

_SHARED_CODE = ("wardround.languages", "wardround.semantics")
"""The packages that checks of all specialists use."""


def check_keys(side: ReviewSide, units: Sequence[WorkUnit]) -> list[bytes]:
    """Return the key of each unit; empty for a version without an identity."""
    if side.state is None:
        return [b""] * len(units)
    identities: dict[Specialist, bytes] = {}
    for unit in units:
        if unit.specialist not in identities:  # it has hundreds of lines, too many to be read for each unit
            identities[unit.specialist] = digest_key(code_identity(unit.specialist))
    # The state of the head identifies what the change touches; that of the base, a commit, does not.
    touched = b"" if side.name == "head" else digest_key(*sorted(side.changed))
    return [
        digest_key(
            "checks", __version__, identities[unit.specialist], side.state, touched, repr(unit.options),
            unit.path, unit.digest, unit.base_digest, "" if side.models is None else
            side.models.identity(unit), "*" if unit.codes is None else " ".join(sorted(unit.codes)),
        )
        for unit in units
    ]  # fmt: skip


def code_identity(specialist: Specialist) -> str:
    """Return a string that changes with a specialist's checks, the code they share and the catalogues."""
    if isinstance(specialist.checks, LazySequence):
        state = specialist.checks.package_state()
    else:
        modules = {sys.modules.get(check.__module__) for check in specialist.checks}
        state = files_state(sorted(m.__file__ for m in modules if m is not None and m.__file__ is not None))
    shared = [package_state(package) for package in _SHARED_CODE]
    return "\n".join((specialist.name, state, *shared, files_state(catalogue_files())))
