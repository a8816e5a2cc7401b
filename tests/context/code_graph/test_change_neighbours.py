"""The neighbours of changed symbols, as a record and a language model get them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.conftest import GitRepository
from tests.context.code_graph.conftest import two_commits
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.context.code_graph.change_neighbours import MOST_PLACES, MOST_SYMBOLS, neighbours_of
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.symbol_neighbours import Place, SymbolNeighbours

SHOP = {
    "shop/__init__.py": "",
    "shop/prices.py": "def net(row):\n    return row.price\n\n\ndef gross(row):\n    return net(row) * 2\n",
    "shop/cart.py": "from shop.prices import gross\n\n\ndef total(rows):\n    return sum(map(gross, rows))\n",
    "shop/report.py": "from shop.prices import net\n\n\ndef lines(rows):\n    return map(net, rows)\n",
}

UNLIMITED = UpdateLimit(60.0)


def neighbours(
    repo: GitRepository,
    before: Mapping[str, str],
    after: Mapping[str, str | None],
    *,
    limit: UpdateLimit = UNLIMITED,
) -> tuple[SymbolNeighbours, ...]:
    """Commit files, then a change of them (None deletes one), and return its neighbours."""
    with Repository(repo.root) as repository:
        change = repository.range(*two_commits(repo, before, after))
        return neighbours_of(GitChangeSource(repository, change), change, limit)


def test_a_changed_function_has_its_callers_callees_and_examples(repo: GitRepository) -> None:
    (found,) = neighbours(repo, SHOP, {"shop/prices.py": SHOP["shop/prices.py"].replace("* 2", "* 3")})
    assert (found.path, found.line, found.end_line, found.symbol) == ("shop/prices.py", 5, 6, "gross")
    assert found.hunks == ((6, 6),)
    assert found.callers == (Place("shop/cart.py", 5, "total"),)
    assert found.callees == (Place("shop/prices.py", 1, "net"),)
    assert found.siblings == (Place("shop/prices.py", 1, "net"),)
    assert [location.path for location in found.examples] == ["shop/report.py"]


def test_hunks_of_one_function_share_its_neighbours(repo: GitRepository) -> None:
    body = "".join(f"    print({number})\n" for number in range(9))
    before = {"a.py": f"def run():\n{body}"}
    after = before["a.py"].replace("print(1)", "print(11)").replace("print(7)", "print(77)")
    (found,) = neighbours(repo, before, {"a.py": after})
    assert found.hunks == ((3, 3), (9, 9))


def test_a_use_of_an_equal_name_is_not_a_caller(repo: GitRepository) -> None:
    other = {"app.py": "def show(thing):\n    return thing.gross(1)\n"}
    after = SHOP["shop/prices.py"].replace("* 2", "* 3")
    (found,) = neighbours(repo, {**SHOP, **other}, {"shop/prices.py": after})
    assert "app.py" not in {location.path for location in found.callers}


def test_deleted_and_unread_files_have_none(repo: GitRepository) -> None:
    assert neighbours(repo, {**SHOP, "notes.md": "a\n"}, {"notes.md": "b\n", "shop/report.py": None}) == ()


def test_a_large_change_has_a_bounded_number(repo: GitRepository) -> None:
    many = "".join(
        f"def function_{number}():\n    return helper()\n\n\n" for number in range(3 * MOST_SYMBOLS)
    )
    found = neighbours(repo, {"a.py": ""}, {"a.py": f"def helper():\n    return 1\n\n\n{many}"})
    assert len(found) == MOST_SYMBOLS
    assert len(found[0].callers) == MOST_PLACES


def test_a_graph_that_costs_too_much_is_not_built(repo: GitRepository) -> None:
    after = {"shop/prices.py": SHOP["shop/prices.py"].replace("* 2", "* 3")}
    assert neighbours(repo, SHOP, after, limit=UpdateLimit(60.0, 1)) == ()


@pytest.mark.parametrize("text", ["", "\x00\x01", "x = 1\n"])
def test_a_file_without_definitions_has_none(repo: GitRepository, text: str) -> None:
    assert neighbours(repo, {"a.py": "def run():\n    return 1\n"}, {"a.py": text}) == ()
