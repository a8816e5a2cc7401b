"""``wardround lab`` as a user meets it: run, compare, report and judge."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import SCRIPTS, GitRepository
from tests.lab.experiments import sized_patch
from tests.lab.experiments.shop_instances import NAME, instance_file
from tests.plugin_distributions import install
from wardround.cli.lab import command as lab_commands
from wardround.errors import UsageError
from wardround_lab.experiments.storage.model import SequenceQuery
from wardround_lab.experiments.storage.opening import open_storage

PLUGIN = """\
from wardround.hookspecs import hookimpl


@hookimpl
def wardround_experiments():
    return {"sized": "acme_sized:SizedPatch"}


"""


@pytest.fixture
def lab(repo: GitRepository, tmp_path: Path) -> Lab:
    """A folder with instances, a clone, and a plugin with an experiment."""
    source = Path(sized_patch.__file__).read_text().split("from __future__ import annotations\n")[1]
    install(tmp_path / "site", "acme_sized", f"from __future__ import annotations\n{PLUGIN}{source}")
    instance_file(repo, tmp_path / "instances.jsonl")
    return Lab(repo, tmp_path)


class Lab:
    def __init__(self, repo: GitRepository, folder: Path) -> None:
        self.repo = repo
        self.folder = folder
        self.storage = folder / "lab.sqlite"
        self.environ = {"PYTHONPATH": str(folder / "site"), "WARDROUND_LAB_STORAGE": str(self.storage)}
        self.options = ("--instances", folder / "instances.jsonl", "--clone", f"{NAME}={repo.root}")

    def __call__(
        self, *arguments: str | Path, status: int = 0, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        done = self.repo.wardround("lab", *arguments, env=self.environ, cwd=self.folder, stdin=stdin)
        assert done.returncode == status, done.stderr
        return done

    def run(self, *arguments: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
        return self("run", "sized", *self.options, *arguments, status=status)


def test_a_run_is_compared_read_and_judged(lab: Lab) -> None:
    done = lab.run()

    assert done.stdout.splitlines()[:4] == [
        "run sized-1: 2 instances",
        "note: nothing is measured",
        "size  instances              lines             length",
        "1             2  1.00 [1.00, 1.00]  12.0 [12.0, 12.0]",
    ]
    assert sorted(path.name for path in (lab.folder / "lab/sized-1").iterdir()) == [
        "length.svg", "lines.svg", "table.txt",
    ]  # fmt: skip
    assert lab.repo.git("status", "--short") == ""

    lab.run("--set", "sizes=3")
    compared = lab("compare", "sized-1:size=1", "sized-2", "--out", "pair").stdout
    assert compared.splitlines()[:2] == ["A: sized-1: size 1", "B: sized-2: size 3"]
    assert "-2.00 [-2.00, -2.00]" in compared
    assert (lab.folder / "pair/differences.svg").exists()

    lab("report", "sized-1")
    page = (lab.folder / "lab/sized-1/report.html").read_text()
    assert "An item without a name has an empty label" in page
    assert "+# a comment" in page

    judged = lab("judge", "sized-1", "--judge", "ada", stdin="x\n1\nq\n")
    assert judged.stdout.splitlines()[-1] == "1 of 2 pairs judged"
    assert "x is none of 1, 2, =, 0, s, q" in judged.stderr
    assert "size" not in judged.stdout
    assert (
        lab("judge", "sized-1", "--judge", "ada", stdin="s\n").stdout.splitlines()[-1]
        == "0 of 1 pairs judged"
    )
    assert (
        lab("judge", "sized-1", "--judge", "bob", stdin="=\n=\n").stdout.splitlines()[-1]
        == "2 of 2 pairs judged"
    )


def test_processes_share_a_run_by_shards(lab: Lab) -> None:
    half = lab.run("--shard", "1/2").stdout
    complete = lab.run("--shard", "2/2", "--resume", "sized-1").stdout

    assert [line.split()[1] for line in half.splitlines()[3:5]] == ["1", "1"]
    assert [line.split()[1] for line in complete.splitlines()[3:5]] == ["2", "2"]
    assert "'3/2' is not K/N with K from 1 to N" in lab.run("--shard", "3/2", status=2).stderr


def test_a_killed_run_continues_where_it_ended(lab: Lab) -> None:
    command = [
        SCRIPTS / "wardround",
        "lab",
        "run",
        "sized",
        *lab.options,
        "--set",
        "seconds=0.4",
        "--workers",
        "1",
    ]
    process = subprocess.Popen(
        command, cwd=lab.folder, env=os.environ | lab.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    _wait_for_trials(lab, 2)
    process.kill()
    process.communicate()

    done = lab.run("--set", "seconds=0.4", "--resume", "sized-1")

    assert done.stdout.splitlines()[3].split()[:2] == ["1", "2"]
    assert done.stdout.splitlines()[4].split()[:2] == ["2", "2"]


def test_an_interrupted_run_names_the_command_that_continues_it(lab: Lab) -> None:
    command = [
        SCRIPTS / "wardround",
        "lab",
        "run",
        "sized",
        *lab.options,
        "--set",
        "seconds=0.4",
        "--workers",
        "2",
    ]
    process = subprocess.Popen(
        command,
        cwd=lab.folder,
        env=os.environ | lab.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    _wait_for_trials(lab, 1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()

    assert process.returncode == 130
    assert errors.splitlines()[-1] == (
        "wardround: interrupted; the same command with --resume sized-1 continues the run"
    )
    assert lab.run("--set", "seconds=0.4", "--resume", "sized-1").returncode == 0


def _wait_for_trials(lab: Lab, number: int) -> None:
    """Wait until some trials are stored."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if lab.storage.exists():
            with closing(open_storage(str(lab.storage), {})) as storage:
                if len(list(storage.find(SequenceQuery(is_complete=True)))) >= number:
                    return
        time.sleep(0.1)
    raise AssertionError("no trial was completed")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nothing"), "experiment 'nothing' does not exist; choose from"),
        (("run", "sized", "--set", "sizes=a"), "an option of the experiment is not valid: Expected `int`"),
        (
            ("run", "sized", "--set", "colour=1"),
            "colour: the experiment has no such option; choose from sizes, seconds",
        ),
        (("run", "sized", "--set", "sizes"), "--set sizes: write NAME=VALUE"),
        (("run", "sized", "--resume", "sized-9"), "run 'sized-9' does not exist; the newest runs are: none"),
        (
            ("run", "sized", "--config", "missing.toml"),
            "missing.toml: No such file or directory; name a TOML file",
        ),
    ],
)
def test_bad_input_of_a_run_is_one_sentence(lab: Lab, arguments: tuple[str, ...], message: str) -> None:
    done = lab(*arguments, *lab.options, status=2)

    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [("run", "sized"), ("compare", "a", "b"), ("report", "a")])
