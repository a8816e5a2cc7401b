"""Every tool's positions are converted to lines and columns in code points, from its own units."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from wardround_docker_ci.tools.actionlint import ACTIONLINT, ACTIONLINT_IN_PROJECT
from wardround_docker_ci.tools.block_scalars import position_in_block
from wardround_docker_ci.tools.checkov import CHECKOV
from wardround_docker_ci.tools.hadolint import HADOLINT
from wardround_docker_ci.tools.ruff import RUFF_IN_WORKFLOWS
from wardround_docker_ci.tools.shellcheck import SHELLCHECK, SHELLCHECK_IN_WORKFLOWS
from wardround_docker_ci.tools.zizmor import ZIZMOR

from tests.plugins.docker_ci.conftest import Pretended, Reviewed, places
from wardround.findings import Finding
from wardround.tools.tool import Invocation, Profile

WORKFLOW = ".github/workflows/build.yml"
_HEAD = "on: pull_request\npermissions: {}\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n"


def test_zizmor_counts_bytes(reviewed: Reviewed) -> None:
    step = '      - run: |\n          echo "é𝒳 ${{ github.head_ref }}"\n'

    done = reviewed({WORKFLOW: _HEAD + step}, ZIZMOR)

    assert places(done) == [("zizmor/template-injection", 8, 24)]


def test_zizmor_results_do_not_depend_on_the_order_of_its_output(tmp_path: Path) -> None:
    steps = "".join(f"      - uses: owner/action@v{number}\n" for number in range(3))
    (tmp_path / "a.yml").write_text(_HEAD + steps, "utf-8")
    run = Invocation(Path("zizmor"), tmp_path, ("a.yml",), None, tmp_path)
    output = [_unpinned_use(row) for row in (6, 7, 8)]

    (found,) = {tuple(ZIZMOR.parse(json.dumps(some).encode(), run)) for some in permutations(output)}

    assert {result.span.line for result in found} >= {7}


def _unpinned_use(row: int) -> dict[str, Any]:
    points = {"start_point": {"row": row, "column": 14}, "end_point": {"row": row, "column": 29}}
    symbolic = {
        "key": {"Local": {"verbatim_path": "a.yml"}}, "annotation": "action is not pinned",
        "route": {"route": []}, "kind": "Primary",
    }  # fmt: skip
    determinations = {"confidence": "High", "severity": "High", "persona": "Regular"}
    return {
        "ident": "unpinned-uses", "desc": "unpinned action reference", "determinations": determinations,
        "locations": [{"symbolic": symbolic, "concrete": {"location": points}}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("step", "place"),
    [
        ("      - run: echo ${{ github.fo }}\n", (7, 23)),
        ('      - run: "é𝒳 ${{ github.fo }}"\n', (7, 22)),
        ('      - {name: "ü", run: "é ${{ github.fo }}"}\n', (7, 33)),
        ("      - run: |\n          echo é\n\n          echo é ${{ github.fo }}\n", (10, 22)),
        ("      - run: >-\n\n          echo é\n          echo ${{ github.fo }}\n", (10, 20)),
    ],
)
def test_actionlint_counts_characters_before_a_value_and_bytes_in_it(
    reviewed: Reviewed, step: str, place: tuple[int, int]
) -> None:
    done = reviewed({WORKFLOW: _HEAD + step}, ACTIONLINT)

    assert places(done) == [("actionlint/undefined-property", *place)]


def test_a_workflow_command_is_found_in_the_script_that_prints_it(reviewed: Reviewed) -> None:
    step = '      - run: |\n          true\n          echo "::set-output name=a::b"\n'

    done = reviewed({WORKFLOW: _HEAD + step}, ACTIONLINT)

    assert places(done) == [("actionlint/deprecated-commands", 9, 17)]


def test_shellcheck_counts_a_tab_as_one(reviewed: Reviewed) -> None:
    done = reviewed({"run.sh": '#!/bin/sh\nif true; then\n\techo é𝒳; [[ -f "$1" ]]\nfi\n'}, SHELLCHECK)

    assert places(done) == [("shellcheck/SC3010", 3, 11)]


def test_shellcheck_reports_where_in_a_step(reviewed: Reviewed) -> None:
    step = '      - shell: sh\n        run: |\n          echo é\n          echo é; [[ -f "$HOME" ]]\n'

    done = reviewed({WORKFLOW: _HEAD + step}, SHELLCHECK_IN_WORKFLOWS)

    assert places(done) == [("shellcheck/SC3010", 10, 19)]


@pytest.mark.parametrize(
    ("step", "code", "place"),
    [
        ("- shell: python\n        run: |\n          import os\n          print(os, é𝒳, x)\n",
         "F821", (10, 25)),
        ("- {shell: python, run: print(x)}\n", "F821", (7, 36)),
        ("- run: print(x)\n        shell: python3 -u {0}\n", "F821", (7, 20)),
        ("- shell: python\n        run: |\n\n            if True\n              print(1)\n",
         "invalid-syntax", (10, 20)),
        ("- shell: python\n        run: |\n          a = '%s' % (1, 2)\n", "F507", (9, 15)),
    ],
)  # fmt: skip
def test_ruff_reports_where_in_a_step_of_python(
    reviewed: Reviewed, step: str, code: str, place: tuple[int, int]
) -> None:
    done = reviewed({WORKFLOW: _HEAD + "      " + step}, RUFF_IN_WORKFLOWS)

    assert (f"ruff/{code}", *place) in places(done)


@pytest.mark.parametrize(
    "step",
    [
        "- run: print(x)\n",
        "- {shell: bash, run: print(x)}\n",
        "- shell: python\n        run: |\n          import os\n          print(${{ github.run_id }})\n",
        '- shell: python\n        run: |\n          print(f"{1}-${{\n            github.ref\n\n'
        '            || inputs.ref\n          }}.txt")\n',
        "- shell: python\n        run: >\n          print(x);\n          print(y)\n",
        "- {shell: python, uses: ./a}\n",
    ],
)
def test_ruff_reports_nothing_of_other_steps_of_expressions_and_of_what_is_merely_unused(
    reviewed: Reviewed, step: str
) -> None:
    done = reviewed({WORKFLOW: _HEAD + "      " + step + "# python shell\n"}, RUFF_IN_WORKFLOWS)

    assert places(done) == []
    assert done.unreviewed == ()


def test_a_shell_for_all_steps_counts(reviewed: Reviewed) -> None:
    text = "defaults: {run: {shell: python}}\n" + _HEAD + "      - run: print(x)\n"

    assert places(reviewed({WORKFLOW: text}, RUFF_IN_WORKFLOWS)) == [("ruff/F821", 8, 20)]


def test_hadolint_is_pointed_at_the_line_of_the_instruction(reviewed: Reviewed) -> None:
    text = "FROM debian:12\nRUN é=1; \\\n # apt-get install x\n\tapt-get install x\n"

    done = reviewed({"Dockerfile": text}, HADOLINT)

    assert ("hadolint/DL3014", 4, 2) in places(done)


def test_checkov_is_pointed_at_the_setting(reviewed: Reviewed, pretended: Pretended) -> None:
    manifest = (
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: a\n"
        "      securityContext: {privileged: true}\n"
    )
    answer = (
        "path = os.path.abspath(sys.argv[sys.argv.index('-f') + 1])\n"
        "check = {'check_id': 'CKV_K8S_16', 'check_name': 'n', 'resource': 'r', 'file_line_range': [1, 6]}\n"
        "print(json.dumps({'results': {'failed_checks': [{**check, 'file_abs_path': path}]}}))"
    )

    done = reviewed({"a/pod.yml": manifest}, pretended(CHECKOV, answer), profile=Profile.CI)

    assert places(done) == [("checkov/CKV_K8S_16", 6, 25)]


def test_a_workflow_in_a_folder_is_checked_against_the_actions_next_to_it(reviewed: Reviewed) -> None:
    action = "name: a\ndescription: d\ninputs: {b: {description: d}}\nruns: {using: composite, steps: []}\n"
    files = {
        f"case_1/{WORKFLOW}": _HEAD + "      - uses: ./.github/actions/a\n        with: {c: d}\n",
        "case_1/.github/actions/a/action.yml": action,
    }

    done = reviewed(files, ACTIONLINT_IN_PROJECT)

    assert places(done) == [("actionlint/action-input", 8, 16)]
    assert done.visible[0].message == (
        'input "c" is not defined in action "a" defined at "./.github/actions/a". available inputs are "b"'
    )


def test_an_action_is_named_as_the_project_has_it(reviewed: Reviewed) -> None:
    files = {
        WORKFLOW: _HEAD + "      - uses: ./.github/actions/a\n",
        ".github/actions/a/action.yml": "name: a\nruns: {using: composite, steps: []}\n",
    }

    done = reviewed(files, ACTIONLINT_IN_PROJECT)

    assert [finding.message for finding in done.visible] == [
        'description is required in metadata of "a" action at ".github/actions/a/action.yml"'
    ]


@pytest.mark.parametrize(
    ("text", "column", "place"),
    [
        ("run: |\n  ab\n  cd\n", 6, None),
        ("run: |\n  ab\n  cd\n", 7, (2, 4)),
        ("run: |\n  ab\n  cd\n", 9, (3, 3)),
        ("run: |\n\n  ab\n", 7, (3, 3)),
        ("run: >\n  a\n\n  b\n", 8, (4, 3)),
        ("run: |2-\n   ab\n", 8, (2, 5)),
        ("run: |\n", 9, None),
        ("run: ab\n", 9, None),
        ("run: |\n  ab\nname: c\n", 20, None),
    ],
)
def test_places_in_block_scalars(text: str, column: int, place: tuple[int, int] | None) -> None:
    assert position_in_block(text.split("\n"), 1, column) == place


def test_a_missing_called_workflow_is_left_to_a_check(reviewed: Reviewed) -> None:
    calls = "on: push\npermissions: {}\njobs:\n  a:\n    uses: ./.github/workflows/b.yml\n"

    assert places(reviewed({WORKFLOW: calls}, ACTIONLINT_IN_PROJECT)) == []


def test_results_about_an_action_are_of_its_file_and_independent_of_what_else_is_reviewed(
    reviewed: Reviewed,
) -> None:
    action = "name: a\nruns:\n  using: composite\n  steps:\n    - run: echo\n    - uses: ./b\n"
    flow = "description: d\nruns: {using: node24, main: a.js}\nbranding: {icon: nope, color: red}\n"
    calls = _HEAD + "      - uses: ./.github/actions/a\n      - uses: ./b\n        with: {c: d}\n"
    files = {f".github/workflows/{number}.yml": calls for number in range(5)}
    files |= {".github/actions/a/action.yml": action, "b/action.yml": flow, "c/action.yml": "runs: [\n"}

    found = [(item.file, *_place_of(item)) for item in reviewed(files, ACTIONLINT_IN_PROJECT).visible]

    a = ".github/actions/a/action.yml"
    assert found == [
        (a, "actionlint/action", 1, 1),
        (a, "actionlint/step-without-shell", 5, 7),
        *((f".github/workflows/{number}.yml", "actionlint/action-input", 9, 16) for number in range(5)),
        ("b/action.yml", "actionlint/action", 2, 1),
        ("b/action.yml", "actionlint/action", 2, 23),
        ("b/action.yml", "actionlint/action", 3, 12),
        ("c/action.yml", "actionlint/yaml-syntax", 2, 1),
    ]


def _place_of(finding: Finding) -> tuple[str, int, int]:
    return finding.rule, finding.span.line, finding.span.column


_PASTED = (
    "on: pull_request\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
    "      - run: echo ${{ %s }}\n"
)


@pytest.mark.parametrize(
    "context",
    [
        "github.base_ref", "github.event.repository.default_branch", "github.event.pull_request.base.ref",
        "github.event.pull_request.base.repo.default_branch", "github.repository_owner", "github.workflow",
        "github.event.organization.login", "github.event.pull_request.user.login", "github.actor",
        "github.event.pull_request.head.repo.full_name",
    ],
)  # fmt: skip
def test_contexts_only_the_owner_controls_inject_nothing(reviewed: Reviewed, context: str) -> None:
    found = [rule for rule, *_ in places(reviewed({WORKFLOW: _PASTED % context}, ZIZMOR))]

    assert "zizmor/template-injection" not in found


@pytest.mark.parametrize(
    "context",
    [
        "github.event.workflow_run.head_sha", "github.event.workflow_run.event", "github.event.after",
        "github.event.workflow_run.pull_requests[0].number", "github.event.pull_request.head.sha",
        "github.event.check_suite.conclusion", "github.event.head_commit.id", "github.event.comment.id",
        "github.event.pull_request.created_at", "github.event.release.draft",
    ],
)  # fmt: skip
def test_contexts_that_github_generates_inject_nothing(reviewed: Reviewed, context: str) -> None:
    found = [rule for rule, *_ in places(reviewed({WORKFLOW: _PASTED % context}, ZIZMOR))]

    assert "zizmor/template-injection" not in found


@pytest.mark.parametrize(
    "context",
    ["github.event.workflow_run.head_branch", "github.event.workflow_run.display_title",
     "github.event.workflow_run.head_commit.message", "github.event.client_payload.sha",
     "github.event.deployment.payload.id", "github.event.check_run.external_id", "github.event.inputs.id",
     "github.event.pull_request.head.label", "github.event.head_commit.author.name"],
)  # fmt: skip
def test_contexts_with_text_of_a_sender_inject(reviewed: Reviewed, context: str) -> None:
    found = [rule for rule, *_ in places(reviewed({WORKFLOW: _PASTED % context}, ZIZMOR))]

    assert "zizmor/template-injection" in found


@pytest.mark.parametrize(
    "context",
    ["github.head_ref", "github.event.pull_request.title", "github.event.pull_request.head.ref",
     "github.event.pull_request.head.repo.default_branch", "github.base_ref || github.head_ref"],
)  # fmt: skip
def test_contexts_of_outsiders_inject(reviewed: Reviewed, context: str) -> None:
    found = [rule for rule, *_ in places(reviewed({WORKFLOW: _PASTED % context}, ZIZMOR))]

    assert "zizmor/template-injection" in found


def test_a_blank_before_the_commit_leaves_an_action_pinned(reviewed: Reviewed) -> None:
    text = (
        "on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
        "      - uses: acme/setup@ 11bd71901bbe5b1630ceea73d27597364c9af683\n      - uses: acme/setup@main\n"
    )

    done = reviewed({WORKFLOW: text}, ZIZMOR)

    assert [line for rule, line, _ in places(done) if rule == "zizmor/unpinned-uses"] == [8]


def test_zizmor_minds_secrets_only_that_leave_the_repository(reviewed: Reviewed) -> None:
    calls = "on: push\npermissions: {{}}\njobs:\n  a:\n    uses: {}\n    secrets: inherit\n"
    away = calls.format("a/b/.github/workflows/c.yml@11bd71901bbe5b1630ceea73d27597364c9af683")

    assert "zizmor/secrets-inherit" in [rule for rule, *_ in places(reviewed({WORKFLOW: away}, ZIZMOR))]
    here = calls.format("./.github/workflows/c.yml")
    assert "zizmor/secrets-inherit" not in [rule for rule, *_ in places(reviewed({WORKFLOW: here}, ZIZMOR))]


def test_an_argument_that_names_a_stage_is_not_a_untagged_image(reviewed: Reviewed) -> None:
    text = "ARG V=slim\nFROM debian:12 AS base-slim\nUSER a\nFROM base-$V AS last\nFROM base-x\n"

    done = reviewed({"Dockerfile": text}, HADOLINT)

    assert [line for rule, line, _ in places(done) if rule == "hadolint/DL3006"] == [5]


_TAGGED = (
    "on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
    "      - uses: acme/setup@v3\n      - uses: acme/send@v2\n        with:\n          key: %s\n"
    "      - uses: acme/send@v2\n        with:\n          key: %s\n"
)


def test_an_action_by_its_tag_counts_once_and_where_it_gets_a_secret(reviewed: Reviewed) -> None:
    def lines(text: str) -> list[int]:
        done = reviewed({WORKFLOW: text}, ZIZMOR)
        return [f.span.line for f in done.visible if f.rule == "zizmor/tag-of-action"]

    assert lines(_TAGGED % ("${{ secrets.SHOP }}", "${{ secrets.SHOP }}")) == [8]
    assert lines(_TAGGED % ("${{ secrets.GITHUB_TOKEN }}", "none")) == []


def test_an_action_by_its_tag_counts_where_others_are_pinned(reviewed: Reviewed) -> None:
    pinned = "      - uses: acme/keep@11bd71901bbe5b1630ceea73d27597364c9af683\n"
    done = reviewed({WORKFLOW: _TAGGED % ("a", "a") + pinned}, ZIZMOR)

    assert [f.span.line for f in done.visible if f.rule == "zizmor/tag-of-action"] == [7, 8]


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        ("tool make \\\n  $(jq -r '.tags[]' tags.json) \\\n  more\n", []),
        ('NODES=(${NODES:-1 2})\necho "${NODES[@]}"\n', []),
        ("# word splitting is intended\nrm $(cat list)\n", []),
        ("rm $(cat list)\n", ["shellcheck/SC2046"]),
        ('NODES=($1)\necho "${NODES[@]}"\n', ["shellcheck/SC2206"]),
    ],
)
def test_words_that_are_to_be_split_are_unchanged(reviewed: Reviewed, script: str, codes: list[str]) -> None:
    done = reviewed({"a.sh": f"#!/bin/bash\n{script}"}, SHELLCHECK)
    assert [f.rule for f in done.visible] == codes

    steps = "".join(f"          {line}\n" for line in script.split("\n") if line)
    in_step = reviewed({WORKFLOW: f"{_HEAD}      - run: |\n{steps}"}, SHELLCHECK_IN_WORKFLOWS)
    assert [f.rule for f in in_step.visible] == codes


def test_quotes_that_end_a_text_are_reported_once_for_a_line(reviewed: Reviewed) -> None:
    done = reviewed({"a.sh": '#!/bin/bash\nsend "a={b="C", d=["$1"], e=["$2"]}"\n'}, SHELLCHECK)

    assert [f.span.line for f in done.visible if f.rule in ("shellcheck/SC2027", "shellcheck/SC2140")] == [2]


def test_a_cache_of_a_release_is_reported_where_it_is_enabled(reviewed: Reviewed) -> None:
    steps = (
        "      - uses: astral-sh/setup-uv@v9\n        with:\n          enable-cache: true\n"
        "      - run: uv build\n      - uses: pypa/gh-action-pypi-publish@release/v1\n"
    )
    head = _HEAD.replace("pull_request", "\n  release:\n    types: [published]")
    done = reviewed({WORKFLOW: f"{head}{steps}"}, ZIZMOR)

    found = [f.span.start for f in done.visible if f.rule == "zizmor/cache-of-release"]
    assert found == [(f"{head}{steps}".split("\n").index("          enable-cache: true") + 1, 11)]


@pytest.mark.parametrize(
    ("test", "rules"),
    [
        ('[[ "${{ github.ref }}" == refs/tags/* ]]', []),
        ('[[ "a $HOME" == refs/tags/* ]]', ["shellcheck/SC2193"]),
    ],
)
def test_an_expression_of_a_workflow_is_not_a_constant(
    reviewed: Reviewed, test: str, rules: list[str]
) -> None:
    done = reviewed(
        {WORKFLOW: f"{_HEAD}      - run: |\n          {test} && echo b\n"}, SHELLCHECK_IN_WORKFLOWS
    )

    assert [f.rule for f in done.visible] == rules


@pytest.mark.parametrize(
    ("shell", "rules"),
    [
        ('SHELL ["powershell", "-Command"]', []),
        ("# hadolint shell=pwsh", []),
        ('SHELL ["/bin/bash", "-c"]', ["hadolint/SC1088"]),
    ],
)
def test_a_script_of_powershell_is_not_read_as_one_of_a_posix_shell(
    reviewed: Reviewed, shell: str, rules: list[str]
) -> None:
    text = f"FROM example.org/servercore:1\n{shell}\nRUN Get-Item a | Where-Object {{ $_.Name() }}\n"
    done = reviewed({"Dockerfile": text}, HADOLINT)

    assert [f.rule for f in done.visible if "/SC" in f.rule] == rules


@pytest.mark.parametrize(
    ("image", "is_read"),
    [
        ("mcr.microsoft.com/windows/nanoserver:ltsc2025", False),
        ("acme/web:2-windowsservercore", False),
        ("acme/web:2-${VARIANT}", False),
        ("mcr.microsoft.com/dotnet/framework/sdk:4.8", False),
        ("mcr.microsoft.com/windows:20H2", False),
        ("--platform=windows/amd64 acme/web:2", False),
        ("acme/windows-cross:2", True),
        ("acme/web:2", True),
        ("first", False),
    ],
)
def test_a_script_on_windows_is_not_read_as_one_of_a_posix_shell(
    reviewed: Reviewed, image: str, is_read: bool
) -> None:
    text = (
        "ARG VARIANT=nanoserver\nFROM acme/nanoserver:1 AS first\nRUN mkdir c:\\first\n"
        f"FROM {image}\nRUN mkdir c:\\config\n"
    )
    done = reviewed({"Dockerfile": text}, HADOLINT)

    assert [f.span.start[0] for f in done.visible if "/SC" in f.rule] == [5] * is_read


@pytest.mark.parametrize(
    ("command", "is_shown"),
    [("apt-get dist-clean", False), ("apt-get -y distclean", False), ("apt-get clean", True)],
)
def test_a_command_of_apt_that_removes_the_lists(reviewed: Reviewed, command: str, is_shown: bool) -> None:
    text = f"FROM acme/web:2\nRUN apt-get update; \\\n    apt-get install -y a=1; \\\n    {command}\n"
    found = [f.rule for f in reviewed({"Dockerfile": text}, HADOLINT).findings]

    assert ("hadolint/DL3009" in found) is is_shown
