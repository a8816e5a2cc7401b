"""The functions and the module-level statements of a Python file, each with a digest of its syntax.

Layout, comments, documentation and annotations are not part of a digest, except if they have an effect at run
time: documentation with examples, which doctest runs; annotations of a function with a decorator and of the
fields of a class, which frameworks read; a line that names a program or an encoding. A nested function
belongs to the function around it.
"""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator

import msgspec

from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import UNREADABLE, parse, unparse
from wardround.lazy import LazyPattern
from wardround.storage.digest import sha256
from wardround.workflows.test.python_code.normal_syntax import statement_digest
from wardround.workflows.test.python_code.plain_values import binds_plain_value

MOST_BYTES = 2 * 1024 * 1024
"""Longer files are one statement that no name bounds."""
_DIGEST_HEX = 20
_PRAGMA = LazyPattern(r"\#!|[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_DEFAULT_ENCODING = LazyPattern(r"[ \t\f]*#.*?coding[:=][ \t]*utf[-_]?8(?![-\w.])", re.IGNORECASE)
_PLAIN_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "property", "setter", "getter", "deleter", "override", "overload",
     "final", "abstractmethod", "contextmanager", "asynccontextmanager", "wraps", "parametrize"}
)  # fmt: skip
"""Decorators that register nothing, so that a new function with them has no effect of its own."""
_OF_TESTS = frozenset({"mark", "mock", "patch", "given", "example", "settings"})
_PLAIN_CLASSES = frozenset(
    {"object", "Exception", "BaseException", "ValueError", "TypeError", "KeyError", "RuntimeError",
     "LookupError", "Warning", "UserWarning", "DeprecationWarning", "Enum", "IntEnum", "StrEnum", "Flag",
     "NamedTuple", "TypedDict", "Protocol", "Generic", "ABC", "Struct", "BaseModel", "TestCase", "dataclass",
     "define", "frozen", "attrs", "total_ordering", "runtime_checkable", "final", "unique"}
)  # fmt: skip
"""Bases and decorators that register no class."""
_ONCE = ("cache", "memo", "once", "lazy")
"""Parts of the names of decorators whose functions only run in the first test."""
_SHARED_SETUP = frozenset(
    {"setUpClass", "tearDownClass", "setUpModule", "tearDownModule", "setup_class", "teardown_class",
     "setup_module", "teardown_module"}
)  # fmt: skip
_PROCESSES = frozenset(
    {"subprocess", "multiprocessing", "Popen", "check_output", "check_call", "ProcessPoolExecutor", "fork",
     "spawn", "posix_spawn", "pexpect", "pytester", "testdir", "runpytest", "create_subprocess_exec",
     "create_subprocess_shell"}
)  # fmt: skip


class Sharing(enum.IntEnum):
    """The tests that share the result of a function: one, those of a file or class, or those of a session."""

    ONE_TEST = 0
    FILE = 1
    SESSION = 2


class OutlinedFunction(msgspec.Struct, frozen=True, array_like=True):
    """A function or method; definitions of the same name are one function with several ranges.

    Attributes:
        name: qualified by the enclosing classes.
        ranges: the lines of each body, 1-based and inclusive.
        starts: the line of each ``def``.
        is_once: its result serves later calls too, by the name of a decorator.
        is_plain: its decorators, if it has any, register nothing.
        is_fixture: pytest passes its result to tests.
        is_inheriting: it is a method of a class with bases, or has a special name.
        starts_processes: its source names a way to start another process.
        changes: names that are no locals and that it assigns, or calls a method of for its effect.
    """

    name: str
    digest: str
    ranges: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]
    is_once: bool = False
    is_plain: bool = True
    is_fixture: bool = False
    is_inheriting: bool = False
    sharing: Sharing = Sharing.ONE_TEST
    starts_processes: bool = False
    changes: tuple[str, ...] = ()


