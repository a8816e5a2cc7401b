"""The GitHub Action and the Jenkinsfile: their own scripts, run by the shells that will run them."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests import ci_runs
from tests.ci_runs import EMPTY_TREE, ROOT, WITHOUT_SLOW_TOOLS, Event, Ran, Runner
from tests.ci_runs import fresh as new_folder
from tests.conftest import GitRepository
from tests.delivery.github_api import TOKEN as API_TOKEN
from tests.delivery.github_api import GithubApi
from tests.delivery.test_workflow_run import Fork
from wardround.delivery.ci_reports import CI_REPORTS, RECORD

REPORT_FILES = sorted([RECORD, *(report.file for report in CI_REPORTS if report.is_default)])
NULL = "0" * 40
GONE = "1" * 40


@pytest.fixture
def changed(repo: GitRepository) -> GitRepository:
    """A repository whose last commit is a bad one."""
    repo.commit({"app.py": "x = 1\n"})
    repo.commit({"app.py": "print(missing)\n"})
    return repo


Reviews = Callable[..., Ran]


@pytest.fixture
def step(tmp_path: Path) -> Reviews:
    """Runs the action's review in a checkout, with an event and inputs by their names."""

    def run(checkout: GitRepository, event: Event | None = None, **inputs: str) -> Ran:
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        ran = Runner(ci_runs.fresh(tmp_path), program=WITHOUT_SLOW_TOOLS).run(
            checkout.root, event or Event("other"), given
        )
        assert ran.outputs["exit-code"] == str(ran.done.returncode), ran.done.stderr
        return ran

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
    """Creates a work tree as actions/checkout does: detached, with branches only as those of the remote."""

    def check_out(ref: str, *, depth: int = 0) -> GitRepository:
        created = GitRepository(ci_runs.fresh(tmp_path))
        created.git("init", "-q")
        created.git("remote", "add", "origin", f"file://{repo.root}")
        commit = repo.git("rev-parse", ref).strip()
        all_branches = "+refs/heads/*:refs/remotes/origin/*"
        narrow = (f"--depth={depth}", "origin", commit)
        created.git("fetch", "-q", "--no-tags", *(narrow if depth else ("origin", all_branches, commit)))
        created.git("checkout", "-q", "--detach", commit)
        return created

    return check_out


def test_the_action_reviews_keeps_reports_and_fails_with_our_status(
    changed: GitRepository, tmp_path: Path
) -> None:
    ran = Runner(tmp_path / "runner").run(changed.root, Event("other"), {"base-ref": "HEAD~1"})

    assert ran.done.returncode == 1, ran.done.stderr
    start = "::error file=app.py,line=1,endLine=1,col=7,endColumn=13,title=ruff/F821::"
    assert ran.done.stdout.startswith(start)
    assert [finding["rule"] for finding in ran.report["findings"]] == ["ruff/F821"]
    tools = {run["tool"] for run in ran.report["runs"]}
    assert tools >= {"ast-grep", "pyright", "python", "ruff", "ty"}
    assert [path.name for path in ran.uploaded] == REPORT_FILES
    assert sorted(path.name for path in ran.uploaded[0].parent.iterdir()) == REPORT_FILES
    require_complete_outputs(ran)


def require_complete_outputs(ran: Ran) -> None:
    """The outputs name the counts, the files and the digest of a review with one finding."""
    assert {ran.outputs[f"findings-{name}"] for name in ("total", "new", "blocking")} == {"1"}
    assert ran.outputs["report-dir"] == ran.outputs["reports-dir"]
    record = Path(ran.outputs["record-file"])
    assert ran.outputs["record-digest"] == f"sha256:{hashlib.sha256(record.read_bytes()).hexdigest()}"
    assert Path(ran.outputs["sarif-file"]).parent == record.parent == Path(ran.outputs["report-dir"])
    assert set(ran.outputs) == set(ci_runs.action()["outputs"])
    for name, output in ci_runs.action()["outputs"].items():
        source = "reports-dir" if name == "report-dir" else name
        assert output["value"] == f"${{{{ steps.review.outputs.{source} }}}}"


