"""Resolution of calls to functions and classes of the repository, with their parameters."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Protocol

import msgspec

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import parse, unparse

_MOST_HOPS = 2
_SAME_SIGNATURE = frozenset(
    """
    abstractmethod asynccontextmanager cache classmethod contextmanager final lru_cache override staticmethod
    """.split()  # noqa: SIM905
)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_OTHER = ast.Constant(...)


class ProjectFiles(Protocol):
    """The texts of the files of a repository."""

    def read(self, path: str) -> str | None:
        """Return the text of a file; None if it does not exist or is not UTF-8."""


class Callee(msgspec.Struct, frozen=True):
    """A function or class a call reaches.

    Attributes:
        parameters: the names that positional arguments bind to, in order, without the receiver.
        place: the path it is defined in.
    """

    name: str
    parameters: tuple[str, ...]
    place: str


class FunctionDefinition(msgspec.Struct, frozen=True):
    """The definition of a name; a node in another file has that file's lines, counted from 1."""

    node: FunctionNode | ast.ClassDef
    path: str
    is_method: bool = False


class CallResolver:
    """The callees of one module's calls, resolved on first use."""

    def __init__(self, module: PythonModule, project: ProjectFiles) -> None:
        self._module = module
        self._project = project

    @classmethod
    def shared(cls, module: PythonModule, project: ProjectFiles) -> CallResolver:
        """Return the callees of a module, shared by all its checks."""
        result = module.notes.get(cls)
        if not isinstance(result, CallResolver) or result._project is not project:
            result = cls(module, project)
            module.notes[cls] = result
        return result

    @cached_property
    def _bound(self) -> Counter[str]:
        """The number of bindings of each name of the module, in any scope, imports included."""
        result: Counter[str] = Counter()
        for node in self._module.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                result[node.name] += 1
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                result[node.id] += 1
            elif isinstance(node, ast.arg):
                result[node.arg] += 1
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                result.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
                result[node.name] += 1
        return result

    @cached_property
    def _top(self) -> dict[str, FunctionNode | ast.ClassDef]:
        return {
            node.name: node
            for node in self._module.tree.body
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }

    def of(self, call: ast.Call) -> Callee | None:
        """Return the callee of a call; None if the text alone does not determine it."""
        result = self.definition_of(call)
        return None if result is None else _callee_of(result.node, result.path, result.is_method)

    def definition_of(self, call: ast.Call) -> FunctionDefinition | None:
        """Return the function or class a call reaches; None if the text alone does not determine it."""
        func = call.func
        if isinstance(func, ast.Name):
            return self._plain(func, call)
        if not isinstance(func, ast.Attribute):
            return None
        if isinstance(func.value, ast.Name) and func.value.id in ("self", "cls"):
            return self._method(func.attr, func.value.id, call)
        return self._through_module(func) or self._through_object(func)

    def _plain(self, node: ast.Name, call: ast.AST) -> FunctionDefinition | None:
        name = node.id
        if name == "cls":
            holder = self._class_around(call) if self._is_receiver(name, call) else None
            return None if holder is None else FunctionDefinition(holder, self._module.path)
        if self._bound[name] != 1:
            return None
        if name in self._top:
            return FunctionDefinition(self._top[name], self._module.path)
        dotted = self._module.imported.get(name)
        return self._imported(dotted) if dotted else None

    def _method(self, name: str, receiver: str, call: ast.Call) -> FunctionDefinition | None:
        holder = self._class_around(call)
        method = None if holder is None else _method_in(holder, name)
        if method is None or (receiver == "cls" and not _decorated(method) & {"classmethod", "staticmethod"}):
            return None
        return FunctionDefinition(method, self._module.path, is_method=True)

    def _through_object(self, func: ast.Attribute) -> FunctionDefinition | None:
        """Return the method of an object whose class the module shows, by annotation or construction."""
        if not isinstance(func.value, (ast.Name, ast.Attribute)):
            return None
        value = self._kind(unparse(func.value))
        if not isinstance(value, (ast.Name, ast.Attribute)):
            return None
        holder = self._plain(value, value) if isinstance(value, ast.Name) else self._through_module(value)
        if holder is None or not isinstance(holder.node, ast.ClassDef):
            return None
        method = _method_in(holder.node, func.attr)
        return None if method is None else FunctionDefinition(method, holder.path, is_method=True)

    def _kind(self, name: str) -> ast.expr | None:
        """Return the only class that all bindings give a name; None if there is none."""
        if name not in self._kinds_known:
            kinds = self._kinds.get(name, [])
            same = len({unparse(kind) for kind in kinds}) == 1
            self._kinds_known[name] = kinds[0] if same else None
        return self._kinds_known[name]

    @cached_property
    def _kinds_known(self) -> dict[str, ast.expr | None]:
        return {}

    @cached_property
    def _kinds(self) -> dict[str, list[ast.expr]]:
        """Map a name or attribute of self to its classes; ``...`` for another one."""
        result: dict[str, list[ast.expr]] = {}
        for node in self._module.nodes:
            if isinstance(node, ast.arg):
                result.setdefault(node.arg, []).append(_class_named(node.annotation))
            elif isinstance(node, ast.AnnAssign):
                in_class = isinstance(self._module.parents[node], ast.ClassDef)
                name = f"self.{unparse(node.target)}" if in_class else unparse(node.target)
                result.setdefault(name, []).append(_class_named(node.annotation))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    result.setdefault(unparse(target), []).append(_constructed_class(node.value))
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                result.setdefault(unparse(node.target), []).append(_OTHER)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                result.setdefault(unparse(node.optional_vars), []).append(
                    _constructed_class(node.context_expr)
                )
        for name, kinds in list(result.items()):
            if name.startswith("self.") and len(kinds) == 1 and isinstance(kinds[0], ast.Name):
                passed_on = result.get(kinds[0].id)
                if passed_on and kinds[0].id not in self._module.imported and kinds[0].id not in self._top:
                    result[name] = passed_on
        return result

    def _class_around(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the class of the method a node runs in, if ``self`` or ``cls`` still refers to it there."""
        for parent in self._module.ancestors(node):
            if isinstance(parent, ast.ClassDef):
                return None
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                holder = self._module.class_of(parent)
                if holder is not None:
                    return holder
        return None

    def _is_receiver(self, name: str, node: ast.AST) -> bool:
        """Return True if a name is the first parameter of a function around a node."""
        functions = (
            parent
            for parent in self._module.ancestors(node)
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef))
        )
        return any([a.arg for a in (*f.args.posonlyargs, *f.args.args)][:1] == [name] for f in functions)

    def _through_module(self, func: ast.Attribute) -> FunctionDefinition | None:
        root: ast.expr = func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self._bound[root.id] != 1:
            return None
        dotted = self._module.imported_name(func)
        return self._imported(dotted) if dotted else None

    def _imported(self, dotted: str) -> FunctionDefinition | None:
        return located(dotted, self._module.path, self._project, _MOST_HOPS)


def located(
    dotted: str, importer: str, project: ProjectFiles, hops: int = _MOST_HOPS
) -> FunctionDefinition | None:
    """Return the function or class an import names, through packages that re-export it.

    Args:
        dotted: ``app.mail.send``, or ``.mail.send`` relative to the importer.
        hops: the number of packages that may re-export it.
    """
    level = len(dotted) - len(dotted.lstrip("."))
    stem, _, name = dotted.rpartition(".") if "." in dotted[level:] else (dotted[:level], "", dotted[level:])
    result = _module_file(stem.lstrip("."), level, importer, project)
    if result is None:
        return None
    path, text = result
    definition = definition_in(text, name)
    if definition is not None:
        return FunctionDefinition(definition, path)
    passed_on = _passed_on(text, name) if hops else None
    return located(passed_on, path, project, hops - 1) if passed_on else None


def _module_file(named: str, level: int, importer: str, project: ProjectFiles) -> tuple[str, str] | None:
    """Return path and text of the only module that an import can refer to."""
    below = named.split(".") if named else []
    folders = importer.split("/")[:-1]
    if level:
        if level - 1 > len(folders):
            return None
        return _read_module([*folders[: len(folders) - level + 1], *below], project)
    if not below:
        return None
    roots = [folders[:depth] for depth in range(len(folders) + 1)] + [["src"], ["lib"]]
    read = [result for root in roots if (result := _read_module([*root, *below], project)) is not None]
    paths = {path for path, _ in read}
    return read[0] if len(paths) == 1 else None


def _read_module(stem: Sequence[str], project: ProjectFiles) -> tuple[str, str] | None:
    for path in ("/".join(stem) + ".py", "/".join([*stem, "__init__.py"])):
        text = project.read(path)
        if text is not None:
            return path, text
    return None


@lru_cache(maxsize=512)
def definition_in(text: str, name: str) -> FunctionNode | ast.ClassDef | None:
    """Return the only definition of a name at the top of a module, parsed on its own; None otherwise."""
    pattern = rf"^(?:(?:async[ ]+)?def|class)[ ]+{re.escape(name)}\b|^{re.escape(name)}[ ]*(?::[^=\n]*)?="
    results = list(re.finditer(pattern, text, re.MULTILINE))
    if len(results) != 1 or results[0][0].endswith("="):
        return None
    start = _start_of_decorators(text, results[0].start())
    end = re.compile(r"\n[^\s)\]}#]").search(text, results[0].end())
    try:
        node = parse(text[start : end.start() if end else len(text)] + "\n").body[0]
    except _UNREADABLE:
        return None
    return node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else None


def _start_of_decorators(text: str, start: int) -> int:
    """Return the start of the first decorator of a definition, over as many lines as they take."""
    above = start
    while above:
        above = text.rfind("\n", 0, above - 1) + 1
        if text[above] == "@":
            start = above
        elif text[above] not in " \t)]}#\n":
            break
    return start


def _passed_on(text: str, name: str) -> str | None:
    """Return the module from which a package imports a name it re-exports."""
    if name not in text:
        return None
    try:
        imported = PythonModule("", text).imported
    except _UNREADABLE:
        return None
    return imported.get(name)


def _method_in(holder: ast.ClassDef, name: str) -> FunctionNode | None:
    """Return the only method of a name that a class defines itself."""
    results = [n for n in holder.body if getattr(n, "name", None) == name]
    only = results[0] if len(results) == 1 else None
    return only if isinstance(only, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _class_named(annotation: ast.expr | None) -> ast.expr:
    """Return the class an annotation names: ``Mail``, ``"Mail"``, ``Mail | None``, ``Optional[Mail]``."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.Name(annotation.value, ast.Load()) if annotation.value.isidentifier() else _OTHER
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.right, ast.Constant):
        return annotation.left
    if isinstance(annotation, ast.Subscript):
        named = unparse(annotation.value).rpartition(".")[2]
        inner = annotation.slice
        if isinstance(inner, ast.Tuple) and inner.elts:
            inner = inner.elts[0]
        return inner if named in ("Optional", "Annotated", "Final") else _OTHER
    return annotation if isinstance(annotation, (ast.Name, ast.Attribute)) else _OTHER


