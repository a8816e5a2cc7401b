"""A record names the CI run that made it, from the environment of the CI system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wardround.delivery.run_origin import origin_of_run
from wardround.records.record import RecordedOrigin

REPOSITORY = "https://github.com/acme/shop"
GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "acme/shop",
    "GITHUB_RUN_ID": "77",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_ACTOR": "ada",
    "GITHUB_WORKFLOW_REF": "acme/shop/.github/workflows/ci.yml@refs/pull/12/merge",
    "GITHUB_WORKFLOW_SHA": "f" * 40,
    "GITHUB_EVENT_NAME": "pull_request",
}
JENKINS = {
    "JENKINS_URL": "https://ci.example/",
    "GIT_URL": "https://bot:" + "hunter2@git.example/acme/shop.git",
    "CHANGE_ID": "12",
    "CHANGE_TARGET": "main",
    "CHANGE_AUTHOR": "ada",
    "BUILD_URL": "https://ci.example/job/shop/3/",
    "JOB_URL": "https://ci.example/job/shop/",
}


@pytest.mark.parametrize(
    ("payload", "request_number"),
    [
        ({"pull_request": {"number": 12}}, "12"),
        ({"workflow_run": {"pull_requests": [{"number": 12}]}}, "12"),
        ({"workflow_run": {"pull_requests": [{"number": 12}, {"number": 13}]}}, ""),
        ({"before": "0" * 40}, ""),
        (None, ""),
    ],
)
def test_a_run_of_github(payload: Any, request_number: str, tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text("" if payload is None else json.dumps(payload))
    environ = GITHUB | {"GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    assert origin_of_run(environ) == RecordedOrigin(
        REPOSITORY,
        request_number,
        f"{REPOSITORY}/actions/runs/77/attempts/2",
        "ada",
        "acme/shop/.github/workflows/ci.yml@refs/pull/12/merge",
        "f" * 40,
    )


def test_a_run_of_jenkins_names_no_password() -> None:
    assert origin_of_run(JENKINS) == RecordedOrigin(
        "https://git.example/acme/shop.git", "12", "https://ci.example/job/shop/3/", "ada",
        "https://ci.example/job/shop/",
    )  # fmt: skip


def test_a_value_is_one_bounded_line() -> None:
    found = origin_of_run(GITHUB | {"GITHUB_ACTOR": "ada\n::set-output name=x::\x1b[2J" + "a" * 10_000})
    assert found is not None
    assert found.actor.isprintable()
    assert len(found.actor) <= 600


def test_outside_of_ci_systems_nothing_is_named() -> None:
    assert origin_of_run({"GITHUB_REPOSITORY": "acme/shop", "USER": "ada"}) is None
