"""Queries in a loop over the rows of another query, one for each row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from wardround.late import LatePattern
from wardround.python_tree import children, walk
from wardround_sql.python_code import called
from wardround_sql.schema_builders import closing
from wardround_sql.script_sql import in_comment

_ROWS = frozenset({"fetchall", "fetchmany", "fetch_all", "scalars", "mappings", "iterator"})
"""Calls that give rows, whatever they are given."""
_READS = frozenset({"execute", "fetchrow", "fetchval", "fetch", "fetch_one", "fetch_all", "fetch_val",
                    "scalar", "scalars", "query", "read_sql"})  # fmt: skip
"""Calls that send the text they are given."""
_LOOPS = (ast.For, ast.AsyncFor, ast.ListComp, ast.GeneratorExp, ast.SetComp)
_DJANGO = frozenset({"get", "filter", "exclude"})
_SELECT = LatePattern(r"(?is)\s*(?:--[^\n]*\n\s*)*(?:select|with)\s")
_MANY = LatePattern(r"(?is)\b(?:any\s*\(|in\s*\()")


def of_python(tree: ast.Module) -> Iterator[ast.Call]:
    """The queries of a Python file that are sent for each row of another."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _in_function(node)
        elif isinstance(node, (ast.Module, ast.ClassDef, ast.If, ast.Try, ast.With)):
            waiting.extend(children(node))


