"""PY066."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround_python.check import PythonCheck

_LOOKS = frozenset({"exists", "isfile", "isdir", "is_file", "is_dir", "lexists"})
_MAKES = frozenset({"mkdir", "makedirs", "write_text", "write_bytes", "symlink", "link", "touch"})
_ANSWERED = LazyPattern(
    r"IntegrityError|UniqueViolation|DuplicateKeyError|DuplicateEntry|UniqueConstraint|FileExistsError"
    r"|(?i:on conflict|on duplicate|insert or|for update|for_update|advisory|get_or_create|update_or_create"
    r"|ignore_conflicts|\block|lock\b|atomic|serializable|watch\()"
)
_SELECT = LazyPattern(
    r"(?is)\bselect\b.{1,200}?\bfrom\s+[\"'`\[]?(\w+).{1,200}?\bwhere\s+(?:\w+\.)?[\"'`\[]?(\w+)"
)
_INSERT = LazyPattern(r"(?is)\binsert\s+into\s+[\"'`\[]?(\w+)[\"'`\]]?\s*\(([^)]{1,400})\)")
_FINDS = frozenset({"filter", "filter_by", "get", "find_one", "exclude"})
_ASKS_ONE = frozenset({"exists", "first", "fetchone", "one_or_none", "scalar", "scalar_one_or_none", "count"})
_COUNTED = LazyPattern(
    r"(\w+_)?(count|counter|balance|stock|quantity|views|hits|likes|votes|score|credits?|points|total|used"
    r"|remaining|available|attempts|inventory|seats|usage|downloads)(_\w+)?"
)
# What one person runs, one at a time.
_RUN_ALONE = LazyPattern(
    r"(^|/)(notebooks?|scripts?|tools?|docs?|benchmarks?|commands?|management|migrations)/"
    r"|(^|/)(noxfile|setup|fabfile|tasks|conftest|manage|cli|__main__)\.py$"
)
_NEAR = 60
"""Lines between the look and the write."""
_KEEPS = frozenset({"save", "commit"})


class CheckThenActRace(PythonCheck):
    """Between the look and the write somebody else may have written.

    A file, a row or a number is looked at and then made or changed in a second step; two that come at the
    same time both pass the look. Let the write itself decide: mode ``x``, ``exist_ok=True``, a unique
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
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        lines = self.source.lines[node.lineno - 1 : node.end_lineno]
        text = "\n".join(lines)
        if not any(word in text for word in self.WORDS) or _ANSWERED.search(text):
            return
        inside = list(nodes_run_by(node.body))
        alone = _RUN_ALONE.search(self.source.path) is not None
        found = () if alone else (*self._files(inside), *_rows(inside), *_numbers(inside, self._has_tables))
        for place, told in found:
            self.report(self.module.span(place), told)
            return

    @property
    def _has_tables(self) -> bool:
        """Whether the module works with records of a database."""
        return any(name.startswith(("django", "sqlalchemy", "flask_sqlalchemy")) for name in self._imports)

    @property
    def _imports(self) -> Sequence[str]:
        return list(self.module.imported.values())

    def _files(self, inside: Sequence[ast.AST]) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
        """A path that is looked for and then made, where nothing answers that it is there after all."""
        for node in inside:
            if not isinstance(node, ast.If):
                continue
            test, absent = node.test, False
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, absent = test.operand, True
            path = _looked_for(test)
            if path is None or not isinstance(test, ast.Call):
                continue
            leaves = isinstance(node.body[-1], ast.Raise)
            later = [n for n in inside if getattr(n, "lineno", 0) > (node.end_lineno or 0)] if leaves else []
            made = nodes_run_by(node.body) if absent else iter(later)
            for one in made:
                if (
                    isinstance(one, ast.Call)
                    and _makes(one, path, exclusive=not absent)
                    and not self._is_tried(one)
                ):
                    yield test, f"{path} may be made by somebody else between this look and line {one.lineno}"
                    return

    def _is_tried(self, node: ast.AST) -> bool:
        """Whether an error of the write is answered."""
        child = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Try) and child in parent.body and parent.handlers:
                return True
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return False
            child = parent
        return False


def _looked_for(test: ast.expr) -> str | None:
    """The path a condition looks for."""
    if (
        not isinstance(test, ast.Call)
        or not isinstance(test.func, ast.Attribute)
        or test.func.attr not in _LOOKS
    ):
        return None
    if len(test.args) == 1:
        return ast.unparse(test.args[0]) if ast.unparse(test.func.value).endswith("path") else None
    return ast.unparse(test.func.value) if not test.args else None


def _makes(call: ast.Call, path: str, *, exclusive: bool) -> bool:
    """Whether a call makes a path; ``exclusive`` if nobody else may have made it."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if any(keyword.arg == "exist_ok" for keyword in call.keywords):
        return False
    own = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == path
    given = [ast.unparse(argument) for argument in call.args]
    if name == "open":
        mode = given[0 if own else 1] if len(given) > (0 if own else 1) else ""
        return exclusive and (own or given[:1] == [path]) and mode[1:2] == "w"
    makes_folder = name in ("mkdir", "makedirs")
    return (own or given[:1] == [path]) and name in _MAKES and (makes_folder or exclusive)


def _rows(inside: Sequence[ast.AST]) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """A record that is looked for by what must be unique, and then inserted."""
    calls = [n for n in inside if isinstance(n, ast.Call)]
    for call in calls:
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr not in _ASKS_ONE:
            continue
        asked = ast.unparse(call)
        select = _SELECT.search(asked)
        for other in calls if select else ():
            insert = _INSERT.search(ast.unparse(other)) if _follows(other, call) else None
            if insert and select and insert[1] == select[1] and re.search(rf"\b{select[2]}\b", insert[2]):
                yield call, f"two at once both find no such row, and line {other.lineno} inserts it twice"
                return
        found = func.value
        if (
            isinstance(found, ast.Call)
            and isinstance(found.func, ast.Attribute)
            and found.func.attr in _FINDS
        ):
            by = {keyword.arg: ast.unparse(keyword.value) for keyword in found.keywords if keyword.arg}
            model = _model_of(found)
            for other in calls if by and model else ():
                given = {keyword.arg: ast.unparse(keyword.value) for keyword in other.keywords}
                makes = ast.unparse(other.func) in (f"{model}.objects.create", model)
                if makes and _follows(other, call) and all(given.get(k) == v for k, v in by.items()):
                    yield call, f"two at once both find no such row, and line {other.lineno} makes it twice"
                    return


def _follows(other: ast.Call, call: ast.Call) -> bool:
    return call.lineno < other.lineno <= call.lineno + _NEAR


def _model_of(found: ast.Call) -> str | None:
    """The class of the records a query is about: ``User.objects``, ``session.query(User)``."""
    text = ast.unparse(found.func)
    match = re.match(r"(\w+)\.objects\.|.*\bquery\((\w+)\)\.|(\w+)\.query\.", text)
    return next((one for one in match.groups() if one), None) if match else None


def _numbers(inside: Sequence[ast.AST], has_tables: bool) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """A number of a record that is read, changed and written back."""
    if not has_tables:
        return
    kept = [
        n
        for n in inside
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _KEEPS
    ]
    for node in inside:
        target = node.target if isinstance(node, ast.AugAssign) else None
        if not isinstance(node, ast.AugAssign) or not isinstance(target, ast.Attribute):
            continue
        if not isinstance(node.op, (ast.Add, ast.Sub)) or not _COUNTED.fullmatch(target.attr):
            continue
        owner = ast.unparse(target.value)
        for call in kept:
            assert isinstance(call.func, ast.Attribute)
            saves = call.func.attr == "commit" or ast.unparse(call.func.value) == owner
            if call.lineno > node.lineno and saves and owner != "self":
                yield (
                    node,
                    f"of two at once one change of {target.attr} is lost: read, changed and written back",
                )
                return
