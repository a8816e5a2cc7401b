"""A tool that failed never counts as a clean result."""

from __future__ import annotations

import pytest
from wardround_docker_ci.tools import shellcheck
from wardround_docker_ci.tools.actionlint import ACTIONLINT, ACTIONLINT_IN_PROJECT
from wardround_docker_ci.tools.checkov import CHECKOV
from wardround_docker_ci.tools.hadolint import HADOLINT
from wardround_docker_ci.tools.ruff import RUFF_IN_WORKFLOWS
from wardround_docker_ci.tools.shellcheck import SHELLCHECK, SHELLCHECK_IN_WORKFLOWS
from wardround_docker_ci.tools.zizmor import ZIZMOR

from tests.plugins.docker_ci.conftest import Pretended, Reviewed
from tests.variants import variant
from wardround.policy.gate import GateOutcome
from wardround.tools.tool import Profile, Tool

WORKFLOW = ".github/workflows/build.yml"
_STEPS = "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - {step}\n"
_MANIFEST = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"
TOOLS = {
    "actionlint": (ACTIONLINT, WORKFLOW, _STEPS.format(step="run: make")),
    "actionlint in project": (ACTIONLINT_IN_PROJECT, WORKFLOW, _STEPS.format(step="uses: ./action")),
    "checkov": (CHECKOV, "pod.yml", _MANIFEST),
    "hadolint": (HADOLINT, "Dockerfile", "FROM scratch\n"),
    "ruff": (RUFF_IN_WORKFLOWS, WORKFLOW, _STEPS.format(step="{run: print(1), shell: python}")),
    "shellcheck": (SHELLCHECK, "run.sh", "#!/bin/sh\necho\n"),
    "zizmor": (ZIZMOR, WORKFLOW, _STEPS.format(step="run: make")),
}
_LOOKED = "print('completed .github/workflows/build.yml', file=sys.stderr)\n"
_UNREADABLE = "its output could not be read"
TROUBLE = {
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL"),
    "rubbish": (_LOOKED + "print('all good here')", _UNREADABLE),
    "nothing": (_LOOKED, _UNREADABLE),
    "half": (_LOOKED + "print('[{\"file\": ')", _UNREADABLE),
    "another shape": (_LOOKED + "print('{\"ok\": true}' if 'checkov' in sys.argv[0] else '7')", ""),
    "bad status": ("print('no such option', file=sys.stderr); sys.exit(2)",
                   "exited with status 2: no such option"),
}  # fmt: skip
_SHELLCHECK_OTHER = (
    "{'comments': [{'file': 'other.sh', 'line': 1, 'endLine': 1, 'column': 1, 'endColumn': 1,"
    " 'level': 'info', 'code': 1000, 'message': 'x', 'fix': None}]}"
)
_POINT = "{'row': 0, 'column': 0}"
_ZIZMOR_OTHER = (
    "[{'ident': 'x', 'desc': 'x',"
    " 'determinations': {'confidence': 'High', 'severity': 'High', 'persona': 'Regular'},"
    " 'locations': [{'symbolic': {'key': {'Local': {'verbatim_path': 'other.yml'}}, 'annotation': 'x',"
    " 'route': {'route': []}, 'kind': 'Primary'},"
    f" 'concrete': {{'location': {{'start_point': {_POINT}, 'end_point': {_POINT}}}}}}}]}}]"
)
OTHER_FILE = {
    "actionlint": "[{'message': 'x', 'filepath': 'other.yml', 'line': 1, 'column': 1, 'kind': 'id'}]",
    "checkov": "{'results': {'failed_checks': [{'check_id': 'CKV_K8S_1', 'check_name': 'x', 'file_abs_path':"
               " '/other.yml', 'file_line_range': [1, 2], 'resource': 'x'}]}}",
    "hadolint": "[{'file': 'other', 'line': 1, 'column': 1, 'code': 'DL1', 'message': 'x', 'level': 'info'}]",
    "ruff": "[{'filename': '/other.py', 'location': {'row': 1, 'column': 1}, 'message': 'x',"
            " 'end_location': {'row': 1, 'column': 1}}]",
    "shellcheck": _SHELLCHECK_OTHER,
    "zizmor": _ZIZMOR_OTHER,
}  # fmt: skip


def _profile(tool: Tool) -> Profile:
    return min(tool.profiles, key=list(Profile).index)


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("kind", TROUBLE)
def test_a_tool_in_trouble_makes_the_review_inconclusive(
    reviewed: Reviewed, pretended: Pretended, name: str, kind: str
) -> None:
    tool, path, text = TOOLS[name]
    code, reported = TROUBLE[kind]

    done = reviewed({path: text}, pretended(tool, code), profile=_profile(tool))

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    (unreviewed,) = done.unreviewed
    assert reported in unreviewed.reason


