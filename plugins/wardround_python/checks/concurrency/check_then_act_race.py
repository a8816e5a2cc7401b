from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_EXISTENCE_CHECKS = frozenset({"exists", "isfile", "isdir", "is_file", "is_dir", "lexists"})
_CREATING_METHODS = frozenset({"mkdir", "makedirs", "write_text", "write_bytes", "symlink", "link", "touch"})
_HANDLED = LazyPattern(
    r"IntegrityError|UniqueViolation|DuplicateKeyError|DuplicateEntry|UniqueConstraint|FileExistsError"
    r"|(?i:on conflict|on duplicate|insert or|for update|for_update|advisory|get_or_create|update_or_create"
    r"|ignore_conflicts|\block|lock\b|atomic|serializable|watch\()"
)
_SELECT = LazyPattern(
    r"(?is)\bselect\b.{1,200}?\bfrom\s+[\"'`\[]?(\w+).{1,200}?\bwhere\s+(?:\w+\.)?[\"'`\[]?(\w+)"
)
_INSERT = LazyPattern(r"(?is)\binsert\s+into\s+[\"'`\[]?(\w+)[\"'`\]]?\s*\(([^)]{1,400})\)")
_LOOKUPS = frozenset({"filter", "filter_by", "get", "find_one", "exclude"})
_SINGLE_RESULT = frozenset(
    {"exists", "first", "fetchone", "one_or_none", "scalar", "scalar_one_or_none", "count"}
)
_COUNTED = LazyPattern(
    r"(\w+_)?(count|counter|balance|stock|quantity|views|hits|likes|votes|score|credits?|points|total|used"
    r"|remaining|available|attempts|inventory|seats|usage|downloads)(_\w+)?"
)
# Programs that one person runs, one at a time.
_RUN_ALONE = LazyPattern(
    r"(^|/)(notebooks?|scripts?|tools?|docs?|benchmarks?|commands?|management|migrations)/"
    r"|(^|/)(noxfile|setup|fabfile|tasks|conftest|manage|cli|__main__)\.py$"
)
_MAX_DISTANCE = 60
"""Most lines between the check and the write."""
_SAVING_METHODS = frozenset({"save", "commit"})


