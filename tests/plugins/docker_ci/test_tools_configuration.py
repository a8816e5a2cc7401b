"""Tools use the configuration of the trusted side, and it can neither run code nor hide results."""

from __future__ import annotations

from pathlib import Path

from wardround_docker_ci.tools.actionlint import ACTIONLINT
from wardround_docker_ci.tools.checkov import CHECKOV
from wardround_docker_ci.tools.hadolint import HADOLINT
from wardround_docker_ci.tools.shellcheck import SHELLCHECK
from wardround_docker_ci.tools.zizmor import ZIZMOR

from tests.conftest import GitRepository
from tests.plugins.docker_ci.conftest import Pretended, Reviewed
from wardround.review_result import ReviewResult
from wardround.tools.tool import Profile

_POD = "apiVersion: v1\nkind: Pod\n"
WORKFLOW = ".github/workflows/build.yml"
_INJECTION = (
    "on: pull_request\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n"
    "    steps:\n      - run: echo ${{ github.head_ref }}\n"
)


def _rules(done: ReviewResult) -> list[str]:
    return [item.rule for item in done.visible if item.specialist == "docker-ci"]


def test_a_projects_configuration_counts(reviewed: Reviewed) -> None:
    files = {
        ".hadolint.yaml": "ignored: [DL3006]\n",
        "Dockerfile": "FROM debian\n",
        ".github/zizmor.yml": "rules: {template-injection: {disable: true}}\n",
        WORKFLOW: _INJECTION,
        ".shellcheckrc": "disable=SC3010\n",
        "run.sh": '#!/bin/sh\n[[ -f "$1" ]]\n',
    }

    assert _rules(reviewed(files, HADOLINT, ZIZMOR, SHELLCHECK)) == []


def test_a_configuration_that_the_change_brings_does_not_count_where_the_base_is_trusted(
    reviewed: Reviewed, repo: GitRepository
) -> None:
    repo.commit({"README": "a\n"})
    files = {
        ".hadolint.yaml": "ignored: [DL3006]\n",
        "Dockerfile": "FROM debian\n",
        ".github/zizmor.yml": "rules: {template-injection: {disable: true}}\n",
        WORKFLOW: _INJECTION,
        ".shellcheckrc": "disable=SC3010\n",
        "run.sh": '#!/bin/sh\n[[ -f "$1" ]]\n',
    }

    done = reviewed(files, HADOLINT, ZIZMOR, SHELLCHECK, config="base")

    assert _rules(done) == ["zizmor/template-injection", "hadolint/DL3006", "shellcheck/SC3010"]
    changed = [item.file for item in done.visible if item.rule == "wardround/config-changed"]
    assert changed == [".github/zizmor.yml", ".hadolint.yaml", ".shellcheckrc"]


def test_a_workflow_called_zizmor_is_not_a_configuration(reviewed: Reviewed, repo: GitRepository) -> None:
    repo.commit({"README": "a\n"})

    done = reviewed({".github/workflows/zizmor.yml": _INJECTION}, ZIZMOR, config="base")

    assert [item.rule for item in done.visible] == ["zizmor/template-injection"]
    assert done.unreviewed == ()


def test_a_configuration_cannot_choose_the_output(reviewed: Reviewed) -> None:
    files = {
        ".hadolint.yaml": "format: tty\nno-fail: false\nignored: [DL3007]\n",
        "Dockerfile": "FROM debian\n",
    }

    done = reviewed(files, HADOLINT)

    assert [item.rule for item in done.visible] == ["hadolint/DL3006"]


def test_labels_of_own_runners_come_from_actionlints_configuration(reviewed: Reviewed) -> None:
    workflow = _INJECTION.replace("ubuntu-latest", "ubuntu-7.04").replace("${{ github.head_ref }}", "a")
    config = {".github/actionlint.yaml": "self-hosted-runner: {labels: [ubuntu-7.04]}\n"}

    assert _rules(reviewed({WORKFLOW: workflow}, ACTIONLINT)) == ["actionlint/unavailable-runner"]
    assert _rules(reviewed(config, ACTIONLINT)) == []


def test_checkov_receives_only_the_checks_to_run(
    reviewed: Reviewed, pretended: Pretended, tmp_path: Path
) -> None:
    config = "external-checks-dir: [evil]\nskip-check:\n  - CKV_K8S_1\nrepo-id: a/b\n"
    seen = tmp_path / "seen"
    looks = (
        "told = open(sys.argv[sys.argv.index('--config-file') + 1]).read()\n"
        f"open({str(seen)!r}, 'w').write(told + '---' + open('.checkov.yaml').read())\n"
        "print(json.dumps({'passed': 0}))"
    )

    reviewed({".checkov.yaml": config, "p.yml": _POD}, pretended(CHECKOV, looks), profile=Profile.CI)

    assert seen.read_text() == "skip-check:\n  - CKV_K8S_1\n---{}\n"
