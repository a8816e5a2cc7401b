"""Taint from one module of a project to another."""

from __future__ import annotations

import pytest
from wardround_python.dataflow.analysis import ModuleFlow, project_modules

from wardround.languages.python.module import PythonModule

_STORE = 'def rows(db, where):\n    return db.execute("select * from t where " + where)\n'
_VIEW = "from flask import request\n{}\ndef view(db):\n    return {}(db, request.args['q'])\n"


def _reached(files: dict[str, str], path: str) -> list[tuple[str, int]]:
    """Return the sinks that the requests of one file reach, with the rest of the project available."""
    flow = project_modules(files.get).flow(path)
    assert flow is not None
    return [(hit.path, hit.node.lineno) for hit in flow.run()]


@pytest.mark.parametrize(
    ("path", "imported", "called"),
    [
        ("shop/views.py", "from shop.store import rows", "rows"),
        ("shop/views.py", "from .store import rows as found", "found"),
        ("shop/web/views.py", "from ..store import rows", "rows"),
        ("shop/views.py", "from shop import store", "store.rows"),
        ("src/shop/views.py", "import shop.store", "shop.store.rows"),
    ],
)
def test_an_import_is_followed_in_every_form(path: str, imported: str, called: str) -> None:
    root = "src/" if path.startswith("src/") else ""
    files = {path: _VIEW.format(imported, called), f"{root}shop/store.py": _STORE}

    assert _reached(files, path) == [(f"{root}shop/store.py", 2)]


def test_a_name_is_followed_through_the_package_that_exports_it() -> None:
    files = {
        "shop/views.py": _VIEW.format("from shop.db import rows", "rows"),
        "shop/db/__init__.py": "from .store import rows\n",
        "shop/db/store.py": _STORE,
    }

    assert _reached(files, "shop/views.py") == [("shop/db/store.py", 2)]


def test_a_library_is_not_searched_in_the_project() -> None:
    requested: list[str] = []

    def read(path: str) -> str | None:
        requested.append(path)
        return _VIEW.format("import json", "json.dumps") if path == "a.py" else None

    flow = project_modules(read).flow("a.py")

    assert flow is not None
    assert flow.run() == []
    assert not [path for path in requested if "json" in path]


def test_a_file_that_does_not_parse_is_skipped() -> None:
    files = {"shop/views.py": _VIEW.format("from shop.store import rows", "rows"), "shop/store.py": "def ("}

    assert _reached(files, "shop/views.py") == []


def test_the_analysis_of_modules_that_import_each_other_terminates() -> None:
    files = {
        "a.py": "from b import g\nfrom flask import request\ndef f(x):\n    return g(request.args['q'])\n",
        "b.py": "from a import f\ndef g(x):\n    f(x)\n    return eval(x)\n",
    }

    assert _reached(files, "a.py") == [("b.py", 4)]


def test_an_object_carries_the_taint_of_each_constructor_argument_in_its_field() -> None:
    files = {
        "shop/query.py": (
            "class Query:\n    def __init__(self, name, text):\n        self.name = name\n"
            "        self.text = text\n"
            "    def by_name(self, db):\n        return db.execute('select ' + self.name)\n"
            "    def by_text(self, db):\n        return db.execute('select ' + self.text)\n"
        ),
        "shop/views.py": (
            "from flask import request\nfrom shop.query import Query\ndef view(db):\n"
            "    query = Query('id', request.args['q'])\n    query.by_name(db)\n"
            "    return query.by_text(db)\n"
        ),
    }

    assert _reached(files, "shop/views.py") == [("shop/query.py", 8)]


def test_a_function_nested_too_deeply_is_not_clean() -> None:
    deep = "request.args" + "".join(f"[{n}]" for n in range(400))
    module = PythonModule("a.py", f"from flask import request\ndef view(db):\n    db.execute({deep})\n")

    found = ModuleFlow(module, project_modules()).run()

    assert [hit.node.lineno for hit in found] == [3]
