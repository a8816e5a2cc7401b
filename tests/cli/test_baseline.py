"""A baseline is written with the installed tools, and states what it does not cover."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from wardround_docker_ci.specialist import DockerCiSpecialist
from wardround_docker_ci.tools import TOOLS

from tests.variants import variant
from wardround import host
from wardround.cli import baseline
from wardround.host import PluginHost

if TYPE_CHECKING:
    from tests.conftest import GitRepository

NAME = ".wardround-baseline.json"


def test_missing_tools_are_named_and_their_entries_stay(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    known = {"content": "c", "file": "Dockerfile", "fingerprint": "0" * 16, "rule": "hadolint/DL3059"}
    removed = known | {"file": "absent", "fingerprint": "1" * 16}
    accepted = {"schema": "wardround.baseline/1", "findings": [known, removed]}
    repo.stage({"Dockerfile": "FROM alpine\n", NAME: json.dumps(accepted)})
    absent = tuple(variant(tool, find=lambda root: None) for tool in TOOLS)
    monkeypatch.setattr(host, "load", lambda: PluginHost([variant(DockerCiSpecialist(), tools=absent)]))
    for command in (baseline.prune, baseline.write):
        command.callback(repo=repo.root)  # type: ignore[misc]
        missing = "wardround: not covered: what hadolint would find in 1 file: hadolint is not installed"
        assert missing in capfd.readouterr().err
        names = [entry["fingerprint"] for entry in json.loads(repo.read(NAME))["findings"]]
        assert ("0" * 16 in names, "1" * 16 in names) == (command is baseline.prune, False)
