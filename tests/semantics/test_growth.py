"""A function that becomes more complex is noted only where the code graph shows that it runs often."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository

pytestmark = pytest.mark.usefixtures("without_slow_tools")

CI = ("--base", "HEAD~1", "--profile", "ci")
FLAT = "def total(orders, rates):\n    return sum(order.amount for order in orders)\n"
NESTED = """def total(orders, rates):
    found = 0
    for order in orders:
        for rate in rates:
            found += order.amount * rate
    return found
"""
ROUTE = """from shop.tax import total

@app.get("/orders")
def orders():
    return total(load(), rates())
"""
LOOP = """from shop.tax import total

def report(months):
    for month in months:
        print(total(month.orders, month.rates))
"""
ONCE = """from shop.tax import total

def report(month):
    print(total(month.orders, month.rates))
"""


def growth(repo: GitRepository, caller: str, base: str = FLAT, head: str = NESTED) -> list[dict[str, object]]:
    package = {"shop/__init__.py": "", "shop/app.py": caller}
    repo.commit({**package, "shop/tax.py": base}, "Shop")
    repo.commit({"shop/tax.py": head}, "Rates")
    notes: list[dict[str, object]] = repo.report(*CI).get("growth", [])
    return notes


@pytest.mark.parametrize(("caller", "path"), [(ROUTE, "request"), (LOOP, "loop")])
def test_deeper_loops_on_a_hot_path(repo: GitRepository, caller: str, path: str) -> None:
    (note,) = growth(repo, caller)
    assert (note["file"], note["name"], note["kind"]) == ("shop/tax.py", "total", "loops")
    assert (note["base"], note["head"], note["callers"], note["path"]) == (1, 2, 1, path)


def test_a_function_that_is_called_once_is_not_noted(repo: GitRepository) -> None:
    assert growth(repo, ONCE) == []


def test_a_function_that_becomes_simpler_is_not_noted(repo: GitRepository) -> None:
    assert growth(repo, ROUTE, NESTED, FLAT) == []


def test_many_callers_are_a_hot_path(repo: GitRepository) -> None:
    many = "from shop.tax import total\n" + "".join(
        f"\ndef a{number}(x):\n    return total(x, 1)\n" for number in range(5)
    )
    (note,) = growth(repo, many)
    assert (note["path"], note["callers"]) == ("callers", 5)


def test_more_decisions_in_a_handler(repo: GitRepository) -> None:
    base = '@app.post("/a")\ndef handle(x):\n    return x\n'
    branches = "".join(f"    if x == {number} and x:\n        return {number}\n" for number in range(5))
    (note,) = growth(repo, "", base, base.replace("    return x\n", branches + "    return x\n"))
    assert (note["kind"], note["base"], note["head"], note["path"]) == ("decisions", 1, 11, "request")


def test_a_large_file_and_a_complete_library_are_noted(repo: GitRepository) -> None:
    part = "import merge from 'lodash/merge';\nexport const a = merge({}, {});\n"
    repo.commit({"web/a.ts": part}, "Web")
    complete = part.replace("import merge from 'lodash/merge'", "import { merge } from 'lodash'")
    repo.commit({"web/a.ts": complete, "web/video.dat": "x" * 600_000}, "Video")
    notes = [(note["kind"], note["name"], note["size"]) for note in repo.report(*CI)["weights"]]
    assert notes == [("whole-import", "lodash", 0), ("large-file", "video.dat", 600_000)]
