"""The analysis of single functions and what observers receive."""

from __future__ import annotations

import ast

from wardround_python.dataflow.analysis import ModuleFlow, project_modules
from wardround_python.dataflow.domain import PASSED, SinkKind
from wardround_python.dataflow.known_value import KnownConstant
from wardround_python.dataflow.observers import Observers
from wardround_python.dataflow.project import FunctionSummary
from wardround_python.dataflow.value_recorder import ValueRecorder

from wardround.languages.python.cache import cached_module


def _flow(source: str, observers: Observers | None = None) -> ModuleFlow:
    return ModuleFlow(cached_module("shop.py", source), project_modules(), observers or Observers())


def _summary(source: str) -> FunctionSummary:
    flow = _flow(source)
    function = flow.module.tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    return flow.summary(function)


def test_a_summary_returns_the_taint_of_its_parameters() -> None:
    summary = _summary("def shown(name, size: int):\n    return name\n")
    assert summary.returned == {"parameter:name": PASSED}


def test_a_summary_names_the_sinks_its_parameters_reach() -> None:
    summary = _summary("import os\ndef run(command):\n    os.system(command)\n")
    assert [kind for kind, _, _ in summary.reaches["command"]] == [SinkKind.SHELL]


def test_a_guard_sanitizes_what_follows() -> None:
    summary = _summary(
        "import os\ndef run(command):\n    if command.isalnum():\n        os.system(command)\n"
    )
    assert summary.reaches == {}


def test_a_recursive_function_has_a_summary() -> None:
    summary = _summary("def count(name):\n    return name or count(name[1:])\n")
    assert summary.returned == {"parameter:name": PASSED}


def test_the_result_of_a_constant_function_is_known() -> None:
    assert _summary("def limit():\n    return 2 * 5\n").known == KnownConstant(10)


def test_an_observer_receives_the_constants_of_expressions() -> None:
    recorder = ValueRecorder()
    _flow("def run(db):\n    table = 'rows'\n    db.execute(table)\n", Observers(values=recorder)).run()
    constants = {
        node.id: known.value
        for node, known in recorder.seen.items()
        if isinstance(node, ast.Name) and isinstance(known, KnownConstant)
    }
    assert constants == {"table": "rows"}
