"""A review with a language model, from the configuration to the record and its replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.planes.language_model import loopback
from tests.planes.language_model.loopback import NOTHING, Endpoint, by_plane, claims, endpoint, respond

KEY = "k" * 30 + "7"
ENV = {"WARDROUND_TEST_KEY": KEY}
HEAD = 'x = 1\n\n\ndef limit(values):\n    """Return the first ten."""\n    return values[:11]\n'
CLAIM = {"line": 6, "quote": "values[:11]", "message": "Eleven values are returned."}


def configuration(server: Endpoint, **values: Any) -> str:
    settings = {"url": server.url, "model": "m", "api-key-env": "WARDROUND_TEST_KEY", "timeout": 10.0}
    lines = [f"{name} = {json.dumps(value)}" for name, value in (settings | values).items()]
    return "models = 'off'\n[language-model]\n" + "\n".join(lines) + "\n"


@pytest.fixture
def change(repo: GitRepository) -> GitRepository:
    """A repository with a change to ``app.py``, and no configuration."""
    repo.commit({"app.py": "x = 1\n"})
    return repo


def review(repo: GitRepository, server: Endpoint, *arguments: str | Path, **values: Any) -> dict[str, Any]:
    """Commit the configuration and the change, and review it in CI."""
    repo.commit({".wardround.toml": configuration(server, **values)})
    repo.commit({"app.py": HEAD}, "Return the first ten values")
    return repo.report("--profile", "ci", "--base", "HEAD~1", *arguments, env=ENV)


def findings(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in report["findings"] if one["rule"].startswith("language-model/")]


def test_a_claim_becomes_a_finding_and_makes_the_verdict_stricter(change: GitRepository) -> None:
    with endpoint(by_plane(NOTHING, intent=claims(CLAIM))) as server:
        report = review(change, server)
    (found,) = findings(report)
    assert (found["rule"], found["file"], found["line"], found["status"]) == (
        "language-model/intent", "app.py", 6, "new",
    )  # fmt: skip
    assert (found["severity"], found["confidence"], found["specialist"]) == ("warn", 0.5, "language-model")
    assert report["verdict"]["tier"] == "T3"
    assert {one.plane for one in server.received} >= {"intent", "semantic", "security", "contract"}


def test_the_recorded_exchange_replays_without_a_call(change: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "r.intoto.jsonl"
    with endpoint(by_plane(NOTHING, intent=claims(CLAIM))) as server:
        review(change, server, "--record", record)
        calls = len(server.received)
        done = change.wardround("replay", record, cwd=tmp_path)
        assert len(server.received) == calls
    assert (done.returncode, done.stderr) == (0, "")
    assert "human-review (T3) follows from the evidence" in done.stdout
    assert KEY not in record.read_text()


def test_an_endpoint_that_fails_leaves_the_review_as_it_is(change: GitRepository) -> None:
    with endpoint(respond(401, b"{}")) as server:
        failed = review(change, server)
    assert findings(failed) == []
    without = change.report("--profile", "ci", "--base", "HEAD~1", "--offline", env=ENV)
    assert failed["gate"] == without["gate"]
    assert failed["verdict"] == without["verdict"]


def test_a_failure_is_reported_to_people(change: GitRepository) -> None:
    with endpoint(respond(401, b"{}")) as server:
        review(change, server)
        done = change.wardround("review", "--profile", "ci", "--base", "HEAD~1", env=ENV)
    assert "the language model returned nothing usable for intent, " in done.stdout
    assert "status 401: the key is missing or wrong" in done.stdout


@pytest.mark.parametrize("option", ["--offline", "--no-models"])
def test_an_option_prevents_every_call(change: GitRepository, option: str) -> None:
    with endpoint(NOTHING) as server:
        review(change, server, option)
    assert server.received == []


def test_other_profiles_do_not_call(change: GitRepository) -> None:
    with endpoint(NOTHING) as server:
        change.commit({".wardround.toml": configuration(server)})
        change.stage({"app.py": HEAD})
        change.report("--staged", env=ENV)
    assert server.received == []


def test_a_change_that_configures_the_model_itself_needs_consent(change: GitRepository) -> None:
    with endpoint(NOTHING) as server:
        change.commit({".wardround.toml": configuration(server, profiles=["commit"])})
        change.stage({"app.py": HEAD})
        done = change.wardround("review", "--staged", env=ENV)
        assert server.received == []
        assert "set WARDROUND_LANGUAGE_MODEL=on to permit that" in done.stdout
        change.report("--staged", env=ENV | {"WARDROUND_LANGUAGE_MODEL": "on"})
    assert server.received != []


def test_the_configuration_of_an_untrusted_change_is_not_used(change: GitRepository) -> None:
    with endpoint(NOTHING) as server:
        change.commit({".wardround.toml": configuration(server), "app.py": HEAD})
        change.report("--profile", "ci", "--base", "HEAD~1", env=ENV)
    assert server.received == []


def test_no_key_means_no_call(change: GitRepository) -> None:
    with endpoint(NOTHING) as server:
        change.commit({".wardround.toml": configuration(server)})
        change.commit({"app.py": HEAD})
        done = change.wardround("review", "--profile", "ci", "--base", "HEAD~1")
    assert server.received == []
    assert "WARDROUND_TEST_KEY has no key" in done.stdout


def test_the_shown_prompt_is_the_request_byte_by_byte(change: GitRepository) -> None:
    with endpoint(NOTHING) as server:
        review(change, server)
        done = change.wardround(
            "review", "--profile", "ci", "--base", "HEAD~1", "--show-prompt", "intent", env=ENV
        )
        (sent,) = server.requests("intent")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.encode() == sent.body + b"\n"


def test_a_prompt_without_an_endpoint_is_a_usage_error(change: GitRepository) -> None:
    change.stage({"app.py": HEAD})
    done = change.wardround("review", "--show-prompt", "intent")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no language model is configured; set url in the table language-model" in done.stderr


def test_a_hanging_endpoint_ends_with_the_timeout(change: GitRepository) -> None:
    with endpoint(loopback.hang) as server:
        report = review(change, server, timeout=0.5)
    assert findings(report) == []
    assert len(server.received) == len({one.plane for one in server.received})


def test_planes_are_configured(change: GitRepository) -> None:
    with endpoint(NOTHING) as server:
        review(change, server, planes=["perf", "intent"])
    assert sorted(one.plane for one in server.received) == ["intent", "perf"]
