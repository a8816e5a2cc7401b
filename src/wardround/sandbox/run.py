"""Running one command on a tree, under limits, with the strongest isolation that works here."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from wardround.errors import SandboxError
from wardround.sandbox.backend import RunRequest
from wardround.sandbox.choices import AUTO, NONE
from wardround.sandbox.model import Limits, Outcome, State, Visible
from wardround.sandbox.selection import candidates, join_reasons
from wardround.sandbox.supervision import refused_outcome, supervise
from wardround.sandbox.tree import EphemeralTree, RunFolder
from wardround.sandbox.visible import hidden_folders, objection_to

__all__ = ["AUTO", "NONE", "run"]


def run(
    command: Sequence[str],
    tree: EphemeralTree | RunFolder,
    limits: Limits,
    *,
    log: Path,
    visible: Visible | None = None,
    isolation: str = AUTO,
    environ: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a command in the root of a tree, and return when all of its processes have ended.

    Args:
        log: the file for its output, outside the tree.
        visible: by default, the system's programs and libraries only.
        isolation: one of ``choices.CHOICES``; the outcome records the back end.
        environ: the caller's environment; by default, that of this process.
    """
    view = visible or Visible()
    environ = os.environ if environ is None else environ
    try:
        possible = candidates(isolation, view.image, environ)
        hidden = hidden_folders(tree.private, environ)
    except SandboxError as cause:
        return Outcome(isolation, "", State.REFUSED, detail=str(cause))
    objection = objection_to(view, tree.private, environ)
    if objection:
        return refused_outcome(possible[0], objection)
    request = RunRequest(command, tree.root, tree.home, limits, view, environ, hidden)
    reasons: list[str] = []
    for backend in possible:
        try:
            return supervise(backend, request, log)
        except SandboxError as cause:
            reasons.append(str(cause))
    return refused_outcome(possible[0], join_reasons(reasons))
