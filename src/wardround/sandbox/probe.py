"""A trial run, which shows that a back end works on this machine."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.change.snapshot import Snapshot
from wardround.errors import SandboxError
from wardround.sandbox.backend import Backend, RunRequest
from wardround.sandbox.model import Limits, Visible
from wardround.sandbox.supervision import supervise

_LIMITS = Limits(wall_s=30)


def trouble_of(backend: Backend, snapshot: Snapshot, environ: Mapping[str, str]) -> str | None:
    """Return a sentence if a back end cannot run a program; None if it can.

    Args:
        snapshot: the place of the tree and the log.
        environ: the caller's environment.
    """
    root = snapshot.folder / backend.name
    root.mkdir()
    request = RunRequest(["true"], root, snapshot.home, _LIMITS, Visible(), environ)
    try:
        outcome = supervise(backend, request, snapshot.folder / f"{backend.name}.log")
    except SandboxError as cause:
        return str(cause)
    return None if outcome.status == 0 else outcome.detail or f"a trial run ended with {outcome.status}"
