"""Values that code reads, changes and writes back without a lock."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import walk
from wardround.storage.regex_cache import bounded
from wardround_sql.frontends.python_code import called
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


def of_routines(code: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the location of a SELECT in a masked text, the column it reads, and the variable written back."""
    starts = [found.start() for found in _ROUTINE.finditer(code)]
    for found in _READ.finditer(code) if starts else ():
        end = min(next((one for one in starts if one > found.start()), len(code)), found.end() + _FURTHEST)
        begun = max((one for one in starts if one < found.start()), default=0)
        behind = statement_around(code, found.start())[1]
        if _LOCKS.search(code, found.start(), behind) or _ROUTINE_LOCKS.search(code, begun, end):
            continue
        table = _bare(found["table"] or found["from"])
        for column, name in _pairs(found):
            if _is_written_back(code[behind:end], table, column, name):
                yield found.start(), found.start() + len("select"), column, name
                break


def _pairs(found: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns of a SELECT and their target variables."""
    if found["name"]:
        yield _bare(found["column"]), found["name"]
        return
    columns = [_bare(one) for one in found["columns"].split(",")]
    names = [one.strip() for one in found["names"].split(",")]
    if len(columns) == len(names):
        yield from zip(columns, names, strict=True)


def _bare(name: str) -> str:
    return name.strip().split(".")[-1].strip('"`[]').lower()


def _is_written_back(code: str, table: str, column: str, name: str) -> bool:
    """Return True if a later UPDATE sets the column from the variable without comparing the old value."""
    held = {name.lower()}
    for made in bounded(r"(?i)(?:\bset\s+)?(@?\w+)\s*:?=\s*([^;]{1,200});").finditer(code):
        if any(re.search(rf"(?i)(?<![\w@]){re.escape(one)}\b", made[2]) for one in held):
            held.add(made[1].lower())
    update = bounded(
        rf"(?i)\bupdate\s+(?:[\w\[\]\"`]+\.)?[\"`\[]?{re.escape(table)}[\"`\]]?(?:\s+(?:as\s+)?(?!set\b)\w+)?\s+set\s+(?P<set>[^;]*?)(?:\bwhere\b(?P<where>[^;]*))?;"
    )
    for found in update.finditer(code):
        value = re.search(rf"(?i)(?<![\w.]){re.escape(column)}[\"`\]]?\s*=\s*([^,;]+)", found["set"])
        where = found["where"] or ""
        if value is None or re.search(rf"(?i)(?<![\w@]){re.escape(column)}\b", where):
            continue
        used = re.findall(r"@?\w+", value[1].lower())
        if held & set(used):
            return True
        stands = bounded(rf"(?i)\bif\b[^;]*?(?<![\w@]){re.escape(name)}\b[^;]*?\bthen\b").search(
            code[: found.start()]
        )
        if column in used and stands is not None:
            return True
    return False


def of_django(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Yield rows that are read, incremented or decremented, and saved: the location, and the attribute."""
    for function in walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        inside = list(walk(function))
        names = _attributes_of(inside)
        if "select_for_update" in names or "F" in names or "with_for_update" in names:
            continue
        read = {
            one.targets[0].id
            for one in inside
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and _is_one_row(one.value)
        }
        saved = {
            ast.unparse(one.func.value)
            for one in inside
            if isinstance(one, ast.Call)
            and isinstance(one.func, ast.Attribute)
            and one.func.attr in ("save", "asave")
        }
        for target in _counted(inside):
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) in read & saved:
                yield target, ast.unparse(target)


