"""The types that a repository gives to parameters of one name."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict

from wardround.authoring.types.model import Parameter, PredictedType
from wardround.authoring.types.type_text import annotation_text
from wardround.languages.python.tree import unparse

_FEWEST = 10
_SHARE = 0.95
"""The least number of annotations, and the least share of the most frequent one, that show a convention."""


class NameConventions:
    """The annotations of parameters, counted by name and by a default of None."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)

    def add_module(self, tree: ast.Module) -> None:
        """Count the annotations in a module."""
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._count(node.args)

    def _count(self, arguments: ast.arguments) -> None:
        positional = [*arguments.posonlyargs, *arguments.args]
        gaps = [None] * (len(positional) - len(arguments.defaults))
        defaults = [*gaps, *arguments.defaults, *arguments.kw_defaults]
        for argument, default in zip([*positional, *arguments.kwonlyargs], defaults, strict=True):
            if argument.annotation is not None:
                text = unparse(argument.annotation).strip("'\"")
                self._counts[argument.arg, _is_none(default)][text] += 1

    def type_for(self, parameter: Parameter) -> PredictedType | None:
        """Return the type that nearly all parameters of the same name have."""
        if parameter.default not in ("", "None"):
            return None
        counts = self._counts.get((parameter.name, parameter.default == "None"), Counter())
        total = counts.total()
        for text, count in counts.most_common(1):
            known = annotation_text(text)
            if known is not None and count >= _FEWEST and count >= _SHARE * total:
                return PredictedType(known, f"{count} parameters of this name")
        return None


def _is_none(default: ast.expr | None) -> bool:
    return isinstance(default, ast.Constant) and default.value is None
