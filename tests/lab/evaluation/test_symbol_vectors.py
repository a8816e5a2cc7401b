"""All symbols of a tree are searched by meaning; tests and short symbols are excluded."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.installed import require_installed
from tests.retrieval.conftest import GroupEmbedder
from wardround.change.repository import Repository
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at
from wardround_lab.evaluation.symbol_vectors import SymbolVectors

require_installed("numpy")

LOGIN = "def enter(user):\n    # a comment\n    session = authenticate(user)\n    return session\n"
PRICE = "def sum_up(basket):\n    total = basket.price\n    return total - discount\n"
MAIL = "export function deliver(letter: Letter) {\n  const smtp = mail();\n  return smtp.send(letter);\n}\n"
FILES = {
    "a.py": LOGIN, "b.py": PRICE, "c.ts": MAIL, "tests/test_a.py": LOGIN, "short.py": "def one(): pass\n",
    "text.md": "login",
}  # fmt: skip


def vectors(repo: GitRepository, *, with_tests: bool = False) -> SymbolVectors:
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        tree = tree_at(repository, repository.commit("HEAD"))
        graph.update(tree)
        return SymbolVectors(graph, tree, GroupEmbedder(), with_tests=with_tests)


def test_the_nearest_symbol_in_meaning_is_the_first(repo: GitRepository) -> None:
    repo.commit(FILES)
    searched = vectors(repo)
    (login, mail) = searched.nearest(["check the password of a login", "newsletter"], 2)
    assert login[0].symbol.name == "enter"
    assert (mail[0].symbol.path, mail[0].symbol.name) == ("c.ts", "deliver")
    assert sorted(symbol.name for symbol in searched.symbols) == ["deliver", "enter", "sum_up"]


def test_tests_are_searched_if_requested(repo: GitRepository) -> None:
    repo.commit(FILES)
    searched = vectors(repo, with_tests=True)
    assert "tests/test_a.py" in {symbol.path for symbol in searched.symbols}
    source = searched.without_tests()
    assert source.symbols == vectors(repo).symbols
    assert source.nearest(["login"], 1)[0][0].symbol.path == "a.py"


def test_a_tree_without_symbols_has_no_matches(repo: GitRepository) -> None:
    repo.commit({"README.md": "nothing"})
    searched = vectors(repo)
    assert searched.nearest(["login"], 5) == [[]]
    assert searched.nearest([], 5) == []