def _counted(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """Return the incremented or decremented target: ``a.n -= 1`` and ``a.n = a.n - 1``."""
    for one in nodes:
        if isinstance(one, ast.AugAssign) and isinstance(one.op, (ast.Add, ast.Sub)):
            yield one.target
        elif isinstance(one, ast.Assign) and isinstance(one.value, ast.BinOp):
            target = one.targets[0]
            if isinstance(one.value.op, (ast.Add, ast.Sub)) and ast.unparse(one.value.left) == ast.unparse(
                target
            ):
                yield target


def _attributes_of(nodes: list[ast.AST]) -> set[str]:
    return {n.attr for n in nodes if isinstance(n, ast.Attribute)} | {
        n.id for n in nodes if isinstance(n, ast.Name)
    }


def _is_one_row(node: ast.expr) -> bool:
    """Return True if an expression reads one row of a model."""
    while isinstance(node, ast.Await):
        node = node.value
    if not isinstance(node, ast.Call):
        return False
    if called(node) in ("get_object_or_404", "aget_object_or_404"):
        return True
    return called(node) in ("get", "aget", "first") and ".objects" in ast.unparse(node.func)


_STALE = LazyPattern(
    r"\b(?:const|let)\s+(?P<row>[\w$]+)\s*(?::[^=\n]+)?=\s*await\s+(?P<call>[^;]{0,300}?\.\s*(?:findUnique|findUniqueOrThrow|"
    r"findFirst|findFirstOrThrow|findOne|findOneBy|findOneOrFail|findByPk)\s*\()"
)
_SCRIPT_LOCKS = LazyPattern(r"(?i)\block\w*\(|for\s+update|pessimistic|\block\s*:|serializable|\bversion\b")


def of_script(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the same for Prisma, TypeORM and Sequelize: the location of the write, and its source."""
    for found in _STALE.finditer(text):
        behind = text[found.end() : found.end() + _FURTHEST]
        if _SCRIPT_LOCKS.search(text, max(found.start() - _BEFORE, 0), found.end() + len(behind)):
            continue
        row = re.escape(found["row"])
        written = re.search(
            rf"\bupdate\w*\s*\([^;]{{0,600}}?\b(?P<field>[\w$]+)\s*:\s*(?P<stale>{row}\.(?P=field)\s*[-+])\s*\w",
            behind,
        )
        if written is not None and "function " not in behind[: written.start()]:
            at = found.end() + written.start("stale")
            yield at, found.end() + written.end("stale"), f"{found['row']}.{written['field']}"


_SETS = LazyPattern(
    r"(?is)\s*update\s+(?P<table>[\w.]+)\s+set\s+(?P<column>\w+)\s*=\s*(?:%s|\?|:\w+|\$\d+|%\(\w+\)s)"
)


def of_python(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield the same for statements that Python sends itself: the call that writes, and the column."""
    for function in walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        texts = [(call, text) for call in walk(function) if (text := _sent_text(call))]
        for call, text in texts:
            sets = _SETS.match(text)
            if sets is None or not isinstance(call, ast.Call) or not _computes(call.args[1:]):
                continue
            read = bounded(rf"(?is)\s*select\b.*\b{sets['column']}\b.*\bfrom\s+{re.escape(sets['table'])}\b")
            earlier = [
                one for other, one in texts if getattr(other, "lineno", 0) < call.lineno and read.match(one)
            ]
            if earlier and not any(_LOCKS.search(one) or _ROUTINE_LOCKS.search(one) for _other, one in texts):
                yield call, sets["column"]


def _sent_text(node: ast.AST) -> str:
    """Return the literal text that a call sends to a database."""
    if not isinstance(node, ast.Call) or called(node) not in _SENDS or not node.args:
        return ""
    first = node.args[0]
    if isinstance(first, ast.Call) and called(first) == "text" and first.args:
        first = first.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


_SENDS = frozenset({"execute", "fetchrow", "fetchval", "fetch", "fetch_one", "fetch_val"})


def _computes(given: list[ast.expr]) -> bool:
    """Return True if a parameter is computed by addition or subtraction."""
    return any(
        isinstance(one, ast.BinOp)
        and isinstance(one.op, (ast.Add, ast.Sub))
        and not isinstance(one.left, ast.Constant)
        for value in given
        for one in walk(value)
    )
