"""The functions that a Python file defines, as far as a comparison needs to know them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import msgspec

from wardround.languages.python.module import FunctionNode, last_name, named_functions
from wardround.languages.python.tree import UNREADABLE, parse, unparse, walk
from wardround.workflows.behaviour.class_states import ClassState, class_states
from wardround.workflows.test.python_code.normal_syntax import statement_digest

_MOST_CONSTANTS = 60
_LONGEST_CONSTANT = 40
_ROLES = ("setter", "deleter", "getter")
_GETTERS = frozenset({"property", "cached_property"})


def is_private_name(name: str) -> bool:
    """Return True for a name that starts with one underscore; those of special methods are public."""
    return name.startswith("_") and not name.endswith("__")


class Definition(msgspec.Struct, frozen=True):
    """A function at base or head.

    Attributes:
        name: qualified by its classes.
        role: ``getter``, ``setter`` or ``deleter`` of a property, else empty.
        digest: digest of its normalised syntax.
        line: line number of its ``def``.
        receiver: ``self`` or ``cls`` if the first parameter is one, else empty.
        rest: the ``*args`` parameter; empty if there is none.
        keywords: the parameter with two stars; empty if there is none.
        keyword_only: the parameters after a star.
        mentions: the names and attributes in its body.
        constants: short numbers and strings in its body.
        returns: its return annotation; empty if there is none.
        defaults: the source of the default of each parameter that has one.
        exposed_as: for a method of a private class, a public class below it; empty if there is none.
    """

    name: str
    role: str
    digest: str
    line: int
    receiver: str = ""
    rest: str = ""
    keywords: str = ""
    keyword_only: tuple[str, ...] = ()
    mentions: frozenset[str] = frozenset()
    constants: tuple[int | float | str, ...] = ()
    returns: str = ""
    defaults: dict[str, str] = {}
    exposed_as: str = ""

    @property
    def own_name(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def is_private(self) -> bool:
        """is_private: True if a part of its name is private, except a class whose methods a public one
        has.
        """
        return any(map(is_private_name, [self.own_name] if self.exposed_as else self.name.split(".")))


class Definitions(msgspec.Struct, frozen=True):
    """The content of a file.

    Attributes:
        functions: by name and role; of several definitions the last.
        repeated: names with more than one definition, except overloads.
        classes: qualified names, each with the code that initializes its objects.
        constants: names that the file or a class in it binds to a value, each with a digest of the values.
        bound: the same names, each with the names and attributes that its values mention.
        strings: its string literals.
        bases: the classes at its top level, each with the names of its bases.
    """

    functions: dict[tuple[str, str], Definition]
    repeated: frozenset[str]
    classes: dict[str, ClassState]
    constants: dict[str, str]
    bound: dict[str, frozenset[str]]
    texts: frozenset[str]
    bases: dict[str, tuple[str, ...]] = {}


def definitions(text: str) -> Definitions:
    """Read a file; one that does not parse has none."""
    try:
        tree = parse(text)
    except UNREADABLE:
        return Definitions({}, frozenset(), {}, {}, {}, frozenset())
    functions: dict[tuple[str, str], Definition] = {}
    repeated = set()
    for name, node in named_functions(tree.body):
        decorators = [
            last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
            for decorator in node.decorator_list
        ]
        if "overload" in decorators:
            continue
        item = _definition(name, node, decorators)
        if (name, item.role) in functions:
            repeated.add(name)
        functions[name, item.role] = item
    constants: dict[str, str] = {}
    bound: dict[str, frozenset[str]] = {}
    for name, value in _bound_values(tree.body):
        constants[name] = f"{constants.get(name, '')} {statement_digest(value, '')}"
        bound[name] = bound.get(name, frozenset()) | frozenset(_mentions(value))
    classes = dict(class_states(tree.body))
    texts = frozenset(_string_literals(tree))
    bases = {
        statement.name: tuple(map(last_name, statement.bases))
        for statement in tree.body
        if isinstance(statement, ast.ClassDef)
    }
    return Definitions(functions, frozenset(repeated), classes, constants, bound, texts, bases)


def _string_literals(tree: ast.AST) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _bound_values(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that statements of a file or of its classes bind, with the value."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _bound_values(statement.body)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from ((each.id, statement.value) for each in targets if isinstance(each, ast.Name))


def _definition(name: str, node: FunctionNode, decorators: list[str]) -> Definition:
    role = next((decorator for decorator in decorators if decorator in _ROLES), "")
    if not _GETTERS.isdisjoint(decorators):
        role = "getter"
    arguments = node.args
    return Definition(
        name,
        role,
        statement_digest(node, name),
        node.lineno,
        _receiver(name, node, decorators),
        arguments.vararg.arg if arguments.vararg else "",
        arguments.kwarg.arg if arguments.kwarg else "",
        tuple(argument.arg for argument in arguments.kwonlyargs),
        frozenset(_mentions(node)),
        tuple(dict.fromkeys(_constants(node)))[:_MOST_CONSTANTS],
        "" if node.returns is None else unparse(node.returns),
        dict(_defaults(arguments)),
    )


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, str]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    with_one = positional[len(positional) - len(arguments.defaults) :]
    for argument, value in zip(with_one, arguments.defaults, strict=True):
        yield argument.arg, unparse(value)
    for argument, keyword_only in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if keyword_only is not None:
            yield argument.arg, unparse(keyword_only)


def _receiver(name: str, node: FunctionNode, decorators: list[str]) -> str:
    is_method = "." in name and "staticmethod" not in decorators
    if not is_method or not (node.args.posonlyargs or node.args.args):
        return ""
    is_of_class = "classmethod" in decorators or node.name in (
        "__new__",
        "__init_subclass__",
        "__class_getitem__",
    )
    return "cls" if is_of_class else "self"


def _mentions(node: ast.AST) -> Iterator[str]:
    for inner in walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr


def _constants(node: FunctionNode) -> Iterator[int | float | str]:
    for statement in node.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        for inner in walk(statement):
            value = inner.value if isinstance(inner, ast.Constant) else None
            if isinstance(value, int | float | str) and len(repr(value)) <= _LONGEST_CONSTANT:
                yield value
