"""The lines of ``wardround doctor`` about the isolation of code that runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from wardround.sandbox.choices import AUTO, ENGINES


def sandbox_lines(root: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """Return a line per back end, which shows by a trial run if it works.

    Args:
        root: the repository, or another folder.
        environ: the environment of this process.
    """
    from wardround.change.snapshot import Snapshot, scratch_root
    from wardround.sandbox.probe import trouble_of
    from wardround.sandbox.selection import candidates, join_reasons

    troubles: list[str] = []
    possible = candidates(AUTO, "", environ)
    with Snapshot(scratch_root(root)) as snapshot:
        for backend in possible:
            trouble = trouble_of(backend, snapshot, environ)
            if trouble is not None:
                troubles.append(trouble)
                yield _line(backend.name, backend.version(), f"does not work: {trouble}")
            else:
                yield _line(backend.name, backend.version(), "works")
    if len(troubles) == len(possible):
        yield f"  code is not run: {join_reasons(troubles)}"
    for engine in ENGINES:
        yield _engine_line(engine, environ)


def _engine_line(engine: str, environ: Mapping[str, str]) -> str:
    """Return the line about a container engine; a trial run would need an image."""
    from wardround.sandbox.selection import candidates

    version = candidates(engine, "", environ)[0].version()
    state = "installed, used if it is configured" if version else "not installed, and used only if configured"
    return _line(engine, version, state)


def _line(name: str, version: str, state: str) -> str:
    return f"  {name:<10} {version:<13} {state}"
