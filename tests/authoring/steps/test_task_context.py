"""The localizations that wardround contributes, each as ``--localization`` loads it, on a real repository."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.authoring.shop_project import FAILING
from tests.authoring.shop_project import FILES as SHOP
from tests.authoring.stage_inputs import localize
from tests.installed import require_installed
from tests.planes.language_model.loopback import answers, endpoint, reset, respond
from wardround.authoring.endpoint.roles import ExchangeFailed
from wardround.authoring.instance import Instance
from wardround.authoring.sequence import SequenceStore
from wardround.config.language_model import EndpointSettings
from wardround.errors import UsageError
from wardround.inference import runtime

if TYPE_CHECKING:
    from tests.conftest import GitRepository

DELETION = '''\
def clear(folder):
    """Delete all files of a directory."""
    for entry in folder.iterdir():
        entry.unlink()


def total(sizes):
    """Add up numbers of bytes."""
    return sum(sizes)
'''
FILES = {
    "shop/disk.py": DELETION,
    "shop/basket.py": "def total(lines):\n    return sum(lines)\n\n\ndef clear(lines):\n    lines.clear()\n",
    "shop/mail.py": "def send(basket):\n    return basket\n\n\ndef retry(basket):\n    return send(basket)\n",
    "shop/tax.go": "package shop\n\nfunc TaxOfBasket(amount int) int {\n\treturn amount / 5\n}\n",
    "shop/report.py": "def render(rows):\n    return '\\n'.join(rows)\n",
    "shop/dates.py": "def parse(text):\n    return text.split('-')\n",
    "tests/test_basket.py": "from shop.basket import total\n\n\ndef test_total():\n    assert total([1])\n",
}
TASK = "The total of the lines is wrong"
BY_MEANING = "Erase every document on a drive"
"""Shares no word with the function that it is about."""


def test_words_find_the_function_and_the_result_has_the_lines_in_the_text(
    repo: GitRepository, tmp_path: Path
) -> None:
    instance = Instance(repo.commit(FILES), TASK)
    result, inputs = localize(repo.root, "words", instance, tmp_path)
    first = result.pointers[0]
    assert (first.path, first.symbol, first.first_line, first.last_line) == ("shop/basket.py", "total", 1, 2)
    assert first in result.shown
    assert "    return sum(lines)" in result.text
    assert inputs.report.context is not None
    assert (inputs.report.context.text, inputs.report.pointers) == (result.text, result.pointers)
    assert (result.metadata["by"], result.metadata["encoder"]) == ("words", "")


def test_languages_without_a_parser_are_located_too(repo: GitRepository, tmp_path: Path) -> None:
    instance = Instance(repo.commit(FILES), "The tax of a basket is rounded down")
    assert localize(repo.root, "words", instance, tmp_path)[0].pointers[0].path == "shop/tax.go"


def test_failing_tests_without_a_text_are_located_by_their_names(repo: GitRepository, tmp_path: Path) -> None:
    instance = Instance(repo.commit(FILES), failing_tests=("tests/test_basket.py::test_total",))
    result, _ = localize(repo.root, "words", instance, tmp_path)
    assert (result.pointers[0].path, result.pointers[0].symbol) == ("shop/basket.py", "total")


@pytest.mark.parametrize("name", ["embeddings", "fusion"])
def test_an_encoder_finds_code_without_a_common_word(repo: GitRepository, tmp_path: Path, name: str) -> None:
    require_installed("onnxruntime")
    instance = Instance(repo.commit(FILES), BY_MEANING)
    assert "shop/disk.py" not in localize(repo.root, "words", instance, tmp_path)[0].text
    result, inputs = localize(repo.root, name, instance, tmp_path)
    assert (result.pointers[0].path, result.pointers[0].symbol) == ("shop/disk.py", "clear")
    assert inputs.report.context is not None
    assert all(file.reasons for file in inputs.report.context.files)
    assert "entry.unlink()" in result.text
    assert str(result.metadata["encoder"]).startswith("base ")


@pytest.mark.parametrize("name", ["embeddings", "fusion"])
def test_stored_vectors_change_no_result(repo: GitRepository, tmp_path: Path, name: str) -> None:
    require_installed("onnxruntime")
    instance = Instance(repo.commit(FILES), TASK)
    cold, _ = localize(repo.root, name, instance, tmp_path)
    warm, _ = localize(repo.root, name, instance, tmp_path)
    assert (warm.text, warm.pointers, warm.shown) == (cold.text, cold.pointers, cold.shown)


def test_fusion_has_what_the_task_names_first_and_embeddings_alone_do_not(
    repo: GitRepository, tmp_path: Path
) -> None:
    require_installed("onnxruntime")
    instance = Instance(repo.commit(FILES), f"{BY_MEANING}, as `parse` does")
    assert localize(repo.root, "fusion", instance, tmp_path)[0].pointers[0].symbol == "parse"
    assert localize(repo.root, "embeddings", instance, tmp_path)[0].pointers[0].symbol != "parse"


def test_without_the_packages_for_models_an_encoder_is_one_sentence(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "_package", lambda versions: None)
    instance = Instance(repo.commit(FILES), TASK)
    expected = (
        r"the localization needs the encoder: .*onnxruntime.* not installed; .*wardround\[models\].*words"
    )
    with pytest.raises(UsageError, match=expected):
        localize(repo.root, "fusion", instance, tmp_path)


def test_models_that_are_switched_off_are_one_sentence(repo: GitRepository, tmp_path: Path) -> None:
    instance = Instance(repo.commit({**FILES, ".wardround.toml": 'models = "off"\n'}), TASK)
    with pytest.raises(UsageError, match=r"\.wardround\.toml switches models off; switch them on, or"):
        localize(repo.root, "embeddings", instance, tmp_path)


def test_a_recorded_localization_needs_no_encoder(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_installed("onnxruntime")
    instance = Instance(repo.commit(FILES), TASK)
    result, _ = localize(repo.root, "fusion", instance, tmp_path)
    monkeypatch.setattr(runtime, "_package", lambda versions: None)
    store = SequenceStore(tmp_path / "sequences")
    again, _ = localize(
        repo.root, "fusion", instance, tmp_path, begin=lambda header: store.replay(f"{instance.id}-1")
    )
    assert again == result


def test_executed_functions_precede_in_the_context_and_words_do_not_run_the_tests(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    instance = Instance(repo.commit(SHOP), "The total of the prices with a discount", (FAILING,))
    assert localize(repo.root, "words", instance, tmp_path)[0].pointers[0].symbol == "total"
    assert localize(repo.root, "context", instance, tmp_path)[0].pointers[0].symbol == "label"
    executed, _ = localize(repo.root, "executed", instance, tmp_path)
    assert executed.text == ""
    assert executed.pointers[0].symbol == "label"


def choices(*names: str) -> str:
    return json.dumps({"chosen": names})


def settings(url: str) -> EndpointSettings:
    return EndpointSettings(url=url, model="m", timeout=1.0)


def test_the_endpoint_chooses_files_first_and_then_functions_in_them(
    repo: GitRepository, tmp_path: Path
) -> None:
    instance = Instance(repo.commit(FILES), TASK)
    inputs = []

    def answer(request, connection):  # type: ignore[no-untyped-def]
        inputs.append(request.input)
        chosen = ("shop/mail.py", "nowhere.py") if request.input["kind"] == "files" else ("shop/mail.py:5-6",)
        answers(choices(*chosen))(request, connection)

    with endpoint(answer) as server:
        result, run = localize(repo.root, "hierarchical", instance, tmp_path, endpoint=settings(server.url))
        assert [request.plane for request in server.received] == ["localization", "localization"]
    assert [document["kind"] for document in inputs] == ["files", "functions"]
    assert inputs[0]["candidates"][0] == "shop/basket.py"
    assert "tests/test_basket.py" not in inputs[0]["candidates"]
    assert inputs[1]["candidates"] == [
        "shop/mail.py:1-2 def send(basket):",
        "shop/mail.py:5-6 def retry(basket):",
    ]
    assert (result.pointers[0].symbol, result.pointers[1].symbol) == ("retry", "total")
    assert result.metadata["first"] == 1
    assert run.report.context is not None
    assert run.report.context.functions[0].reasons[0] == "the model names it"
    assert run.budget.requests == 2


@pytest.mark.parametrize("text", ["I do not know.", choices("nowhere.py"), '{"chosen": [1]}'])
def test_an_endpoint_that_chooses_nothing_leaves_the_order_by_words(
    repo: GitRepository, tmp_path: Path, text: str
) -> None:
    instance = Instance(repo.commit(FILES), TASK)
    with endpoint(answers(text)) as server:
        result, _ = localize(repo.root, "hierarchical", instance, tmp_path, endpoint=settings(server.url))
    assert (result.pointers[0].symbol, result.metadata["first"]) == ("total", 0)


@pytest.mark.parametrize("behaviour", [reset, respond(500)], ids=["reset", "error"])
def test_an_endpoint_that_does_not_answer_is_no_result(
    repo: GitRepository, tmp_path: Path, behaviour: object
) -> None:
    instance = Instance(repo.commit(FILES), TASK)
    with endpoint(behaviour) as server, pytest.raises(ExchangeFailed):  # type: ignore[arg-type]
        localize(repo.root, "hierarchical", instance, tmp_path, endpoint=settings(server.url))


def test_without_an_endpoint_a_choice_is_one_sentence(repo: GitRepository, tmp_path: Path) -> None:
    instance = Instance(repo.commit(FILES), TASK)
    with pytest.raises(UsageError, match=r"no endpoint has the role author; configure roles\.author, or"):
        localize(repo.root, "hierarchical", instance, tmp_path)