def _in_function(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Call]:
    inside = list(walk(function))
    if not any(isinstance(one, _LOOPS) for one in inside):
        return
    rows, ran = _row_names(inside), _cursors(inside)
    for loop in inside:
        if isinstance(loop, (ast.For, ast.AsyncFor)):
            parts: list[ast.stmt] | list[ast.expr] = loop.body
            heads = [(loop.target, loop.iter)]
        elif isinstance(loop, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            parts, heads = [loop.elt], [(one.target, one.iter) for one in loop.generators]
        else:
            continue
        for target, source in heads:
            if _is_rows(source, rows, ran):
                yield from _sent(parts, {one.id for one in walk(target) if isinstance(one, ast.Name)})


def _row_names(nodes: list[ast.AST]) -> set[str]:
    """The names that hold the rows of a query."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found |= {node.targets[0].id} if _gives_rows(node.value) else set()
    return found


def _cursors(nodes: list[ast.AST]) -> set[str]:
    """The names on which a query is executed, which give its rows one by one."""
    calls = (node for node in nodes if isinstance(node, ast.Call) and called(node) == "execute")
    owners = (call.func.value for call in calls if isinstance(call.func, ast.Attribute))
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def _gives_rows(node: ast.expr) -> bool:
    """Whether an expression is a call that reads rows, or the end of a chain of such calls."""
    while isinstance(node, (ast.Await, ast.Call, ast.Attribute)):
        if isinstance(node, ast.Await):
            node = node.value
            continue
        if isinstance(node, ast.Attribute):
            if node.attr == "objects":
                return True
            node = node.value
            continue
        name = called(node)
        if name in ("list", "sorted", "tuple", "enumerate") and node.args:
            node = node.args[0]
            continue
        if name in _ROWS:
            return True
        if name in _READS and node.args and _is_select(node.args[0]):
            return True
        node = node.func
    return False


def _is_rows(source: ast.expr, rows: set[str], cursors: set[str]) -> bool:
    if (
        isinstance(source, ast.Call)
        and called(source) in ("list", "enumerate", "sorted", "tqdm")
        and source.args
    ):
        source = source.args[0]
    if isinstance(source, ast.Name):
        return source.id in rows or source.id in cursors
    return _gives_rows(source)


def _is_select(node: ast.expr) -> bool:
    """Whether an expression is a text that reads, or a ``select()``."""
    if isinstance(node, ast.Call):
        if called(node) in ("text", "SQL", "dedent") and node.args:
            return _is_select(node.args[0])
        return any(isinstance(one, ast.Call) and called(one) == "select" for one in walk(node))
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(_SELECT.match(node.value))


def _sent(parts: list[ast.stmt] | list[ast.expr], names: set[str]) -> Iterator[ast.Call]:
    """The queries in the body of a loop that ask for something of the row."""
    for part in parts:
        writing = {id(inner) for one in walk(part) if _writes(one) for inner in walk(one)}
        for call in walk(part):
            if id(call) in writing:
                continue
            if isinstance(call, ast.Assign) and _mentions(call.value, names) and not _is_query(call.value):
                names = names | {one.id for t in call.targets for one in walk(t) if isinstance(one, ast.Name)}
            if isinstance(call, ast.Call) and _is_query(call) and _mentions(call, names):
                yield call
                return


def _writes(node: ast.AST) -> bool:
    """Whether a call changes rows, so that what it is called on is no query of its own."""
    return isinstance(node, ast.Call) and called(node) in ("update", "delete", "aupdate", "adelete")


def _is_query(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = called(node)
    if name in _READS and node.args and _is_select(node.args[0]):
        return _MANY.search(ast.unparse(node.args[0])) is None
    if (
        name in _DJANGO
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Attribute)
    ):
        return node.func.value.attr == "objects" and not any("__in" in (k.arg or "") for k in node.keywords)
    if name == "get" and isinstance(node.func, ast.Attribute) and len(node.args) == 2:
        owner = ast.unparse(node.func.value).rpartition(".")[2]
        return owner.endswith(("session", "db", "sess")) and ast.unparse(node.args[0])[:1].isupper()
    return False


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in walk(node))


_LOOP = LatePattern(
    r"\bfor\s*(?:await\s*)?\(\s*(?:const|let|var)\s+(?P<name>[\w$]+|\{[^{}]*\}|\[[^\[\]]*\])\s+of\s+(?P<rows>[\w$.]+)\s*\)\s*\{|"
    r"\b(?P<each>[\w$.]+)\.(?:map|forEach|flatMap)\(\s*async\s*\(?\s*(?P<one>[\w$]+|\{[^{}]*\})[^()=]*\)?\s*=>\s*(?P<body>[{(]?)"
)
_ASKED = LatePattern(
    r"(?:\.\s*(?:query|execute|one|oneOrNone|raw|get|all|any)\s*(?:<[^()`;]{0,200}>)?\(\s*[`'\"]\s*(?P<verb>SELECT|WITH)\b|"
    r"\.(?:findUnique|findUniqueOrThrow|findFirst|findFirstOrThrow|findByPk|findOne|findOneBy|findOneOrFail)\s*\(|"
    r"\bsql(?:<[^()`;]{0,200}>)?`\s*(?:SELECT|WITH)\b)",
    re.IGNORECASE,
)
_FETCHED = (
    r"\b(?:const|let|var)\s+(?:\{{\s*rows\s*(?::\s*{name}\b)?[^}}]*\}}|\[\s*{name}\b[^\]]*\]|{name})\s*(?::[^=\n]+)?=\s*(?:\(\s*)?await\s+"
    r"[^;]{{0,300}}?(?:\.(?:query|execute|findMany|findAll|find|manyOrNone|many|any|select|from|all|getMany)\b|\bsql(?:<[^()`;]{{0,200}}>)?`)"
)


def of_script(text: str) -> Iterator[tuple[int, int]]:
    """The same for JavaScript and TypeScript: the places of the calls."""
    for found in _LOOP.finditer(text):
        rows = (found["rows"] or found["each"]).split(".")[0]
        if in_comment(text, found.start()) or not _is_fetched(text, rows, found.start()):
            continue
        opened = found.end() - 1
        end = closing(text, opened) if text[opened] in "{(" else _end_of_arrow(text, found.end())
        names = re.findall(r"[\w$]+", found["name"] or found["one"])
        for asked in _ASKED.finditer(text, found.end(), end):
            given = text[
                asked.start() : closing(text, text.find("(", asked.start())) if "(" in asked.group() else end
            ]
            if any(re.search(rf"\b{re.escape(name)}\b", given) for name in names) and not _MANY.search(given):
                start = text.rfind("\n", 0, asked.start()) + 1
                at = text.rfind("await ", start, asked.start())
                yield (at if at >= 0 else asked.start()), asked.end()
                break


def _end_of_arrow(text: str, at: int) -> int:
    stop = text.find("\n", at)
    return len(text) if stop < 0 else min(stop + 400, len(text))


def _is_fetched(text: str, rows: str, before: int) -> bool:
    """Whether a name holds the rows of a query."""
    around = text[max(before - 2500, 0) : before]
    return re.search(_FETCHED.format(name=re.escape(rows)), around) is not None
