"""The events of GitLab and of systems whose variables a table names, and the commits that are compared."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest

from tests.ci_runs import fresh
from tests.delivery.branches_on_server import Server
from tests.delivery.test_events import GONE, NULL, _files
from wardround.change.repository import Repository
from wardround.cli.ci import PROVIDERS
from wardround.delivery.checkout import Checkout
from wardround.delivery.ci_event import Provider
from wardround.delivery.comparison import EventComparison, RevisionRange
from wardround.delivery.events import detect, read_event
from wardround.delivery.run_origin import origin_of_run
from wardround.errors import GitError, UsageError

pytestmark = pytest.mark.usefixtures("without_slow_tools")

Variables = Mapping[str, str]
Of = Callable[[Server], str]

MERGE_REQUEST = {
    "GITLAB_CI": "true",
    "CI_PROJECT_PATH": "acme/shop",
    "CI_MERGE_REQUEST_PROJECT_PATH": "acme/shop",
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "SHOP-7-topic",
    "CI_MERGE_REQUEST_TITLE": "Topic",
    "CI_MERGE_REQUEST_DESCRIPTION": "Fixes SHOP-8",
}
AZURE = {"TF_BUILD": "True", "BUILD_SOURCEBRANCH": "refs/heads/topic"}
BITBUCKET = {"BITBUCKET_BUILD_NUMBER": "5", "BITBUCKET_BRANCH": "topic"}
GENERIC = {"WARDROUND_PROVIDER": "generic"}


@pytest.fixture
def train(server: Server) -> str:
    """The commit of a merge train: the topic, squashed, after another change that is not in main yet."""
    repo = server.repo
    repo.git("checkout", "-q", "--detach", "main")
    server.others.append(repo.commit({"earlier.sql": "SELECT 1;\n"}))
    repo.git("merge", "-q", "--squash", "topic")
    repo.git("commit", "-q", "-m", "squashed")
    commit = repo.git("rev-parse", "HEAD").strip()
    repo.git("update-ref", "refs/merge-requests/7/train", commit)
    repo.git("checkout", "-q", "main")
    return commit


def compare(
    server: Server, folder: Path, variables: Variables, commit: str, *, depth: int = 20
) -> RevisionRange:
    """Compare in a clone as GitLab's runner leaves it: shallow, detached, without the target branch."""
    created = server.checkout(folder, commit, depth=depth)
    with Repository(created.root) as repository:
        checkout = Checkout(repository, os.environ, may_fetch=True)
        event = read_event(detect(variables), variables)
        compared = EventComparison(checkout, event).compare(None, None)
        start = checkout.merge_base(compared.base, compared.head, deepening=())
        return msgspec.structs.replace(compared, base=start or compared.base)