RECORDER = """\
#!/bin/sh
printf '%s ' "$4" >> "{log}"; shift 4; echo "$@" >> "{log}"
env | grep -c "{token}" >> "{log}"
if [ -n "$WARDROUND_FAIL_LEVEL" ]; then
  printf '%s\\n' report-dir=/reports sarif-file=/reports/report.sarif >> "$GITHUB_OUTPUT"; exit 1
fi
"""
TOKEN = "token-of-the-test"


def _from_a_fork(event: Event) -> Event:
    payload = dict(event.payload)
    request = payload["pull_request"]
    head = {**request["head"], "repo": {"fork": True}}
    return Event(event.name, {**payload, "pull_request": {**request, "head": head}}, event.ref)


@pytest.mark.parametrize("is_fork", [False, True])
def test_only_the_steps_that_write_to_the_pull_request_have_the_token(
    origin: dict[str, str], checkout: Callable[..., GitRepository], tmp_path: Path, is_fork: bool
) -> None:
    log = tmp_path / "log"
    runner = Runner(tmp_path / "runner", program=RECORDER.format(log=log, token=TOKEN))
    event = Event.pull_request(origin["main2"], origin["topic2"])
    given = {"comment": "auto", "act": "apply", "token": TOKEN, "sarif": "true", "fail-level": "warn"}
    workspace = checkout("topic")
    ran = runner.run(workspace.root, _from_a_fork(event) if is_fork else event, given)

    calls = [line for line in log.read_text().splitlines() if not line.isdecimal()]
    tokens = [line for line in log.read_text().splitlines() if line.isdecimal()]
    assert ran.done.returncode == 1
    assert ("github/codeql-action/upload-sarif" in ran.used) is not is_fork
    assert f"--head-ref={origin['topic2']}" in calls[0]
    if is_fork:
        assert (len(calls), tokens, set(ran.later)) == (1, ["0"], set())
    else:
        assert calls[1:] == [
            "post /reports/report.json --max-comments=5",
            "act /reports/report.json --unsigned --apply --approve-as=",
        ]
        assert (tokens, set(ran.later)) == (["0", "1", "1"], {"comment", "act"})


def test_a_fork_is_reviewed_without_a_token_and_the_second_job_comments(
    changed: GitRepository, tmp_path: Path
) -> None:
    base, head = changed.git("rev-parse", "HEAD~1", "HEAD").split()
    first = Runner(tmp_path / "first", program=WITHOUT_SLOW_TOOLS).run(
        changed.root, _from_a_fork(Event.pull_request(base, head))
    )
    fork = Fork(tmp_path)
    fork.upload({path.name: path.read_bytes() for path in first.uploaded})
    fork.open_pull_request(7, head)
    host = GithubApi(head, {"app.py": range(1, 2)})
    host.server.routes = (*fork.routes(host.server), *host.server.routes)
    run = {"id": 5, "event": "pull_request", "head_sha": head, "head_branch": "topic",
           "head_repository": {"full_name": "guest/shop"}, "html_url": "https://x.example"}  # fmt: skip
    event = Event("workflow_run", {"workflow_run": run, "repository": {"full_name": "acme/shop"}})
    with host.server.serve() as api:
        env = {"GITHUB_API_URL": api, "GITHUB_REPOSITORY": "acme/shop"}
        second = Runner(tmp_path / "second").run(
            new_folder(tmp_path),
            event,
            {"token": API_TOKEN},
            env,
            file=ci_runs.ACTIONS[1],
            archive=fork.archive,
        )

    assert second.done.returncode == 0, second.done.stderr
    assert second.used["actions/download-artifact"]["run-id"] == "5"
    assert [thread.path for thread in host.threads] == ["app.py"]
    assert len(host.summaries()) == 1


def test_the_inputs_of_the_review_have_an_effect(
    changed: GitRepository, tmp_path: Path, step: Reviews
) -> None:
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    ticket, store = tmp_path / "ticket.md", tmp_path / "records.sqlite"
    ticket.write_text("# Print\n\n## Acceptance criteria\n\n- the value is printed\n")
    inputs = {"base-ref": "HEAD~1", "ticket": str(ticket), "store": str(store), "sign-with": "env:KEY_OF_CI",
              "fail-level": "none", "fail-on-verdict": "human-review"}  # fmt: skip
    runner = Runner(tmp_path / "runner", program=WITHOUT_SLOW_TOOLS)
    ran = runner.run(changed.root, Event("other"), inputs, {"KEY_OF_CI": pem})

    assert ran.done.returncode == 1, ran.done.stderr
    assert ran.outputs["verdict"] in ("human-review", "escalate", "declined")
    assert ran.report["ticket"]
    assert '"sig"' in Path(ran.outputs["record-file"]).read_text()
    assert store.stat().st_size > 0


