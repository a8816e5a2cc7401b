from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.findings import Plane
from wardround.languages.python.literals import entries
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import assigned_values_of

_MONGO = frozenset(
    {"pymongo", "motor", "flask_pymongo", "mongoengine", "beanie", "odmantic", "bson", "mongomock"}
)
_ASKING = frozenset(
    {"find", "find_one", "count_documents", "delete_one", "delete_many", "update_one", "update_many",
     "replace_one",
     "find_one_and_update", "find_one_and_delete", "distinct", "aggregate", "remove"}
)  # fmt: skip
# Expressions with the JSON of a request, whose values can be objects.
_JSON = LazyPattern(
    r"\brequest\.(get_json\(|json\b|data\b)|\bawait request\.json\(\)|json\.loads\(|\breq\.(media|json)\b|"
    r"self\.request\.body|event\["
)
_CONVERTED = frozenset({"str", "int", "float", "bool", "ObjectId", "UUID", "escape"})


class NosqlInjection(PythonCheck):
    """A value from the JSON of a request is used in a MongoDB query, where it can be an operator.

    ``{"password": {"$ne": ""}}`` matches every password, and text in ``$where`` is run as JavaScript. Convert
    the value with ``str(value)``, or validate it against a schema first.
    """

    ID = "PY363"
    NAME = "nosql-injection"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "query-injection"
    WORDS = ("pymongo", "motor", "mongo", "beanie", "bson")
    VALID = [
        code("""
            import pymongo
            def login():
                data = request.get_json()
                return db.users.find_one({'name': str(data['name'])})
        """),
        code("""
            import pymongo
            def login():
                return db.users.find_one({'name': request.form['name']})
        """),
    ]
    INVALID = [
        code("""
            import pymongo
            def login():
                data = request.get_json()
                return «db.users.find_one({'name': data['name'], 'password': data.get('password')})»
        """),
        code("""
            import json, pymongo
            def search():
                query = json.loads(request.args['q'])
                return list(«db.items.find(query)»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        is_query = isinstance(node.func, ast.Attribute) and node.func.attr in _ASKING
        if not is_query or not node.args or not self._uses_mongo():
            return
        where = entries(node.args[0]).get("$where")
        if where is not None and not isinstance(where, ast.Constant):
            self.report(
                self.module.span(node),
                "interpolated text is run as JavaScript; compare fields with operators instead of $where",
            )
        elif self._contains_sent_value(node):
            self.report(
                self.module.span(node),
                "the sender can put operators into this query; convert the value with str() or validate it",
            )

    def _contains_sent_value(self, node: ast.Call) -> bool:
        """Return True if a query has an unmodified value of JSON whose type the function does not check."""
        function = self.module.function_of(node)
        around = unparse(function) if function is not None else ""
        if not _JSON.search(around) or "isinstance(" in around:
            return False
        return any(self._unmodified_values(node.args[0], function))

    def _uses_mongo(self) -> bool:
        return any(name.partition(".")[0] in _MONGO for name in self.module.imported.values())

    def _unmodified_values(self, requested: ast.expr, function: ast.AST | None) -> Iterator[ast.expr]:
        """Yield the parts of a query that are unmodified values of the request's JSON."""
        values = requested.values if isinstance(requested, ast.Dict) else [requested]
        for value in values:
            if isinstance(value, ast.Call) and getattr(value.func, "id", "") in _CONVERTED:
                continue
            if self._is_json(value, function, 2):
                yield value

    def _is_json(self, node: ast.expr, function: ast.AST | None, deep: int) -> bool:
        if _JSON.match(unparse(node)):
            return True
        root = _root_of(node)
        if root is None or not deep or function is None:
            return False
        values = assigned_values_of(walk(function), root.id)
        return len(values) == 1 and self._is_json(values[0], function, deep - 1)


def _root_of(node: ast.expr) -> ast.Name | None:
    """Return the name of a value from which members and entries are read."""
    while True:
        match node:
            case ast.Subscript() | ast.Attribute():
                node = node.value
            case ast.Call(func=ast.Attribute(value=receiver, attr="get" | "pop")):
                node = receiver
            case ast.Name():
                return node
            case _:
                return None
