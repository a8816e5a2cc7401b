"""Attacks by the name of a ref: an option, a command or a path instead of a branch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import ci_runs
from tests.ci_runs import Event, Runner
from tests.conftest import GitRepository
from wardround.change.revisions import is_ref_name

REFS = {
    "upload-pack": "--upload-pack=touch {canary}",
    "upload-pack of fetch, short": "-u touch {canary}",
    "output of diff": "--output={canary}",
    "output of rev-list": "--output-directory={canary}",
    "exec": "--exec=touch {canary}",
    "end of options": "--",
    "one dash": "-",
    "external transport": "ext::sh -c touch% {canary}",
    "command substitution": "$(touch {canary})",
    "backticks": "`touch {canary}`",
    "second command": "main;touch {canary}",
    "newline": "main\n--upload-pack=touch {canary}",
    "carriage return": "main\rx",
    "null byte in its escape": "main\x01",
    "refspec that forces": "+main:refs/heads/main",
    "refspec": "main:refs/heads/owned",
    "glob": "refs/heads/*",
    "parent folder": "../../etc/passwd",
    "dotted component": "refs/.hidden/x",
    "lock": "main.lock",
    "reflog": "main@{{1}}",
    "path in a tree": "HEAD:app.py",
    "negated": "^main",
    "very long": "a" * 5000,
    "message search": ":/secret",
    "space": "main --upload-pack=touch",
    "workflow command": "x\n::add-mask::y",
}


@pytest.mark.parametrize("option", ["head-ref", "base-ref"])
@pytest.mark.parametrize("name", REFS)
def test_a_ref_that_is_none_is_rejected_before_git_sees_it(
    repo: GitRepository, tmp_path: Path, name: str, option: str
) -> None:
    canary = tmp_path / "canary"
    base, head = repo.commit({"app.txt": "a\n"}), repo.commit({"app.txt": "b\n"})
    repo.git("remote", "add", "origin", f"file://{repo.root}")
    ref = REFS[name].format(canary=canary)
    ran = Runner(tmp_path / "runner").run(repo.root, Event.push(base, head), {option: ref})
    assert not canary.exists()
    assert ran.done.returncode == 2, ran.done.stderr
    (sentence,) = ran.done.stderr.splitlines()
    assert sentence.startswith(f"wardround: --{option} ")
    assert sentence.endswith("is not a revision; give a branch, a tag or a commit id")
    assert len(sentence) < 300


@pytest.mark.parametrize("option", ["base", "head"])
def test_review_takes_no_option_for_a_ref(repo: GitRepository, tmp_path: Path, option: str) -> None:
    repo.commit()
    repo.commit({"a.txt": "a\n"})
    refs = {"base": "HEAD~1", "head": "HEAD", option: f"--output={tmp_path / 'canary'}"}
    done = repo.wardround("review", f"--base={refs['base']}", f"--head={refs['head']}")
    assert done.returncode == 2
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("field", ["target", "default_branch"])
@pytest.mark.parametrize("name", ["upload-pack", "refspec", "external transport"])
def test_a_branch_that_the_event_names_is_checked_too(
    repo: GitRepository, tmp_path: Path, name: str, field: str
) -> None:
    canary = tmp_path / "canary"
    base, head = repo.commit({"app.txt": "a\n"}), repo.commit({"app.txt": "b\n"})
    repo.git("remote", "add", "origin", f"file://{repo.root}")
    branch = REFS[name].format(canary=canary)
    event = Event.pull_request(base, head, target=branch)
    if field == "default_branch":
        event = Event.push("", head, ref="topic", default=branch)
    Runner(tmp_path / "runner").run(repo.root, event)
    assert not canary.exists()
    assert repo.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]


@pytest.mark.parametrize("variable", ["CHANGE_TARGET", "GIT_PREVIOUS_SUCCESSFUL_COMMIT"])
@pytest.mark.parametrize("name", ["upload-pack", "external transport", "newline"])
def test_a_variable_of_jenkins_is_checked_too(
    repo: GitRepository, tmp_path: Path, name: str, variable: str
) -> None:
    canary = tmp_path / "canary"
    repo.commit({"app.txt": "a\n"})
    repo.commit({"app.txt": "b\n"})
    repo.git("remote", "add", "origin", f"file://{repo.root}")
    ci_runs.run_jenkins(repo.root, tmp_path / "jenkins", {variable: REFS[name].format(canary=canary)})
    assert not canary.exists()


def test_a_remote_that_runs_a_command_is_not_fetched_from(repo: GitRepository, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    head = repo.commit({"app.txt": "a\n"})
    repo.git("remote", "add", "origin", f"ext::touch {canary}")
    repo.git("config", "protocol.ext.allow", "always")
    ran = Runner(tmp_path / "runner").run(repo.root, Event.pull_request("1" * 40, head))
    assert (ran.done.returncode, canary.exists()) == (2, False)
    assert "transport 'ext' not allowed" in ran.done.stderr


@pytest.mark.parametrize("hook", ["reference-transaction", "post-index-change", "fsmonitor-watchman"])
def test_fetching_runs_no_hook_of_the_change(repo: GitRepository, tmp_path: Path, hook: str) -> None:
    """Tools such as husky point core.hooksPath at a folder of the repository."""
    canary = tmp_path / "canary"
    repo.write(".husky/" + hook, f"#!/bin/sh\ntouch {canary}\n").chmod(0o755)
    base, head = repo.commit({"app.txt": "a\n"}), repo.commit({"app.txt": "b\n"})
    clone = GitRepository(tmp_path / "clone")
    repo.git("clone", "--quiet", "--depth=1", f"file://{repo.root}", clone.root)
    clone.git("config", "core.hooksPath", ".husky")
    clone.git("config", "core.fsmonitor", f".husky/{hook}")
    canary.unlink(missing_ok=True)
    ran = Runner(tmp_path / "runner").run(clone.root, Event.push(base, head))
    assert (ran.base, canary.exists()) == (base, False)


NAMES = ["main", "feature/x", "v1.2.3", "a-b", "ünïcode", "HEAD", "refs/pull/7/merge", "x.lockfile", "a@b"]
NOT_NAMES = ["", "@", "/a", "a/", "a//b", ".a", "a/.b", "a.", "a..b", "a b", "a~b", "a^b", "a:b", "a?b",
             "a*b",
             "a[b", "a\\b", "a\tb", "a\x7fb", "a@{b", "a.lock", "a.lock/b", "-a"]  # fmt: skip


@pytest.mark.parametrize("name", [*NAMES, *NOT_NAMES])
def test_names_are_judged_as_git_judges_them(repo: GitRepository, name: str) -> None:
    judged = repo.run("git", "check-ref-format", "--allow-onelevel", name)
    assert is_ref_name(name) == (judged.returncode == 0) == (name in NAMES)


def test_every_git_call_of_a_ci_run_ends_its_options() -> None:
    source = Path(__file__).parents[2] / "src/wardround/delivery/checkout.py"
    calls = re.findall(r"\.output\(\s*\"([\w-]+)\"(.*?)\)$", source.read_text(), re.MULTILINE)
    with_values = [rest for command, rest in calls if command not in ("cat-file", "config", "rev-parse")]
    assert with_values
    assert all('"--end-of-options"' in rest for rest in with_values)
