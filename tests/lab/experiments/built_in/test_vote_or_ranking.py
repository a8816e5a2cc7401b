"""The experiment on selections: one list of candidates for all, right by hidden tests and behaviour."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from socket import socket

import pytest

from tests.conftest import GitRepository
from tests.lab.experiments.mined_shop import lab_inputs, mine_shop
from tests.planes.language_model.loopback import Behaviour, Received, answers, endpoint, respond
from tests.plugin_distributions import install
from wardround import plugin_discovery
from wardround.config.language_model import EndpointSettings
from wardround.errors import UsageError
from wardround_lab.experiments.built_in.vote_or_ranking import Options, VoteOrRanking
from wardround_lab.experiments.comparison.results import results_of
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.lab_inputs import LabInputs
from wardround_lab.experiments.running import IncompleteTrial, run_experiment
from wardround_lab.experiments.storage.model import EntryKind, SequenceQuery

PLUGIN = """
import json
import os
from pathlib import Path

from wardround.hookspecs import hookimpl

FIRST, SECOND = ("item.get('name', '')" + end for end in (".strip().lower()", ".lower()"))
EXPRESSIONS = json.dumps(["''", FIRST, SECOND, "''"])


@hookimpl
def wardround_authors():
    return {"acme": "acme_patches:author"}


@hookimpl
def wardround_selections():
    return {"last": "acme_patches:selection"}


class Stage:
    def __init__(self, run):
        self.run = run


async def author(inputs):
    from wardround.authoring.stages import Patch, PatchedFile

    async def run(localization, instance_id):
        with Path(__file__).with_suffix(".calls").open("a") as calls:
            print("call", file=calls)
        text, fault = inputs.read("shop.py"), 'item["name"].lower()'
        expressions = json.loads(os.environ.get("ACME_EXPRESSIONS", EXPRESSIONS))
        texts = [text.replace(fault, expression) for expression in expressions]
        return [Patch((PatchedFile("shop.py", new),), "acme") for new in texts], []

    return Stage(run)


async def selection(inputs):
    return Stage(lambda patches, instance_id: patches[-1])
"""
RANKING = json.dumps({"ranking": [{"number": number, "reason": "because"} for number in (1, 2, 3)]})


@pytest.fixture
def mined(repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MinedInstance]:
    """An instance with a wrong candidate, two that are right, and the first one again."""
    install(tmp_path / "site", "acme_patches", PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "acme_patches", raising=False)
    plugin_discovery.discover.cache_clear()
    yield mine_shop(repo)
    plugin_discovery.discover.cache_clear()


def run(inputs: LabInputs, options: Options) -> list[IncompleteTrial]:
    return asyncio.run(run_experiment(VoteOrRanking(inputs, options), inputs, 2))


def rewards_of(inputs: LabInputs) -> dict[str, Mapping[str, float]]:
    """Return the rewards of the only instance by selection."""
    found = results_of(inputs.storage, inputs.run.id)
    return {
        str(item.configuration["selection"]): rewards for item in found for rewards in item.rewards.values()
    }


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """Return an endpoint that answers each request in another way."""
    following = iter(behaviours)

    def answer(request: Received, connection: socket) -> None:
        next(following)(request, connection)

    return answer


def calls_of_the_author(folder: Path) -> int:
    return len((folder / "site/acme_patches.calls").read_text().splitlines())


def test_all_selections_get_the_same_candidates_and_a_run_continues_without_repeating_them(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path
) -> None:
    options = Options(("first", "vote", "last", "ranking"), "acme")
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    with endpoint(in_turn(respond(401), answers(RANKING, usage=usage))) as server:
        settings = EndpointSettings(url=server.url, model="m", input_price=10, timeout=5)
        with lab_inputs(repo, mined, tmp_path, {"ranker": settings}) as inputs:
            (failure,) = run(inputs, options)
            assert (failure.configuration, "status 401" in failure.reason) == (
                "selection ranking",
                True,
            )
            assert run(inputs, options) == []
            rewards = rewards_of(inputs)
            (pool,) = inputs.storage.find(
                SequenceQuery(run=inputs.run.id, configuration={"shared": "candidates"})
            )
            entries = inputs.storage.entries(pool.header.id)
    assert calls_of_the_author(tmp_path) == 1
    assert [entry.name for entry in entries if entry.kind is EntryKind.PATCH] == ["acme"] * 3
    assert pool.outcome == "shared"
    assert {name: found["accuracy"] for name, found in rewards.items() if name != "ranking"} == {
        "first": 0.0,
        "vote": 1.0,
        "last": 1.0,
    }
    for found in rewards.values():
        assert (found["candidates"], found["chance"], found["strict_chance"]) == (3.0, 2 / 3, 2 / 3)
        assert found["strict"] == found["strict_all"] == found["accuracy_all"] == found["accuracy"]
    assert rewards["first"]["cpu_s"] == 0.0 < rewards["vote"]["cpu_s"]
    assert "cpu_s" not in rewards["ranking"]
    assert rewards["ranking"]["wall_s"] > 0
    assert (rewards["ranking"]["requests"], rewards["ranking"]["money"]) == (1.0, 0.001)
    assert "requests" not in rewards["vote"]


def test_without_an_endpoint_the_ranking_is_left_out_and_stated(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path
) -> None:
    with lab_inputs(repo, mined, tmp_path) as inputs:
        experiment = VoteOrRanking(inputs)
    assert experiment.notes == ("ranking is left out: no endpoint has the role ranker",)
    assert [found.selection for found in experiment.configurations] == ["first", "vote", "score"]


def test_an_instance_without_a_candidate_has_no_accuracy(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_EXPRESSIONS", "[]")
    with lab_inputs(repo, mined, tmp_path) as inputs:
        assert run(inputs, Options(("first", "vote"), "acme")) == []
        assert rewards_of(inputs) == {"first": {"candidates": 0.0}, "vote": {"candidates": 0.0}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(()), "selections needs at least one value"),
        (Options(("nobody",)), "selections: 'nobody' is none of first, last, ranking, score, vote"),
        (Options(author="nobody"), "author: 'nobody' is none of acme, edits, endpoint"),
        (Options(("ranking",)), "no endpoint has the role ranker; configure it, or add a selection"),
    ],
)
def test_bad_options_are_one_sentence(
    repo: GitRepository, mined: MinedInstance, tmp_path: Path, options: Options, message: str
) -> None:
    with (
        lab_inputs(repo, mined, tmp_path) as inputs,
        pytest.raises(UsageError, match=f"vote-or-ranking: {message}"),
    ):
        VoteOrRanking(inputs, options)
