"""The experiment on selections: one list of candidates for all of them, right by hidden tests and behaviour."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from tests.authoring.shop_project import TESTS
from tests.conftest import GitRepository
from tests.lab.experiments.mined_shop import FIXED, lab_inputs, mine_shop
from tests.planes.language_model.loopback import answers, endpoint
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
from pathlib import Path

from wardround.hookspecs import hookimpl


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
            calls.write("call\\\\n")
        text, fault = inputs.read("shop.py"), 'item["name"].lower()'
        expressions = ['""', 'item.get("name", "").strip().lower()', 'item.get("name", "").lower()']
        texts = [text.replace(fault, expression) for expression in (*expressions, expressions[0])]
        return [Patch((PatchedFile("shop.py", new),), "acme") for new in texts], []

    return Stage(run)


async def selection(inputs):
    return Stage(lambda patches, instance_id: patches[-1])
"""
PADDED = '\n\ndef test_label_with_a_space():\n    assert len(label({"name": "Tea "})) > 2\n'
OPTIONS = Options(("first", "vote", "score", "last", "ranking"), "acme")


@pytest.fixture
def mined(repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MinedInstance]:
    """An instance of which the first candidate is wrong, the second behaves otherwise, and the last is right."""
    install(tmp_path / "site", "acme_patches", PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    plugin_discovery.load_plugins.cache_clear() if hasattr(plugin_discovery, "load_plugins") else None
    yield mine_shop(repo)
