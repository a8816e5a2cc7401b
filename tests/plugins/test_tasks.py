"""The training data of each plugin's model: the choices mined from a real history, and texts that must yield
none.
"""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.conftest import GitRepository
from wardround.training_tasks import Choice
from wardround_lab.corpora.git_history import RepositoryHistory

PLUGINS = ("docker_ci", "python", "sql", "tests", "typescript")

WORKFLOW = """\
on: push
jobs:
  check:
    runs-on: ubuntu-24.04
    steps:
      - name: Check out the sources
        uses: actions/checkout@v4
      - name: Install the wheel
        run: pip install dist/*.whl
      - name: Run the unit tests
        run: pytest -q
      - run: echo unnamed
      - name: Build ${{ matrix.target }}
        run: make
"""

PYTHON_TESTS = """\
def test_empty_basket_costs_nothing():
    assert total([]) == 0


def test_discount_is_subtracted_once(basket):
    basket.discount(5)
    assert basket.total == 95


class TestOrder:
    def test_paid_order_is_closed(self) -> None:
        order = pay(open_order())
        assert order.closed
"""

SCRIPT_TESTS = """\
it('adds an item to the basket', () => {
  expect(add(basket, item).length).toBe(1)
})
it('refuses a negative price', () => {
  expect(() => price(-1)).toThrow()
})
it('shows the currency', () => {
  expect(format(3)).toBe('3 EUR')
})
"""

MIGRATION = """\
-- customers may read their own orders only
CREATE POLICY own_orders ON orders USING (customer = current_user);

/* keep the price at the time of the order */
ALTER TABLE order_lines ADD COLUMN price numeric(12, 2);

-- speeds up the list of open orders
CREATE INDEX orders_open ON orders (customer) WHERE closed IS NULL;

-- ALTER TABLE orders DROP COLUMN note;
SELECT 1;
"""

COMPONENT = """\
// eslint-disable-next-line no-console
console.log('ready')

/**
 * Turns an amount in cents into a text with its currency.
 * @param cents - the amount
 */
export function format(cents: number): string {
  return `${cents / 100} EUR`
}

// the basket is kept until the customer logs out
const kept = new Map<string, Basket>()

// const old = new Map()
const more = new Map<string, Order>()

// listeners must be told after the basket has changed
for (const listener of listeners) listener(basket)
"""


def choices(plugin: str, repo: GitRepository) -> list[Choice]:
    task = import_module(f"wardround_{plugin}.tasks").tasks()[0]
    with RepositoryHistory(repo.root, "acme/shop") as history:
        return list(task.mine(history))


def answers(plugin: str, repo: GitRepository) -> dict[str, list[str]]:
    found = choices(plugin, repo)
    return {item.query: [item.candidates[at] for at in item.right] for item in found}


def test_a_steps_name_goes_with_its_commands(repo: GitRepository) -> None:
    repo.commit({".github/workflows/ci.yml": WORKFLOW})
    assert answers("docker_ci", repo) == {
        "Check out the sources": ["uses: actions/checkout@v4"],
        "Install the wheel": ["pip install dist/*.whl"],
        "Run the unit tests": ["pytest -q"],
    }


def test_a_tests_body_goes_with_the_words_of_its_name(repo: GitRepository) -> None:
    repo.commit({"tests/test_shop.py": PYTHON_TESTS})
    assert answers("tests", repo) == {
        "assert total([]) == 0": ["empty basket costs nothing"],
        "basket.discount(5)\n    assert basket.total == 95": ["discount is subtracted once"],
        "order = pay(open_order())\n        assert order.closed": ["paid order is closed"],
    }


def test_a_scripts_test_does_not_give_its_title_away(repo: GitRepository) -> None:
    repo.commit({"shop.test.ts": SCRIPT_TESTS})
    found = answers("tests", repo)
    assert sorted(right for (right,) in found.values()) == [
        "adds an item to the basket", "refuses a negative price", "shows the currency",
    ]  # fmt: skip
    assert not any(right in body for body, (right,) in found.items())


def test_a_comment_goes_with_the_statement_below_it(repo: GitRepository) -> None:
    repo.commit({"db/migrations/0001_orders.sql": MIGRATION})
    found = answers("sql", repo)
    assert {query: right[0].split(" ", 2)[:2] for query, right in found.items()} == {
        "customers may read their own orders only": ["CREATE", "POLICY"],
        "keep the price at the time of the order": ["ALTER", "TABLE"],
        "speeds up the list of open orders": ["CREATE", "INDEX"],
    }


def test_a_migrations_name_goes_with_what_it_does(repo: GitRepository) -> None:
    bodies = {
        "add_price_to_lines": "ALTER TABLE lines ADD COLUMN price numeric;",
        "drop_old_notes": "DROP TABLE notes; -- drop old notes",
        "index_open_orders": "CREATE INDEX open_orders ON orders (customer);",
    }
    for number, (name, body) in enumerate(bodies.items()):
        repo.commit({f"prisma/migrations/2024010{number}000000_{name}/migration.sql": body})
    found = answers("sql", repo)
    assert found["add price to lines"] == ["ALTER TABLE lines ADD COLUMN price numeric"]
    assert found["drop old notes"] == ["DROP TABLE notes"]


def test_a_comment_goes_with_the_code_below_it(repo: GitRepository) -> None:
    repo.commit({"shop.ts": COMPONENT})
    found = answers("typescript", repo)
    assert {query: right[0].split("\n")[0] for query, right in found.items()} == {
        "Turns an amount in cents into a text with its currency.":
            "export function format(cents: number): string {",
        "the basket is kept until the customer logs out": "const kept = new Map<string, Basket>()",
        "listeners must be told after the basket has changed":
            "for (const listener of listeners) listener(basket)",
    }  # fmt: skip


def test_a_change_goes_with_the_sentences_its_author_changed(repo: GitRepository) -> None:
    old = '''\
def fetch(url, retries=3):
    """Fetch a page.

    Args:
        url: where it is.
        retries: how often to try, three times if nothing is said.

    Returns the page as text.
    """
    return get(url, retries)
'''
    repo.commit({"shop.py": old})
    new = old.replace("retries=3", "retries=5").replace("three times", "five times")
    repo.commit({"shop.py": new})
    (choice,) = choices("python", repo)
    assert "-def fetch(url, retries=3):" in choice.query
    assert [choice.candidates[at] for at in choice.right] == [
        "retries: how often to try, three times if nothing is said."
    ]


@pytest.mark.parametrize("plugin", PLUGINS)
def test_files_nobody_can_read_give_nothing(plugin: str, repo: GitRepository) -> None:
    broken = "jobs: [\n\tdef test_(:\n'''\n--\n/*\n"
    names = ("tests/test_a.py", "a.test.ts", "a.py", "a.ts", "a.sql", ".github/workflows/a.yml")
    repo.commit(dict.fromkeys(names, broken))
    repo.commit(dict.fromkeys(names, broken + "more\n"))
    repo.commit(dict.fromkeys(names, b"\xff\xfe\0"))
    assert choices(plugin, repo) == []
