"""Code broken on purpose and code that was mended, as windows."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest
from wardround_python.tasks.mutations import CLASSES, inject

from tests.conftest import GitRepository
from tests.lab.corpora.conftest import commit_at
from wardround import host
from wardround.training_tasks import LineTask, Window
from wardround_lab.corpora.audit_items import items_of
from wardround_lab.corpora.defect_windows import LINES, tokens_of
from wardround_lab.corpora.git_history import HistoryLimits
from wardround_lab.corpora.miner import Miner, MiningSource, RecordLocation
from wardround_lab.corpora.records import rows_of
from wardround_lab.corpora.secret_scan import SecretScan

SHOP = '''\
"""A shop."""

LIMIT = 3


async def sell(cart, price, customer, retries=2):
    """Sell a cart."""
    total = price * len(cart.items) - cart.discount
    if not customer.active and total > LIMIT:
        raise ValueError("inactive customer")
    for attempt in range(1, retries + 1):
        if attempt == retries or cart.closed:
            return None
        try:
            receipt = await customer.charge(total, attempt)
        except KeyError:
            cart.reset(customer)
            continue
        cart.log(receipt, "sold")
        return receipt
    return False
'''
MIT = (
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software ...\n"
    "The above copyright notice shall be included in all copies or substantial portions of the Software.\n"
)


def broken(seed: int, text: str = SHOP) -> list[str]:
    """The complete file for each kind of defect."""
    created = []
    for way in inject("shop.py", text, seed):
        lines = text.split("\n")
        assert tuple(lines[way.line - 1 : way.line - 1 + len(way.right)]) == way.right
        lines[way.line - 1 : way.line - 1 + len(way.right)] = way.wrong
        created.append("\n".join(lines))
    return created


def test_injected_defects_parse_and_differ() -> None:
    for seed in range(60):
        for text in broken(seed):
            assert text != SHOP
            assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(SHOP))


def test_every_defect_class_is_injected() -> None:
    found = {way.kind for seed in range(120) for way in inject("shop.py", SHOP, seed)}
    assert found == set(CLASSES)


def test_it_is_broken_the_same_way_each_time() -> None:
    assert broken(7) == broken(7)
    assert broken(7) != broken(8)


@pytest.mark.parametrize(
    ("source", "kind", "wrong"),
    [
        ("    if a < b:\n        c = 1", "off-by-one", "    if a <= b:"),
        ("    if a is None:\n        c = 1", "operator", "    if a is not None:"),
        ("    if not a:\n        c = 1", "negation", "    if a:"),
        ("    c = a and b\n    d = 2", "condition", "    c = a"),
        ("    c = call(a, b)\n    d = 2", "swapped", "    c = call(b, a)"),
        ("    c = True\n    d = 2", "constant", "    c = False"),
        ("    c = await a\n    d = 2", "await", "    c = a"),
        ("    c = a[5:]\n    d = 2", "off-by-one", "    c = a[4:]"),
    ],
)
def test_each_defect_class_injects_its_defect(source: str, kind: str, wrong: str) -> None:
    text = f"async def f(a, b):\n{source}\n    return b\n"
    lines = {way.wrong for seed in range(80) for way in inject("f.py", text, seed) if way.kind == kind}
    assert (wrong,) in lines


def test_a_statement_is_removed_or_duplicated() -> None:
    ways = [way for seed in range(60) for way in inject("shop.py", SHOP, seed) if way.kind == "statement"]
    assert any(not way.wrong for way in ways)
    assert any(not way.right for way in ways)


@pytest.mark.parametrize("text", ["def broken(:\n", "x = 1\n", "def f():\n    return 1\n", "def f(ä):\n" * 3])
def test_code_without_a_mutation_is_unchanged(text: str) -> None:
    assert list(inject("f.py", text, 0)) == []


@pytest.fixture
def mined(repo: GitRepository, tmp_path: Path) -> list[Window]:
    files = {
        "LICENSE": MIT,
        "shop.py": SHOP,
        "tests/test_shop.py": "def test():\n    assert 1\n    assert 2\n",
    }
    commit_at(repo, 1, files, "Open the shop")
    fixed = SHOP.replace("cart.closed", "cart.is_closed").replace("range(1, ", "range(0, ")
    commit_at(repo, 2, {"shop.py": fixed}, "Fix crash on closed carts")
    commit_at(repo, 3, {"shop.py": fixed.replace("LIMIT = 3", "LIMIT = 4")}, "Raise the limit")
    task = next(item for item in host.load_tasks() if isinstance(item, LineTask))
    scan = SecretScan(host.load().specialists)
    mining = Miner(tmp_path / "out", HistoryLimits(), lambda name: False, scan, lambda text: None)
    mining.mine([MiningSource(task.name, task)], [RecordLocation(repo.root, "acme/shop")])
    file = tmp_path / "out" / f"{task.name}.jsonl"
    assert len(list(items_of(file))) == len(list(rows_of(file, Window)))
    return list(rows_of(file, Window))


def test_every_injected_defect_has_a_mirrored_fix(mined: list[Window]) -> None:
    pairs: dict[str, dict[bool, Window]] = defaultdict(dict)
    for item in mined:
        if item.origin == "injected":
            pairs[item.pair][bool(item.faults)] = item
    complete = [pair for pair in pairs.values() if len(pair) == 2]
    assert complete
    for pair in complete:
        bad, good = pair[True], pair[False]
        assert bad.marks.count(" ") == good.marks.count(" ")
        if "-" in bad.marks:
            flipped = bad.marks.translate(str.maketrans("+-", "-+"))
            assert sorted(flipped) == sorted(good.marks)
        assert len(bad.lines) <= LINES + 2


def test_fixes_are_mirrored_and_other_changes_are_clean(mined: list[Window]) -> None:
    real = [item for item in mined if item.origin == "real"]
    assert len(real) == 2  # one hunk, mended and undone
    for item in real:
        come = "".join(line for mark, line in zip(item.marks, item.lines, strict=True) if mark == "+")
        assert ("cart.closed" in come and "range(1, " in come) == bool(item.faults)
        assert ("cart.is_closed" in come and "range(0, " in come) != bool(item.faults)
        assert [item.marks[fault.at] for fault in item.faults] == ["+"] * len(item.faults)
    (clean,) = (item for item in mined if item.origin == "clean")
    assert "LIMIT = 4" in clean.lines
    assert clean.faults == ()


def test_windows_are_not_centred_on_the_change() -> None:
    locations = []
    for seed in range(40):
        from random import Random

        from wardround_lab.corpora.defect_windows import _random_context

        before, after = _random_context(
            [str(n) for n in range(30)], [str(n) for n in range(30)], 1, Random(seed)
        )
        locations.append(len(before) / max(1, len(before) + len(after)))
    assert min(locations) < 0.2
    assert max(locations) > 0.8


def test_tokens_are_words_and_symbols() -> None:
    assert tokens_of("a_b += f(1)") == ["a_b", "+", "=", "f", "(", "1", ")"]
    assert msgspec.json.encode(tokens_of("")) == b"[]"
