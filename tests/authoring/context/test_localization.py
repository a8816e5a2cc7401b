"""The localization stage, on a real repository."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from wardround.authoring.context.localization import WordLocalization, text_of_pointers
from wardround.authoring.context.suspects import Suspect
from wardround.authoring.instance import Instance, RepositoryInstances
from wardround.authoring.stages import CodePointer, Localization
from wardround.change.repository import Repository

if TYPE_CHECKING:
    from tests.conftest import GitRepository

FILES = {
    "shop/cart.py": "def total(lines):\n    return sum(lines)\n\n\ndef clear(lines):\n    lines.clear()\n",
    "shop/mail.py": "def send(basket):\n    return basket\n\n\ndef retry(basket):\n    return send(basket)\n",
    "shop/tax.go": "package shop\n\nfunc TaxOfBasket(total int) int {\n\treturn total / 5\n}\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
}


@pytest.fixture
def instance(repo: GitRepository) -> Instance:
    return Instance(repo.commit(FILES), "The total of the lines is wrong")


@pytest.fixture
def repository(repo: GitRepository, instance: Instance) -> Iterator[Repository]:
    with Repository(repo.root) as opened:
        yield opened


def _pointers(stage: Localization, instance: Instance) -> tuple[CodePointer, ...]:
    result = asyncio.run(stage.run(instance.id))
    assert isinstance(result.content, tuple)
    assert result.metadata["author"] == "words"
    return result.content


def test_the_first_pointer_is_the_function_of_the_task(repository: Repository, instance: Instance) -> None:
    source = RepositoryInstances(repository, [instance])
    first = _pointers(WordLocalization(source), instance)[0]
    assert (first.path, first.symbol, first.first_line, first.last_line) == ("shop/cart.py", "total", 1, 2)
    assert first.blob == dict(repository.blobs_of(instance.base))["shop/cart.py"]


def test_functions_of_failing_tests_precede_all_others(repository: Repository, instance: Instance) -> None:
    suspect = Suspect(CodePointer("shop/mail.py", 5, 6), "ran in 1 of 1 failing tests")
    source = RepositoryInstances(repository, [instance])
    pointers = _pointers(WordLocalization(source, {instance.id: [suspect]}), instance)
    assert [pointer.symbol for pointer in pointers[:2]] == ["retry", "total"]


def test_a_suspect_in_a_missing_file_is_left_out(repository: Repository, instance: Instance) -> None:
    suspect = Suspect(CodePointer("shop/gone.py", 5, 6), "ran in 1 of 1 failing tests")
    source = RepositoryInstances(repository, [instance])
    pointers = _pointers(WordLocalization(source, {instance.id: [suspect]}), instance)
    assert pointers[0].symbol == "total"


def test_languages_without_a_parser_are_located_too(repository: Repository, instance: Instance) -> None:
    task = Instance(instance.base, "The tax of a basket is rounded down")
    pointers = _pointers(WordLocalization(RepositoryInstances(repository, [task])), task)
    assert pointers[0].path == "shop/tax.go"


def test_instances_are_located_at_the_same_time(repository: Repository, instance: Instance) -> None:
    other = Instance(instance.base, "Send the basket by mail again")
    stage = WordLocalization(RepositoryInstances(repository, [instance, other]))

    async def run() -> list[str]:
        results = await asyncio.gather(stage.run(instance.id), stage.run(other.id))
        return [str(result.content[0]) for result in results]

    first, second = asyncio.run(run())
    assert "cart.py" in first
    assert "mail.py" in second


def test_an_instance_of_failing_tests_only_is_located_by_their_names(
    repository: Repository, instance: Instance
) -> None:
    task = Instance(instance.base, failing_tests=("tests/test_cart.py::test_total",))
    pointers = _pointers(WordLocalization(RepositoryInstances(repository, [task])), task)
    assert pointers[0].symbol == "total"


def test_pointers_convert_to_text_within_their_tokens(repository: Repository, instance: Instance) -> None:
    pointers = [CodePointer("shop/cart.py", 5, 6, "clear"), CodePointer("shop/gone.py", 1, 2)]
    text = text_of_pointers(repository, instance.base, pointers[:1], 100)
    assert (
        text
        == "# Code\n\n## shop/cart.py\n\nlines 5-6 clear\n```\ndef clear(lines):\n    lines.clear()\n```\n\n"
    )
    assert text_of_pointers(repository, instance.base, pointers[:1], 5) == ""