class OutlinedStatement(msgspec.Struct, frozen=True, array_like=True):
    """A statement that runs when the file is imported; for a class, its header or a statement of its body.

    Attributes:
        names: those that it binds; for a class header, the class.
        is_bounded: its only effects are those names.
        is_import: it imports one name.
        uses: for an import, the imported name and the parts of its module's name.
        owner: the class that it defines, or whose body contains it.
        decorates: the name of the function that it decorates.
        is_registering: it defines a class that its bases or decorators may register.
        is_example: it is documentation with examples, which only doctest runs.
        is_value: its only effect is the value of its names, which is only read by these names.
    """

    digest: str
    names: tuple[str, ...]
    line: int
    end_line: int
    is_bounded: bool = True
    is_import: bool = False
    uses: tuple[str, ...] = ()
    owner: str = ""
    decorates: str = ""
    is_registering: bool = False
    is_example: bool = False
    is_value: bool = False


class Outline(msgspec.Struct, frozen=True, array_like=True):
    """The content of a file; ``problem`` is the reason why it is one statement only."""

    functions: tuple[OutlinedFunction, ...] = ()
    statements: tuple[OutlinedStatement, ...] = ()
    problem: str = ""


def outline(text: str) -> Outline:
    """Return the outline of a Python file; never raises."""
    if len(text) > MOST_BYTES:
        return _unread_result(text, f"it has more than {MOST_BYTES} characters")
    try:
        tree = parse(text)
        return _Outliner(text).read(tree)
    except UNREADABLE:
        return _unread_result(text, "it does not parse")


def _unread_result(text: str, problem: str) -> Outline:
    digest = sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGEST_HEX]
    return Outline((), (OutlinedStatement(digest, (), 1, text.count("\n") + 1, is_bounded=False),), problem)


class _Outliner:
    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._functions: dict[str, OutlinedFunction] = {}
        self._statements: list[OutlinedStatement] = []

    def read(self, tree: ast.Module) -> Outline:
        self._add_pragmas()
        for statement in tree.body:
            self._add(statement, (), inherits=False)
        return Outline(tuple(self._functions.values()), tuple(self._statements))

    def _add_pragmas(self) -> None:
        """Add the line that names the program of a script, and the encoding of the file."""
        for number, line in enumerate(self._lines[:2], 1):  # where Python reads an encoding
            if _PRAGMA.match(line) and not _DEFAULT_ENCODING.match(line):
                digest = statement_digest(ast.Expr(ast.Constant(line.strip())), "#")
                self._statements.append(OutlinedStatement(digest, (), number, number, is_bounded=False))

    def _add(self, node: ast.stmt, around: tuple[str, ...], *, inherits: bool) -> None:
        if isinstance(node, FunctionNode):
            self._add_function(node, around, inherits=inherits)
        elif isinstance(node, ast.ClassDef):
            self._add_class(node, around)
        elif isinstance(node, ast.If | ast.Try | ast.TryStar) and any(_definitions(node)):
            self._add_branches(node, around, inherits=inherits)
        elif isinstance(node, ast.Import | ast.ImportFrom) and not around:
            self._statements += _imports(node)
        elif not _is_documentation(node) and not _has_no_effect(node):
            self._statements.append(_statement(node, around))

    def _add_function(self, node: FunctionNode, around: tuple[str, ...], *, inherits: bool) -> None:
        name = ".".join((*around, node.name))
        found = self._function(node, name, inherits=inherits)
        before = self._functions.get(name)
        self._functions[name] = found if before is None else _merge_functions(before, found)
        for decorator in node.decorator_list:
            digest = statement_digest(decorator, f"{name}@")
            names = (around[0] if around else node.name,)
            lines = (decorator.lineno, _end(decorator))
            self._statements.append(OutlinedStatement(digest, names, *lines, decorates=name))

    def _function(self, node: FunctionNode, name: str, *, inherits: bool) -> OutlinedFunction:
        decorators = [_decorator_name(decorator) for decorator in node.decorator_list]
        words = set(_words(node))
        is_fixture = any("fixture" in decorator for decorator in decorators)
        return OutlinedFunction(
            name,
            statement_digest(node, name),
            ((node.body[0].lineno, _end(node)),),
            (node.lineno,),
            is_once=any(part in decorator.lower() for decorator in decorators for part in _ONCE),
            is_plain=all(map(_is_plain, node.decorator_list)),
            is_fixture=is_fixture,
            is_inheriting=inherits or (node.name.startswith("__") and node.name.endswith("__")),
            sharing=_sharing_of_node(node, is_fixture=is_fixture),
            starts_processes=not words.isdisjoint(_PROCESSES) or _calls_system(node),
            changes=tuple(sorted(_changes(node))),
        )

    def _add_class(self, node: ast.ClassDef, around: tuple[str, ...]) -> None:
        inner = (*around, node.name)
        header = ast.Tuple(
            [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)], ast.Load()
        )
        digest = statement_digest(header, f"class {'.'.join(inner)}")
        is_registering = not _PLAIN_CLASSES.issuperset(
            map(_decorator_name, (*node.decorator_list, *node.bases))
        )
        lines = (node.lineno, node.body[0].lineno - 1)
        self._statements.append(
            OutlinedStatement(digest, (inner[0],), *lines, owner=inner[0], is_registering=is_registering)
        )
        for statement in node.body:
            self._add(statement, inner, inherits=bool(node.bases or node.keywords))

    def _add_branches(
        self, node: ast.If | ast.Try | ast.TryStar, around: tuple[str, ...], *, inherits: bool
    ) -> None:
        """Add the definitions of a conditional block, and its conditions as statements that bind them."""
        names = tuple(sorted({definition.name for definition in _definitions(node)}))
        conditions = (
            [node.test]
            if isinstance(node, ast.If)
            else [handler.type for handler in node.handlers if handler.type]
        )
        digest = statement_digest(ast.Tuple(conditions, ast.Load()), f"{type(node).__name__} {names}")
        bound = (around[0],) if around else names
        self._statements.append(OutlinedStatement(digest, bound, node.lineno, node.lineno))
        for body in _bodies(node):
            for statement in body:
                self._add(statement, around, inherits=inherits)