def _constructed_class(value: ast.expr) -> ast.expr:
    """Return the class a value is an instance of, or the name it is re-exported from."""
    creation = value.func if isinstance(value, ast.Call) else value
    return creation if isinstance(creation, (ast.Name, ast.Attribute)) else _OTHER


def _callee_of(node: ast.AST, path: str, is_method: bool = False) -> Callee | None:
    if isinstance(node, ast.ClassDef):
        parameters = _parameters_of_class(node)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parameters = _parameters(node, is_method)
    else:
        return None
    name: str = getattr(node, "name", "")
    return None if parameters is None else Callee(name, parameters, path)


def _decorated(node: FunctionNode | ast.ClassDef) -> set[str]:
    """Return the last names of the decorators."""
    calls = [
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list
    ]
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "?") for call in calls}


def _parameters(function: FunctionNode, is_method: bool) -> tuple[str, ...] | None:
    decorators = _decorated(function)
    if not decorators <= _SAME_SIGNATURE or function.args.vararg is not None:
        return None
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    if is_method and "staticmethod" not in decorators:
        names = names[1:]
    return tuple(names)


def _parameters_of_class(node: ast.ClassDef) -> tuple[str, ...] | None:
    """Return the parameters of a class: those of ``__init__``, or the fields of a dataclass."""
    if node.keywords:
        return None
    own = {n.name: n for n in node.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
    if "__new__" in own:
        return None
    if "__init__" in own:
        return _parameters(own["__init__"], is_method=True)
    bases = {getattr(base, "id", getattr(base, "attr", "?")) for base in node.bases}
    if not ((_decorated(node) == {"dataclass"} and not bases) or bases == {"NamedTuple"}):
        return None
    if "kw_only" in ast.dump(node) or "InitVar" in ast.dump(node) or "init=" in unparse(node):
        return None
    fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
    return tuple(
        f.target.id for f in fields if isinstance(f.target, ast.Name) and "ClassVar" not in ast.dump(f)
    )