@pytest.mark.parametrize("name", OTHER_FILE)
def test_a_tool_that_names_a_file_it_was_not_given_makes_the_review_inconclusive(
    reviewed: Reviewed, pretended: Pretended, name: str
) -> None:
    tool, path, text = TOOLS[name]
    fake = pretended(tool, _LOOKED + f"print(json.dumps({OTHER_FILE[name]}))")

    done = reviewed({path: text}, fake, profile=_profile(tool))

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    (unreviewed,) = done.unreviewed
    assert "which is not one of its files" in unreviewed.reason


def test_a_manifest_checkov_gives_up_is_unreviewed(reviewed: Reviewed, pretended: Pretended) -> None:
    reported = {"results": {"failed_checks": [], "parsing_errors": ["/snapshot/pod.yml"]}}

    done = reviewed(
        {"pod.yml": _MANIFEST}, pretended(CHECKOV, f"print(json.dumps({reported}))"), profile=Profile.CI
    )

    (unreviewed,) = done.unreviewed
    assert unreviewed.reason == "checkov could not read pod.yml"


@pytest.mark.parametrize("name", TOOLS)
def test_a_missing_tool_makes_the_review_inconclusive_and_reports_how_to_get_it(
    reviewed: Reviewed, name: str
) -> None:
    tool, path, text = TOOLS[name]

    done = reviewed({path: text}, variant(tool, find=lambda root: None), profile=_profile(tool))

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    (missing,) = done.unreviewed
    assert missing.reason == f"{tool.program} is not installed; {tool.install}"


def test_steps_are_unreviewed_where_the_program_that_finds_them_is_missing(
    reviewed: Reviewed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shellcheck, "find_actionlint", lambda root: None)

    done = reviewed({WORKFLOW: _STEPS.format(step="run: make")}, SHELLCHECK_IN_WORKFLOWS)

    (missing,) = done.unreviewed
    assert missing.tool == "shellcheck"
    assert missing.reason == "actionlint is not installed; pip install 'wardround[docker-ci]'"


def test_a_workflow_zizmor_passes_over_is_unreviewed_and_the_others_count(reviewed: Reviewed) -> None:
    odd = "on: push\njobs:\n  build:\n    unheard-of: 1\n"
    bad = _STEPS.format(step="run: echo ${{ github.head_ref }}").replace("push", "pull_request_target")

    done = reviewed({".github/workflows/odd.yml": odd, ".github/workflows/bad.yml": bad}, ZIZMOR)

    (unreviewed,) = done.unreviewed
    assert unreviewed.file == ".github/workflows/odd.yml"
    assert unreviewed.reason == "it does not parse: input does not match expected validation schema"
    assert "zizmor/template-injection" in [item.rule for item in done.visible]


def test_a_workflow_that_is_not_a_yaml_is_an_error_and_not_unreviewed_too(reviewed: Reviewed) -> None:
    done = reviewed({WORKFLOW: "on: push\njobs: [\n"}, ACTIONLINT, ZIZMOR)

    assert [item.rule for item in done.visible] == ["actionlint/yaml-syntax"]
    assert done.unreviewed == ()


def test_a_manifest_that_is_not_a_yaml_is_unreviewed(reviewed: Reviewed, pretended: Pretended) -> None:
    clean = pretended(CHECKOV, "print(json.dumps({'passed': 0, 'failed': 0}))")

    done = reviewed({"pod.yml": _MANIFEST + "spec: [\n"}, clean, profile=Profile.CI)

    (unreviewed,) = done.unreviewed
    assert unreviewed.reason.startswith("it does not parse: ")


def test_an_action_that_zizmor_declines_is_explained_by_the_error_about_it(reviewed: Reviewed) -> None:
    action = "name: a\ndescription: d\nruns:\n  using: composite\n  steps:\n    - run: echo\n"

    done = reviewed({"a/action.yml": action}, ACTIONLINT_IN_PROJECT, ZIZMOR)

    assert [item.rule for item in done.visible] == ["actionlint/step-without-shell"]
    assert done.unreviewed == ()


def test_a_workflow_that_is_not_a_yaml_is_one_error_of_its_own_file(reviewed: Reviewed) -> None:
    steps = _STEPS.format(step="{run: print(1), shell: python}")
    files = {WORKFLOW: steps, ".github/workflows/broken.yml": f'{steps}      - "x\n  b: [\n'}

    done = reviewed(files, ACTIONLINT, RUFF_IN_WORKFLOWS, SHELLCHECK_IN_WORKFLOWS, ZIZMOR)

    errors = [(item.file, item.rule) for item in done.visible if item.severity.label == "error"]
    assert errors == [(".github/workflows/broken.yml", "actionlint/yaml-syntax")]
    assert done.unreviewed == ()


def test_a_workflow_that_is_not_a_yaml_is_named_where_no_tool_reports_it(reviewed: Reviewed) -> None:
    steps = _STEPS.format(step="{run: print(1), shell: python}")
    files = {WORKFLOW: steps, ".github/workflows/broken.yml": f'{steps}      - "x\n  b: [\n'}

    (missing,) = reviewed(files, RUFF_IN_WORKFLOWS).unreviewed

    assert missing.file == ".github/workflows/broken.yml"
    assert missing.reason.startswith("it does not parse: line 9: ")
