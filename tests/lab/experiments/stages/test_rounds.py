"""An author in rounds gets the failing output of its own patch."""

from __future__ import annotations

from pathlib import Path

from tests.authoring.endpoint.author_runs import run_author
from tests.authoring.shop_project import GOOD, answer_with
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import answers


def test_the_second_round_gets_the_failure_of_the_first(repo: GitRepository, tmp_path: Path) -> None:
    broken = {**GOOD, "replace": '    return ""'}
    found = run_author(
        repo, tmp_path, "rounds", answers(answer_with(edits=[broken])), answers(answer_with(edits=[GOOD]))
    )
    first, second = (request.input for request in found.server.received)
    assert first["attempts"] == []
    (shown,) = second["attempts"]
    assert '+    return ""' in shown["patch"]
    assert "passes without the patch and fails with it" in shown["problems"][0]
    (patch,) = found.patches
    assert (patch.metadata["round"], [file.path for file in patch.files]) == (2, ["shop.py"])
