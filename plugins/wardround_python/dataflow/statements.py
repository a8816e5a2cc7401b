"""Transfer functions of simple statements."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow import sanitizers
from wardround_python.dataflow.catalogue import SANITIZERS
from wardround_python.dataflow.domain import EVERYTHING, SinkKind
from wardround_python.dataflow.expression_shapes import constant_text, key_of
from wardround_python.dataflow.known_value import Known, KnownEntry, fold_operator
from wardround_python.dataflow.walking import StatementTransfers

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_ENDING_CALLS = frozenset({"abort", "exit", "_exit", "fail", "halt"})


class StatementTransfer:
    """Analyses simple statements."""

    __slots__ = (
        "_assignments",
        "_conditions",
        "_construction",
        "_containers",
        "_evaluator",
        "_folder",
        "_known",
        "_names",
        "_state",
        "_strings",
        "_writes",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._folder = flow.folder
        self._containers = flow.containers
        self._conditions = flow.conditions
        self._known = flow.known
        self._writes = flow.writes
        self._construction = flow.construction
        self._assignments = flow.assignments
        self._strings = flow.strings

    def transfers(self) -> StatementTransfers:
        """Return the transfer functions by kind of node."""
        return {
            ast.Expr: self._expression,
            ast.Assign: self._assign,
            ast.AnnAssign: self._transfer_annotated_assignment,
            ast.AugAssign: self._transfer_augmented_assignment,
            ast.Raise: self._raise,
            ast.Continue: self._jump,
            ast.Break: self._jump,
            ast.Assert: self._assert,
            ast.FunctionDef: self._define,
            ast.AsyncFunctionDef: self._define,
            ast.ClassDef: self._define,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.Delete: self._delete,
        }

    def _expression(self, node: ast.Expr) -> bool:
        self._evaluator.value(node.value)
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if not isinstance(call, ast.Call):
            return False
        last = last_name(call.func)
        if last in SANITIZERS.converting or sanitizers.GUARDS.search(last):
            self._names.sanitize(
                {key: EVERYTHING for argument in call.args for key in self._names.aliases(argument)}
            )
        if last == "relative_to" and isinstance(call.func, ast.Attribute):
            self._names.sanitize(dict.fromkeys(self._names.aliases(call.func.value), SinkKind.PATH))
        self._state.exits += last in _ENDING_CALLS
        return last in _ENDING_CALLS

    def _assign(self, node: ast.Assign) -> bool:
        value, known = self._known.evaluate(node.value)
        for target in node.targets:
            self._assignments.bind(target, value, node.value, known)
        return False

    def _transfer_annotated_assignment(self, node: ast.AnnAssign) -> bool:
        if node.value is not None:
            value, known = self._known.evaluate(node.value)
            self._assignments.bind(node.target, value, node.value, known)
        return False

    def _transfer_augmented_assignment(self, node: ast.AugAssign) -> bool:
        before = self._evaluator.value(node.target)
        added = self._evaluator.value(node.value)
        key = key_of(node.target)
        known = self._grow(node)
        if key is not None and isinstance(node.op, (ast.Add, ast.Mod, ast.Div, ast.BitOr)):
            parts = [(None, before), (constant_text(node.value), added)]
            grown = (
                join(before, self._strings.concatenate(parts))
                if before
                else self._strings.concatenate([("x", before), *parts[1:]])
            )
            self._names.set(key, grown)
            self._state.derived_from[key] = self._state.derived_from.get(
                key, frozenset()
            ) | self._names.tainted_names(node.value)
        if key is not None:
            self._state.values.known.pop(key, None)
            self._known.bind(key, known)
        return False

    def _grow(self, node: ast.AugAssign) -> Known | None:
        """Return what is known of a name after ``name += value``; its container escapes if unknown."""
        container = self._containers.find(node.target)
        if container is not None:
            joined = self._construction.concatenate(container, self._known.container(node.value))
            is_kept = joined is not None and container.region == self._state.region
            if joined is None or not is_kept or not isinstance(node.op, (ast.Add, ast.BitOr)):
                self._containers.escape(container)
                return None
            container.entries, container.total = joined.entries, join(container.total, joined.total)
            return container
        if isinstance(node.target, ast.Subscript):
            self._writes.store(
                node.target,
                KnownEntry(join(self._evaluator.value(node.target), self._evaluator.value(node.value))),
            )
            return None
        before = self._folder.constant(node.target)
        added = self._folder.constant(node.value)
        return fold_operator(type(node.op), before.value, added.value) if before and added else None

    def _raise(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Raise) and node.exc is not None:
            self._evaluator.value(node.exc)
            arguments = node.exc.args if isinstance(node.exc, ast.Call) else []
            self._state.raised = join(
                self._state.raised, *(self._containers.peek(value) for value in arguments)
            )
        self._state.exits += 1
        return True

    def _jump(self, node: ast.stmt) -> bool:
        self._state.exits += 1
        self._state.jumps.append(self._state.values.copy())
        return True

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
        self._state.values.known.pop(node.name, None)
        return False

    def _import(self, node: ast.Import | ast.ImportFrom) -> bool:
        for alias in node.names:
            self._state.values.known.pop((alias.asname or alias.name).partition(".")[0], None)
        return False

    def _delete(self, node: ast.Delete) -> bool:
        for target in node.targets:
            container = self._containers.find(target.value) if isinstance(target, ast.Subscript) else None
            if container is not None and isinstance(target, ast.Subscript):
                self._writes.delete(container, target.slice)
            elif isinstance(target, ast.Name):
                self._state.values.known.pop(target.id, None)
        return False

    def _assert(self, node: ast.Assert) -> bool:
        self._evaluator.value(node.test)
        self._names.sanitize(self._conditions.sanitized_branches(node.test)[0])
        return False
