"""The experiment on localizations, on a mined instance, with built-in and contributed localizations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.installed import require_installed
from tests.lab.experiments.mined_shop import lab_inputs, mine_shop
from tests.planes.language_model.loopback import answers, endpoint
from tests.plugin_distributions import install
from wardround import plugin_discovery
from wardround.config.language_model import EndpointSettings
from wardround.errors import UsageError
from wardround_lab.experiments.built_in.hybrid_localization import (
    Configuration,
    HybridLocalization,
    Options,
)
from wardround_lab.experiments.experiment import NO_PATCH, Experiment
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.lab_inputs import LabInputs
from wardround_lab.experiments.running import run_experiment
from wardround_lab.experiments.storage.model import SequenceQuery

Rewards = Mapping[str, float]


def run(inputs: LabInputs, options: Options) -> dict[str, Rewards]:
    """Run the experiment, and return the rewards by localization and tokens."""
    experiment: Experiment = HybridLocalization(inputs, options)
    failures = asyncio.run(run_experiment(experiment, inputs, 2))
    assert failures == []
    summaries = inputs.storage.find(SequenceQuery(run=inputs.run.id, is_complete=True))
    return {" ".join(map(str, found.header.configuration.values())): found.rewards for found in summaries}


@pytest.fixture
def mined(repo: GitRepository) -> MinedInstance:
    return mine_shop(repo)


def test_each_localization_with_each_limit_is_measured_against_the_answer(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path
) -> None:
    require_installed("onnxruntime")
    options = Options(("words", "embeddings", "fusion"), (500, 1000))
    with lab_inputs(repo, mined, tmp_path) as inputs:
        found = run(inputs, options)
    assert found.keys() == {f"{name} {n}" for name in options.localizations for n in options.tokens}
    for rewards in found.values():
        assert rewards.keys() == HybridLocalization.rewards.keys()
        assert (rewards["gold_lines"], rewards["gold_file_1"]) == (1.0, 1.0)
        assert 0.0 < rewards["relevant_lines"] < 0.5
        assert rewards["tokens"] <= 500


def test_tests_are_hidden_but_from_the_localizations_that_run_them(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path
) -> None:
    with lab_inputs(repo, mined, tmp_path) as inputs:
        experiment = HybridLocalization(inputs, Options(("words", "executed"), (500,)))
        words, executed = (
            experiment.with_configuration(Configuration(name, 500)).task_of(mined)
            for name in ("words", "executed")
        )
    assert (words.base, words.failing_tests) == (mined.parent, ())
    assert (executed.base, executed.failing_tests) == (mined.base, mined.fail_to_pass)


def test_pointers_of_executed_code_are_measured_by_the_text_that_they_become(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path
) -> None:
    with lab_inputs(repo, mined, tmp_path) as inputs:
        found = run(inputs, Options(("executed",), (500,)))
    rewards = found["executed 500"]
    assert (rewards["gold_lines"], rewards["gold_file_1"]) == (1.0, 1.0)
    assert "cpu_s" not in rewards


def test_an_endpoint_on_loopback_is_measured_with_its_costs(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path
) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    chosen = json.dumps({"chosen": ["shop.py", "shop.py:9-11"]})
    with endpoint(answers(chosen, usage=usage)) as server:
        settings = EndpointSettings(url=server.url, model="m", input_price=10)
        with lab_inputs(repo, mined, tmp_path, {"author": settings}) as inputs:
            options = Options(("words", "hierarchical"), (500,))
            experiment = HybridLocalization(inputs, options)
            assert (experiment.notes, experiment.model_endpoint) == ((), settings)
            found = run(inputs, options)
            again = asyncio.run(run_experiment(experiment, inputs, 1))
        assert len(server.received) == 2
    assert again == []
    assert found["hierarchical 500"]["requests"] == 2.0
    assert found["hierarchical 500"]["money"] == 0.002
    assert "requests" not in found["words 500"]


def test_without_an_endpoint_the_choice_by_a_model_is_left_out_and_stated(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path
) -> None:
    with lab_inputs(repo, mined, tmp_path) as inputs:
        experiment = HybridLocalization(inputs)
    assert experiment.notes == ("hierarchical is left out: no endpoint has the role author",)
    assert {found.localization for found in experiment.configurations} == {"words", "embeddings", "fusion"}


PLUGIN = """
from wardround.hookspecs import hookimpl


@hookimpl
def wardround_localizations():
    return {"acme": "acme_finder:localization"}


async def localization(inputs):
    return Finder(inputs)


class Finder:
    def __init__(self, inputs):
        self.inputs = inputs

    async def run(self, instance_id):
        from wardround.authoring.stages import CodePointer, LocalizationResult

        assert self.inputs.read("tests/test_shop.py").count("def test_") == 2
        return LocalizationResult((CodePointer("shop.py", 11, 11, "label"),))
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(tmp_path / "site", "acme_finder", PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plugin_discovery.discover.cache_clear()
    yield
    plugin_discovery.discover.cache_clear()


@pytest.mark.usefixtures("plugin")
def test_a_contributed_localization_is_measured_alike(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path
) -> None:
    with lab_inputs(repo, mined, tmp_path) as inputs:
        rewards = run(inputs, Options(("acme",), (500,)))["acme 500"]
    assert (rewards["gold_lines"], rewards["relevant_lines"], rewards["gold_file"]) == (1.0, 1.0, 1.0)


def test_there_is_no_patch(repo: GitRepository, mined: MinedInstance, tmp_path: Path) -> None:
    with lab_inputs(repo, mined, tmp_path) as inputs:
        experiment = HybridLocalization(inputs, Options(("words",), (500,)))
        assert asyncio.run(experiment.run(mined.id)) is NO_PATCH


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(("nobody",)), "localizations: 'nobody' is none of context, embeddings, executed, fusion"),
        (Options(tokens=(400,)), "tokens: give at least 500"),
        (Options(()), "localizations and tokens need at least one value each"),
        (Options(("hierarchical",)), "hierarchical needs an endpoint with the role author"),
    ],
)
def test_bad_options_are_one_sentence(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path, options: Options, message: str
) -> None:
    with (
        lab_inputs(repo, mined, tmp_path) as inputs,
        pytest.raises(UsageError, match=f"hybrid-localization: {message}"),
    ):
        HybridLocalization(inputs, options)
