"""A git hook configuration is not a workflow: zizmor is run only on files that it supports."""

from __future__ import annotations

import pytest
from wardround_docker_ci.tools import TOOLS
from wardround_docker_ci.tools.zizmor import ZIZMOR

from tests.plugins.docker_ci.conftest import Reviewed, places
from tests.variants import variant
from wardround.policy.gate import GateOutcome

CONFIG = ".pre-commit-config.yaml"
_SET_UP = "repos:\n  - repo: {repo}\n    rev: v1\n    hooks:\n      - id: wardround\n"
_IN_ORDER = (
    "https://example.org/wardround",
    "../wardround",
    "/srv/wardround",
    "git@example.org:ours/wardround.git",
)


@pytest.mark.parametrize("address", _IN_ORDER)
def test_hooks_are_set_up_without_zizmor(reviewed: Reviewed, address: str) -> None:
    absent = [variant(tool, find=lambda root: None) for tool in TOOLS]

    done = reviewed({CONFIG: _SET_UP.format(repo=address)}, *absent)

    assert done.unreviewed == ()
    assert done.gate.outcome is GateOutcome.PASS


@pytest.mark.parametrize("address", _IN_ORDER)
def test_hooks_are_set_up_with_zizmor_which_fails_over_some_repositories(
    reviewed: Reviewed, address: str
) -> None:
    done = reviewed({CONFIG: _SET_UP.format(repo=address)}, *TOOLS)

    assert done.unreviewed == ()
    assert done.gate.outcome is GateOutcome.PASS


@pytest.mark.parametrize("address", ["http://example.org/hooks", "git://example.org/hooks"])
def test_hooks_that_come_in_the_clear_are_reported(reviewed: Reviewed, address: str) -> None:
    done = reviewed({CONFIG: _SET_UP.format(repo=address)}, ZIZMOR)

    assert done.unreviewed == ()
    assert places(done) == [("zizmor/insecure-url-scheme", 2, 11)]
