"""PY301."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedSql(TaintedCheck):
    """Data from the request becomes part of the SQL text.

    Whoever sends the request can close the quote and add SQL of their own: read other tables, change rows,
    log in as somebody else. Leave a placeholder in the text and pass the value as a parameter.
    """

    ID = "PY301"
    NAME = "tainted-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding"
    )
    DANGER = SinkKind.SQL
    MESSAGE = "data from the request becomes part of the SQL text"
    WORDS = ("execute", "raw(", "text(", "extra(", "RawSQL", "read_sql", "literal_column", "fetch", "mogrify")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def rows(request, cursor):\n"
        '    cursor.execute("select * from t where name = %s", [request.GET["name"]])\n',
        'def rows(request, cursor):\n    number = int(request.GET["id"])\n'
        '    cursor.execute(f"select * from t where id = {number}")\n',
        'ORDERS = {"name": "name", "age": "age"}\ndef rows(request, cursor):\n'
        '    order = ORDERS.get(request.GET.get("order"), "name")\n'
        '    cursor.execute("select * from t order by " + order)\n',
        'def rows(request, cursor):\n    order = request.GET.get("order")\n'
        '    if order not in ("name", "age"):\n        order = "name"\n'
        '    cursor.execute(f"select * from t order by {order}")\n',
        'def marks(values):\n    return ", ".join(["%s"] * len(values))\n\n'
        'def rows(request, cursor):\n    ids = request.POST.getlist("id")\n'
        '    cursor.execute("select * from t where id in (" + marks(ids) + ")", ids)\n',
        'class Page:\n    def __init__(self, sort: str = "", size: int = 5): ...\n\n@app.get("/a")\n'
        "def rows(db, page: Page = Depends()):\n"
        '    return db.execute(f"select * from t limit {page.size}")\n',
        'class Store:\n    def __init__(self, db: Session = Depends(begin)): ...\n\n@app.get("/a")\n'
        'def rows(db, store: Store = Depends()):\n    return db.execute(f"select * from {store.table}")\n',
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            'from flask import request\n\ndef rows(db):\n    name = request.args["name"]\n'
            "    return db.execute(f\"select * from t where name = '{name}'\")\n",
            line=5,
            column=23,
        ),
        Invalid(
            "def where(query):\n    parts = []\n    if query.get('city'):\n"
            "        parts.append(\"city = '%s'\" % query.get('city'))\n    return ' and '.join(parts)\n\n"
            'def rows(request, cursor):\n    cursor.execute("select * from t where " + where(request.GET))\n',
            line=8,
            column=20,
        ),
        Invalid(
            '@app.get("/t/{name}")\nasync def rows(name: str, db: Session):\n'
            '    query = text("select * from t where name = \'" + name + "\'")\n'
            "    return await db.scalars(query)\n"
            "\nfrom sqlalchemy import text\n",
            line=3,
            column=18,
        ),
        Invalid(
            "@dataclass\nclass Page:\n    sort: str = 'name'\n\n@app.get('/a')\n"
            "def rows(db, page: Page = Depends()):\n"
            "    return db.execute(f'select * from t order by {page.sort}')\n",
            line=7,
            column=23,
        ),
        Invalid(
            "class Page:\n    def __init__(self, sort: str): ...\n\n@app.get('/a')\n"
            "def rows(db, page: Annotated[Page, Depends()]):\n"
            "    return db.execute(f'select * from t order by {page.sort}')\n",
            line=6,
            column=23,
        ),
    ]
