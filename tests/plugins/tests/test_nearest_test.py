"""The nearest test that TE201 names, and that it costs nothing where TE201 is silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from wardround_tests.checks.changes import untested_function
from wardround_tests.checks.changes.untested_function import UntestedFunction
from wardround_tests.file_kinds import IN_TESTS
from wardround_tests.nearest_test import NearestTests, subject_of

from tests.conftest import GitRepository
from wardround.change.repository_view import InMemoryRepository
from wardround.checks.source import ChangedFileView, ChangeView

PRICE = '''\
def net_price(basket, voucher):
    """What a basket costs with a voucher."""
    price = basket.subtotal - voucher.amount
    return max(price, 0)
'''
BASKET = """\
import pytest
from shop import pricing


def test_basket_subtotal(basket):
    assert basket.subtotal == 12


def test_voucher_amount_is_retained(basket, voucher):
    basket.apply(voucher)
    assert basket.price == 12 - voucher.amount
"""
MAIL = "import smtp\n\n\ndef test_mail():\n    assert smtp.sent == []\n"
TESTS = {
    "tests/shop/test_pricing.py": BASKET,
    "tests/web/test_mail.py": MAIL,
    "src/shop/pricing.py": "",
}


@dataclass
class Counting:
    """A project that records its queries."""

    files: Mapping[str, str]
    asked: list[str] = field(default_factory=list)

    def read(self, path: str) -> str | None:
        self.asked.append(path)
        return self.files.get(path)

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        self.asked.append(" ".join(words))
        return InMemoryRepository(self.files).files_with_word(words, patterns)

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        assert "*" not in patterns, "a list of all files costs too much here"
        return InMemoryRepository(self.files).paths(patterns)


def _added(path: str, text: str) -> ChangedFileView:
    return ChangedFileView(path, None, lambda line: True, lambda: text, lambda: None)


def _messages(project: Counting, *files: ChangedFileView) -> list[str]:
    check = UntestedFunction(ChangeView(files, project))
    check.run()
    return [result.message for result in check.results]


def test_the_nearest_test_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untested_function, "_NEAR", 0.0)
    (message,) = _messages(Counting(TESTS), _added("src/shop/tariff.py", PRICE))
    assert message == (
        'no test names "net_price" or imports its module; add a test; '
        "nearest: tests/shop/test_pricing.py::test_voucher_amount_is_retained"
    )


def test_a_test_that_is_not_near_enough_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untested_function, "_NEAR", 100.0)
    (message,) = _messages(Counting(TESTS), _added("src/shop/tariff.py", PRICE))
    assert message == 'no test names "net_price" or imports its module; add a test'


def test_no_test_is_read_for_a_nearest_test_without_a_finding() -> None:
    project = Counting({**TESTS, "tests/test_tariff.py": "import tariff\n"})
    assert _messages(project, _added("src/shop/tariff.py", PRICE)) == []
    assert project.asked == ["net_price tariff", "tests/test_tariff.py"]


def test_only_a_few_files_are_read_and_none_twice() -> None:
    many = {f"tests/test_m{n}.py": f"import pricing\n{MAIL}" for n in range(30)} | {"src/shop/pricing.py": ""}
    changed = [_added(f"src/shop/part{n}.py", PRICE.replace("net_price", f"net_{n}")) for n in range(6)]
    project = Counting(many)
    assert len(_messages(project, *changed)) == 6
    read = [item for item in project.asked if item.startswith("tests/")]
    assert len(set(read)) <= 12
    assert len(read) <= len(set(read)) + 1, "once more to find tests of its siblings"
    assert project.asked.count(" ".join(IN_TESTS)) == 1


def test_a_project_without_readable_tests_has_no_nearest() -> None:
    subject = subject_of(_added("src/shop/tariff.py", PRICE), "net_price")
    assert NearestTests(InMemoryRepository({}), []).to(subject) is None
    assert NearestTests(InMemoryRepository({}), ["tests/test_gone.py", "tests/data.py"]).to(subject) is None
    assert (
        NearestTests(InMemoryRepository({"tests/test_a.py": "def test_(:"}), ["tests/test_a.py"]).to(subject)
        is not None
    )


def test_a_function_that_cannot_be_parsed_is_searched_by_name() -> None:
    odd = _added("src/shop/price.ts", "export const netPrice = wrap<A>(\n  (a) => a,\n)\n")
    assert subject_of(odd, "elsewhere").text == "elsewhere"


def test_what_changed_in_a_function_is_known() -> None:
    file = ChangedFileView(
        "a.py", "a.py", lambda line: True, lambda: PRICE, lambda: PRICE.replace("max(price, 0)", "price")
    )
    assert subject_of(file, "net_price").changed == "    return max(price, 0)\n    return price"


def test_a_finding_on_a_staged_change_names_the_nearest_test(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview = {".wardround.toml": "preview = true\n"}
    repo.commit({**TESTS, **preview, "src/shop/vouchers.py": "amount = 1\n"})
    repo.stage({"src/shop/pricing_of_vouchers.py": PRICE})
    (finding,) = [item for item in repo.report("--staged")["findings"] if item["rule"] == "tests/TE201"]
    assert finding["message"].startswith('no test names "net_price" or imports its module; add a test')
