"""The experiment on fixes and tests: what a model writes is run, at the base and with the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.authoring.shop_project import GOOD, answer_with
from tests.conftest import GitRepository
from tests.lab.experiments.mined_shop import mine_shop, open_run
from tests.planes.language_model.loopback import answers, by_plane, endpoint, reset
from wardround.config.language_model import EndpointSettings
from wardround_lab.experiments.comparison.results import results_of
from wardround_lab.experiments.lab_file import LabFile
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.sql import open_sql_storage

NEW_TESTS = """\
from shop import label, total


def test_no_name_is_no_label():
    assert label({"price": 1}) == ""


def test_other_names_remain():
    assert label({"name": "Milk"}) == "milk"


def test_labels_are_wrong():
    assert label({}) == "none"


def test_of_something_else():
    assert undefined({}) == ""
"""
WRITTEN = {"file": "tests/test_labels.py", "find": "", "replace": NEW_TESTS}
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100}


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[SequenceStorage]:
    found = open_sql_storage(tmp_path / "lab.sqlite")
    yield found
    found.close()


def lab_file(url: str) -> LabFile:
    return LabFile({"mine": EndpointSettings(url=url, model="m")}, {"author": "mine"})


def test_both_authors_are_compared_by_what_their_fixes_and_tests_do(
    repo: GitRepository, storage: SequenceStorage
) -> None:
    instance = mine_shop(repo)
    bad = {**GOOD, "replace": '    return str(item.get("name", "none")).lower()'}
    behaviour = by_plane(
        reset,
        **{
            "fix-with-tests": answers(answer_with(edits=[GOOD], tests=[WRITTEN]), usage=USAGE),
            "author": answers(answer_with(edits=[bad]), usage=USAGE),
            "proposer": answers(json.dumps({"tests": [], "reason": "Unclear."}), usage=USAGE),
        },
    )
    with endpoint(behaviour) as server:
        run = open_run(repo, instance, storage, "fix-and-tests", lab_file(server.url))
        assert run.run_trials(2, lambda text: None) == []
        requests = {request.plane: request.input for request in server.received}

    assert sorted(requests) == ["author", "fix-with-tests", "proposer"]
    assert all(content["failing_tests"] == [] for content in requests.values())
    assert "test_label_without_a_name" not in json.dumps(list(requests.values()))
    independent, combined = results_of(storage, run.run.id)
    found, other = combined.rewards[instance.id], independent.rewards[instance.id]
    assert (found["solved"], found["fail_to_pass"], found["pass_to_pass"]) == (1.0, 1.0, 1.0)
    assert (other["solved"], other["fail_to_pass"], other["pass_to_pass"]) == (0.0, 0.0, 1.0)
    assert found["edit_similarity"] == 1.0 > other["edit_similarity"] > 0.5
    assert (found["has_valid_test"], found["valid_tests"], found["gold_coverage"]) == (1.0, 0.25, 1.0)
    assert (other["has_valid_test"], other.get("valid_tests"), other["gold_coverage"]) == (0.0, None, 0.0)
    assert (found["requests"], other["requests"], other["prompt_tokens"]) == (1.0, 2.0, 2000.0)


def test_without_an_endpoint_nothing_is_run_and_the_notes_state_it(
    repo: GitRepository, storage: SequenceStorage
) -> None:
    instance = mine_shop(repo)
    run = open_run(repo, instance, storage, "fix-and-tests", LabFile())
    assert run.run_trials(1, lambda text: None) == []
    assert run.run.notes == (
        "nothing is run: no endpoint has the role author; configure one, or give --exchange",
    )
