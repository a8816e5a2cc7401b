"""The options a module declares: by argparse, optparse, pytest, click and typer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from wardround.languages.python.module import PythonModule, last_name
from wardround.languages.python.tree import unparse
from wardround.semantics.docdrift.cli_options import CommandLine, Option

_METHODS = frozenset({"add_argument", "add_option", "addoption", "_addoption"})
_CLICK = frozenset({"option", "Option"})
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@lru_cache(maxsize=16)
def command_line(path: str, text: str) -> CommandLine | None:
    """Return the options a module declares; None if it cannot be read."""
    try:
        return _OptionReader(PythonModule(path, text)).read()
    except _UNREADABLE:
        return None


class _OptionReader:
    def __init__(self, module: PythonModule) -> None:
        self._module = module
        self._constants = dict(_constants(module.tree))
        self._computed = 0

    def read(self) -> CommandLine:
        options: list[Option] = []
        typed: set[int] = set()
        for node in self._module.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                options += self._parameter_options(node, typed)
            elif isinstance(node, ast.Call) and id(node) not in typed:
                options += self._options_of_call(node)
        return CommandLine(tuple(sorted(options, key=lambda option: option.line)), self._computed)

    def _options_of_call(self, call: ast.Call) -> Iterator[Option]:
        if not self._declares_option(call.func):
            return
        texts = _constant_arguments(call)
        if not texts:
            self._computed += 1
            return
        names = [name.strip() for name in _option_names(texts)]
        long = _long(names)
        if not long:
            return
        if _has_keyword_ending(call, "action", "BooleanOptionalAction"):
            long += [f"--no-{name[2:]}" for name in long]
        short = tuple(name for name in names if name not in long)
        yield self._option(call, tuple(long), short)

    def _declares_option(self, func: ast.expr) -> bool:
        name = last_name(func)
        return name in _METHODS or (name in _CLICK and self._is_click(func))

    def _is_click(self, func: ast.expr) -> bool:
        """Return True if a call named like a function of click is one, not a method of a table or similar."""
        dotted = self._module.qualified_name(func) or ""
        return dotted.partition(".")[0] in ("click", "typer", "rich_click", "cloup", "asyncclick") or (
            "click" in self._module.text
        )

    def _parameter_options(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, typed: set[int]
    ) -> Iterator[Option]:
        """Yield the options that typer derives from parameters, with their declared or default names."""
        for parameter, default in _parameters_with_defaults(function.args):
            call = self._typer_call(default) or self._typer_call(_call_in_annotation(parameter.annotation))
            if call is not None:
                typed.add(id(call))
                yield self._typer_option(call, parameter, default)

    def _typer_option(self, call: ast.Call, parameter: ast.arg, default: ast.expr | None) -> Option:
        names = list(_option_names(filter(None, map(_string_value, call.args))))
        long = tuple(_long(names)) or _default_names(parameter)
        short = tuple(name for name in names if not name.startswith("--"))
        return self._option(call, long, short, default)

    def _typer_call(self, node: ast.expr | None) -> ast.Call | None:
        if not isinstance(node, ast.Call):
            return None
        return node if self._module.qualified_name(node.func) == "typer.Option" else None

    def _option(
        self, call: ast.Call, long: tuple[str, ...], short: tuple[str, ...], default: ast.expr | None = None
    ) -> Option:
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if default is call:
            default = call.args[0] if call.args else None
        description = keywords.get("help")
        return Option(
            long,
            call.lineno,
            call.end_lineno or call.lineno,
            short,
            self._value(keywords.get("default", default)),
            self._choices(keywords.get("choices") or keywords.get("type")),
            _string_value(description) or "",
            description.lineno if description is not None else 0,
        )

    def _value(self, node: ast.expr | None) -> str | None:
        match self._resolve(node):
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
                return "-" + str(value)
            case ast.Constant(value=value) if value is not None and value is not Ellipsis:
                return str(value)
        return None

    def _resolve(self, node: ast.expr | None) -> ast.expr | None:
        """Return the value of a constant of the module that a name refers to; another node itself."""
        return self._constants.get(node.id) if isinstance(node, ast.Name) else node

    def _choices(self, node: ast.expr | None) -> tuple[str, ...]:
        if isinstance(node, ast.Call) and node.args and self._is_choice(node.func):
            node = node.args[0]
        node = self._resolve(node)
        if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return ()
        values = [self._value(element) for element in node.elts]
        known = tuple(value for value in values if value is not None)
        return known if len(known) == len(values) else ()

    def _is_choice(self, func: ast.expr) -> bool:
        return (self._module.qualified_name(func) or "").endswith("Choice")


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Return the constants that a module binds at its top level."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target.id, node.value


def _has_keyword_ending(call: ast.Call, keyword: str, ending: str) -> bool:
    values = (item.value for item in call.keywords if item.arg == keyword)
    return any(
        isinstance(value, (ast.Attribute, ast.Name)) and unparse(value).endswith(ending) for value in values
    )


def _call_in_annotation(annotation: ast.expr | None) -> ast.expr | None:
    """Return the call in ``Annotated[int, typer.Option()]``."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return None
    return next((element for element in annotation.slice.elts[1:] if isinstance(element, ast.Call)), None)


def _is_boolean(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        annotation = annotation.slice.elts[0]
    return isinstance(annotation, ast.Name) and annotation.id == "bool"


def _option_names(strings: Iterable[str]) -> Iterator[str]:
    """Yield the names in the strings that are options: ``-v``, ``--on/--off``."""
    for string in strings:
        if string.startswith("-"):
            yield from string.split("/")


def _string_value(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _parameters_with_defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    positional = arguments.posonlyargs + arguments.args
    required = len(positional) - len(arguments.defaults)
    yield from zip(positional, [None] * required + list(arguments.defaults), strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _default_names(parameter: ast.arg) -> tuple[str, ...]:
    """Return the names that typer derives from a parameter."""
    plain = parameter.arg.strip("_").replace("_", "-")
    return (f"--{plain}", f"--no-{plain}") if _is_boolean(parameter.annotation) else (f"--{plain}",)


def _constant_arguments(call: ast.Call) -> list[str]:
    """Return the arguments of a call, or the elements of its list argument; none if any is computed."""
    first = call.args[0] if call.args else None
    arguments = first.elts if isinstance(first, ast.List) else call.args
    constants = [str(argument.value) for argument in arguments if isinstance(argument, ast.Constant)]
    return constants if len(constants) == len(arguments) else []


def _long(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith("--")]
