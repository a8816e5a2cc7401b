"""An author in rounds gets the reasons against its own patch; ``solve`` has the same steps."""

from __future__ import annotations

from pathlib import Path

from tests.authoring.endpoint.author_runs import run_author
from tests.authoring.shop_project import answer_with
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import answers


def test_the_second_round_gets_the_reasons_against_the_first(repo: GitRepository, tmp_path: Path) -> None:
    hostile = {
        "file": "tests/test_shop.py",
        "find": 'assert label({"name": "Tea"}) == "tea"',
        "replace": "pass",
    }
    found = run_author(
        repo,
        tmp_path,
        "rounds",
        answers(answer_with(edits=[hostile])),
        answers(answer_with(reason="Unclear.")),
    )
    first, second, third = (request.input for request in found.server.received)
    assert first["attempts"] == []
    (shown,) = second["attempts"]
    assert "+    pass" in shown["patch"]
    assert shown["problems"] == ["the patch changes only files that judge it: tests/test_shop.py"]
    assert third["attempts"] == second["attempts"]
    assert (found.patches, len(found.messages)) == ([], 6)
