"""What data reaches in one file: by itself, through what it imports, and by those that import it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import RepositoryView, SourceFile
from wardround_typescript.dataflow.domain import Hit
from wardround_typescript.dataflow.module_analysis import ModuleFlow
from wardround_typescript.dataflow.modules import ScriptProgram
from wardround_typescript.dataflow.sources import COMING_IN

_PATTERNS = ("*.ts", "*.tsx", "*.js", "*.jsx", "*.mts", "*.mjs", "*.cjs")
_MOST_CALLERS = 8
_MOST_READ = 24
_TEST = LazyPattern(
    r"(^|/)(__tests__|__mocks__|tests?|e2e|specs?|cypress|fixtures|mocks)/|\.(\w*test|spec|stories|e2e)\.[mc]?[jt]sx?$|\.d\.ts$"
)
_INDEX = frozenset({"index", "main", "mod", "route", "page"})
_COMMON = frozenset(
    {"utils", "util", "helpers", "helper", "index", "types", "common", "lib", "constants", "config"}
)


@dataclass(frozen=True, slots=True)
class FileDataflow:
    """What was found in one file: hits, and places that depend on who calls."""

    hits: Sequence[Hit]
    given: Sequence[Hit]


_LAST: list[tuple[SourceFile, FileDataflow]] = []
"""The file that was looked at last: all checks of a file ask for the same."""


def hits(source: SourceFile) -> Sequence[Hit]:
    """Every place that data from outside reaches in a file, in source order; walked once for all checks.

    Where the place is in a file that it calls and that is not under review, the hit stands at the call.
    """
    return _looked(source).hits


def given(source: SourceFile) -> Sequence[Hit]:
    """The places that what callers hand to an exported function or a method reaches."""
    return _looked(source).given


def _looked(source: SourceFile) -> FileDataflow:
    for known, found in _LAST:
        if known is source:
            return found
    found = _look(source)
    _LAST[:] = [(source, found)]  # another thread may have put its file there
    return found


def _look(source: SourceFile) -> FileDataflow:
    program = ScriptProgram(source.project)
    flow = program.module(source.path, source.text)
    if flow is None:
        return FileDataflow((), ())
    open_ = _open(program, flow)
    if open_:
        for path, text in _callers(source.project, flow, open_):
            if COMING_IN.search(text):
                program.module(path, text)
    found = [
        hit
        for hit in program.solve(source.path)
        if hit.path == source.path or not source.is_changed(hit.path)
    ]
    places = {(hit.danger, hit.node.id) for hit in found}
    rest = [
        hit
        for name in open_
        for hit in program.reaches(name)
        if hit.path == source.path and (hit.danger, hit.node.id) not in places
    ]
    return FileDataflow(sorted(found, key=_place), sorted(rest, key=_place))


def _place(hit: Hit) -> tuple[int, int]:
    return hit.node.start_byte, int(hit.danger)


def _open(program: ScriptProgram, flow: ModuleFlow) -> dict[str, str]:
    """Parameters that reach a place of harm, of functions that others can call -> the function's name."""
    found = {}
    for function, name in flow.public.items():
        for parameter in flow.parameters_of(function):
            if any(True for _ in program.reaches(parameter)):
                found[parameter] = name
    return found


def _callers(project: RepositoryView, flow: ModuleFlow, open_: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The files that may call the functions: they name the module or its class, and the function."""
    path = flow.scope.module.path
    stem = posixpath.basename(path).partition(".")[0]
    if stem in _INDEX:
        stem = posixpath.basename(posixpath.dirname(path))
    classes = [name for name in flow.scope.classes if name.isidentifier()]
    words = [*classes, *(name[:1].lower() + name[1:] for name in classes)]
    if stem and stem not in _COMMON:
        words.append(stem)
    words += [name for name in dict.fromkeys(open_.values()) if not classes and len(name) > 3]
    if not words:
        return
    marks = tuple(f"{name}" for name in dict.fromkeys(open_.values()))
    taken = 0
    for other in project.files_with_word(list(dict.fromkeys(words)), _PATTERNS)[:_MOST_READ]:
        if other == path or _TEST.search(other) or taken >= _MOST_CALLERS:
            continue
        text = project.read(other)
        if text is not None and any(f"{mark}(" in text or f" {mark}" in text for mark in marks):
            taken += 1
            yield other, text
