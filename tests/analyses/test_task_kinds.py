"""The kind of task that messages and the ticket state: by a prefix, or by a model from its threshold on."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.inference.making import flip, make_text_classifier
from wardround import host
from wardround.analyses import task_kinds
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.inference.metadata import PromotionState, read_metadata
from wardround.reports import text
from wardround.review import review_once
from wardround.tools.tool import Profile

pytestmark = pytest.mark.usefixtures("without_slow_tools")

CI = ("--base", "HEAD~1", "--profile", "ci", "--config-from", "head")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_text_classifier(tmp_path_factory.mktemp("models") / "task_kind")


def committed(
    repo: GitRepository, message: str, models: Path | None = None, policy: str = ""
) -> GitRepository:
    settings = "" if models is None else f'model-folders = ["{models.parent}"]\n'
    files = {".wardround.toml": settings, "shop/tax.py": "RATE = 1\n"}
    if policy:
        files |= {".wardround.toml": f'{settings}policy = "policy.yml"\n', "policy.yml": policy}
    repo.commit(files, "Shop")
    repo.commit({"shop/tax.py": "RATE = 2\n"}, message)
    return repo


def kinds(report: dict[str, Any]) -> list[tuple[str, str, float | None]]:
    stated = report.get("task_kinds", [])
    return [(text["source"], text["kind"], text["probability"]) for text in stated]


def test_a_prefix_states_the_kind_without_a_model(repo: GitRepository) -> None:
    report = committed(repo, "fix(tax): use the rate of the country").report(*CI, "--no-models")

    assert kinds(report) == [("message", "bug", None)]


def test_a_message_without_a_prefix_has_no_kind_without_a_model(repo: GitRepository) -> None:
    assert kinds(committed(repo, "Do not crash without a country").report(*CI, "--no-models")) == []


def test_a_model_states_the_kind_of_a_message(repo: GitRepository, classifier: Path) -> None:
    done = committed(repo, "Do not crash without a country", classifier)
    report = done.report(*CI)

    ((source, kind, probability),) = kinds(report)
    assert (source, kind) == ("message", "bug")
    assert probability is not None
    assert 0.9 <= probability <= 1
    assert "kind of the message: bug (probability 0.99)" in done.wardround("review", *CI).stdout


def test_no_kind_is_stated_below_the_threshold(repo: GitRepository, classifier: Path) -> None:
    report = committed(repo, "Support a crash", classifier).report(*CI)

    assert kinds(report) == []


def test_a_ticket_has_its_own_kind(repo: GitRepository, classifier: Path, tmp_path: Path) -> None:
    ticket = tmp_path / "ticket.md"
    ticket.write_text("# Support two currencies\n\n- [ ] two currencies\n")

    report = committed(repo, "Do not crash without a country", classifier).report(
        *CI, "--ticket", str(ticket)
    )

    assert [(source, kind) for source, kind, _ in kinds(report)] == [
        ("message", "bug"),
        ("ticket", "feature"),
    ]


POLICY = """\
schema: wardround.policy/1
name: shop
version: 1
tiers: {T1: auto-merge, T2: auto-merge, T3: auto-merge, T4: auto-merge, T5: auto-merge}
rules:
  - id: bugs
    when: intent.kind == "bug" && intent.kinds == ["bug"] && intent.ticket_kind == ""
    at-least: escalate
    because: a correction is read by the owner
"""


@pytest.mark.parametrize(
    ("message", "verdict"), [("Do not crash without a country", "escalate"), ("Two rates", "auto-merge")]
)
def test_a_policy_reads_the_kind(repo: GitRepository, classifier: Path, message: str, verdict: str) -> None:
    report = committed(repo, message, classifier, POLICY).report(*CI)

    assert report["verdict"]["name"] == verdict


def test_a_record_names_the_model_with_its_digest(
    repo: GitRepository, classifier: Path, tmp_path: Path
) -> None:
    done = committed(repo, "Do not crash without a country", classifier)
    record = tmp_path / "record.json"
    assert done.wardround("review", *CI, "--record", str(record)).returncode in (0, 1)

    payload = json.loads(base64.b64decode(json.loads(record.read_text().partition("\n")[0])["payload"]))
    evidence = payload["predicate"]["evidence"]
    digest = read_metadata(classifier).model.sha256[:12]
    assert [text["kind"] for text in evidence["task_kinds"]["stated"]] == ["bug"]
    assert [tool["version"][:12] for tool in evidence["tools"] if tool["tool"] == "model task_kind"] == [
        digest
    ]
    assert done.wardround("replay", str(record)).returncode == 0


def test_a_model_that_is_not_installed_is_not_reported(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_kinds, "MODEL", "absent_model")
    monkeypatch.setattr(task_kinds.TaskKinds, "model_names", ("absent_model",))
    committed(repo, "Do not crash without a country")
    with Repository(repo.root) as repository:
        change = repository.range(repository.commit("HEAD~1"), repository.commit("HEAD"))
        request = ReviewRequest(profile=Profile.CI, config_from="head")
        done = review_once(GitChangeSource(repository, change), host.load(), request)
        assert "absent_model" not in text.render(done)


def test_a_damaged_model_is_one_sentence(repo: GitRepository, tmp_path: Path) -> None:
    model = make_text_classifier(tmp_path / "models" / "task_kind")
    flip(model / "model.onnx")

    lines = committed(repo, "Do not crash without a country", model).wardround("review", *CI).stdout

    assert lines.count("model task_kind cannot be used") == 1
    assert "Traceback" not in lines


def test_a_model_in_shadow_states_nothing(repo: GitRepository, tmp_path: Path) -> None:
    model = make_text_classifier(tmp_path / "models" / "task_kind", state=PromotionState.SHADOW)

    assert kinds(committed(repo, "Do not crash without a country", model).report(*CI)) == []
