"""The CI profile adds what is too slow for a commit."""

from __future__ import annotations

import json

from tests.conftest import GitRepository

PROJECT_RULES = """\
rules:
- {id: shop.execute, languages: [python], severity: WARNING, message: use the store, pattern: $X.execute(...)}
"""
SHOP = """\
from flask import Flask, request
import sqlite3

app = Flask(__name__)


@app.route("/orders")
def orders() -> str:
    name = request.args["name"]
    connection = sqlite3.connect("shop.db")
    rows = connection.execute("select * from orders where name = '" + name + "'")
    return str(rows.fetchall())
"""


def test_the_rules_of_the_project_and_pyright_run_in_ci_alone(repo: GitRepository) -> None:
    repo.commit({".semgrep.yml": PROJECT_RULES})
    repo.stage({"shop.py": SHOP})

    commit = json.loads(repo.wardround("review", "--format", "json").stdout)
    ci = json.loads(
        repo.wardround("review", "--profile", "ci", "--config-from", "head", "--format", "json").stdout
    )

    python = {"ast-grep", "python", "ruff", "ty"}
    assert {run["tool"] for run in commit["runs"]} >= python
    assert not {run["tool"] for run in commit["runs"]} & {"pyright", "semgrep"}
    assert {run["tool"] for run in ci["runs"]} >= python | {"pyright", "semgrep"}
    (injection,) = [f for f in ci["findings"] if f["defect_class"] == "sql-injection"]
    assert injection["sources"] == ["python/PY301", "python/PY447"]
    assert (injection["file"], injection["line"]) == ("shop.py", 11)
    (own,) = [f for f in ci["findings"] if f["rule"].startswith("semgrep/")]
    assert (own["rule"], own["line"], own["severity"]) == ("semgrep/shop.execute", 11, "warn")
    assert ci["unreviewed"] == []
