"""Planes see the code around a change, and the second pass the code that claims name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_language_model import ENV, configuration
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import NOTHING, Behaviour, Endpoint, by_plane, claims, endpoint

pytestmark = pytest.mark.usefixtures("without_slow_tools")

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
SHOP = {
    "shop/__init__.py": "",
    "shop/log.py": 'from logging import getLogger\n\nlog = getLogger("shop")\nRATE = 2\n',
    "shop/tax.py": "def net(row):\n    if row.price is None:\n        return 0\n    return row.price\n",
    "shop/names.py": f'def clean_name(text):\n    key = "{TOKEN}"\n    return text.strip() or key\n',
    "shop/prices.py": (
        "from shop.log import RATE, log\nfrom shop.names import clean_name\nfrom shop.tax import net\n\n\n"
        "def gross(row):\n    log.info(row)\n    return net(row) * RATE\n"
    ),
    "shop/cart.py": (
        "from shop.prices import gross\n\n\n"
        "def total(rows):\n    known = [row for row in rows if row]\n    return sum(map(gross, known))\n"
    ),
    "tests/test_prices.py": (
        "from shop.prices import gross\n\n\n"
        "def test_gross_is_twice_the_price(row):\n    assert gross(row) == 4\n"
    ),
}
CHANGED = {"shop/prices.py": SHOP["shop/prices.py"].replace("* RATE", "* RATE + 1")}
CALLEE, CALLER, TEST = "shop/tax.py", "shop/cart.py", "tests/test_prices.py"
CLAIM = {
    "file": "shop/prices.py",
    "line": 8,
    "quote": "return net(row) * RATE + 1",
    "message": "The name that clean_name returns is empty.",
    "kind": "logic",
}


def review(
    repo: GitRepository,
    *behaviours: Behaviour,
    before: Mapping[str, str] = SHOP,
    after: Mapping[str, str] = CHANGED,
    **values: Any,
) -> Endpoint:
    """Review a change in CI, and return the endpoint with the requests."""
    with endpoint(*(behaviours or (NOTHING,))) as server:
        repo.commit({**before, ".wardround.toml": configuration(server, **values)})
        repo.commit(dict(after), "Add one to the price")
        repo.report("--profile", "ci", "--base", "HEAD~1", env=ENV)
    return server


def neighbours(server: Endpoint, plane: str) -> list[dict[str, Any]]:
    (request,) = server.requests(plane)
    found: list[dict[str, Any]] = request.input["neighbours"]
    return found


def test_each_plane_sees_the_code_that_it_can_use(repo: GitRepository) -> None:
    server = review(repo, context="neighbours")
    files = {
        plane: [neighbour["file"] for neighbour in neighbours(server, plane)]
        for plane in ("semantic", "contract", "tests", "security", "perf")
    }
    assert files["semantic"][:3] == [CALLEE, CALLER, TEST]
    assert files["contract"] == [CALLER, TEST]
    assert files["tests"][:2] == [TEST, CALLEE]
    assert files["security"][:2] == files["perf"][:2] == [CALLER, CALLEE]
    (intent,) = server.requests("intent")
    assert "neighbours" not in intent.input


def test_code_has_its_relation_and_numbered_lines_and_constants_are_last(repo: GitRepository) -> None:
    callee, caller, test, *constants = neighbours(review(repo, context="neighbours"), "semantic")
    assert callee == {
        "of": "gross",
        "relation": "callee",
        "file": CALLEE,
        "line": 1,
        "symbol": "net",
        "lines": [
            "1   def net(row):",
            "2       if row.price is None:",
            "3           return 0",
            "4       return row.price",
        ],
    }
    assert (caller["relation"], caller["line"], caller["lines"][0]) == ("caller", 6, "4   def total(rows):")
    assert (test["relation"], test["symbol"]) == ("test", "test_gross_is_twice_the_price")
    assert [constant["lines"] for constant in constants] == [
        ["4   RATE = 2"],
        ['3   log = getLogger("shop")'],
    ]


def test_no_line_is_sent_twice(repo: GitRepository) -> None:
    prices = SHOP["shop/prices.py"] + "\n\ndef twice(row):\n    return gross(row)\n"
    changed = prices.replace("* RATE", "* RATE + 1").replace(
        "return gross(row)", "return gross(row) + net(row)"
    )
    before, after = {**SHOP, "shop/prices.py": prices}, {"shop/prices.py": changed}
    (request,) = review(repo, before=before, after=after, context="neighbours").requests("semantic")
    sent = [
        (part["file"], line)
        for part in (*request.input["hunks"], *request.input["neighbours"])
        for line in part["lines"]
    ]
    assert len(sent) == len(set(sent))
    assert {item["file"] for item in request.input["neighbours"]} == {CALLEE, CALLER, TEST, "shop/log.py"}


def test_by_default_single_lines_are_sent_and_no_code(repo: GitRepository) -> None:
    server = review(repo)
    assert all("lines" not in item for item in neighbours(server, "semantic"))
    assert neighbours(server, "security") == neighbours(server, "tests") == []


def test_no_line_of_an_excluded_file_is_sent(repo: GitRepository) -> None:
    claim = CLAIM | {"message": "net() and clean_name() return nothing."}
    with endpoint(by_plane(NOTHING, semantic=claims(claim))) as server:
        settings = configuration(server, context="neighbours")
        excluding = f'exclude = ["shop/tax.py", "shop/names.py"]\n{settings}'
        repo.commit({**SHOP, ".wardround.toml": excluding})
        changed_tax = SHOP["shop/tax.py"].replace("return 0", "return 1")
        repo.commit({**CHANGED, "shop/tax.py": changed_tax})
        repo.report("--profile", "ci", "--base", "HEAD~1", env=ENV)
    assert neighbours(server, "semantic")
    assert len(server.refutations) == 1
    for request in (*server.received, *server.refutations):
        assert "row.price" not in request.body.decode()
        assert "text.strip" not in request.body.decode()


def test_secrets_of_the_code_around_are_removed(repo: GitRepository) -> None:
    before = {**SHOP, "shop/tax.py": f'def net(row):\n    return row.price if row.key == "{TOKEN}" else 0\n'}
    server = review(repo, before=before, context="neighbours")
    (callee, *_) = neighbours(server, "semantic")
    assert callee["lines"][0] == "1   def net(row):"
    for request in server.received:
        assert TOKEN not in request.body.decode()


def test_a_claim_about_a_neighbour_is_not_a_finding(repo: GitRepository) -> None:
    claim = CLAIM | {"file": CALLEE, "line": 3, "quote": "return 0"}
    with endpoint(by_plane(NOTHING, semantic=claims(claim, CLAIM))) as server:
        repo.commit({**SHOP, ".wardround.toml": configuration(server, context="neighbours")})
        repo.commit(CHANGED)
        report = repo.report("--profile", "ci", "--base", "HEAD~1", env=ENV)
    found = [item for item in report["findings"] if item["rule"] == "language-model/semantic"]
    assert [(item["file"], item["line"]) for item in found] == [("shop/prices.py", 8)]


def test_two_reviews_send_the_same_bytes(repo: GitRepository, tmp_path: Path) -> None:
    with endpoint(by_plane(NOTHING, semantic=claims(CLAIM))) as server:
        repo.commit({**SHOP, ".wardround.toml": configuration(server, context="neighbours")})
        repo.commit(CHANGED)
        for user in ("first", "second"):  # neither has the cached answers of the other
            own_state = {"XDG_STATE_HOME": str(tmp_path / user)}
            repo.report("--profile", "ci", "--base", "HEAD~1", env=ENV | own_state)
    bodies = sorted(request.body for request in server.received)
    assert bodies[::2] == bodies[1::2]
    first, second = server.refutations
    assert first.body == second.body


def test_the_second_pass_sees_the_definition_that_a_claim_names(repo: GitRepository) -> None:
    server = review(repo, by_plane(NOTHING, semantic=claims(CLAIM)))
    (request,) = server.refutations
    cleaning, *others = request.input["definitions"]
    assert {name: cleaning[name] for name in ("name", "relation", "file", "line", "symbol")} == {
        "name": "clean_name",
        "relation": "definition",
        "file": "shop/names.py",
        "line": 1,
        "symbol": "clean_name",
    }
    assert cleaning["lines"][0] == "1   def clean_name(text):"
    assert cleaning["lines"][2] == "3       return text.strip() or key"
    assert TOKEN not in request.body.decode()
    assert [item["lines"][0] for item in others if item["name"] == "net"] == ["1   def net(row):"]


def test_uses_elsewhere_are_seen_too(repo: GitRepository) -> None:
    claim = CLAIM | {"message": "gross() is never called with a list."}
    (request,) = review(repo, by_plane(NOTHING, semantic=claims(claim))).refutations
    uses = [
        item for item in request.input["definitions"] if (item["name"], item["relation"]) == ("gross", "use")
    ]
    assert [(item["file"], item["line"]) for item in uses] == [(CALLER, 6), (TEST, 5)]
    assert "4   def total(rows):" in uses[0]["lines"]


def test_definitions_are_found_without_a_code_graph(repo: GitRepository) -> None:
    before = {
        "clean.sh": "#!/bin/sh\nclean_name() {\n  echo \"$1\" | tr -d ' '\n}\n",
        "price.sh": "#!/bin/sh\n. ./clean.sh\ngross() {\n  echo $(($1 * 2))\n}\n",
    }
    after = {"price.sh": before["price.sh"].replace("* 2", "* 3")}
    claim = {"file": "price.sh", "line": 4, "quote": "echo $(($1 * 3))", "message": "It needs clean_name()."}
    (request,) = review(repo, claims(claim), before=before, after=after, planes=["intent"]).refutations
    (found,) = request.input["definitions"]
    assert (found["name"], found["file"], found["lines"][0]) == (
        "clean_name",
        "clean.sh",
        "2   clean_name() {",
    )


def test_a_review_at_commit_finds_definitions_too(repo: GitRepository) -> None:
    with endpoint(by_plane(NOTHING, semantic=claims(CLAIM))) as server:
        repo.commit({**SHOP, ".wardround.toml": configuration(server, profiles=["commit"])})
        repo.stage(CHANGED)
        repo.report("--staged", env=ENV | {"WARDROUND_LANGUAGE_MODEL": "on"})
    (request,) = server.refutations
    assert {definition["file"] for definition in request.input["definitions"]} >= {"shop/names.py", CALLEE}
    assert json.dumps(request.input).count("def clean_name") == 1
