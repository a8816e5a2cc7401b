"""The state shared by the parts of one function's analysis."""

from __future__ import annotations

import ast
from typing import NamedTuple

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround_python.dataflow import request_parameters
from wardround_python.dataflow.domain import CLEAN, Taint
from wardround_python.dataflow.known_value import Known, KnownEntry
from wardround_python.dataflow.observers import Observers
from wardround_python.dataflow.project import FunctionSummary, Instance, ProjectModule
from wardround_python.dataflow.state import Environment


class InlineContext(NamedTuple):
    """The context in which a function is analysed for a single call.

    Attributes:
        call: the outermost call, in the module that is analysed.
        flow: the module to which the hits belong.
        active: the functions that are inlined around this one, the outermost first.
    """

    call: ast.expr
    flow: ProjectModule
    active: tuple[FunctionNode, ...]


class FlowState:
    """The state of the analysis of one function, or of the statements of a module.

    Attributes:
        values: the environment at this point.
        derived_from: name -> the tainted names its value is derived from.
        guards: name -> the test whose result it holds, and the names in that test.
        record_ids: name -> the names of the ids in the lookup of its record.
        depth: the nesting depth of the expression that is being evaluated.
        exits: the number of statements that have left their block so far.
        jumps: the environments at each ``break`` and ``continue`` of the loop.
        objects: the objects that calls return, if these are evaluated.
        results: the known values of calls and properties.
        yielded: the values that a generator yields.
        raised: the taint of the exceptions raised in a ``try``.
        region: the number of the code that always runs together with this point.
        inlined: the context of an inlined call; None for a summary.
        inlined_call: the last call that was inlined.
        known_return: the known value of the result, once there is a ``return``.
    """

    __slots__ = (
        "cls", "depth", "derived_from", "exits", "flow", "function", "guards", "in_view", "inlined",
        "inlined_call", "instances", "is_page_route", "jumps", "known_return", "loops", "module", "objects",
        "observers", "raised", "record_ids", "region", "results", "summary", "tries", "values", "yielded",
    )  # fmt: skip

    def __init__(self, flow: ProjectModule, function: FunctionNode | None, observers: Observers) -> None:
        self.flow = flow
        self.module = flow.module
        self.function = function
        self.observers = observers
        self.values = Environment()
        self.derived_from: dict[str, frozenset[str]] = {}
        self.guards: dict[str, tuple[ast.expr, frozenset[str]]] = {}
        self.record_ids: dict[str, frozenset[str]] = {}
        self.summary = FunctionSummary()
        self.depth = 0
        self.loops = 0
        self.tries = 0
        self.exits = 0
        self.jumps: list[Environment] = []
        self.instances: dict[str, Instance] = {}
        self.objects: dict[ast.Call, Instance | None] = {}
        self.results: dict[ast.expr, Known] = {}
        self.yielded: list[KnownEntry] = []
        self.raised: Taint = CLEAN
        self.region = flow.modules.new_region()
        self.inlined: InlineContext | None = None
        self.inlined_call: ast.Call | None = None
        self.known_return: tuple[Known | None] | None = None
        self.cls = flow.class_around(function) if function is not None else None
        self.in_view = function is not None and request_parameters.is_view_method(flow.module, function)
        self.is_page_route = function is not None and (
            (request_parameters.is_route(function) and _returns_pages(flow.module))
            or request_parameters.returns_page(function)
        )

    def enter_region(self) -> int:
        """Continue in code that may not run although the code before it does; return the previous region."""
        before, self.region = self.region, self.flow.modules.new_region()
        return before


def _returns_pages(module: PythonModule) -> bool:
    return not module.packages.isdisjoint({"flask", "quart", "bottle"})
