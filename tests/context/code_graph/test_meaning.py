"""Added functions with the meaning of an existing one are found by a model, and not shown to people."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.installed import require_installed
from tests.retrieval.conftest import GroupEmbedder
from wardround.change.change_source import GitChangeSource, decode_any_encoding
from wardround.change.diff import ChangedFile
from wardround.change.repository import Repository
from wardround.context.code_graph.base_repetitions import repetitions_of
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.repetition import Repetition
from wardround.errors import ModelError
from wardround.retrieval.protocols import TextEmbedder

pytestmark = pytest.mark.usefixtures("without_slow_tools")

require_installed("numpy")

TOTAL = (
    "def invoice_total(lines, discount):\n"
    "    total = 0\n"
    "    for line in lines:\n"
    "        total += line.price * line.count\n"
    "    total -= discount(total)\n"
    "    return round(total, 2)\n"
)
BASKET = (
    "def basket_price(basket, discount):\n"
    "    prices = [one.price * one.count for one in basket.lines if one.count]\n"
    "    total = sum(prices)\n"
    "    return round(total - discount(total), 2)\n"
)
LOGIN = (
    "def login(user, password):\n"
    "    session = authenticate(user, password)\n"
    "    session.price = user.lines.count\n"
    "    session.total = session.discount\n"
    "    return session\n"
)
FILES = {"shop/__init__.py": "", "shop/invoices.py": TOTAL, "shop/users.py": LOGIN}


class BrokenEmbedder(GroupEmbedder):
    """A model that cannot be loaded."""

    def embed(self, texts: object) -> object:
        raise ModelError("it cannot be run")


def repetitions(
    repo: GitRepository,
    before: Mapping[str, str],
    after: Mapping[str, str],
    embedder: TextEmbedder | None,
) -> list[Repetition]:
    base, head = repo.commit(before), repo.commit(after)
    with Repository(repo.root) as repository:
        change = repository.range(base, head)
        source = GitChangeSource(repository, change)

        def read(file: ChangedFile, is_base: bool) -> str | None:
            content = source.content(file, base=is_base)
            return None if content is None else decode_any_encoding(content)

        return list(repetitions_of(source, change, read, (), UpdateLimit(60.0), embedder))


def test_the_function_that_is_nearest_in_meaning_is_named(repo: GitRepository) -> None:
    (found,) = repetitions(repo, FILES, {"shop/baskets.py": BASKET}, GroupEmbedder())
    assert (found.path, found.line, found.name) == ("shop/baskets.py", 1, "basket_price")
    assert (found.existing_path, found.existing_name) == ("shop/invoices.py", "invoice_total")
    assert (found.kind, found.is_shown) == ("meaning", False)
    assert 0.9 < found.similarity <= 1


def test_without_a_model_nothing_is_compared(repo: GitRepository) -> None:
    assert repetitions(repo, FILES, {"shop/baskets.py": BASKET}, None) == []


def test_a_model_that_fails_is_not_an_error(repo: GitRepository) -> None:
    assert repetitions(repo, FILES, {"shop/baskets.py": BASKET}, BrokenEmbedder()) == []


def test_a_function_that_calls_the_existing_one_does_not_repeat_it(repo: GitRepository) -> None:
    calling = BASKET.replace("sum(prices)", "sum(prices) + invoice_total(basket.lines, discount)")
    assert repetitions(repo, FILES, {"shop/baskets.py": calling}, GroupEmbedder()) == []


def test_a_copy_by_syntax_is_reported_once(repo: GitRepository) -> None:
    copy = TOTAL.replace("invoice_total", "basket_total")
    (found,) = repetitions(repo, FILES, {"shop/baskets.py": copy}, GroupEmbedder())
    assert found.kind == "identical"


def test_a_function_of_another_size_has_another_purpose(repo: GitRepository) -> None:
    long = BASKET.replace("    total =", "    basket.price(discount, total)\n" * 20 + "    total =")
    assert repetitions(repo, FILES, {"shop/baskets.py": long}, GroupEmbedder()) == []


def test_known_functions_are_not_embedded_again(repo: GitRepository) -> None:
    first, second = GroupEmbedder(), GroupEmbedder()
    repetitions(repo, FILES, {"shop/baskets.py": BASKET}, first)
    assert len(first.asked) > 1
    repo.git("rm", "-q", "shop/baskets.py")
    repetitions(repo, {}, {"shop/carts.py": BASKET.replace("basket_price", "cart_price")}, second)
    assert [text.split("(")[0] for text in second.asked] == ["def cart_price"]


class TestReports:
    """With the base model itself."""

    SLUGS = (
        "def make_slug(title, separator):\n"
        "    lowered = title.strip().lower()\n"
        "    words = [word for word in lowered.split() if word.isalnum()]\n"
        "    return separator.join(words)[:80]\n"
    )
    PAGES = (
        "def slug_for(title, separator):\n"
        "    words = []\n"
        "    for word in title.strip().lower().split():\n"
        "        if word.isalnum():\n"
        "            words.append(word)\n"
        "    slug = separator.join(words)\n"
        "    return slug[:80]\n"
    )

    def change(self, repo: GitRepository, settings: str = "") -> tuple[str, ...]:
        pytest.importorskip("onnxruntime")
        base = repo.commit({"shop/__init__.py": "", "shop/slugs.py": self.SLUGS, ".wardround.toml": settings})
        head = repo.commit({"shop/pages.py": self.PAGES})
        return "--base", base, "--head", head, "--profile"

    def test_json_has_the_function_and_people_do_not_see_it(self, repo: GitRepository) -> None:
        change = self.change(repo)
        (found,) = repo.report(*change, "ci")["related"]["repetitions"]
        assert (found["symbol"], found["existing"]["symbol"], found["kind"]) == (
            "slug_for", "make_slug", "meaning",
        )  # fmt: skip
        assert 0.8 <= found["similarity"] <= 1
        assert "repeats" not in repo.wardround("review", *change, "ci").stdout

    def test_the_record_names_the_model(self, repo: GitRepository, tmp_path: Path) -> None:
        change = self.change(repo)
        file = tmp_path / "record.jsonl"
        repo.wardround("review", *change, "ci", "--record", str(file))
        (statement, *_) = (
            json.loads(base64.b64decode(json.loads(line)["payload"]))
            for line in file.read_text().splitlines()
        )
        tools = [tool["tool"] for tool in statement["predicate"]["evidence"]["tools"]]
        assert "model base" in tools

    def test_nothing_is_compared_at_commit_or_without_models(self, repo: GitRepository) -> None:
        change = self.change(repo)
        assert "related" not in repo.report(*change, "commit")
        assert "related" not in repo.report(*change, "ci", "--no-models")

    def test_models_that_are_off_compare_nothing(self, repo: GitRepository) -> None:
        assert "related" not in repo.report(*self.change(repo, 'models = "off"\n'), "ci")

    def test_the_report_is_the_same_with_stored_vectors(
        self, repo: GitRepository, isolated_folders: Path
    ) -> None:
        change = self.change(repo)
        first = repo.report(*change, "ci")["related"]
        assert list((isolated_folders / "cache" / "wardround" / "code-vectors").glob("*.sqlite"))
        assert repo.report(*change, "ci")["related"] == first