class CheckThenActRace(PythonCheck):
    """Another process or thread can write between the check and the write.

    A file, a row or a counter is checked and then created or updated in a second step; two concurrent
    callers both pass the check. Let the write itself decide: mode ``x``, ``exist_ok=True``, a unique
    constraint and its IntegrityError, ``F("stock") - 1``, a lock.
    """

    ID = "PY066"
    NAME = "check-then-act-race"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "race-condition"
    WORDS = ("exists(", "is_file(", "isfile(", "is_dir(", "isdir(", "fetchone(", "first(", "save(", "commit(")
    VALID = [
        code("""
            import os
            def f(p):
                if not os.path.exists(p):
                    os.makedirs(p, exist_ok=True)
        """),
        code("""
            def f(p):
                try:
                    open(p, 'x')
                except FileExistsError:
                    raise Taken(p)
        """),
    ]
    INVALID = [
        code("""
            import os
            def f(p):
                if «os.path.exists(p)»:
                    raise RuntimeError(p)
                with open(p, 'w') as out:
                    out.write('x')
        """),
        code("""
            import os
            def f(p):
                if not «os.path.isdir(p)»:
                    os.makedirs(p)
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        lines = self.source.lines[node.lineno - 1 : node.end_lineno]
        text = "\n".join(lines)
        if not any(word in text for word in self.WORDS) or _HANDLED.search(text):
            return
        inside = list(nodes_run_by(node.body))
        alone = _RUN_ALONE.search(self.source.path) is not None
        found = () if alone else (*self._files(inside), *_rows(inside), *_numbers(inside, self._has_tables))
        for location, message in found:
            self.report(self.module.span(location), message)
            return

    @property
    def _has_tables(self) -> bool:
        """Return True if the module works with database records."""
        return any(name.startswith(("django", "sqlalchemy", "flask_sqlalchemy")) for name in self._imports)

    @property
    def _imports(self) -> Sequence[str]:
        return list(self.module.imported.values())

    def _files(self, inside: Sequence[ast.AST]) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
        """Yield a path that is checked and then created, where the creation ignores a concurrent one."""
        for node in inside:
            if not isinstance(node, ast.If):
                continue
            test, is_absent = _without_negation(node.test)
            path = _checked_path(test)
            creation = self._creation(path, node, inside, is_absent) if path else None
            if creation is not None:
                problem = "can be created by another process between this check and line"
                yield test, f"{path} {problem} {creation.lineno}"
                return

    def _creation(
        self, path: str, node: ast.If, inside: Sequence[ast.AST], is_absent: bool
    ) -> ast.Call | None:
        """Return the first call that creates a path where it is absent, without handling its error."""
        for call in _guarded_calls(node, inside, is_absent):
            if _creates_path(call, path, exclusive=not is_absent) and not self._is_handled(call):
                return call
        return None

    def _is_handled(self, node: ast.AST) -> bool:
        """Return True if an error of the write is handled."""
        child = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Try) and child in parent.body and parent.handlers:
                return True
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return False
            child = parent
        return False


def _without_negation(test: ast.expr) -> tuple[ast.expr, bool]:
    """Return a condition without its ``not``, and True if it had one."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand, True
        case _:
            return test, False


def _checked_path(test: ast.expr) -> str | None:
    """Return the path whose existence a condition checks."""
    if (
        not isinstance(test, ast.Call)
        or not isinstance(test.func, ast.Attribute)
        or test.func.attr not in _EXISTENCE_CHECKS
    ):
        return None
    if len(test.args) == 1:
        return unparse(test.args[0]) if unparse(test.func.value).endswith("path") else None
    return unparse(test.func.value) if not test.args else None


def _creates_path(call: ast.Call, path: str, *, exclusive: bool) -> bool:
    """Return True if a call creates the path; ``exclusive`` if it must not exist before."""
    if any(keyword.arg == "exist_ok" for keyword in call.keywords):
        return False
    arguments = [*_receiver(call, path), *map(unparse, call.args)]
    if arguments[:1] != [path]:
        return False
    name = last_name(call.func)
    if name == "open":
        mode = "".join(arguments[1:2])
        return exclusive and mode[1:2] == "w"
    return name in _CREATING_METHODS and (exclusive or name in ("mkdir", "makedirs"))


def _receiver(call: ast.Call, path: str) -> list[str]:
    """Return the path if it is the object whose method is called."""
    is_method = isinstance(call.func, ast.Attribute) and unparse(call.func.value) == path
    return [path] if is_method else []


def _rows(inside: Sequence[ast.AST]) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield a record that is queried by a unique field and then inserted."""
    calls = [n for n in inside if isinstance(n, ast.Call)]
    for call in calls:
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _SINGLE_RESULT:
            continue
        later = [other for other in calls if _is_soon_after(other, call)]
        message = "two concurrent calls both find no row, and line"
        for insert in _inserts(call, later):
            yield call, f"{message} {insert.lineno} inserts it twice"
            return
        for creation in _creations(call.func.value, later):
            yield call, f"{message} {creation.lineno} creates it twice"
            return


def _inserts(query: ast.Call, later: Sequence[ast.Call]) -> Iterator[ast.Call]:
    """Yield the SQL inserts into the table and column of a query."""
    select = _SELECT.search(unparse(query))
    for call in later if select else ():
        insert = _INSERT.search(unparse(call))
        if insert and select and insert[1] == select[1] and re.search(rf"\b{select[2]}\b", insert[2]):
            yield call


def _creations(query: ast.expr, later: Sequence[ast.Call]) -> Iterator[ast.Call]:
    """Yield the creations of a record with the fields of a lookup."""
    if not isinstance(query, ast.Call) or not isinstance(query.func, ast.Attribute):
        return
    fields = _keyword_texts(query)
    model = _model_of(query) if query.func.attr in _LOOKUPS else None
    if not fields or not model:
        return
    for call in later:
        is_creation = unparse(call.func) in (f"{model}.objects.create", model)
        if is_creation and fields.items() <= _keyword_texts(call).items():
            yield call


def _keyword_texts(call: ast.Call) -> dict[str, str]:
    return {keyword.arg: unparse(keyword.value) for keyword in call.keywords if keyword.arg}


def _is_soon_after(other: ast.Call, call: ast.Call) -> bool:
    return call.lineno < other.lineno <= call.lineno + _MAX_DISTANCE


def _model_of(found: ast.Call) -> str | None:
    """Return the model class of a query: ``User.objects``, ``session.query(User)``."""
    text = unparse(found.func)
    match = re.match(r"(\w+)\.objects\.|.*\bquery\((\w+)\)\.|(\w+)\.query\.", text)
    return next((group for group in match.groups() if group), None) if match else None


def _numbers(inside: Sequence[ast.AST], has_tables: bool) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield a counter of a record that is read, modified and written back."""
    if not has_tables:
        return
    saves = [n for n in inside if isinstance(n, ast.Call) and _is_save(n)]
    for node in inside:
        counter = _counter(node)
        if counter is not None and any(_writes_back(call, counter) for call in saves):
            message = f"two concurrent updates of {counter.attr} lose one; use an F() expression or a lock"
            assert isinstance(node, ast.AugAssign)
            yield node, message
            return


def _is_save(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _SAVING_METHODS


def _counter(node: ast.AST) -> ast.Attribute | None:
    """Return the counter that a statement increments or decrements."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, (ast.Add, ast.Sub)):
        return None
    target = node.target
    return target if isinstance(target, ast.Attribute) and _COUNTED.fullmatch(target.attr) else None


def _writes_back(call: ast.Call, counter: ast.Attribute) -> bool:
    """Return True if a later call saves the record of a counter."""
    assert isinstance(call.func, ast.Attribute)
    owner = unparse(counter.value)
    saves = call.func.attr == "commit" or unparse(call.func.value) == owner
    return call.lineno > counter.lineno and saves and owner != "self"


def _guarded_calls(node: ast.If, inside: Sequence[ast.AST], is_absent: bool) -> Iterator[ast.Call]:
    """Yield the calls that run if the path is absent: in the branch, or after one that raises."""
    nodes: Iterable[ast.AST] = nodes_run_by(node.body) if is_absent else ()
    if not is_absent and isinstance(node.body[-1], ast.Raise):
        nodes = (n for n in inside if getattr(n, "lineno", 0) > (node.end_lineno or 0))
    return (n for n in nodes if isinstance(n, ast.Call))
