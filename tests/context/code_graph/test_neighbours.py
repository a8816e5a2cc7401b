"""The files near a change, and the evidence for each."""

from __future__ import annotations

import dataclasses

import pytest

from tests.context.code_graph.conftest import GraphOf
from tests.context.code_graph.shown import symbol_of
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.neighbours import fuse, rank
from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.hunk_search import ChangedCode

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": "from shop.rates import rate_of\n\ndef total(x):\n    return sum(x) * rate_of('EUR')\n",
    "shop/rates.py": "RATES = {}\n\ndef rate_of(code):\n    return RATES[code]\n",
    "shop/checkout.py": "from shop.cart import total\n\ndef pay(rows):\n    return total(rows)\n",
    "shop/mail.py": "def send(to):\n    deliver(to)\n",
    "docs/conf.py": "project = 'shop'\n",
    "tests/test_cart.py": "from shop.cart import total\n\ndef test_total():\n    assert total([]) == 0\n",
    **{f"other/m{at}.py": f"def work{at}():\n    return {at}\n" for at in range(30)},
}
HUNK = ChangedCode("shop/cart.py", 3, 4, "def total(x):", "    return sum(x) * rate_of('EUR')")


def _named(graph: CodeGraph, *hunks: ChangedCode, **options: object) -> dict[str, tuple[str, str, str]]:
    found = graph.neighbours(hunks or (HUNK,), **options)  # type: ignore[arg-type]
    return {item.path: (item.symbol.name, str(item.relation), item.reason) for item in found}


def test_callers_callees_and_tests_of_a_changed_function_are_first(graph_of: GraphOf) -> None:
    found = graph_of(FILES).neighbours((HUNK,))
    assert {item.path for item in found[:3]} == {"shop/checkout.py", "shop/rates.py", "tests/test_cart.py"}
    assert all(item.path != "shop/cart.py" for item in found)
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


def test_each_neighbour_has_its_strongest_reason(graph_of: GraphOf) -> None:
    graph = graph_of(FILES)
    evidence = graph.evidence((HUNK,))
    links = {path: (str(item.relation), item.reason) for path, item in evidence["links"].items()}
    assert links == {
        "shop/checkout.py": ("caller", "calls total at line 4"),
        "shop/rates.py": ("callee", "is used by total at line 4"),
        "tests/test_cart.py": ("test", "calls total at line 4"),
    }
    assert evidence["imports"]["shop/rates.py"].reason == "is imported by shop/cart.py"
    assert evidence["names"]["shop/rates.py"].reason == "defines rate_of"
    assert {item.symbol for item in graph.neighbours((HUNK,)) if item.path == "shop/rates.py"} <= {
        symbol_of(graph, "shop/rates.py", "rate_of"), graph.facts("shop/rates.py").symbols[0],
    }  # fmt: skip


def test_files_that_changed_together_are_near(graph_of: GraphOf) -> None:
    graph = graph_of(FILES)
    past = [CommitIndex({}, ("shop/cart.py", "shop/mail.py")), CommitIndex({}, ("docs/conf.py",))]
    assert "history" not in {item[1] for item in _named(graph).values()}
    name, relation, reason = _named(graph, past=past)["shop/mail.py"]
    assert (name, relation) == ("", "history")
    assert reason.startswith("an earlier commit changed it together with shop/cart.py")


def test_a_file_that_is_not_in_the_tree_is_not_a_neighbour(graph_of: GraphOf) -> None:
    past = [CommitIndex({}, ("shop/cart.py", "shop/gone.py"))]
    assert "shop/gone.py" not in _named(graph_of(FILES), past=past)


def test_the_number_of_neighbours_is_limited(graph_of: GraphOf) -> None:
    assert len(graph_of(FILES).neighbours((HUNK,), limit=2)) == 2


@pytest.mark.parametrize("path", ["shop/new.py", "x" * 300 + ".ts"])
def test_a_hunk_of_a_file_outside_the_tree_has_its_words_alone(graph_of: GraphOf, path: str) -> None:
    found = _named(graph_of(FILES), ChangedCode(path, 1, 9, "", "rate_of(code)"))
    assert found["shop/rates.py"][1] in ("text", "sibling")


def test_the_words_of_prose_are_not_evidence(graph_of: GraphOf) -> None:
    assert _named(graph_of(FILES), ChangedCode("notes.md", 1, 9, "", "rate_of(code)")) == {}


def test_no_hunks_have_no_neighbours(graph_of: GraphOf) -> None:
    assert graph_of(FILES).neighbours(()) == ()


def test_the_order_does_not_depend_on_what_else_is_stored(graph_of: GraphOf) -> None:
    expected = graph_of(FILES).neighbours((HUNK,))
    graph_of({"noise.py": "rate_of = total = EUR = 1\n" * 20})
    assert graph_of({"noise.py": ""}).neighbours((HUNK,)) != ()

    graph = graph_of(FILES)
    assert graph._tree is not None
    graph.update(
        dataclasses.replace(graph._tree, entries=[e for e in graph._tree.entries if e.path != "noise.py"])
    )
    assert graph.neighbours((HUNK,)) == expected


def test_equal_scores_are_ordered_by_path() -> None:
    columns = {
        "links": {"b": 1.0, "a": 1.0},
        "imports": {},
        "names": {},
        "text": {},
        "path": {},
        "history": {},
    }
    assert rank(columns) == sorted(columns["links"], key=lambda path: (-fuse(columns)[path], path))
