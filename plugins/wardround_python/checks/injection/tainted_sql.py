from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedSql(TaintedCheck):
    """Data from the request is part of the SQL text.

    The sender can close the quote and add SQL: read other tables, change rows, log in as another user. Put a
    placeholder into the text and pass the value as a parameter.
    """

    ID = "PY301"
    NAME = "tainted-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    SINK = SinkKind.SQL
    MESSAGE = "data from the request is part of the SQL text; pass it as a parameter"
    WORDS = ("execute", "raw(", "text(", "extra(", "RawSQL", "read_sql", "literal_column", "fetch", "mogrify")
    VALID = [
        code("""
            def rows(request, cursor):
                cursor.execute("select * from t where name = %s", [request.GET["name"]])
        """),
        code("""
            def rows(request, cursor):
                number = int(request.GET["id"])
                cursor.execute(f"select * from t where id = {number}")
        """),
    ]
    INVALID = [
        code("""
            from flask import request

            def rows(db):
                name = request.args["name"]
                return db.execute(«f"select * from t where name = '{name}'"»)
        """),
        code("""
            def where(query):
                parts = []
                if query.get('city'):
                    parts.append("city = '%s'" % query.get('city'))
                return ' and '.join(parts)

            def rows(request, cursor):
                cursor.execute(«"select * from t where " + where(request.GET)»)
        """),
    ]
