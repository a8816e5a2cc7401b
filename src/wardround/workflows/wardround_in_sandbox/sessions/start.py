"""The start of a run in the sandbox."""

from __future__ import annotations

import importlib
import sys

from ..versions import supply_versions
from .line_recorder import LineRecorder
from .request import Events, Request


def main() -> None:
    """Run what the request in the first argument describes, and exit with the status of the framework."""
    request = Request.read(sys.argv[1])
    sys.argv = [request.framework, *request.paths]
    events = Events(request.results)
    try:
        session = importlib.import_module(f".{request.framework}_session", __package__)
    except ImportError as cause:
        events.write("broken", excerpt=f"{cause.name or request.framework} is not installed")
        sys.exit(1)
    supply_versions(request.root, lambda text: events.write("supplied", text=text))
    recorder = LineRecorder(request.root, request.data, request.measured)
    events.write("started", unrecorded=recorder.problem)
    status = session.run(request, events, recorder)
    events.write("finished", status=status)
    sys.exit(status)
