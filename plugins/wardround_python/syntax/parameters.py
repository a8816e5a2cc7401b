"""Parameters of functions, and the arguments that calls pass for them."""

from __future__ import annotations

import ast

from wardround.languages.python.module import FunctionNode
from wardround_python.syntax.calls import keyword_values


def all_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Return the parameters in the order of the definition, those of ``*`` and ``**`` last."""
    extra = [parameter for parameter in (arguments.vararg, arguments.kwarg) if parameter is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


def arguments_for(call: ast.Call, function: FunctionNode, parameter: ast.arg) -> list[ast.expr]:
    """Return the argument that a call passes for a parameter, if it does."""
    named = keyword_values(call, parameter.arg)
    if named or parameter not in function.args.args:
        return named
    position = [argument.arg for argument in function.args.args].index(parameter.arg)
    return call.args[position : position + 1]
