"""The annotations that are offered for the modules of a work tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.authoring.types.acceptance import Acceptance, by_path
from wardround.authoring.types.annotation_writer import annotate_module
from wardround.authoring.types.call_sites import CallSites, trees_of
from wardround.authoring.types.checking import CheckedVersion, CheckerSettings, ProjectChecker, read_file
from wardround.authoring.types.functions import public_functions
from wardround.authoring.types.model import AnnotatedModule, Annotation, Module
from wardround.authoring.types.module_names import ModuleNames
from wardround.authoring.types.name_conventions import NameConventions
from wardround.authoring.types.prediction import Evidence
from wardround.change.snapshot import Snapshot, scratch_root


class Offer(msgspec.Struct, frozen=True):
    """The annotations of a work tree, and the numbers of what lacked one, was predicted and was accepted."""

    modules: tuple[AnnotatedModule, ...] = ()
    missing: int = 0
    predicted: int = 0
    accepted: int = 0

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """The accepted annotations by path and line."""
        return tuple(item for module in self.modules for item in module.annotations)


def offer_types(
    root: Path,
    targets: Sequence[str],
    project: Sequence[str],
    settings: CheckerSettings,
    progress: Callable[[str], None],
) -> Offer:
    """Return annotations for public functions that the checker accepts.

    Args:
        targets: the paths of the modules with these functions.
        project: the paths of all modules, whose calls and annotations are evidence.

    Raises:
        ToolFailed: the checker did not run to its end.
    """
    progress("reading modules")
    sources = {path: content for path in project if (content := read_file(root, path)) is not None}
    trees = dict(trees_of(sources))
    modules = _modules(targets, sources, trees)
    if not modules:
        return Offer()
    evidence = _evidence(modules, trees)
    paths = {module.path for module in modules}
    callers = {path: sources[path] for path in sorted(evidence.calls.callers - paths)}
    with Snapshot(scratch_root(root)) as snapshot:
        checker = ProjectChecker(settings, root, snapshot, modules, callers)
        predicted, accepted = _Prediction(modules, evidence, checker, progress).run()
    missing = sum(len(item.parameters) + item.lacks_return for module in modules for item in module.functions)
    return Offer(tuple(_annotated_modules(modules, accepted)), missing, len(predicted), len(accepted))


def _modules(
    targets: Sequence[str], sources: Mapping[str, bytes], trees: Mapping[str, ast.Module]
) -> list[Module]:
    described = (Module(path, sources[path], tuple(public_functions(trees[path]))) for path in targets)
    return [module for module in described if module.functions]


def _evidence(modules: Sequence[Module], trees: Mapping[str, ast.Module]) -> Evidence:
    calls, conventions = CallSites(modules), NameConventions()
    for path, tree in trees.items():
        calls.add_module(path, tree)
        conventions.add_module(tree)
    names = {module.path: ModuleNames.of(trees[module.path]) for module in modules}
    return Evidence(calls, conventions, names)


def _contents(modules: Sequence[Module], annotations: Iterable[Annotation]) -> dict[str, bytes]:
    """Return the modules with annotations by path, without those that cannot be written."""
    wanted = by_path(annotations)
    written = {
        module.path: annotate_module(module.content, wanted[module.path])
        for module in modules
        if module.path in wanted
    }
    return {path: content for path, content in written.items() if content is not None}


def _annotated_modules(
    modules: Sequence[Module], accepted: Sequence[Annotation]
) -> Iterable[AnnotatedModule]:
    wanted = by_path(accepted)
    contents = _contents(modules, accepted)
    for module in modules:
        if module.path in contents:
            yield AnnotatedModule(module, wanted[module.path], contents[module.path])


class _Prediction:
    """The steps from evidence to accepted annotations."""

    def __init__(
        self,
        modules: Sequence[Module],
        evidence: Evidence,
        checker: ProjectChecker,
        progress: Callable[[str], None],
    ) -> None:
        self._modules = modules
        self._evidence = evidence
        self._checker = checker
        self._progress = progress

    def run(self) -> tuple[list[Annotation], list[Annotation]]:
        """Return all predicted annotations and the accepted ones.

        Results are inferred with the accepted parameters: their types follow from those.
        """
        before = self._check(())
        acceptance = Acceptance(self._check, before.diagnostics, self._modules, self._evidence.calls)
        parameters = list(self._evidence.parameters(self._modules, before.signatures, before.diagnostics))
        accepted = acceptance.accept(parameters)
        signatures = {**before.signatures, **(self._check(accepted).signatures if accepted else {})}
        results = list(self._evidence.results(self._modules, signatures))
        accepted = [*accepted, *acceptance.accept(results, accepted)]
        return [*parameters, *results], sorted(accepted, key=_position)

    def _check(self, annotations: Sequence[Annotation]) -> CheckedVersion:
        self._progress(f"checking types, run {self._checker.runs + 1}")
        return self._checker.check(_contents(self._modules, annotations))


def _position(annotation: Annotation) -> tuple[str, int, str]:
    """Return the place of a function: parameters precede results in a stable sort."""
    return annotation.path, annotation.line, annotation.function
