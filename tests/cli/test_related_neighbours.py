"""``wardround related --neighbours`` as a user meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import GitRepository

SHOP = {
    "shop/cart.py": "def total(rows):\n    return sum(rows)\n",
    "shop/checkout.py": "from shop.cart import total\n\ndef pay(rows):\n    return total(rows)\n",
    "tests/test_cart.py": "from shop.cart import total\n\ndef test_total():\n    assert total([]) == 0\n",
    "web/broken.ts": "export class { ( [ <\n",
    **{f"other/m{at}.py": f"x{at} = {at}\n" for at in range(20)},
}
TEXT = """\
  1  shop/checkout.py:3  pay
       caller: calls total at line 4; imports shop/cart.py at line 1; uses total
  2  tests/test_cart.py:3  test_total
       test: calls total at line 4; imports shop/cart.py at line 1; uses total

nearest among 24 source files, by links, words and earlier commits
1 files do not parse completely; --format json lists them
  1: parts of it do not parse
"""


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    for path, text in SHOP.items():
        repo.commit({path: text}) if "/m" not in path else repo.write(path, text)
    repo.commit()
    repo.stage({"shop/cart.py": "def total(rows, rate=1):\n    return sum(rows) * rate\n"})
    return repo


def test_the_files_near_what_is_staged_as_text(shop: GitRepository) -> None:
    before = shop.fingerprint()
    done = shop.wardround("related", "--neighbours", "--staged", "--limit", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == TEXT
    assert shop.fingerprint() == before


def test_the_files_near_a_commit_as_json(shop: GitRepository) -> None:
    shop.commit()
    done = shop.wardround("related", "--neighbours", "--base", "HEAD~1", "--format", "json", "--limit", "2")
    found = json.loads(done.stdout)
    assert (found["schema"], found["scope"], found["candidates"], found["hunks"]) == (
        "wardround.related/1", "neighbours", 24, 1,
    )  # fmt: skip
    assert {(row["file"], row["line"], row["symbol"], row["relation"]) for row in found["results"]} == {
        ("shop/checkout.py", 3, "pay", "caller"), ("tests/test_cart.py", 3, "test_total", "test"),
    }  # fmt: skip
    assert found["unparsed"] == [{"file": "web/broken.ts", "reason": "parts of it do not parse"}]


def test_a_change_without_neighbours_is_reported(repo: GitRepository) -> None:
    repo.stage({"a.py": "x = 1\n"})
    done = repo.wardround("related", "--neighbours", "--staged")
    assert done.stdout == "no file among 1 source files is near the 1 hunks of the change\n"


@pytest.mark.parametrize(
    "arguments", [(), ("some text", "--staged"), ("--tests", "--staged"), ("--at", "HEAD")]
)
def test_a_change_is_required_and_nothing_else(shop: GitRepository, arguments: tuple[str, ...]) -> None:
    done = shop.wardround("related", "--neighbours", *arguments)
    assert done.returncode == 2
    assert "--neighbours needs one of --staged, --worktree and --base" in done.stderr
