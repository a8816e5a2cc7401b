"""The functions of candidates: their code with the edit, in place of the code that they have in memory."""

from __future__ import annotations

import types
from contextlib import ExitStack

from .live_functions import LiveFunctions
from .module_text import ModuleText, Outermost
from .request import Edit, Request


class Unswappable(Exception):
    """A candidate has an effect only on the code that an import of its file makes."""


class EditedFunctions:
    """Exchanges the code of functions in memory for that of candidates."""

    def __init__(self, request: Request) -> None:
        """Read the files of all candidates, and find their functions in memory."""
        self._request = request
        paths = sorted({edit.path for edit in request.edits})
        self._texts = {path: self._read(path) for path in paths}
        self._live = LiveFunctions({request.file(path) for path in paths})

    def _read(self, path: str) -> ModuleText:
        file = self._request.file(path)
        with open(file, encoding="utf-8", newline="") as stream:
            return ModuleText(path, file, stream.read())

    def lines_of(self, edit: Edit) -> tuple[int, int] | None:
        """Return the first and the last line of the edited function; None for code outside of functions."""
        function = self._function(edit)
        return None if function is None else (function.line, function.last_line)

    def exchange(self, edit: Edit) -> ExitStack:
        """Exchange the code of the edited function until the returned context ends.

        Raises:
            Unswappable: the edit is outside of functions, or its function is not in memory as it is.
            Exception: the edit does not compile.
        """
        function = self._function(edit)
        if function is None:
            raise Unswappable
        old = self._old_codes(edit.path, function)
        if not old:
            raise Unswappable
        new = self._texts[edit.path].code_with(function, edit.start, edit.end, edit.replacement)
        return self._exchange(old, new)

    def _function(self, edit: Edit) -> Outermost | None:
        return self._texts[edit.path].function_around(edit.start, edit.end)

    def _old_codes(self, path: str, function: Outermost) -> list[types.CodeType]:
        return self._live.codes_of(self._request.file(path), function.name, function.first_lines)

    def _exchange(self, old: list[types.CodeType], new: types.CodeType) -> ExitStack:
        exchanges = [self._live.exchange(code, new) for code in old]
        stack = ExitStack()
        for exchange in exchanges:
            if exchange is None:
                stack.close()
                raise Unswappable
            stack.enter_context(exchange)
        return stack
