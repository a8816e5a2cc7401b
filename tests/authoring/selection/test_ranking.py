"""The ranking of a model: numbered diffs without their origin, and unusable answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.authoring.selection.label_project import (
    CASEFOLD,
    FILES,
    GUARDED,
    LOWER,
    Selected,
    replacement,
    selected,
)
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import (
    Behaviour,
    Received,
    answers,
    completion,
    endpoint,
    reset,
    respond,
)
from wardround.authoring.endpoint.roles import ExchangeFailed
from wardround.authoring.stages import Patch
from wardround.config.language_model import EndpointSettings
from wardround.errors import UsageError

PATCHES = (replacement(CASEFOLD), replacement(LOWER), replacement(GUARDED))


@pytest.fixture(autouse=True)
def _project(repo: GitRepository) -> None:
    repo.commit(FILES)


def ranked(
    repo: GitRepository, folder: Path, behaviour: Behaviour, patches: Sequence[Patch] = PATCHES
) -> tuple[Selected, list[dict[str, Any]]]:
    """Return the selection, and the inputs of the requests."""
    with endpoint(behaviour) as server:
        settings = EndpointSettings(url=server.url, model="test-model", timeout=5.0)
        found = selected(
            repo,
            folder,
            "ranking",
            patches,
            failing=(),
            isolation="none",
            endpoints={"ranker": settings},
        )
        requests = list(server.received)
    return found, [json.loads(request.document["messages"][1]["content"]) for request in requests]


def answer_with(numbers: Iterable[int]) -> str:
    return json.dumps({"ranking": [{"number": number, "reason": f"patch {number}"} for number in numbers]})


def best_with(text: str) -> Behaviour:
    """Return an endpoint that ranks the patch with a text first."""

    def answer(request: Received, connection: Any) -> None:
        patches = json.loads(request.document["messages"][1]["content"])["patches"]
        order = sorted(patches, key=lambda patch: text not in patch["patch"])
        content = answer_with(patch["number"] for patch in order)
        respond(200, completion(f"I compared them.\n{content}"))(request, connection)

    return answer


@pytest.mark.parametrize("index", range(3))
def test_the_first_of_the_ranking_is_selected(repo: GitRepository, tmp_path: Path, index: int) -> None:
    texts = ("casefold", '+    return item.get("name", "").lower()', 'if "name" in item')
    found, (content,) = ranked(repo, tmp_path, best_with(texts[index]))
    assert found.index == index
    assert re.fullmatch(r"ranking: patch \d", found.reasons[0])
    assert (found.steps, content["task"]) == (("ranker",), "Labels of items without a name")
    assert 'return item["name"].lower()' in content["context"]
    assert [patch["number"] for patch in content["patches"]] == [1, 2, 3]
    assert "hidden" not in json.dumps(content)


def test_the_order_of_the_patches_depends_on_the_instance_alone(repo: GitRepository, tmp_path: Path) -> None:
    behaviour = answers(answer_with((1, 2, 3)))
    found, (content,) = ranked(repo, tmp_path, behaviour)
    other, (again,) = ranked(repo, tmp_path, behaviour, PATCHES[::-1])
    assert content["patches"] == again["patches"]
    assert found.index == 2 - other.index


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("The second one.", "it has no JSON document with ranking"),
        (answer_with((1, 2)), "its ranking does not have each number from 1 to 3 once"),
        (answer_with((1, 2, 2)), "its ranking does not have each number from 1 to 3 once"),
        (answer_with((0, 1, 2)), "its ranking does not have each number from 1 to 3 once"),
        ('{"ranking": []}', "its ranking does not have each number from 1 to 3 once"),
        ('{"ranking": ["1"]}', "its JSON document does not have the required form"),
    ],
)
def test_an_unusable_answer_is_returned_once_and_then_the_first_patch_is_selected(
    repo: GitRepository, tmp_path: Path, answer: str, problem: str
) -> None:
    found, requests = ranked(repo, tmp_path, answers(answer))
    assert (found.index, len(requests), found.steps) == (0, 2, ("ranker", "ranker"))
    assert found.reasons[0].startswith(f"ranking: the first patch, as the answer cannot be used: {problem}")


def test_an_endpoint_that_does_not_answer_ends_the_selection_and_records_nothing(
    repo: GitRepository, tmp_path: Path
) -> None:
    with pytest.raises(ExchangeFailed, match=r"ranker: .* cannot be reached"):
        ranked(repo, tmp_path, reset)
    (file,) = (tmp_path / "sequences").iterdir()
    assert len(file.read_text().splitlines()) == 1


def test_a_ranking_needs_an_endpoint(repo: GitRepository, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no endpoint has the role ranker"):
        selected(repo, tmp_path, "ranking", PATCHES)
