"""The GitHub Action and the Jenkinsfile: their own scripts, run by the shells that will run them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.conftest import GitRepository

ROOT = Path(__file__).parent.parent
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.fixture
def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return loaded


@pytest.fixture
def changed(repo: GitRepository) -> GitRepository:
    """A repository whose last commit is a bad one."""
    repo.write("app.py", "x = 1\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "good")
    repo.write("app.py", "print(missing)\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "bad")
    return repo


class Ran(NamedTuple):
    """What a step did."""

    done: subprocess.CompletedProcess[str]
    outputs: str
    summary: str
    reports: Path

    @property
    def base(self) -> str:
        """What the reviewed commit was compared with."""
        base: str = json.loads((self.reports / "report.json").read_text())["context"]["base"]
        return base


Reviews = Callable[..., Ran]


@pytest.fixture
def step(action: dict[str, Any], tmp_path: Path) -> Reviews:
    """Runs the action's review in a checkout, with the values that GitHub's event would have given."""
    (review,) = [step for step in action["runs"]["steps"] if step.get("id") == "review"]

    def run(checkout: GitRepository, **values: str) -> Ran:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        given = {f"WARDROUND_{name.upper()}": value for name, value in values.items()}
        assert set(given) <= set(review["env"])
        environment = dict.fromkeys(review["env"], "") | {
            "WARDROUND_HOME": str(Path(sys.executable).parent.parent), "WARDROUND_HEAD": "HEAD",
            "WARDROUND_CONFIG_FROM": "base", "WARDROUND_REPORTS": str(folder / "reports"),
            "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        } | given  # fmt: skip
        bash = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
        done = checkout.run(*bash, review["run"], env=environment)
        written = [folder / name for name in ("output", "summary")]
        outputs, summary = (file.read_text() if file.exists() else "" for file in written)
        assert outputs == f"exit-code={done.returncode}\n", done.stderr
        return Ran(done, outputs, summary, folder / "reports")

    return run


@pytest.fixture
def origin(repo: GitRepository) -> dict[str, str]:
    """A repository on a server, by name the commits of two branches: main, and topic, which left it early."""
    commits = {"root": repo.commit({"root.txt": "root\n"})}
    for name in ("main", "topic"):
        repo.git("checkout", "-q", "-B", name, commits["root"])
        for step in ("1", "2"):
            commits[f"{name}{step}"] = repo.commit({f"{name}{step}.txt": "text\n"})
    for setting in ("allowAnySHA1InWant", "allowFilter"):
        repo.git("config", f"uploadpack.{setting}", "true")
    return commits


@pytest.fixture
def checkout(repo: GitRepository, tmp_path: Path) -> Callable[..., GitRepository]:
    """Leaves a work tree as actions/checkout does: detached, and branches only as those of the remote."""

    def check_out(ref: str, *, depth: int = 0) -> GitRepository:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        made = GitRepository(folder)
        made.git("init", "-q")
        made.git("remote", "add", "origin", f"file://{repo.root}")
        branches = "+refs/heads/*:refs/remotes/origin/*"
        made.git(
            "fetch",
            "-q",
            "--no-tags",
            *([f"--depth={depth}", "origin", ref] if depth else ["origin", branches]),
        )
        made.git("checkout", "-q", "--detach", repo.git("rev-parse", ref).strip())
        return made

    return check_out


def test_the_action_reviews_keeps_reports_and_fails_with_our_status(
    changed: GitRepository, step: Reviews
) -> None:
    ran = step(changed, base="HEAD~1")

    assert ran.done.returncode == 1, ran.done.stderr
    start = "::error file=app.py,line=1,endLine=1,col=7,endColumn=13,title=ruff/F821::"
    assert ran.done.stdout.startswith(start)
    report = json.loads((ran.reports / "report.json").read_text())
    assert [finding["rule"] for finding in report["findings"]] == ["ruff/F821"]
    tools = {run["tool"] for run in report["runs"]}
    assert tools >= {"ast-grep", "pyright", "python", "ruff", "semgrep", "ty"}
    assert sorted(path.name for path in ran.reports.iterdir()) == [
        "report.json",
        "report.sarif",
        "report.txt",
    ]


def test_the_action_sums_up_in_text_that_stays_text(repo: GitRepository, step: Reviews) -> None:
    repo.commit()
    repo.commit({"```\n# h.py": "print(missing)  # ```\n"})
    lines = step(repo, base="HEAD~1").summary.splitlines()
    assert any("error  Undefined name `missing`" in line for line in lines)
    assert lines[-1].startswith("    wardround: blocked - 1 error, 1 file, ")
    assert all(line.startswith("    ") for line in lines)


@pytest.mark.parametrize(("base", "depth"), [("main", 0), ("main", 1), ("origin/main", 0)])
def test_the_action_takes_a_branch_of_the_repository_as_base(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews, base: str, depth: int
) -> None:
    assert step(checkout("topic", depth=depth), base=base).base == origin["root"]


def test_the_action_takes_a_pull_requests_base(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews
) -> None:
    merged = checkout("topic")
    merged.git("merge", "-q", "--no-edit", "origin/main")
    assert step(merged, base=origin["main2"]).base == origin["main2"]
    assert step(checkout("topic", depth=1), base=origin["main1"]).base == origin["root"]


@pytest.mark.parametrize("depth", [0, 1])
def test_the_action_reviews_everything_that_was_pushed(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews, depth: int
) -> None:
    ran = step(checkout("main", depth=depth), before=origin["root"])
    assert ran.base == origin["root"]


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("before", ["0" * 40, "1" * 40, ""], ids=["new", "gone", "no push"])
def test_the_action_falls_back_where_nothing_was_there_before(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews, depth: int, before: str
) -> None:
    topic = step(checkout("topic", depth=depth), before=before, default="main")
    assert topic.base == origin["root"]
    assert step(checkout("main", depth=depth), before=before).base == origin["main1"]


def test_the_action_reviews_what_a_forced_push_left_for(
    repo: GitRepository, origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews
) -> None:
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.commit({"other.txt": "other\n"})
    assert step(checkout("topic"), before=origin["topic2"], default="main").base == origin["topic1"]


@pytest.mark.parametrize("depth", [0, 1])
def test_the_action_reviews_all_of_a_first_commit(
    repo: GitRepository, checkout: Callable[..., GitRepository], step: Reviews, depth: int
) -> None:
    repo.commit({"root.txt": "root\n"})
    assert step(checkout("main", depth=depth), before="0" * 40).base == EMPTY_TREE


def test_the_action_passes_over_a_branch_without_a_common_commit(
    repo: GitRepository, origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews
) -> None:
    repo.git("checkout", "-q", "--orphan", "pages")
    first = repo.commit({"a.txt": "a\n"})
    repo.commit({"b.txt": "b\n"})
    assert step(checkout("pages"), before="0" * 40, default="main").base == first


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"base": "nowhere"}, "'nowhere' names no commit"),
        ({"base": "main", "head": "nowhere"}, "'nowhere' names no commit"),
    ],
)
def test_the_action_leaves_with_our_status_where_a_name_is_wrong(
    origin: dict[str, str],
    checkout: Callable[..., GitRepository],
    step: Reviews,
    values: dict[str, str],
    said: str,
) -> None:
    ran = step(checkout("topic"), **values)
    assert ran.done.returncode == 2
    assert said in ran.done.stderr


def test_the_action_leaves_with_our_status_where_there_is_no_repository(
    tmp_path: Path, step: Reviews
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert step(GitRepository(empty), before="0" * 40).done.returncode == 2


@pytest.mark.parametrize(("extras", "asked"), [("", "/src"), ("ci,web", "/src[ci,web]")])
def test_the_action_installs_the_sets_that_are_asked_for(
    action: dict[str, Any], repo: GitRepository, tmp_path: Path, extras: str, asked: str
) -> None:
    (install,) = [step for step in action["runs"]["steps"] if step["name"] == "Install"]
    program = repo.write(
        "python",
        '#!/bin/sh\nmkdir -p "$3/bin"; printf "#!/bin/sh\necho \\$@" > "$3/bin/pip"; chmod +x "$3/bin/pip"\n',
    )
    program.chmod(0o755)
    environment = {"WARDROUND_PYTHON": str(program), "WARDROUND_SOURCE": "/src", "WARDROUND_EXTRAS": extras,
                   "WARDROUND_HOME": str(tmp_path / "made")}  # fmt: skip
    done = repo.run("bash", "-eo", "pipefail", "-c", install["run"], env=environment)
    assert done.stdout == f"install --quiet {asked}\n", done.stderr


def test_the_action_passes_nothing_untrusted_into_a_script(action: dict[str, Any]) -> None:
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        if "uses" in step:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])


def test_the_stage_of_jenkins_reviews_and_keeps_reports(changed: GitRepository, tmp_path: Path) -> None:
    text = (ROOT / "Jenkinsfile").read_text()
    found = re.search(r"label: 'review', script: '''(.*?)'''", text, re.DOTALL)
    assert found is not None
    script = found[1].replace(".wardround-venv/bin/", f"{Path(sys.executable).parent}/")

    done = changed.run("/bin/sh", "-e", "-c", script, env={"CHANGE_TARGET": ""})

    assert done.returncode == 1, done.stderr
    assert "Undefined name `missing` [ruff/F821]" in done.stdout
    kept = sorted(path.name for path in (changed.root / "wardround-reports").iterdir())
    assert kept == ["report.json", "report.sarif", "report.txt"]


def test_workflows_are_pinned_and_have_no_rights_they_do_not_need() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
