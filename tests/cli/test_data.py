"""``wardround data`` as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import GitRepository

_WARDROUND = [sys.executable, "-m", "wardround"]
_PLUGIN = """\
import os, time
from pathlib import Path
from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

class Acme(Specialist):
    name = "acme"
    patterns = ("*.acme",)

@hookimpl
def wardround_specialists():
    return [Acme()]

@hookimpl
def wardround_tasks():
    from wardround.training_tasks import Task
    return [Task("acme-lines", "acme", "which line", mine, features, ("length",), "doc-drift")]

def features(query, candidates):
    return [[len(text)] for text in candidates]

def mine(history):
    from wardround.training_tasks import Choice
    log = Path(os.environ["ACME_LOG"])
    with log.open("a") as file:
        file.write(history.repository + "\\n")
    for commit in history.commits(["*.py"]):
        yield Choice(history.repository, commit.time, "a.py@" + commit.id, commit.subject,
                     ("the right words of " + commit.subject, "other words entirely"), (0,))
        if history.repository == os.environ.get("ACME_STUCK"):
            log.with_suffix(".stuck").touch()
            time.sleep(120)
"""


def _install(folder: Path, source: str = _PLUGIN) -> dict[str, str]:
    """Install a plugin into a separate folder, and return the environment in which it is found."""
    info = folder / "acme_lines-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "acme_lines.py").write_text(source, encoding="utf-8")
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme-lines\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text("[wardround]\nacme-lines = acme_lines\n", encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder), "ACME_LOG": str(folder / "log")}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return _install(tmp_path / "site")


@pytest.fixture
def clones(repo: GitRepository, tmp_path: Path) -> list[str]:
    """Three clones of one repository with two commits, as owner/name=PATH."""
    repo.commit({"a.py": "first = 1\n", "LICENSE": "GNU GENERAL PUBLIC LICENSE\n"}, "First words")
    repo.commit({"a.py": "first = 2\n"}, "Second words")
    for name in ("one", "two", "three"):
        repo.git("clone", "--quiet", "--bare", repo.root, tmp_path / f"{name}.git")
    return [f"acme/{name}={tmp_path / name}.git" for name in ("one", "two", "three")]


def _run(
    tmp_path: Path, *arguments: str | Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*_WARDROUND, "data", *map(str, arguments)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120, env=env,
    )  # fmt: skip


def test_a_task_of_a_plugin_is_mined(tmp_path: Path, clones: list[str], env: dict[str, str]) -> None:
    done = _run(tmp_path, "mine", *clones[:2], "--task", "acme-lines", "--out", "out", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "acme-lines: 2 items of 2 repositories",
        "  acme/one: 2 items of 2 commits, licence GPL",
        "  acme/two: 2 items of 2 commits, licence GPL",
    ]
    record = json.loads((tmp_path / "out" / "acme-lines.jsonl.record.json").read_text("utf-8"))
    assert (record["items"], record["duplicates"]) == (2, 2)


def test_doc_drift_is_for_the_tasks_about_it(tmp_path: Path, clones: list[str], env: dict[str, str]) -> None:
    done = _run(tmp_path, "mine", clones[0], "--kind", "doc-drift", "--limit", "1", "--out", "out", env=env)
    assert done.returncode == 0, done.stderr
    assert "acme-lines: 1 items of 1 repositories" in done.stdout


def test_an_interrupted_run_goes_on_behind_the_last_finished_repository(
    tmp_path: Path, clones: list[str], env: dict[str, str]
) -> None:
    command = [*_WARDROUND, "data", "mine", *clones, "--task", "acme-lines", "--out", "out"]
    running = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**env, "ACME_STUCK": "acme/two"},
    )  # fmt: skip
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and not (tmp_path / "site" / "log.stuck").exists():
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err == "wardround: interrupted; the same command goes on behind the last finished repository\n"
    parts = sorted(file.name for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert parts == ["acme+one.jsonl", "acme+one.jsonl.record.json"]
    assert _run(tmp_path, *command[4:], env=env).returncode == 0
    log = (tmp_path / "site" / "log").read_text("utf-8").split()
    assert log == ["acme/one", "acme/two", "acme/two", "acme/three"]
    again = _run(tmp_path, *command[4:-1], "fresh", env=env)
    assert again.returncode == 0, again.stderr
    retained, fresh = (tmp_path / name / "acme-lines.jsonl" for name in ("out", "fresh"))
    assert retained.read_bytes() == fresh.read_bytes()


def test_an_audit_fails_with_one_sentence_for_each_reason(
    tmp_path: Path, clones: list[str], env: dict[str, str]
) -> None:
    _run(tmp_path, "mine", clones[0], "--task", "acme-lines", "--out", "out", env=env)
    done = _run(tmp_path, "audit", "out/acme-lines.jsonl", env=env)
    assert done.returncode == 1
    assert "acme-lines.jsonl: FAILED" in done.stdout
    assert [line.split(":")[1] for line in done.stderr.splitlines()] == [" licence", " split"]
    assert json.loads((tmp_path / "out" / "acme-lines.jsonl.audit.json").read_bytes())["passed"] is False
    allowed = ("--allow-licence", "GPL", "--limit", "split=1")
    assert _run(tmp_path, "audit", "out/acme-lines.jsonl", *allowed, env=env).returncode == 0


def test_files_for_tuning_are_built_and_pass_the_audit(tmp_path: Path) -> None:
    words = [
        "basket",
        "invoice",
        "customer",
        "store",
        "voucher",
        "refund",
        "ledger",
        "queue",
        "stock",
        "mail",
    ]
    rows = [
        {"instruction": f"What is part {n} of the {words[n % 10]}?", "output": f"The {words[n // 10]} {n}.",
         "repository": f"acme/{words[n % 4]}", "time": 1000 + n, "licence": "MIT"}
        for n in range(80)
    ]  # fmt: skip
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = _run(tmp_path, "build-sft", "r.jsonl", "--out", "sft", "--eval-share", "0.25")
    assert done.returncode == 0, done.stderr
    assert "records to train on" in done.stdout
    done = _run(tmp_path, "audit", "sft/train.jsonl", "--eval", "sft/eval.jsonl")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("mine", "absent", "--kind", "clean", "--out", "o"), "absent is not a folder"),
        (("mine", "here", "--kind", "clean", "--out", "o"), "is not in a git repository"),
        (("mine", "here", "--out", "o"), "nothing to mine; give --task NAME, --kind KIND or --instances"),
        (
            ("mine", "here", "--task", "nothing", "--out", "o"),
            "--task nothing: unknown task; choose from ",
        ),
        (
            ("mine", "here", "--kind", "clean", "--out", "o", "--since", "soon"),
            "--since soon: write a day as",
        ),
        (("mine", "here", "--kind", "clean", "--out", "file"), "file/parts/clean: Not a directory"),
        (("mine", "here", "--kind", "clean", "--out", "o", "--kept", "no"), "no: no such list"),
        (("mine", "=here", "--kind", "clean", "--out", "o"), "=here: write owner/name=PATH"),
        (("scan", "here"), "is not in a git repository"),
        (("audit", "absent.jsonl"), "absent.jsonl: No such file or directory; give a file of JSON lines"),
        (("audit", "file"), "file:1: JSON is malformed"),
        (("audit", "file", "--since", "yesterday"), "--since yesterday: write a day as YYYY-MM-DD"),
        (("audit", "file", "--eval", "file"), "the same file is given twice"),
        (("audit", "file", "--limit", "secrets"), "--limit secrets: write NAME=VALUE"),
        (("audit", "file", "--limit", "secrets=much"), "--limit secrets=much: give a share between 0 and 1"),
        (("audit", "file", "--limit", "secrecy=1"), "--limit secrecy: unknown check"),
        (("build-sft", "file", "--out", "o"), "file:1: JSON is malformed"),
        (
            ("build-sft", "file", "--out", "o", "--eval-share", "1"),
            "--eval-share 1: give a share between 0 and 1",
        ),
        (("dig",), "No such command 'dig'"),
    ],
)
def test_mistakes_are_one_sentence_and_status_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...], says: str,
) -> None:  # fmt: skip
    from wardround.cli.commands import invoke

    (tmp_path / "here").mkdir()
    (tmp_path / "file").write_text("no records\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert invoke(["data", *arguments]) == 2
    out, err = capfd.readouterr()
    assert says in err
    assert "Traceback" not in err
    assert out == ""
    assert not list(tmp_path.glob("*.audit.json"))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (_PLUGIN.replace("return [Task(", "return [dict, Task("), "is not a wardround.training_tasks.Task"),
        (
            _PLUGIN.replace('"acme-lines", "acme"', '"test-body", "acme"'),
            "has a task named 'test-body' already",
        ),
        (_PLUGIN.replace("def wardround_tasks():", "def wardround_tasks():\n    1 / 0"), "ZeroDivisionError"),
    ],
)
def test_a_plugin_whose_tasks_break_the_contract_stops_the_run(
    tmp_path: Path, clones: list[str], source: str, says: str
) -> None:
    env = _install(tmp_path / "broken", source)
    done = _run(tmp_path, "mine", clones[0], "--task", "acme-lines", "--out", "o", env=env)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_starting_up_imports_no_data_command() -> None:
    code = "import sys, wardround.cli.data; print([m for m in sys.modules if 'corpora' in m or 'data_' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
