from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from functools import cache
from typing import TYPE_CHECKING

from wardround.checks.base import ChangeCheck
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import ChangedFileView, SourceFile
from wardround.findings import Plane, RawFinding
from wardround.languages.python.module import is_test_path
from wardround.rules.cases import change

if TYPE_CHECKING:
    from wardround_python.dataflow.check import TaintedCheck
    from wardround_python.dataflow.domain import Hit, SinkKind
    from wardround_python.dataflow.modules import Modules
    from wardround_python.dataflow.project import ProjectModule

_RULES = tuple(f"PY{number}" for number in range(301, 317))
"""The rules for data that one module of the project reads and passes to a sink in another."""


class CrossModuleTaint(ChangeCheck):
    """Data from the request is passed to another module of the project and reaches a sink there.

    It flows through a function, a method or an object of an imported module. The finding has the number of
    the rule for the sink (PY301 to PY319). It is reported at the sink if the change added that line,
    otherwise at the call that passes the data.
    """

    ID = "PY340"
    NAME = "cross-module-taint"
    DEFECT_CLASS = "tainted-elsewhere"
    PLANE = Plane.SECURITY
    PATHS = (".py",)
    WORDS = ("request", "_argument(", "router", "routes", "@app.", "@bp.")
    VALID = [
        change(
            {
                "shop/store.py": (
                    None,
                    """
                    import sqlite3


                    def rows(db, where):
                        return db.execute("select * from t where " + where)
                    """,
                ),
                "shop/views.py": (
                    None,
                    """
                    from flask import request

                    from shop.store import rows


                    def listed(db):
                        return rows(db, "n = 1")
                    """,
                ),
            },
        ),
        change(
            {
                "shop/store.py": (
                    None,
                    """
                    import sqlite3


                    def rows(db, where):
                        where = int(where)
                        return db.execute("select * from t where " + where)
                    """,
                ),
                "shop/views.py": (
                    None,
                    """
                    from flask import request

                    from shop.store import rows


                    def listed(db):
                        return rows(db, request.args["where"])
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop/store.py": (
                    None,
                    """
                    import sqlite3


                    def rows(db, where):
                        return db.execute(«"select * from t where " + where»)
                    """,
                ),
                "shop/views.py": (
                    None,
                    """
                    from flask import request

                    from shop.store import rows


                    def listed(db):
                        return rows(db, request.args["where"])
                    """,
                ),
            },
        ),
        change(
            {
                "shop/views.py": (
                    None,
                    """
                    from flask import request

                    from shop.store import rows


                    def listed(db):
                        return «rows(db, request.args["where"])»
                    """,
                ),
            },
            others={
                "shop/store.py": """
                import sqlite3


                def rows(db, where):
                    return db.execute("select * from t where " + where)
                """,
            },
        ),
    ]

    def run(self) -> None:
        from wardround_python.dataflow.analysis import (
            project_modules,  # only a change that reads requests needs them
        )

        changed = list(filter(_may_have_source, self.change.files))
        if not changed:
            return
        modules = project_modules(self.change.project.read)
        modules.watch([file.path for file in self.change.files if file.path.endswith(".py")])
        self._reported: set[tuple[str, int, str]] = set()
        for file in changed:
            is_first = not modules.has(file.path)
            flow = modules.flow(file.path)
            if flow is not None and not (is_first and _is_adopted(flow, modules)):
                for hit in _cross_module_hits(flow, modules, is_first):
                    self._report_hit(file, modules, hit)

    def _report_hit(self, file: ChangedFileView, modules: Modules, hit: Hit) -> None:
        flow = modules.flow(hit.path)
        text = self.change.project.read(hit.path)
        if flow is None or text is None:
            return
        source = SourceFile(hit.path, text)
        for check in (check_type(source, flow.module) for check_type in _checks()):
            if not hit.kind & check.SINK or not check.is_reported(hit):
                continue
            sink_file = self.change.file(hit.path)
            if sink_file is not None and sink_file.is_added(hit.node.lineno):
                self._report(check, flow, hit.node)
            else:
                self._report_caller(check, file, modules, hit)

    def _report_caller(self, check: TaintedCheck, file: ChangedFileView, modules: Modules, hit: Hit) -> None:
        """Report an added call that passes the data to another module."""
        if hit.call is not None and hit.path != file.path and file.is_added(hit.call.lineno):
            caller = modules.flow(file.path)
            assert caller is not None  # the hit comes from its analysis
            self._report(check, caller, hit.call, once=not check.report_key(hit))

    def _report(
        self, check: TaintedCheck, flow: ProjectModule, node: ast.expr, *, once: bool = False
    ) -> None:
        """Report an expression, or with ``once`` a single call in its function."""
        span = flow.module.span(node)
        function = flow.module.function_of(node) if once else None
        location = (flow.module.path, span.line if function is None else -function.lineno, check.ID)
        if location not in self._reported:
            self._reported.add(location)
            self.results.append(RawFinding(check.ID, flow.module.path, span, check.MESSAGE, check.URL))


def _may_have_source(file: ChangedFileView) -> bool:
    from wardround_python.dataflow.check import may_have_source

    if not file.path.endswith(".py") or is_test_path(file.path):
        return False
    return file.text is not None and "import" in file.text and may_have_source(file.text)


def _is_adopted(flow: ProjectModule, modules: Modules) -> bool:
    """Return True if the analysis of the module by itself is complete in this change too."""
    from wardround_python.dataflow.module_analysis import take_analysis

    alone = take_analysis(flow.module)
    return alone is not None and modules.adopt(alone)


def _cross_module_hits(flow: ProjectModule, modules: Modules, is_first: bool) -> Sequence[Hit]:
    """Return the hits of a module that its analysis by itself cannot find.

    Args:
        is_first: True if no other module has queried this one.
    """
    from wardround_python.dataflow.modules import MOST_WALKS

    modules.has_resolved, before = False, modules.walks
    result = flow.run()
    if is_first and not modules.has_resolved and (not before or modules.walks < MOST_WALKS):
        return ()  # the analysis of the module by itself is the same
    path = flow.module.path
    alone = _sinks_alone(flow) if any(hit.path == path for hit in result) else ()
    return [hit for hit in result if hit.path != path or (hit.kind, hit.node) not in alone]


def _sinks_alone(flow: ProjectModule) -> Set[tuple[SinkKind, ast.expr]]:
    """Return what the analysis of a module by itself finds."""
    from wardround_python.dataflow.module_analysis import hits

    return {(hit.kind, hit.node) for hit in hits(flow.module)}


@cache
def _checks() -> CheckRegistry[type[TaintedCheck]]:
    """Return the rules for the sinks that data of a request can reach."""
    checks: CheckRegistry[type[TaintedCheck]] = CheckRegistry("wardround_python.checks")
    return checks.subset(_RULES)