def test_downloads_are_saved_before_a_review_that_may_fail() -> None:
    names = [step["name"] for step in ci_runs.action()["runs"]["steps"]]
    assert names.index("Save the downloads") < names.index("Review")


def test_the_action_sums_up_in_markdown_in_which_the_change_stays_text(
    repo: GitRepository, step: Reviews
) -> None:
    repo.commit()
    repo.commit({"```\n# h|<b>.py": "print(missing)  # ```\n"})
    lines = step(repo, base_ref="HEAD~1").summary.splitlines()
    assert lines[0] == "### wardround: blocked"
    (row,) = [line for line in lines if line.startswith("**Error** ")]
    assert "Undefined name &#96;missing&#96; ([<code>ruff&#47;F821</code>](https://docs.astral.sh/" in row
    assert "````\nprint(missing)  # ```\n````" in "\n".join(lines)
    assert not any("<b>" in line for line in lines)
    assert lines[-1].startswith("wardround: blocked - 1 error, 1 file, ")


@pytest.mark.parametrize(("base", "depth"), [("main", 0), ("main", 1), ("origin/main", 0)])
def test_the_action_takes_a_branch_of_the_repository_as_base(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews, base: str, depth: int
) -> None:
    assert step(checkout("topic", depth=depth), base_ref=base).base == origin["root"]


@pytest.mark.parametrize(("base", "expected"), [("HEAD~1", "topic1"), ("HEAD~2", "root"), ("HEAD^^", "root")])
def test_the_action_takes_an_ancestor_as_base_in_a_shallow_clone(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews, base: str, expected: str
) -> None:
    assert step(checkout("topic", depth=1), base_ref=base).base == origin[expected]


def test_the_action_takes_a_pull_requests_base(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews
) -> None:
    merged = checkout("topic")
    merged.git("merge", "-q", "--no-edit", "origin/main")
    event = Event.pull_request(origin["main2"], merged.git("rev-parse", "HEAD").strip())
    assert step(merged, event).base == origin["main2"]
    event = Event.pull_request(origin["main1"], origin["topic2"])
    assert step(checkout("topic", depth=1), event).base == origin["root"]


@pytest.mark.parametrize("depth", [0, 1])
def test_the_action_reviews_everything_that_was_pushed(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews, depth: int
) -> None:
    ran = step(checkout("main", depth=depth), Event.push(origin["root"], origin["main2"]))
    assert ran.base == origin["root"]


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("before", [NULL, GONE, ""], ids=["new", "gone", "no push"])
def test_the_action_falls_back_where_nothing_was_there_before(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews, depth: int, before: str
) -> None:
    topic = step(checkout("topic", depth=depth), Event.push(before, origin["topic2"], ref="topic"))
    assert topic.base == origin["root"]
    main = step(checkout("main", depth=depth), Event.push(before, origin["main2"]))
    assert main.base == origin["main1"]


def test_a_push_whose_start_is_removed_is_reviewed_from_its_first_commit(
    origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews
) -> None:
    commits = [{"id": origin["main1"]}, {"id": origin["main2"]}]
    event = Event.push(GONE, origin["main2"], commits=commits, forced=True)
    assert step(checkout("main", depth=1), event).base == origin["root"]


def test_the_action_reviews_what_a_forced_push_left_for(
    repo: GitRepository, origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews
) -> None:
    repo.git("reset", "-q", "--hard", "HEAD~1")
    after = repo.commit({"other.txt": "other\n"})
    event = Event.push(origin["topic2"], after, ref="topic")
    assert step(checkout("topic"), event).base == origin["topic1"]


@pytest.mark.parametrize("depth", [0, 1])
def test_the_action_reviews_all_of_a_first_commit(
    repo: GitRepository, checkout: Callable[..., GitRepository], step: Reviews, depth: int
) -> None:
    first = repo.commit({"root.txt": "root\n"})
    assert step(checkout("main", depth=depth), Event.push(NULL, first)).base == EMPTY_TREE