def _merge_functions(first: OutlinedFunction, second: OutlinedFunction) -> OutlinedFunction:
    joined = f"{first.digest} {second.digest}".encode()
    return OutlinedFunction(
        first.name,
        sha256(joined).hexdigest()[:_DIGEST_HEX],
        (*first.ranges, *second.ranges),
        (*first.starts, *second.starts),
        is_once=first.is_once or second.is_once,
        is_plain=first.is_plain and second.is_plain,
        is_fixture=first.is_fixture or second.is_fixture,
        is_inheriting=first.is_inheriting or second.is_inheriting,
        sharing=max(first.sharing, second.sharing),
        starts_processes=first.starts_processes or second.starts_processes,
        changes=(*first.changes, *second.changes),
    )


def _statement(node: ast.stmt, around: tuple[str, ...]) -> OutlinedStatement:
    digest = statement_digest(node, ".".join(around), is_field=bool(around))
    lines = (node.lineno, _end(node))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return OutlinedStatement(digest, (), *lines, is_example=True)
    if around:
        return OutlinedStatement(digest, (around[0],), *lines, _is_bounded(node), owner=around[0])
    names = tuple(sorted(set(_bound_names(node))))
    return OutlinedStatement(digest, names, *lines, _is_bounded(node), is_value=binds_plain_value(node))


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[OutlinedStatement]:
    """Yield an import for each name, so that another name in the same statement has no effect on it."""
    for name in node.names:
        single = (
            ast.Import([name])
            if isinstance(node, ast.Import)
            else ast.ImportFrom(node.module, [name], node.level)
        )
        bound = name.asname or name.name.partition(".")[0]
        is_bounded = name.name != "*"
        digest = statement_digest(single, "")
        uses = tuple(filter(None, (*name.name.split("."), *(getattr(node, "module", None) or "").split("."))))
        lines = (node.lineno, _end(node))
        yield OutlinedStatement(digest, (bound,), *lines, is_bounded, is_import=True, uses=uses)


