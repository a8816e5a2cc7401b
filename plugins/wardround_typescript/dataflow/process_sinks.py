"""Sinks that start processes."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.arguments import CallSite
from wardround_typescript.dataflow.domain import SinkKind
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.string_building import StringBuilder


class ProcessSinks:
    """Records the values that name a program or that a shell interprets."""

    __slots__ = ("_catalogue", "_evaluator", "_module", "_scope", "_state", "_strings")

    def __init__(self, state: FlowState, evaluator: Evaluator, strings: StringBuilder) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._catalogue = sinks.catalogue()
        self._evaluator = evaluator
        self._strings = strings

    def check(self, call: CallSite) -> None:
        """``spawn(program, [words], options)``."""
        arguments, values = call.arguments, call.values
        self._state.reach(SinkKind.SHELL, arguments[0], values[0])
        listed = self._scope.resolve(arguments[1]) if len(arguments) > 1 else None
        if listed is not None and listed.type != "object" and self._uses_shell(arguments[1:]):
            self._state.reach(SinkKind.SHELL, arguments[1], values[1])
        words = listed.named_children if listed is not None and listed.type == "array" else []
        self._check_shell_command([arguments[0], *words])

    def _uses_shell(self, options: Sequence[Node]) -> bool:
        for literal in map(self._scope.resolve, options):
            shell = self._scope.property(literal, "shell") if literal.type == "object" else None
            if shell is not None and self._module.of(shell) not in {"false", "undefined"}:
                return True
        return False

    def check_command_list(self, call: CallSite) -> None:
        """``Deno.Command(program, { args })`` and ``Bun.spawn([program, ...words])``."""
        options = self._scope.resolve(call.arguments[-1])
        option = self._catalogue.listed_processes[call.name]
        listed = self._scope.property(options, option) if options.type == "object" else None
        listed = self._scope.resolve(listed if listed is not None else call.arguments[0])
        words = listed.named_children if listed.type == "array" else []
        takes_program = call.name.endswith("Command")
        self._check_shell_command([call.arguments[0], *words] if takes_program else words)

    def _check_shell_command(self, words: Sequence[Node]) -> None:
        """``sh -c line``: the shell interprets the line."""
        program = self._strings.constant_text(words[0]) if words else None
        if program is None or len(words) < 3 or not sinks.SHELLS.search(program):
            return
        if sinks.COMMAND_FLAGS.search(self._strings.constant_text(words[1]) or ""):
            self._state.reach(SinkKind.SHELL, words[2], self._evaluator.evaluate(words[2]))