class TestGitlab:
    @pytest.mark.parametrize("depth", [1, 20, 0])
    def test_a_detached_pipeline_is_compared_with_the_target_branch(
        self, server: Server, tmp_path: Path, depth: int
    ) -> None:
        head = server.topic[-1]
        variables = MERGE_REQUEST | {
            "CI_COMMIT_SHA": head,
            "CI_COMMIT_BEFORE_SHA": NULL,
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": server.root,
        }
        compared = compare(server, fresh(tmp_path), variables, head, depth=depth)
        assert (compared.base, compared.head, compared.error) == (server.root, head, None)

    def test_a_merged_result_is_compared_with_the_commit_it_was_merged_with(
        self, server: Server, tmp_path: Path
    ) -> None:
        variables = MERGE_REQUEST | {
            "CI_COMMIT_SHA": server.merge,
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": server.root,
            "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": server.others[-1],
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": server.topic[-1],
        }
        server.repo.commit({"later.sql": "SELECT 1;\n"})
        compared = compare(server, fresh(tmp_path), variables, server.merge, depth=1)
        assert (compared.base, compared.head) == (server.others[-1], server.merge)

    def test_a_merge_train_leaves_out_the_changes_before_it(
        self, server: Server, train: str, tmp_path: Path
    ) -> None:
        variables = MERGE_REQUEST | {
            "CI_COMMIT_SHA": train,
            "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": server.others[-1],
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": server.topic[-1],
        }
        compared = compare(server, fresh(tmp_path), variables, train, depth=1)
        assert (compared.base, compared.head, compared.error) == (server.others[-1], train, None)

    def test_a_pipeline_in_a_fork_does_not_use_the_branch_of_the_fork(
        self, server: Server, tmp_path: Path
    ) -> None:
        head = server.topic[-1]
        server.repo.git("branch", "-f", "main-of-the-fork", head)
        variables = MERGE_REQUEST | {
            "CI_PROJECT_PATH": "stranger/shop",
            "CI_COMMIT_SHA": head,
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main-of-the-fork",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": server.root,
        }
        assert compare(server, fresh(tmp_path), variables, head).base == server.root

    @pytest.mark.parametrize(
        ("variables", "commit", "base"),
        [
            ({"CI_COMMIT_BEFORE_SHA": "root"}, "topic", "root"),
            ({"CI_COMMIT_BEFORE_SHA": NULL}, "topic", "root"),
            ({"CI_COMMIT_BEFORE_SHA": GONE}, "topic", "root"),
            ({"CI_COMMIT_BRANCH": "main", "CI_PIPELINE_SOURCE": "schedule"}, "main tip", "main before"),
            ({"CI_COMMIT_BRANCH": "", "CI_COMMIT_TAG": "v2"}, "topic", "topic before"),
        ],
        ids=["push", "new branch", "forced push", "schedule", "tag"],
    )
    def test_pipelines_of_branches_and_tags(
        self, server: Server, tmp_path: Path, variables: Variables, commit: str, base: str
    ) -> None:
        commits = {
            "root": server.root,
            "topic": server.topic[-1],
            "topic before": server.topic[-2],
            "main tip": server.others[-1],
            "main before": server.others[-2],
        }
        pipeline = {"GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BRANCH": "topic"}
        given = {name: commits.get(value, value) for name, value in variables.items()}
        compared = compare(
            server,
            fresh(tmp_path),
            pipeline | given | {"CI_COMMIT_SHA": commits[commit]},
            commits[commit],
            depth=1,
        )
        assert (compared.base, compared.head) == (commits[base], commits[commit])

    def test_a_checkout_of_another_commit_is_an_error(self, server: Server, tmp_path: Path) -> None:
        variables = MERGE_REQUEST | {"CI_COMMIT_SHA": server.topic[-1]}
        compared = compare(server, fresh(tmp_path), variables, server.others[-1])
        assert compared.error is not None
        assert compared.error.startswith("the merge request event is about commit")

    def test_title_description_and_branch_can_name_a_ticket(self) -> None:
        event = read_event(Provider.GITLAB, MERGE_REQUEST)
        assert (event.branch, event.title, event.body) == ("SHOP-7-topic", "Topic", "Fixes SHOP-8")
        assert (event.target, event.change_request) == ("main", "7")

    def test_the_origin_is_the_project_of_the_merge_request(self) -> None:
        origin = origin_of_run(
            MERGE_REQUEST
            | {
                "CI_PROJECT_URL": "https://gitlab.example/stranger/shop",
                "CI_MERGE_REQUEST_PROJECT_URL": "https://gitlab.example/acme/shop",
                "CI_PIPELINE_URL": "https://gitlab.example/acme/shop/-/pipelines/3",
                "GITLAB_USER_LOGIN": "ada",
                "CI_CONFIG_PATH": ".gitlab-ci.yml",
                "CI_COMMIT_REF_NAME": "topic",
                "CI_COMMIT_SHA": "a" * 40,
            }
        )
        assert origin is not None
        assert (origin.repository, origin.change_request) == ("https://gitlab.example/acme/shop", "7")
        assert origin.workflow_run == "https://gitlab.example/acme/shop/-/pipelines/3"
        assert origin.actor == "ada"
        assert (origin.workflow, origin.workflow_commit) == ("acme/shop/.gitlab-ci.yml@topic", "a" * 40)

    def test_a_configuration_of_another_project_has_no_commit(self) -> None:
        origin = origin_of_run(
            MERGE_REQUEST | {"CI_CONFIG_PATH": "review.yml@acme/ci", "CI_COMMIT_SHA": GONE}
        )
        assert origin is not None
        assert (origin.workflow, origin.workflow_commit) == ("review.yml@acme/ci", "")


