"""No attempt to leave the sandbox succeeds."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.security.sandbox.escapes import ESCAPES, Escape
from tests.security.sandbox.host import WORKING, Host, open_host
from wardround.sandbox.model import State


def _state_of(host: Host) -> tuple[object, ...]:
    hooks = host.repo.root / ".git" / "hooks"
    return (
        host.repo.fingerprint(),
        (host.repo.root / ".git" / "config").read_bytes(),
        sorted(os.listdir(hooks)) if hooks.exists() else None,
        len(host.received),
    )


@pytest.fixture(scope="module", params=WORKING)
def host(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("host"), request.param) as item:
        yield item


@pytest.mark.parametrize("escape", ESCAPES, ids=lambda one: one.name)
def test_an_attempt_fails(host: Host, escape: Escape) -> None:
    before = _state_of(host)

    outcome = host.attempt(escape)

    assert outcome.state is State.FINISHED, outcome
    assert outcome.backend == host.isolation
    assert "TRIED" in outcome.stdout, outcome
    assert "ESCAPED" not in outcome.stdout, outcome.stdout
    assert _state_of(host) == before


@pytest.mark.parametrize("escape", [one for one in ESCAPES if one.open_without], ids=lambda one: one.name)
def test_the_same_program_succeeds_without_isolation(
    tmp_path_factory: pytest.TempPathFactory, escape: Escape
) -> None:
    with open_host(tmp_path_factory.mktemp("open"), "none") as host:
        outcome = host.attempt(escape)

    assert outcome.backend == "none"
    assert "ESCAPED" in outcome.stdout, outcome


def test_there_are_at_least_sixty_attempts() -> None:
    assert len({escape.name for escape in ESCAPES}) == len(ESCAPES) >= 60