def test_the_action_passes_over_a_branch_without_a_common_commit(
    repo: GitRepository, origin: dict[str, str], checkout: Callable[..., GitRepository], step: Reviews
) -> None:
    repo.git("checkout", "-q", "--orphan", "pages")
    first = repo.commit({"a.txt": "a\n"})
    second = repo.commit({"b.txt": "b\n"})
    assert step(checkout("pages"), Event.push(NULL, second, ref="pages")).base == first


@pytest.mark.parametrize(
    "values",
    [{"base_ref": "nowhere"}, {"base_ref": "main", "head_ref": "nowhere"}],
    ids=["base", "head"],
)
def test_the_action_leaves_with_our_status_where_a_name_is_wrong(
    origin: dict[str, str],
    checkout: Callable[..., GitRepository],
    step: Reviews,
    values: dict[str, str],
) -> None:
    ran = step(checkout("topic"), **values)
    assert ran.done.returncode == 2
    assert "'nowhere' is not a commit" in ran.done.stderr


def test_the_action_leaves_with_our_status_where_there_is_not_a_repository(
    tmp_path: Path, step: Reviews
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert step(GitRepository(empty), Event.push(NULL, GONE)).done.returncode == 2


@pytest.mark.parametrize("file", ci_runs.ACTIONS)
def test_an_action_passes_nothing_untrusted_into_a_script(file: str) -> None:
    for step in ci_runs.action(file)["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        if "uses" in step:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])


@pytest.mark.parametrize("file", ci_runs.ACTIONS)
def test_no_step_starts_in_the_checkout(file: str) -> None:
    for step in ci_runs.action(file)["runs"]["steps"]:
        has_token = step.get("id") in ("comment", "act", "receive")
        assert ("inputs.token" in str(step.get("env"))) == has_token
        if "run" in step:
            assert step["working-directory"] in (
                "${{ runner.temp }}",
                "${{ steps.install.outputs.home }}",
            )
            assert step["env"]["BASH_ENV"] == ""
            assert re.findall(r'(?:python|PYTHON)"? (-\w+)', step["run"]) == ["-I"]


JENKINS = (ROOT / ".ci/jenkins.sh").read_text()
LIBRARY = (ROOT / "scripts/jenkins/vars/wardroundReview.groovy").read_text()


def test_no_step_of_jenkins_starts_in_the_checkout() -> None:
    for file in ((ROOT / "Jenkinsfile").read_text(), LIBRARY):
        assert re.findall(r"dir\((.*?)\) \{\s*sh[ (]", file) == ["env.WORKSPACE_TMP"]
        assert re.findall(r"/bin/sh \S+", file) == ['/bin/sh "$WARDROUND_SOURCE/.ci/jenkins.sh"']
    assert re.findall(r'python3?"? (-\w+)', JENKINS) == ["-I", "-I"]


def test_the_library_of_jenkins_has_the_settings_of_the_stage() -> None:
    settings = set(re.findall(r"^ +\w+: '(WARDROUND_\w+)'", LIBRARY, re.MULTILINE))
    of_commands = {"WARDROUND_POLICY_FLOOR", "WARDROUND_SIGN_WITH", "WARDROUND_PUBLIC_KEY"}
    assert settings == set(re.findall(r"WARDROUND_\w+", JENKINS)) | of_commands
    documented = (ROOT / "docs/ci.md").read_text()
    names = re.findall(r"^ +(\w+): 'WARDROUND_", LIBRARY, re.MULTILINE)
    assert [name for name in names if f"`{name}`" not in documented] == []


@pytest.mark.parametrize(
    ("action", "variables", "expected"),
    [
        ("post", {}, "post {reports}/report.json {where} --max-comments=5"),
        ("act", {}, "act {reports}/report.json {where} --approve-as= --unsigned"),
        (
            "act",
            {"WARDROUND_ACT": "apply", "WARDROUND_ACT_KEY": "k.pub", "WARDROUND_API": "https://h/api"},
            "act {reports}/report.json {where} --approve-as= --api=https://h/api "
            "--record={reports}/review.intoto.jsonl --key=k.pub --apply",
        ),
    ],
)
def test_the_stage_of_jenkins_writes_to_the_change_request_in_steps_of_their_own(
    tmp_path: Path, action: str, variables: dict[str, str], expected: str
) -> None:
    python = tmp_path / "wardround/venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nshift 3; echo "$@"\n')
    python.chmod(0o700)
    env = {"WORKSPACE": str(tmp_path / "workspace"), "WORKSPACE_TMP": str(tmp_path), "CHANGE_ID": "7",
           "WARDROUND_SOURCE": str(ROOT), "WARDROUND_REPOSITORY": "acme/shop", **variables}  # fmt: skip
    done = GitRepository(tmp_path).run("/bin/sh", ROOT / ".ci/jenkins.sh", action, env=env)
    where = "--host=github --repository=acme/shop --change-request=7"
    assert done.stdout.strip() == expected.format(reports=tmp_path / "wardround/reports", where=where)


def test_the_stage_of_jenkins_reviews_and_keeps_reports(changed: GitRepository, tmp_path: Path) -> None:
    done, reports = ci_runs.run_jenkins(changed.root, tmp_path, {"BRANCH_IS_PRIMARY": "true"})

    assert done.returncode == 1, done.stderr
    assert "Undefined name `missing` [ruff/F821]" in done.stdout
    assert sorted(path.name for path in reports.iterdir()) == REPORT_FILES


PERMISSIONS = {
    "attest": {"contents": "read", "id-token": "write", "attestations": "write"},
    "post": {"actions": "read", "contents": "read", "pull-requests": "write"},
}


def _workflows() -> list[Path]:
    return sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", _workflows(), ids=lambda path: path.stem)
def test_workflows_are_pinned_and_have_no_rights_they_do_not_need(path: Path) -> None:
    workflow: dict[str, Any] = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert job["permissions"] == PERMISSIONS.get(name, {"contents": "read"})
        assert job["timeout-minutes"]
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}|\$/\.github/actions/post", step["uses"])
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            assert "${{ github.event" not in step.get("run", "")


def test_the_parts_of_the_input_run_and_what_did_not_run_is_stated(
    changed: GitRepository, step: Reviews
) -> None:
    ran = step(changed, run="tests")
    assert ran.done.returncode in (1, 4)
    assert "run of tests: the tests of the change did not run to the end" in ran.summary


def test_an_unknown_part_to_run_is_a_usage_error(changed: GitRepository, step: Reviews) -> None:
    ran = step(changed, run="everything")
    assert ran.done.returncode == 2
    assert (
        "the part 'everything' is unknown; choose from tests, behaviour, mutations, none" in ran.done.stderr
    )


def _documented_workflows() -> list[str]:
    """The workflows of GitHub in the documentation, those of docs/ci.md first."""
    pages = sorted((ROOT / "docs").glob("*.md"), key=lambda page: (page.stem != "ci", page.stem))
    pattern = re.compile(r"^```ya?ml\n(.*?)^```", re.DOTALL | re.MULTILINE)
    blocks = [block for page in pages for block in pattern.findall(page.read_text())]
    return [block for block in blocks if re.search(r"^on:", block, re.MULTILINE) and "\njobs:" in block]


def test_documented_workflows_and_actions_pass_actionlint_and_zizmor(repo: GitRepository) -> None:
    documented = _documented_workflows()
    assert len(documented) >= 6
    workflows = {f".github/workflows/{number}.yml": text for number, text in enumerate(documented)}
    workflows |= {f".github/workflows/{path.name}": path.read_text() for path in _workflows()}
    workflows |= {file: (ROOT / file).read_text() for file in ci_runs.ACTIONS}
    workflows[".github/workflows/own.yml"] = documented[1].replace("your-organisation/wardround@COMMIT", "./")
    repo.commit({name: text.replace("@COMMIT", f"@{'a' * 40} # v1") for name, text in workflows.items()})
    programs = Path(sys.executable).parent
    linted = repo.run(programs / "actionlint", "-shellcheck=", "-no-color")
    assert (linted.returncode, linted.stdout) == (0, "")
    audited = repo.run(programs / "zizmor", "--offline", "--no-progress", "--min-severity=medium", ".")
    assert audited.returncode == 0, audited.stdout