TABLES: dict[str, tuple[Callable[[Server], Variables], Of, Of]] = {
    # name: variables, the commit that is checked out, the expected base
    "azure, pull request": (
        lambda s: AZURE | {
            "BUILD_SOURCEBRANCH": "refs/pull/7/merge", "BUILD_SOURCEVERSION": s.merge,
            "SYSTEM_PULLREQUEST_SOURCECOMMITID": s.topic[-1],
            "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
        }, lambda s: s.merge, lambda s: s.others[-1]),
    "azure, branch": (
        lambda s: AZURE | {"BUILD_SOURCEVERSION": s.topic[-1], "SYSTEM_PULLREQUEST_TARGETBRANCH": "$(X)"},
        lambda s: s.topic[-1], lambda s: s.root),
    "azure, tag": (
        lambda s: AZURE | {"BUILD_SOURCEVERSION": s.topic[-1], "BUILD_SOURCEBRANCH": "refs/tags/v2"},
        lambda s: s.topic[-1], lambda s: s.topic[-2]),
    "bitbucket, pull request, a short id": (
        lambda s: BITBUCKET | {
            "BITBUCKET_COMMIT": s.topic[-1], "BITBUCKET_PR_DESTINATION_BRANCH": "main",
            "BITBUCKET_PR_DESTINATION_COMMIT": s.others[-1][:12],
        }, lambda s: s.topic[-1], lambda s: s.root),
    "bitbucket, tag": (
        lambda s: {"BITBUCKET_BUILD_NUMBER": "5", "BITBUCKET_TAG": "v2", "BITBUCKET_COMMIT": s.topic[-1]},
        lambda s: s.topic[-1], lambda s: s.topic[-2]),
    "generic, base": (
        lambda s: GENERIC | {"WARDROUND_BASE": "HEAD~1", "WARDROUND_TARGET_BRANCH": "main"},
        lambda s: s.topic[-1], lambda s: s.topic[-2]),
    "generic, target": (
        lambda s: GENERIC | {"WARDROUND_HEAD": s.topic[-1], "WARDROUND_TARGET_BRANCH": "main"},
        lambda s: s.topic[-1], lambda s: s.root),
    "generic, default branch": (
        lambda s: GENERIC | {"WARDROUND_DEFAULT_BRANCH": "main", "WARDROUND_REF": "refs/heads/main"},
        lambda s: s.others[-1], lambda s: s.others[-2]),
    "generic, the commit that was reviewed last": (
        lambda s: GENERIC | {"WARDROUND_PREVIOUS": s.root}, lambda s: s.others[-1], lambda s: s.root),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_run_whose_variables_a_table_names(server: Server, tmp_path: Path, name: str) -> None:
    variables, commit, base = TABLES[name]
    compared = compare(server, fresh(tmp_path), variables(server), commit(server), depth=1)
    assert (server.repo.git("rev-parse", f"{compared.base}^{{commit}}").strip()) == base(server)
    assert compared.error is None


def test_the_origins_of_tables() -> None:
    azure = AZURE | {
        "BUILD_REPOSITORY_URI": "https://acme@dev.azure.com/acme/shop/_git/shop",
        "SYSTEM_COLLECTIONURI": "https://dev.azure.com/acme/",
        "SYSTEM_TEAMPROJECT": "shop",
        "BUILD_BUILDID": "31",
        "BUILD_REQUESTEDFOR": "Ada",
        "SYSTEM_PULLREQUEST_TARGETBRANCH": "main",
        "SYSTEM_PULLREQUEST_PULLREQUESTID": "12",
    }
    found = origin_of_run(azure)
    assert found is not None
    assert found.repository == "https://dev.azure.com/acme/shop/_git/shop"
    assert found.workflow_run == "https://dev.azure.com/acme/shop/_build/results?buildId=31"
    assert (found.change_request, found.actor) == ("12", "Ada")
    bitbucket = origin_of_run(BITBUCKET | {"BITBUCKET_REPO_FULL_NAME": "acme/shop"})
    assert bitbucket is not None
    assert bitbucket.workflow_run == "https://bitbucket.org/acme/shop/pipelines/results/5"
    generic = origin_of_run(GENERIC | {"WARDROUND_ACTOR": "ada"})
    assert generic is not None
    assert (generic.actor, generic.workflow_run) == ("ada", "")


def test_a_base_that_is_no_revision_is_refused() -> None:
    with pytest.raises(GitError, match=r"^WARDROUND_BASE 'a b' is not a revision"):
        read_event(Provider.GENERIC, {"WARDROUND_BASE": "a b"})


def test_without_a_ci_system_the_variables_of_all_are_named() -> None:
    with pytest.raises(UsageError, match=r"^none of GITHUB_ACTIONS, GITLAB_CI, .* and BITBUCKET_BUILD_NU"):
        detect({})
    with pytest.raises(UsageError, match=r"^WARDROUND_PROVIDER='travis' is not a CI system; choose from g"):
        detect({"WARDROUND_PROVIDER": "travis"})


def test_the_command_offers_each_provider() -> None:
    assert sorted(PROVIDERS) == sorted(provider.value for provider in Provider)


def test_the_command_names_the_run_of_a_provider_that_is_given(server: Server, tmp_path: Path) -> None:
    head = server.topic[-1]
    created = server.checkout(fresh(tmp_path), head, depth=1)
    variables = {"WARDROUND_TARGET_BRANCH": "main", "WARDROUND_CHANGE_REQUEST": "7", "WARDROUND_ACTOR": "ada"}
    reports = tmp_path / "reports"
    done = created.wardround(
        "ci", "--provider", "generic", "--reports-dir", str(reports), "--fail-level", "none", env=variables
    )
    assert done.returncode == 0, done.stderr
    assert _files(json.loads((reports / "report.json").read_text())) == ["topic1.sql", "topic2.sql"]
    statement = (reports / "review.intoto.jsonl").read_text().splitlines()[0]
    record = base64.b64decode(json.loads(statement)["payload"])
    assert b'"change_request":"7"' in record
    assert b'"actor":"ada"' in record