def _bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds or changes, in inner blocks too."""
    for inner in ast.walk(node):
        match inner:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.alias(name=name, asname=local):
                yield local or name.partition(".")[0]
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                yield from _root(inner)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield inner.name
            case _ if isinstance(inner, ast.TypeAlias if hasattr(ast, "TypeAlias") else ()):
                yield from _root(inner.name)


def _root(node: ast.AST) -> Iterator[str]:
    """Yield the names through which an object is reached: ``a`` and ``b`` of ``a.b[0]``."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            yield node.attr
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _is_bounded(node: ast.stmt) -> bool:
    """Return True unless a statement calls something for its effect, or imports all names."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Expr) and not isinstance(inner.value, ast.Constant):
            return False
        if isinstance(inner, ast.alias) and inner.name == "*":
            return False
    return not isinstance(node, ast.Assert | ast.Raise | ast.Delete)


def _definitions(node: ast.stmt) -> Iterator[FunctionNode | ast.ClassDef]:
    for body in _bodies(node):
        for statement in body:
            if isinstance(statement, FunctionNode | ast.ClassDef):
                yield statement
            else:
                yield from _definitions(statement)


def _bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.If | ast.Try | ast.TryStar):
        yield node.body
        yield node.orelse
        for handler in getattr(node, "handlers", ()):
            yield handler.body
        yield getattr(node, "finalbody", [])


def _is_documentation(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and ">>>" not in str(node.value.value)
    )


def _has_no_effect(node: ast.stmt) -> bool:
    """Return True for a block that only a script or a type checker runs."""
    if not isinstance(node, ast.If) or node.orelse:
        return False
    condition = unparse(node.test)
    return condition in ("TYPE_CHECKING", "typing.TYPE_CHECKING") or condition.startswith("__name__ == ")


def _is_plain(decorator: ast.expr) -> bool:
    """Return True for a decorator that registers nothing; marks and patches of tests are such."""
    dotted = unparse(decorator.func if isinstance(decorator, ast.Call) else decorator).split(".")
    return dotted[-1] in _PLAIN_DECORATORS or not _OF_TESTS.isdisjoint(dotted)


def _decorator_name(node: ast.expr) -> str:
    return last_name(node.func if isinstance(node, ast.Call) else node)


def _sharing_of_node(node: FunctionNode, *, is_fixture: bool) -> Sharing:
    if node.name in _SHARED_SETUP:
        return Sharing.FILE
    scope = _scope(node) if is_fixture else None
    if scope is None:
        return Sharing.ONE_TEST
    value = scope.value if isinstance(scope, ast.Constant) else "session"
    return {"function": Sharing.ONE_TEST, "class": Sharing.FILE, "module": Sharing.FILE}.get(
        str(value), Sharing.SESSION
    )


def _scope(node: FunctionNode) -> ast.expr | None:
    """Return the scope that a decorator of a fixture states, by name or as its first argument."""
    calls = [decorator for decorator in node.decorator_list if isinstance(decorator, ast.Call)]
    keywords = [keyword for call in calls for keyword in call.keywords if keyword.arg == "scope"]
    if keywords:
        return keywords[0].value
    return next((call.args[0] for call in calls if call.args), None)


def _words(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr
        elif isinstance(inner, ast.arg):
            yield inner.arg
        elif isinstance(inner, ast.alias):
            yield inner.name.partition(".")[0]


def _changes(node: FunctionNode) -> set[str]:
    """Return the names outside of a function through which it can change something."""
    local: set[str] = set()
    shared: set[str] = set()
    roots: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            local.add(inner.arg)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            local.add(inner.id)
        elif isinstance(inner, ast.Global):
            shared.update(inner.names)
        elif isinstance(inner, ast.Attribute | ast.Subscript) and isinstance(inner.ctx, ast.Store | ast.Del):
            roots.update(_root(inner))
        elif (called := _called_for_effect(inner)) is not None:
            roots.update(_root(called.value))
    return (roots - local) | shared


def _called_for_effect(node: ast.AST) -> ast.Attribute | None:
    """Return the method that a statement calls without using its result."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    return node.value.func if isinstance(node.value.func, ast.Attribute) else None


def _calls_system(node: ast.AST) -> bool:
    return any(
        isinstance(inner, ast.Attribute) and inner.attr in ("system", "popen", "execv", "execvp")
        and isinstance(inner.value, ast.Name) and inner.value.id == "os"
        for inner in ast.walk(node)
    )  # fmt: skip


def _end(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno
