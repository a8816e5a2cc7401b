"""Values that code reads, changes and writes back without a lock."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.storage.regex_cache import bounded_pattern
from wardround_sql.frontends.python_scopes import callee_name
from wardround_sql.parsing.masking import statement_around

_READ = LazyPattern(
    r"(?i)\bselect\s+(?P<columns>[\w.,\s]{1,300}?)\s+into\s+(?:strict\s+)?(?P<names>[\w.,\s]{1,300}?)\s+from\s+(?P<table>[\w.\"\[\]`]+)|"
    r"\bselect\s+(?P<name>@\w+)\s*=\s*(?P<column>[\w.\[\]]+)\s+from\s+(?P<from>[\w.\"\[\]`]+)"
)
_LOCKS = LazyPattern(
    r"(?i)\bfor\s+(?:no\s+key\s+)?update\b|\bfor\s+share\b|\bupdlock\b|\bxlock\b|\bholdlock\b|\block\s+in\s+share\b"
)
_ROUTINE_LOCKS = LazyPattern(
    r"(?i)\badvisory|\block\s+table\b|\bserializable\b|\bget_lock\b|\bsp_getapplock\b"
)
_ROUTINE = LazyPattern(
    r"(?i)\bcreate\s+(?:or\s+(?:replace|alter)\s+)?(?:definer\s*=\s*\S+\s+)?(?:function|procedure|proc|package\s+body)\b"
)
_FURTHEST = 4000
_BEFORE = 2000
"""Characters before and after in which to search for a lock."""


def routine_lost_updates(code: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the location of a SELECT in a masked text, the column it reads, and the variable written back."""
    starts = [match.start() for match in _ROUTINE.finditer(code)]
    for read in _READ.finditer(code) if starts else ():
        begin, following = _routine_bounds(starts, read.start(), len(code))
        end = min(following, read.end() + _FURTHEST)
        after = statement_around(code, read.start())[1]
        if _LOCKS.search(code, read.start(), after) or _ROUTINE_LOCKS.search(code, begin, end):
            continue
        table = _bare(read["table"] or read["from"])
        for column, name in _pairs(read):
            if _is_written_back(code[after:end], table, column, name):
                yield read.start(), read.start() + len("select"), column, name
                break


def _routine_bounds(starts: list[int], offset: int, size: int) -> tuple[int, int]:
    """Return the start of the routine around an offset, and of the next routine."""
    before = max((start for start in starts if start < offset), default=0)
    return before, min((start for start in starts if start > offset), default=size)


def _pairs(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns of a SELECT and their target variables."""
    if match["name"]:
        yield _bare(match["column"]), match["name"]
        return
    columns = [_bare(item) for item in match["columns"].split(",")]
    names = [entry.strip() for entry in match["names"].split(",")]
    if len(columns) == len(names):
        yield from zip(columns, names, strict=True)


def _bare(name: str) -> str:
    return name.strip().split(".")[-1].strip('"`[]').lower()


def _is_written_back(code: str, table: str, column: str, name: str) -> bool:
    """Return True if a later UPDATE sets the column from the variable without comparing the old value."""
    values = _derived_names(code, name)
    update = bounded_pattern(
        rf"(?i)\bupdate\s+(?:[\w\[\]\"`]+\.)?[\"`\[]?{re.escape(table)}[\"`\]]?(?:\s+(?:as\s+)?(?!set\b)\w+)?\s+set\s+(?P<set>[^;]*?)(?:\bwhere\b(?P<where>[^;]*))?;"
    )
    for statement in update.finditer(code):
        value = re.search(rf"(?i)(?<![\w.]){re.escape(column)}[\"`\]]?\s*=\s*([^,;]+)", statement["set"])
        is_compared = re.search(rf"(?i)(?<![\w@]){re.escape(column)}\b", statement["where"] or "")
        if value is None or is_compared:
            continue
        used = re.findall(r"@?\w+", value[1].lower())
        if values.intersection(used):
            return True
        if column in used and _is_decided_by(name, code[: statement.start()]):
            return True
    return False


def _derived_names(code: str, name: str) -> set[str]:
    """Return the variables whose value derives from a variable, including itself."""
    names = {name.lower()}
    for assignment in bounded_pattern(r"(?i)(?:\bset\s+)?(@?\w+)\s*:?=\s*([^;]{1,200});").finditer(code):
        target, value = assignment.groups()
        if any(re.search(rf"(?i)(?<![\w@]){re.escape(known)}\b", value) for known in names):
            names.add(target.lower())
    return names


def _is_decided_by(name: str, code: str) -> bool:
    """Return True if code ends after an IF whose condition has a variable."""
    condition = bounded_pattern(rf"(?i)\bif\b[^;]*?(?<![\w@]){re.escape(name)}\b[^;]*?\bthen\b")
    return condition.search(code) is not None


def django_lost_updates(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Yield rows that are read, incremented or decremented, and saved: the location, and the attribute."""
    for function in walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        inside = list(walk(function))
        if {"select_for_update", "F", "with_for_update"}.intersection(_attributes_of(inside)):
            continue
        rows = set(_read_rows(inside)) & set(_saved_rows(inside))
        for target in _counted_targets(inside):
            if isinstance(target, ast.Attribute) and unparse(target.value) in rows:
                yield target, unparse(target)


def _read_rows(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and _is_single_row(node.value)
        ):
            yield node.targets[0].id


def _saved_rows(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr in ("save", "asave"):
            yield unparse(function.value)


def _counted_targets(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """Return the incremented or decremented target: ``a.n -= 1`` and ``a.n = a.n - 1``."""
    for node in nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
            yield node.target
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
            target = node.targets[0]
            if isinstance(node.value.op, (ast.Add, ast.Sub)) and unparse(node.value.left) == unparse(target):
                yield target


def _attributes_of(nodes: list[ast.AST]) -> set[str]:
    return {n.attr for n in nodes if isinstance(n, ast.Attribute)} | {
        n.id for n in nodes if isinstance(n, ast.Name)
    }


def _is_single_row(node: ast.expr) -> bool:
    """Return True if an expression reads one row of a model."""
    while isinstance(node, ast.Await):
        node = node.value
    if not isinstance(node, ast.Call):
        return False
    if callee_name(node) in ("get_object_or_404", "aget_object_or_404"):
        return True
    return callee_name(node) in ("get", "aget", "first") and ".objects" in unparse(node.func)


_STALE = LazyPattern(
    r"\b(?:const|let)\s+(?P<row>[\w$]+)\s*(?::[^=\n]+)?=\s*await\s+(?P<call>[^;]{0,300}?\.\s*(?:findUnique|findUniqueOrThrow|"
    r"findFirst|findFirstOrThrow|findOne|findOneBy|findOneOrFail|findByPk)\s*\()"
)
_SCRIPT_LOCKS = LazyPattern(r"(?i)\block\w*\(|for\s+update|pessimistic|\block\s*:|serializable|\bversion\b")


def script_lost_updates(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the same for Prisma, TypeORM and Sequelize: the location of the write, and its source."""
    for match in _STALE.finditer(text):
        behind = text[match.end() : match.end() + _FURTHEST]
        if _SCRIPT_LOCKS.search(text, max(match.start() - _BEFORE, 0), match.end() + len(behind)):
            continue
        row = re.escape(match["row"])
        written = re.search(
            rf"\bupdate\w*\s*\([^;]{{0,600}}?\b(?P<field>[\w$]+)\s*:\s*(?P<stale>{row}\.(?P=field)\s*[-+])\s*\w",
            behind,
        )
        if written is not None and "function " not in behind[: written.start()]:
            offset = match.end() + written.start("stale")
            yield offset, match.end() + written.end("stale"), f"{match['row']}.{written['field']}"


_SETS = LazyPattern(
    r"(?is)\s*update\s+(?P<table>[\w.]+)\s+set\s+(?P<column>\w+)\s*=\s*(?:%s|\?|:\w+|\$\d+|%\(\w+\)s)"
)


def python_lost_updates(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield the same for statements that Python sends itself: the call that writes, and the column."""
    for function in walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        sent = list(_query_strings(function))
        if any(_LOCKS.search(text) or _ROUTINE_LOCKS.search(text) for _call, text in sent):
            continue
        for call, text in sent:
            update = _SETS.match(text) if _computes_parameter(call.args[1:]) else None
            if update is not None and _is_read_before(call, update, sent):
                yield call, update["column"]


def _query_strings(function: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    for node in walk(function):
        text = _query_string(node) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and text:
            yield node, text


def _is_read_before(write: ast.Call, update: re.Match[str], sent: list[tuple[ast.Call, str]]) -> bool:
    column, table = update["column"], re.escape(update["table"])
    read = bounded_pattern(rf"(?is)\s*select\b.*\b{column}\b.*\bfrom\s+{table}\b")
    return any(call.lineno < write.lineno and read.match(text) for call, text in sent)


def _query_string(call: ast.Call) -> str:
    """Return the literal text that a call sends to a database."""
    if callee_name(call) not in _SENDS or not call.args:
        return ""
    text = call.args[0]
    if isinstance(text, ast.Call) and callee_name(text) == "text" and text.args:
        text = text.args[0]
    return text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""


_SENDS = frozenset({"execute", "fetchrow", "fetchval", "fetch", "fetch_one", "fetch_val"})


def _computes_parameter(arguments: list[ast.expr]) -> bool:
    """Return True if a parameter is computed by addition or subtraction."""
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Add, ast.Sub))
        and not isinstance(node.left, ast.Constant)
        for value in arguments
        for node in walk(value)
    )
