"""What every Python check is, and the single walk that serves them all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wardround.checks import Check, Source
from wardround.findings import RawResult
from wardround_python.module import PythonModule


class PythonCheck(Check):
    """A check on the syntax tree.

    Write ``visit_<Node>`` methods, named after the classes of ``ast``; each is called once for every such
    node, in source order. ``self.module`` answers what a name stands for and what a node is part of.
    """

    def __init__(self, source: Source, module: PythonModule | None = None) -> None:
        super().__init__(source)
        self.module = module or PythonModule(source.path, source.text)

    @classmethod
    def wants(cls, source: Source) -> bool:
        """Whether the file can have a hit at all; a cheap look at the text saves the work."""
        return True

    def run(self) -> None:
        walk(self.module, [self])


def run_python_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    """Run Python checks over one file: parsed once, walked once.

    Raises:
        SyntaxError: the text is not Python that this interpreter can read.
    """
    wanted = [c for c in checks if not issubclass(c, PythonCheck) or c.wants(source)]
    if not wanted:
        return
    try:
        module = PythonModule(source.path, source.text)
    except (ValueError, RecursionError, MemoryError) as cause:
        raise SyntaxError(str(cause) or type(cause).__name__) from cause
    made = [c(source, module) if issubclass(c, PythonCheck) else c(source) for c in wanted]
    walk(module, [check for check in made if isinstance(check, PythonCheck)])
    for check in made:
        if not isinstance(check, PythonCheck):
            check.run()
        yield from check.results


def walk(module: PythonModule, checks: Sequence[PythonCheck]) -> None:
    """Visit every node once, in source order, and call the checks that ask for its kind."""
    visitors: dict[str, list[Callable[[Any], None]]] = {}
    for check in checks:
        for name in dir(check):
            if name.startswith("visit_"):
                visitors.setdefault(name.removeprefix("visit_"), []).append(getattr(check, name))
    stack: list[ast.AST] = [module.tree]
    while stack:
        node = stack.pop()
        for visit in visitors.get(type(node).__name__, ()):
            visit(node)
        stack.extend(reversed(list(ast.iter_child_nodes(node))))
