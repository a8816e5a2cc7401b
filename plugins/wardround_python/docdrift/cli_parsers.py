"""The options a module declares: by argparse, optparse, pytest, click and typer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import unparse
from wardround.semantics.docdrift.cli_options import CommandLine, Option

_METHODS = frozenset({"add_argument", "add_option", "addoption", "_addoption"})
_CLICK = frozenset({"option", "Option"})
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@lru_cache(maxsize=16)
def command_line(path: str, text: str) -> CommandLine | None:
    """Return the options a module declares; None if it cannot be read."""
    try:
        return _Reader(PythonModule(path, text)).read()
    except _UNREADABLE:
        return None


class _Reader:
    def __init__(self, module: PythonModule) -> None:
        self._module = module
        self._constants = dict(_constants(module.tree))
        self._computed = 0

    def read(self) -> CommandLine:
        options: list[Option] = []
        typed: set[int] = set()
        for node in self._module.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                options += self._of_parameters(node, typed)
            elif isinstance(node, ast.Call) and id(node) not in typed:
                options += self._of_call(node)
        return CommandLine(tuple(sorted(options, key=lambda option: option.line)), self._computed)

    def _of_call(self, call: ast.Call) -> Iterator[Option]:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name not in _METHODS and not (name in _CLICK and self._is_click(call.func)):
            return
        arguments = call.args[0].elts if call.args and isinstance(call.args[0], ast.List) else call.args
        if any(not isinstance(operand, ast.Constant) for operand in arguments) or not arguments:
            self._computed += 1
            return
        names = [str(value.value) for value in arguments if isinstance(value, ast.Constant)]
        names = [part.strip() for name in names if name.startswith("-") for part in name.split("/")]
        long = [name for name in names if name.startswith("--")]
        if long and _is(call, "action", "BooleanOptionalAction"):
            long += [f"--no-{name[2:]}" for name in long]
        if long:
            yield self._option(call, tuple(long), tuple(name for name in names if name not in long))

    def _is_click(self, func: ast.expr) -> bool:
        """Return True if a call named like one of click's is click's, and not that of a table or similar."""
        dotted = self._module.dotted(func) or ""
        return dotted.partition(".")[0] in ("click", "typer", "rich_click", "cloup", "asyncclick") or (
            "click" in self._module.text
        )

    def _of_parameters(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, typed: set[int]
    ) -> Iterator[Option]:
        """Yield the options that typer derives from parameters, with their declared or default names."""
        arguments = function.args
        positional = arguments.posonlyargs + arguments.args
        defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
        pairs = [
            *zip(positional, defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        for parameter, default in pairs:
            call = self._typer_call(default) or self._typer_call(_annotated(parameter.annotation))
            if call is None:
                continue
            typed.add(id(call))
            strings = [
                argument.value
                for argument in call.args
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            ]
            names = [part for string in strings if string.startswith("-") for part in string.split("/")]
            long = [name for name in names if name.startswith("--")]
            if not long:
                plain = parameter.arg.strip("_").replace("_", "-")
                long = (
                    [f"--{plain}", f"--no-{plain}"] if _is_boolean(parameter.annotation) else [f"--{plain}"]
                )
            yield self._option(call, tuple(long), tuple(n for n in names if not n.startswith("--")), default)

    def _typer_call(self, node: ast.expr | None) -> ast.Call | None:
        if not isinstance(node, ast.Call):
            return None
        return node if self._module.dotted(node.func) == "typer.Option" else None

    def _option(
        self, call: ast.Call, long: tuple[str, ...], short: tuple[str, ...], default: ast.expr | None = None
    ) -> Option:
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if default is call:
            default = call.args[0] if call.args else None
        description = keywords.get("help")
        text = (
            description.value
            if isinstance(description, ast.Constant) and isinstance(description.value, str)
            else ""
        )
        return Option(
            long,
            call.lineno,
            call.end_lineno or call.lineno,
            short,
            self._value(keywords.get("default", default)),
            self._choices(keywords.get("choices") or keywords.get("type")),
            text,
            description.lineno if description is not None else 0,
        )

    def _value(self, node: ast.expr | None) -> str | None:
        if isinstance(node, ast.Name):
            node = self._constants.get(node.id)
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
        ):
            return "-" + str(node.operand.value)
        if not isinstance(node, ast.Constant) or node.value is None or node.value is Ellipsis:
            return None
        return str(node.value)

    def _choices(self, node: ast.expr | None) -> tuple[str, ...]:
        if (
            isinstance(node, ast.Call)
            and node.args
            and (self._module.dotted(node.func) or "").endswith("Choice")
        ):
            node = node.args[0]
        if isinstance(node, ast.Name):
            node = self._constants.get(node.id)
        if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return ()
        values = [self._value(element) for element in node.elts]
        return tuple(value for value in values if value is not None) if None not in values else ()


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Return the constants that a module binds at its top level."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target.id, node.value


def _is(call: ast.Call, keyword: str, ending: str) -> bool:
    values = (item.value for item in call.keywords if item.arg == keyword)
    return any(
        isinstance(value, (ast.Attribute, ast.Name)) and unparse(value).endswith(ending) for value in values
    )


def _annotated(annotation: ast.expr | None) -> ast.expr | None:
    """Return the call in ``Annotated[int, typer.Option()]``."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return None
    return next((element for element in annotation.slice.elts[1:] if isinstance(element, ast.Call)), None)


def _is_boolean(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        annotation = annotation.slice.elts[0]
    return isinstance(annotation, ast.Name) and annotation.id == "bool"
