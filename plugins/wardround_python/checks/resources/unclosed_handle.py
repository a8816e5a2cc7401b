from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.findings import Severity, SuggestedFix
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.libraries.resources import FILES, HELD

_CLOSING = frozenset(
    {"close", "aclose", "quit", "logout", "disconnect", "shutdown", "terminate", "detach", "__exit__"}
)
_READ_AT_ONCE = frozenset(
    {
        "json.load",
        "json.dump",
        "yaml.safe_load",
        "yaml.safe_dump",
        "pickle.load",
        "pickle.dump",
        "tomllib.load",
    }
)
"""Functions that are done with a file when they return."""
_RUN_LATER = (
    ast.Lambda, ast.comprehension, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.IfExp,
    ast.BoolOp, ast.NamedExpr,
)  # fmt: skip
"""Expressions with a part that runs several times, later or not at all."""
_BASES = frozenset({"object", "ABC", "Protocol", "Generic"})


class UnclosedHandle(PythonCheck):
    """A file or connection is opened and never closed.

    It is stored in a list that is not closed after an error, in an attribute that no method closes, or in no
    name at all. Under load the process runs out of file handles. Use ``with``, an ``ExitStack`` for several,
    or a ``close`` method for the class.
    """

    ID = "PY046"
    NAME = "unclosed-handle"
    WORDS = ("open(", "connect(", "socket(", "connection(", "mkstemp(", "SMTP", "FTP", "Popen(")
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "unclosed-resource"
    VALID = [
        code("""
            class A:
                def __init__(self, p):
                    self.out = open(p)
                def close(self):
                    self.out.close()
        """),
        code("""
            class A(Base):
                def __init__(self, p):
                    self.out = open(p)
        """),
    ]
    INVALID = [
        code("""
            import gzip
            def f(ps):
                xs = [«gzip.open(p)» for p in ps]
                yield from merge(*xs)
                for x in xs:
                    x.close()
        """),
        code(
            """
            import json
            def f(p):
                return json.load(«open(p)»)  # as it is
            """,
            fixed="""
            import json
            def f(p):
                with open(p) as file:
                    return json.load(file)  # as it is
            """,
        ),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        opener = self._opener(node)
        if opener is None:
            return
        parent = self.module.parents[node]
        scope = self.module.function_of(node)
        if opener == "mkstemp":
            self._check_descriptor(node, parent, scope)
        elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Attribute):
            self._check_attribute(node, parent.targets[0], opener)
        elif isinstance(parent, ast.ListComp) and parent.elt is node and isinstance(scope, FunctionNode):
            self._check_list(node, parent, scope, opener)
        elif opener in FILES and self._is_nowhere(node, parent):
            message = f"{opener}() is never closed and stays open until it is garbage-collected; use with"
            self.report(self.module.span(node), message, self._with_block_fix(node, parent))

    def _with_block_fix(self, node: ast.Call, parent: ast.AST) -> SuggestedFix | None:
        """Return the fix that opens the file in a ``with`` block, if only its statement uses it."""
        around = list(self.module.ancestors(node))
        statement = next(item for item in around if isinstance(item, ast.stmt))
        inside = around[: around.index(statement)]
        name = self.module.qualified_name(parent.func) if isinstance(parent, ast.Call) else ""
        lends = isinstance(parent, (ast.Attribute, ast.For)) or name in _READ_AT_ONCE
        used = {getattr(inner, "id", getattr(inner, "arg", "")) for inner in self.module.nodes}
        if not lends or any(isinstance(element, _RUN_LATER) for element in inside) or "file" in used:
            return None
        return self.fix(
            statement,
            lambda edit: edit.with_block_edit(node, statement, "file"),
            "open it in a with block",
            safe=True,
        )

    def _opener(self, node: ast.Call) -> str | None:
        if isinstance(node.func, ast.Name) and node.func.id == "open" and "open" not in self.module.imported:
            return "open"
        name = self.module.imported_name(node.func)
        if name == "tempfile.mkstemp":
            return "mkstemp"
        return name if name in HELD else None

    def _check_descriptor(self, node: ast.Call, parent: ast.AST, scope: ast.AST | None) -> None:
        """Report ``mkstemp``, which also opens the file: its first result must be closed."""
        match parent:
            case ast.Subscript(slice=ast.Constant(value=1)):
                is_lost = True
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_]), *_]) if scope is not None:
                is_lost = not _is_read(name, scope)
            case _:
                is_lost = False
        if is_lost:
            message = "mkstemp() opens the file, and nothing closes the descriptor; call os.close"
            self.report(self.module.span(node), message)

    def _check_attribute(self, node: ast.Call, target: ast.Attribute, opener: str) -> None:
        holder = next((p for p in self.module.ancestors(node) if isinstance(p, ast.ClassDef)), None)
        if holder is None or not isinstance(target.value, ast.Name) or target.value.id != "self":
            return
        names = {unparse(base).partition("[")[0].rpartition(".")[2] for base in holder.bases}
        if names - _BASES or holder.keywords or self._may_close(holder, target.attr):
            return
        self.report(
            self.module.span(node),
            f'nothing in "{holder.name}" closes self.{target.attr} from {opener}(); add a close method',
        )

    def _may_close(self, holder: ast.ClassDef, name: str) -> bool:
        """Return True if a class has a closing method, or its attribute escapes."""
        methods = {n.name for n in holder.body if isinstance(n, FunctionNode)}
        if methods & (_CLOSING | {"__del__", "__aexit__", "stop", "end", "cleanup", "tearDown", "release"}):
            return True
        for use in self._attributes:
            if use.attr != name:
                continue
            parent = self.module.parents[use]
            if isinstance(parent, ast.Attribute) and parent.attr in _CLOSING:
                return True
            if isinstance(use.ctx, ast.Load) and not isinstance(
                parent, (ast.Attribute, ast.Subscript, ast.If, ast.For)
            ):
                return True
        return False

    @cached_property
    def _attributes(self) -> list[ast.Attribute]:
        return [n for n in self.module.nodes if isinstance(n, ast.Attribute)]

    def _check_list(self, node: ast.Call, parent: ast.ListComp, scope: FunctionNode, opener: str) -> None:
        statement = self.module.parents[parent]
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            return
        name = statement.targets[0].id
        if any(name in _names(tried.finalbody) for tried in _tries(scope)) or self._escapes_scope(
            scope, name
        ):
            return
        self.report(
            self.module.span(node),
            f'those in "{name}" stay open if anything fails before they are closed; use an ExitStack',
            severity=Severity.WARN,
        )

    def _escapes_scope(self, scope: FunctionNode, name: str) -> bool:
        """Return True if the function returns or stores the list."""
        for node in nodes_run_by(scope.body):
            value = node.value if isinstance(node, ast.Return) else None
            if value is not None and name in _names([value]) and not isinstance(value, ast.Call):
                return True
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == name:
                return True
        return False

    def _is_nowhere(self, node: ast.Call, parent: ast.AST) -> bool:
        """Return True if an opened file has no name: it is read, iterated or passed on directly."""
        if isinstance(parent, ast.Attribute):
            return parent.attr in ("read", "readlines", "readline", "write", "writelines", "splitlines")
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is node
        if isinstance(parent, ast.Call) and node in parent.args:
            name = self.module.qualified_name(parent.func) or ""
            return name.endswith(
                (".load", ".safe_load", ".dump", ".safe_dump", ".reader", ".DictReader", ".writer")
            )
        return False


def _is_read(name: str, scope: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in walk(scope)
    )


def _tries(scope: ast.AST) -> Iterator[ast.Try]:
    return (n for n in walk(scope) if isinstance(n, ast.Try))


def _names(nodes: Sequence[ast.AST]) -> set[str]:
    return {n.id for node in nodes for n in walk(node) if isinstance(n, ast.Name)}
