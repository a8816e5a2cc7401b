"""``wardround init`` shows what sets up a repository, and writes all of it or nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.delivery.test_gitlab_pipeline import jobs
from wardround import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import GitRepository

SOURCE = ("--source", "https://github.com/acme/wardround")
WRITTEN = [".github/workflows/wardround.yml", ".pre-commit-config.yaml", ".wardround.toml"]


def init(repo: GitRepository, *arguments: str) -> str:
    done = repo.wardround("init", *SOURCE, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def on_github(repo: GitRepository) -> GitRepository:
    repo.git("remote", "add", "origin", "git@github.com:acme/app.git")
    return repo


def test_the_changes_are_shown_and_nothing_is_written(repo: GitRepository) -> None:
    on_github(repo).stage({"app.py": "x = 1\n"})
    before = repo.fingerprint()

    shown = init(repo)

    assert repo.fingerprint() == before
    assert [line[6:] for line in shown.splitlines() if line.startswith("+++ b/")] == [
        ".pre-commit-config.yaml", ".github/workflows/wardround.yml", ".wardround.toml"
    ]  # fmt: skip
    assert f"+    rev: v{__version__}\n" in shown
    assert shown.endswith("nothing was written; wardround init --apply writes these files\n")


def test_applied_it_has_nothing_to_do_the_second_time(repo: GitRepository) -> None:
    on_github(repo)
    first = init(repo, "--apply")
    assert f"next: git add {WRITTEN[1]} {WRITTEN[0]} {WRITTEN[2]} and commit\n" in first
    assert sorted(repo.git("ls-files", "-o").split()) == WRITTEN
    assert f"uses: acme/wardround@v{__version__}" in repo.read(WRITTEN[0]).decode()

    state = repo.fingerprint()
    assert init(repo, "--apply").endswith("nothing to do\n")
    assert repo.fingerprint() == state


def test_a_configuration_of_pre_commit_keeps_every_byte(repo: GitRepository) -> None:
    before = (
        "# ours\nrepos:\n  - repo: local  # here\n    hooks: [{id: a, name: a, entry: a, language: system}]\n"
    )
    repo.write(".pre-commit-config.yaml", before)
    init(repo, "--apply")
    after = repo.read(".pre-commit-config.yaml").decode()
    assert after.startswith(before)
    assert yaml.safe_load(after)["repos"][1]["hooks"] == [{"id": "wardround"}, {"id": "wardround-push"}]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".pre-commit-config.yaml", "repos: []\n"),
        (".pre-commit-config.yaml", "- repo: old\n"),
        ("prek.toml", "[[repos]]\n"),
        ("lefthook.yml", "pre-commit: {commands: {a: {run: a}}}\n"),
        (".husky/pre-commit", "npx lint-staged\n"),
        ("Jenkinsfile", "pipeline { }\n"),
        (".gitlab-ci.yml", "stages: [!reference [a]]\n"),
        (".gitlab-ci.yml", "a: &a {script: a}\n- b\n"),
    ],
)
def test_what_is_not_understood_is_left_to_a_person(repo: GitRepository, path: str, text: str) -> None:
    repo.write(path, text)
    shown = init(repo, "--apply")
    assert repo.read(path) == text.encode()
    assert f"{path}: not changed: " in shown
    assert "by hand" in shown


def test_lefthook_gets_the_command_of_each_stage(repo: GitRepository) -> None:
    repo.write(
        "lefthook.yml", "pre-commit:\n  parallel: true\n  commands:\n    a:\n      run: a\n  skip: merge\n"
    )
    init(repo, "--apply")
    value = yaml.safe_load(repo.read("lefthook.yml"))
    assert value["pre-commit"]["commands"] == {"a": {"run": "a"}, "wardround": {"run": "wardround hook"}}
    assert value["pre-commit"]["skip"] == "merge"
    assert value["pre-push"]["commands"]["wardround"]["use_stdin"] is True
    assert init(repo).endswith("nothing to do\n")


def test_jobs_of_lefthook_get_another_job(repo: GitRepository) -> None:
    repo.write("lefthook.yml", "pre-commit:\n  jobs:\n    - run: a\n")
    init(repo, "--apply")
    jobs = yaml.safe_load(repo.read("lefthook.yml"))["pre-commit"]["jobs"]
    assert jobs == [{"run": "a"}, {"name": "wardround", "run": "wardround hook"}]


def test_gitlab_gets_a_job_in_a_stage_that_exists(repo: GitRepository) -> None:
    before = "stages: [check, ship]\na:\n  stage: check\n  script: [!reference [.b, script]]\n"
    repo.write(".gitlab-ci.yml", before)
    init(repo, "--apply")
    after = repo.read(".gitlab-ci.yml").decode()
    assert after.startswith(before)
    assert "\nwardround:\n  stage: check\n" in after


def test_the_job_of_gitlab_is_that_of_our_pipeline(repo: GitRepository) -> None:
    repo.write(".gitlab-ci.yml", "")
    init(repo, "--apply")
    job = yaml.safe_load(repo.read(".gitlab-ci.yml"))["wardround"]
    _, ours = jobs({})
    parent, expected = ours[".wardround"], ours["wardround"]
    own = {"WARDROUND_PROJECT", "WARDROUND_COMMIT"}
    variables = {**parent["variables"], **expected["variables"]}
    same = ("rules", "dependencies", "script", "artifacts")
    assert {name: job[name] for name in same} == {name: expected[name] for name in same}
    assert job["image"] == parent["image"]
    assert job["variables"] == {name: value for name, value in variables.items() if name not in own} | {
        "WARDROUND_COMMIT": f"v{__version__}"
    }


def test_the_job_of_gitlab_installs_the_commit_of_a_repository(repo: GitRepository, tmp_path: Path) -> None:
    (tmp_path / "wardround").mkdir()
    source = type(repo)(tmp_path / "wardround")
    source.git("init", "-q")
    source.commit({".ci/install.py": "print('installed')\n"})
    head = source.git("rev-parse", "HEAD").strip()
    repo.write(".gitlab-ci.yml", "")
    init(repo, "--rev", head, "--apply")
    job = yaml.safe_load(repo.read(".gitlab-ci.yml"))["wardround"]
    lines = "\n".join([*job["before_script"], job["script"][0]])
    env = {
        **job["variables"], "CI_PROJECT_DIR": str(repo.root), "TMPDIR": str(tmp_path),
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.file://{source.root}.insteadOf",
        "GIT_CONFIG_VALUE_0": SOURCE[1],
    }  # fmt: skip
    done = repo.run("bash", "-c", f"set -eo pipefail\n{lines}", env=env)
    assert (done.returncode, done.stdout) == (0, "installed\n"), done.stderr


@pytest.mark.parametrize(
    "before", ["", "stages: [check]\n", "include:\n- local: a.yml  # ours\n\na: {script: a}\n"]
)
def test_wardround_on_the_same_server_is_included(repo: GitRepository, before: str) -> None:
    repo.git("remote", "add", "origin", "git@gitlab.acme.example:web/app.git")
    repo.write(".gitlab-ci.yml", before)
    done = repo.wardround(
        "init", "--source", "https://gitlab.acme.example/tools/wardround.git", "--rev", "a" * 40, "--apply"
    )
    assert done.returncode == 0, done.stderr
    value = yaml.safe_load(repo.read(".gitlab-ci.yml"))
    entry = value.pop("include")[-1]
    inputs = {"project": "tools/wardround", "commit": "a" * 40} | (
        {"stage": "check"} if "stages" in value else {}
    )
    expected = {"project": "tools/wardround", "ref": "a" * 40, "file": ".ci/gitlab.yml", "inputs": inputs}
    assert entry == expected
    declared, _ = jobs({})
    assert set(inputs) <= set(declared)
    assert "wardround" not in value
    assert init(repo).endswith("nothing to do\n")


def test_settings_go_to_the_project_file_with_its_line_ends(repo: GitRepository) -> None:
    before = '[project]\r\nname = "a"\r\n[tool.ruff]\r\nline-length = 100  # ours'
    repo.write("pyproject.toml", before.encode())
    init(repo, "--apply")
    after = repo.read("pyproject.toml").decode()
    assert after.startswith(before)
    assert "\n" not in after.replace("\r\n", "")
    assert tomllib.loads(after)["tool"]["wardround"] == {"fail-level": "error"}
    assert repo.wardround("review").returncode == 0, "the configuration is valid"


@pytest.mark.parametrize("text", ["tool = {ruff = {}}\n", "[project\n", "[tool.wardround]\n"])
def test_a_project_file_that_cannot_take_a_table_stays(repo: GitRepository, text: str) -> None:
    repo.write("pyproject.toml", text)
    init(repo, "--apply")
    assert repo.read("pyproject.toml") == text.encode()


def test_it_works_in_a_subfolder_with_a_dirty_tree(repo: GitRepository) -> None:
    repo.commit({"service/app.py": "x = 1\n"})
    repo.write("service/app.py", "x = 2\n")
    init(repo, "--apply", "--repo", "service")
    assert repo.read("service/app.py") == b"x = 2\n"
    assert (repo.root / ".pre-commit-config.yaml").is_file()


def test_a_link_is_not_followed(repo: GitRepository) -> None:
    outside = repo.root.parent / "outside.yaml"
    outside.write_text("repos:\n  - repo: a\n")
    (repo.root / ".pre-commit-config.yaml").symlink_to(outside)
    assert "not changed: it is a link" in init(repo, "--apply")
    assert outside.read_text() == "repos:\n  - repo: a\n"


def test_accepted_findings_are_part_of_the_plan(repo: GitRepository) -> None:
    repo.stage({"app.py": "print(missing)\n"})
    shown = init(repo, "--apply", "--baseline")
    assert "accepts 1 findings that exist" in shown
    assert b"ruff/F821" in repo.read(".wardround-baseline.json")


def test_without_a_source_the_hook_starts_the_installed_command(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wardround.change.repository import Repository
    from wardround.setup_plan.hook_entries import hook_steps
    from wardround.setup_plan.surroundings import Surroundings
    from wardround.setup_plan.wardround_source import WardroundSource

    with Repository(repo.root) as repository:
        (step,) = hook_steps(Surroundings(repository), WardroundSource(""))
    repo.write(".pre-commit-config.yaml", step.after)
    repo.stage({"app.py": "print(missing)\n"})
    done = repo.run("pre-commit", "run")
    assert done.returncode == 1
    assert "[ruff/F821]" in done.stdout


@pytest.mark.parametrize("wrong", ["a b", "-x", "https://h/x#'", "$(x)"])
def test_an_address_that_would_be_more_than_a_value_is_refused(repo: GitRepository, wrong: str) -> None:
    done = repo.wardround("init", f"--source={wrong}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_a_password_in_the_address_is_not_written(repo: GitRepository) -> None:
    done = repo.wardround("init", "--source", "https://me:secret@example.org/wardround")
    assert "secret" not in done.stdout
    assert "+  - repo: https://example.org/wardround\n" in done.stdout


KILLED = """
import os, signal, sys
from pathlib import Path
from wardround.__main__ import main
replace, times = Path.replace, []
def killing(self, target):
    if self.name.endswith(".wardround-tmp"):
        times.append(self)
        if len(times) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)
Path.replace = killing
sys.argv = ["wardround", "init", "--apply", "--source", "https://github.com/acme/wardround"]
main()
"""


def test_a_killed_run_is_completed_by_the_next(repo: GitRepository) -> None:
    on_github(repo)
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=repo.root, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(repo.git("ls-files", "-o").split()) < len(WRITTEN) + 1
    init(repo, "--apply")
    assert sorted(repo.git("ls-files", "-o").split()) == WRITTEN


def test_a_bare_repository_is_refused_with_one_sentence(repo: GitRepository) -> None:
    repo.git("init", "-q", "--bare", "bare.git")
    done = repo.wardround("init", "--repo", "bare.git")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
