"""The analysis of a module together with the modules next to it.

Each function is analysed at its definition; its summary and the sinks that its parameters reach are stored,
and the values of arguments are substituted at the end, so taint is followed into functions and back, and
across one module boundary. The results of functions of packages are taken to be clean.
"""

from __future__ import annotations

from wardround.change.repository_view import RepositoryView
from wardround_typescript.dataflow.call_resolution import AnalysedModule, CallResolver
from wardround_typescript.dataflow.module_analysis import ModuleAnalysis
from wardround_typescript.dataflow.scope import scope_of
from wardround_typescript.dataflow.taint_flows import TaintFlows

_MAX_LENGTH = 300_000
_MAX_MODULES = 24


class ProgramAnalysis:
    """The analysed modules of a project, and the taint flows between them.

    Attributes:
        modules: the modules, in the order in which they were requested.
    """

    def __init__(self, project: RepositoryView) -> None:
        self.project = project
        self.flows = TaintFlows()
        self._resolver = CallResolver(self)
        self.modules: list[ModuleAnalysis] = []
        self._by_path: dict[str, ModuleAnalysis | None] = {}

    def module(self, path: str, text: str | None = None) -> ModuleAnalysis | None:
        """Analyse a module; None if it cannot be read, is too long, or exceeds the number of modules."""
        if path not in self._by_path:
            if len(self._by_path) >= _MAX_MODULES:
                return None
            text = self.project.read(path) if text is None else text
            if text is None or len(text) > _MAX_LENGTH:
                self._by_path[path] = None
            else:
                module = self._by_path[path] = self._analysis(path, text)
                self.modules.append(module)
                module.run()
        return self._by_path[path]

    def _analysis(self, path: str, text: str) -> ModuleAnalysis:
        return ModuleAnalysis(scope_of(path, text), self.project, flows=self.flows, resolver=self._resolver)

    def is_main(self, module: AnalysedModule) -> bool:
        """Return True for the module that was analysed first."""
        return module is self.modules[0]

    def analysed_module(self, path: str) -> ModuleAnalysis | None:
        """Return a module if it is analysed already."""
        return self._by_path.get(path)

    def exists(self, path: str) -> bool:
        """Return True if the project has a module at a path."""
        return path in self._by_path or self.project.read(path) is not None
