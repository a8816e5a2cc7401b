"""The taint flows of one file: inside it, through the modules that it imports, and from its importers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wardround.checks.source import SourceFile
from wardround_typescript.dataflow.callers import possible_callers
from wardround_typescript.dataflow.domain import Hit
from wardround_typescript.dataflow.module_analysis import ModuleAnalysis
from wardround_typescript.dataflow.parameters import parameter_origins
from wardround_typescript.dataflow.program_analysis import ProgramAnalysis
from wardround_typescript.dataflow.sources import COMING_IN


@dataclass(frozen=True, slots=True)
class FileDataflow:
    """The sinks of one file that tainted values reach, and those that public parameters reach."""

    hits: Sequence[Hit]
    parameter_hits: Sequence[Hit]


_LAST: list[tuple[SourceFile, FileDataflow]] = []
"""The latest result: all checks of a file request the same."""


def hits(source: SourceFile) -> Sequence[Hit]:
    """Return the sinks that tainted values reach in a file, in source order.

    A sink in another file that is not under review is reported at the call that leads to it.
    """
    return _dataflow(source).hits


def parameter_hits(source: SourceFile) -> Sequence[Hit]:
    """Return the sinks that the parameters of exported functions and methods reach, in source order."""
    return _dataflow(source).parameter_hits


def _dataflow(source: SourceFile) -> FileDataflow:
    for known, dataflow in _LAST:
        if known is source:
            return dataflow
    dataflow = _analyse(source)
    _LAST[:] = [(source, dataflow)]  # another thread may have stored its file meanwhile
    return dataflow


def _analyse(source: SourceFile) -> FileDataflow:
    program = ProgramAnalysis(source.project)
    module = program.module(source.path, source.text)
    if module is None:
        return FileDataflow((), ())
    parameters = _reaching_parameters(program, module)
    _add_callers(program, source, module, list(dict.fromkeys(parameters.values())))
    found = [hit for hit in program.flows.solve(source.path) if _is_reported_here(hit, source)]
    others = _parameter_hits(program, source.path, parameters, found)
    return FileDataflow(sorted(found, key=_position), sorted(others, key=_position))


def _add_callers(
    program: ProgramAnalysis, source: SourceFile, module: ModuleAnalysis, names: Sequence[str]
) -> None:
    """Analyse the modules with values of a request that may call some functions."""
    for path, text in possible_callers(source.project, module.scope, names) if names else ():
        if COMING_IN.search(text):
            program.module(path, text)


def _is_reported_here(hit: Hit, source: SourceFile) -> bool:
    return hit.path == source.path or not source.is_changed(hit.path)


def _parameter_hits(
    program: ProgramAnalysis, path: str, parameters: Iterable[str], reported: Sequence[Hit]
) -> list[Hit]:
    """Return the sinks of a file that parameters reach, without those reported already."""
    known = {(hit.kind, hit.node.id) for hit in reported}
    reached = (hit for parameter in parameters for hit in program.flows.reached_by(parameter))
    return [hit for hit in reached if hit.path == path and (hit.kind, hit.node.id) not in known]


def _position(hit: Hit) -> tuple[int, int]:
    return hit.node.start_byte, int(hit.kind)


def _reaching_parameters(program: ProgramAnalysis, module: ModuleAnalysis) -> Mapping[str, str]:
    """Return the parameters of public functions that reach sinks -> the name of the function."""
    found: dict[str, str] = {}
    for function, name in module.names.public.items():
        for parameter in parameter_origins(module.scope, function):
            if next(program.flows.reached_by(parameter), None) is not None:
                found[parameter] = name
    return found