def test_a_missing_extra_is_named_before_a_trial_runs(
    lab: Lab, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "scipy" else find(name))
    options = lab.options if command[0] == "run" else ()

    with pytest.raises(UsageError, match=r"this needs scipy; pip install 'wardround\[lab\]'"):
        lab_commands.main(args=[*command, *map(str, options)], standalone_mode=False)
    assert not lab.storage.exists()


def test_a_run_that_is_resumed_with_other_settings_is_refused(lab: Lab) -> None:
    lab.run("--set", "sizes=1", "--limit", "1")

    assert (
        "run sized-1 has other instances; give the same"
        in lab.run("--set", "sizes=1", "--resume", "sized-1", status=2).stderr
    )
    assert "run sized-1 has other options" in lab.run("--limit", "1", "--resume", "sized-1", status=2).stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}\n", "instances.jsonl:1: this is not an instance (Object missing required field `id`)"),
        ("", "has no instance"),
        ("no json\n", "instances.jsonl:1: this is not an instance"),
    ],
)
def test_a_file_without_instances_is_refused(lab: Lab, content: str, message: str) -> None:
    (lab.folder / "instances.jsonl").write_text(content)

    assert message in lab.run(status=2).stderr


def test_instances_without_their_clone_are_refused(lab: Lab) -> None:
    lab.options = (*lab.options[:3], f"other={lab.repo.root}")

    assert "no clone was given of acme/shop; add one with --clone NAME=PATH" in lab.run(status=2).stderr


def test_a_clone_without_the_commits_is_refused(lab: Lab, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "empty"], check=True)
    lab.options = (*lab.options[:3], f"{NAME}={tmp_path / 'empty'}")

    done = lab.run(status=4)

    assert f"{tmp_path}/empty lacks commit" in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "wardround: 4 trials did not complete; the same command with --resume sized-1 runs them again"
    )


def test_a_configuration_has_to_be_named(lab: Lab) -> None:
    lab.run()
    for selector, message in {
        "sized-1": "denotes several configurations; add NAME=VALUE after a colon; there are: size 1; size 2",
        "sized-1:size=7": "sized-1:size=7 denotes no configuration",
        "sized-1:size": "sized-1:size: write RUN:NAME=VALUE,NAME=VALUE",
        "sized-7": "run 'sized-7' does not exist; the newest runs are: sized-1",
    }.items():
        assert message in lab("compare", selector, "sized-1:size=1", status=2).stderr
