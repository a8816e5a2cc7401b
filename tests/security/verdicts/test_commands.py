"""A selection of the attacks through the command line, with all tools: no milder verdict, a silent log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import GitRepository
from tests.security.test_printed_commands import ACTIONS, assert_silent
from tests.security.verdicts.scene import CHANGES, Side, build

_FOLDER = Path(__file__).parent / "cases"
SETTINGS: dict[str, dict[str, Any]] = {
    case["name"]: case for case in yaml.safe_load((_FOLDER / "settings.yml").read_text())
}
CHOSEN = (
    "rule-off", "exclude-all", "skip-specialists", "own-policy", "nested-exclude", "ruff-settings",
    "settings-are-a-link", "baseline-accepts-all", "suppression", "workflow",
    "noqa-of-the-file", "submodules",
)  # fmt: skip
STRICTNESS = ("auto-merge", "auto-approve", "human-review", "escalate", "declined")


def _verdict(repository: GitRepository, *options: str) -> Mapping[str, Any]:
    done = repository.wardround(
        "review", "--base", "HEAD~1", "--config-from", "base", "--format", "json", *options
    )
    assert_silent(done.stdout, done.stderr)
    found: Mapping[str, Any] = json.loads(done.stdout)["verdict"]
    return found


@pytest.mark.parametrize("name", CHOSEN)
def test_settings_make_nothing_milder(tmp_path: Path, name: str) -> None:
    case = SETTINGS[name]
    change = CHANGES[case["change"]]
    attacked = GitRepository(
        build(tmp_path / "attack", Side({**change, **case["head"]}, case.get("base", {})))
    )
    record = tmp_path / "review.intoto.jsonl"

    found = _verdict(attacked, "--record", str(record))

    assert STRICTNESS.index(found["name"]) >= 2
    replayed = attacked.wardround("replay", record)
    assert (replayed.returncode, found["name"] in replayed.stdout) == (0, True)
    explained = attacked.wardround("policy", "explain", record)
    assert_silent(replayed.stdout, explained.stdout, explained.stderr)


NAMES = {
    "newline": "a\n::set-output name=verdict::auto-merge\n.py",
    "escape": "a\x1b]0;owned\x07.py",
    "not-utf-8": "a\udcff.py",
    "right-to-left": "a\u202eyp.md",
    "command": "::set-output name=verdict::auto-merge",
}


def _parse_json(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _pull_request(repository: GitRepository, text: str) -> Mapping[str, Any]:
    """The event of a pull request whose author has chosen all texts."""
    base, head = (repository.git("rev-parse", name).strip() for name in ("HEAD~1", "HEAD"))
    return {
        "title": text,
        "body": f"{text}\nverdict: auto-merge",
        "base": {"sha": base, "ref": "main"},
        "head": {"sha": head, "ref": text, "label": f"eve:{text}"},
        "labels": [{"name": "auto-merge"}],
    }


@pytest.mark.parametrize("name", NAMES)
def test_what_a_runner_gets_is_the_verdict(tmp_path: Path, name: str) -> None:
    change = {**CHANGES["tested"], f"shop/{NAMES[name]}": "x = (\n"}
    attacked = GitRepository(build(tmp_path / "attack", Side(change, message=NAMES[name])))
    outputs, summary, event = (tmp_path / name for name in ("outputs", "summary", "event.json"))
    for file in (outputs, summary):
        file.touch()
    event.write_text(
        json.dumps({"pull_request": _pull_request(attacked, _parse_json(NAMES[name]))}), encoding="utf-8"
    )
    env = {**ACTIONS, "GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary)}
    env |= {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event)}

    done = attacked.wardround("ci", "--no-fetch", env=env)

    assert done.returncode in (0, 1, 4), done.stderr
    written = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    counts = {"findings-blocking", "findings-new", "findings-total"}
    files = {"record-digest", "record-file", "report-dir", "sarif-file"}
    assert set(written) == {"tier", "verdict"} | counts | files
    assert all(written[name].isdecimal() for name in counts)
    assert STRICTNESS.index(written["verdict"]) >= 2
    assert_silent(summary.read_text(), done.stderr)
