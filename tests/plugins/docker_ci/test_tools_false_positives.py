"""False positives of tools are not shown, and true results are."""

from __future__ import annotations

import pytest
from wardround_docker_ci.tools.actionlint import ACTIONLINT, ACTIONLINT_IN_PROJECT
from wardround_docker_ci.tools.hadolint import HADOLINT
from wardround_docker_ci.tools.shellcheck import SHELLCHECK, SHELLCHECK_IN_WORKFLOWS
from wardround_docker_ci.tools.zizmor import ZIZMOR

from tests.plugins.docker_ci.conftest import Reviewed, places

WORKFLOW = ".github/workflows/a.yml"
JOBS = "permissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n"
HEAD = f"on: push\n{JOBS}    steps:\n"


def codes(done: object) -> list[str]:
    return [finding.rule.partition("/")[2] for finding in done.visible]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("pip install -e .[tests] 'a[bb]'\n", []),
        ("uv pip install -r a.txt \\\n  wheel[stress]\n", []),
        ("ls report.[teet]\n", ["SC2102"]),
        ("printf '%s' 'RUN a \\\\'\n", []),
        ("echo 'it\\'s'\n", ["SC1003", "SC1072"]),
        ('n=4\n[[ "$1" =~ "-T$n" ]] && echo a\n', []),
        ('[[ "$1" =~ "-T.*" ]] && echo a\n', ["SC2076"]),
        ('cd "$(dirname "$BASH_SOURCE")" || exit\n', []),
        ('names=(a b)\necho "$names"\n', ["SC2128"]),
        ("SOCKET= \\\n  A=1 \\\n  serve\n", []),
        ("count= 5\n", ["SC1007"]),
        ("cat <<< $(date)\n", []),
        ("printf '${%s} ' $(env | cut -d= -f1)\n", []),
        ("rm $(cat list)\n", ["SC2046"]),
        ("seen=$(/opt/runner/2.*/bin/runner --version)\n/srv/app-?/run; ./tool-*/start\n", []),
        ("build*.sh && */clean\n", ["SC2211", "SC2211"]),
        ("/srv/tools/run-*\n", ["SC2211"]),
        ("test $(sed 's|^|--skip=|' list | tr '\\n' ' ')\n", []),
    ],
)
def test_shell_script(reviewed: Reviewed, script: str, expected: list[str]) -> None:
    found = codes(reviewed({"a.sh": f"#!/bin/bash\n{script}"}, SHELLCHECK))
    assert [code for code in found if code != "SC2016"] == expected


MISSING = 'f() {\n  echo "a\n  echo "b (c)"\n  echo "d"\n}\nf\n'


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (MISSING, [("SC1078", 3)]),
        (f"{MISSING}g() {{\n  ls\n", [("SC1078", 3)]),
        (f'echo "a\nb"c\n{MISSING}', [("SC1078", 2), ("SC1078", 5)]),
        ('echo "a\necho "b"\n', [("SC1078", 2)]),
        ('echo "a\nb"c\necho "d\ne"f\n', [("SC1078", 2)]),
        ('echo "a\nb"c\nif true; then\n  ls\n', [("SC1078", 2), ("SC1046", 4)]),
    ],
)
def test_one_missing_quote_is_one_finding(
    reviewed: Reviewed, script: str, expected: list[tuple[str, int]]
) -> None:
    found = places(reviewed({"a.sh": f"#!/bin/bash\n{script}"}, SHELLCHECK))
    assert [(rule.partition("/")[2], line) for rule, line, _ in found] == expected


def test_missing_quote_that_ends_the_script_is_an_error(reviewed: Reviewed) -> None:
    done = reviewed({"a.sh": f"#!/bin/bash\n{MISSING}", "b.sh": '#!/bin/bash\necho "a\nb"c\n'}, SHELLCHECK)
    levels = {finding.file: finding.severity for finding in done.visible}
    assert levels["a.sh"] > levels["b.sh"]


@pytest.mark.parametrize(
    ("instruction", "is_shown"),
    [
        ("COPY a \\\n  b C:\\\\c\\\\", False),
        ("COPY a C:\\\\c\\\\  ", False),
        ("RUN <<E\necho a\\\\\nE\n", False),
        ("COPY a C:\\\\c\\\\\nCOPPY b c", True),
    ],
)
def test_escaped_escape_character_ends_an_instruction(
    reviewed: Reviewed, instruction: str, is_shown: bool
) -> None:
    text = f"FROM a:1\nUSER 1\n{instruction}\n\nUSER 2\nRUN sudo ls\n"
    found = codes(reviewed({"Dockerfile": text}, HADOLINT))
    assert ("DL1000" in found) is is_shown
    assert ("DL3004" in found) is not is_shown


def test_escaped_backtick_ends_an_instruction(reviewed: Reviewed) -> None:
    text = "# escape=`\nFROM a:1\nUSER 1\nCOPY a C:\\c``\nRUN sudo ls\n"
    assert codes(reviewed({"Dockerfile": text}, HADOLINT)) == ["DL3004"]


def test_local_text_with_the_name_of_a_global_array_is_another_variable(reviewed: Reviewed) -> None:
    function = 'f() {\n  local parts=\n  parts="c"\n  echo "$parts"\n}\n'
    script = f'#!/bin/bash\nparts=(a b)\n{function}f\necho "${{parts[@]}}"\n'
    assert codes(reviewed({"a.sh": script}, SHELLCHECK)) == []

    changed = script.replace("  local parts=\n", "")
    assert codes(reviewed({"a.sh": changed}, SHELLCHECK)) == ["SC2178", "SC2128"]


def test_bats_runs_each_test_in_its_own_process_after_it_has_read_the_file(reviewed: Reviewed) -> None:
    tests = "".join(f'@test "{name}" {{\n  export NAME={name}\n  check\n}}\n' for name in "ab")
    tests += 'check() {\n  [ "$NAME" ]\n}\n'
    assert codes(reviewed({"a.bats": f"#!/usr/bin/env bats\n{tests}"}, SHELLCHECK)) == []


def test_extras_of_a_package_in_a_step(reviewed: Reviewed) -> None:
    step = "      - run: pip install -e .[${{ matrix.extra }},tests]\n"
    assert codes(reviewed({WORKFLOW: f"{HEAD}{step}"}, SHELLCHECK_IN_WORKFLOWS)) == []


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("RUN --mount=type=cache,target=/a/.yarn yarn install", []),
        ("RUN yarn install", ["DL3060"]),
    ],
)
def test_yarn_cache_in_a_mount_is_not_part_of_the_layer(
    reviewed: Reviewed, run: str, expected: list[str]
) -> None:
    assert codes(reviewed({"Dockerfile": f"FROM node:22\nUSER node\n{run}\n"}, HADOLINT)) == expected


@pytest.mark.parametrize(
    ("run", "is_shown"),
    [
        ("apk add --no-cache gcc; \\\n  apk add --no-network --virtual .run $needed", False),
        ("apk add --no-network \\\n# needed to start\n  tini", False),
        ("apk --no-network add tini && apk del --no-network gcc", False),
        ("apk add --no-network tini; apk add gcc", True),
        ("apk add tini; apk del --no-network gcc", True),
    ],
)
def test_apk_without_the_network_leaves_no_index(reviewed: Reviewed, run: str, is_shown: bool) -> None:
    found = codes(reviewed({"Dockerfile": f"FROM alpine:3.20\nUSER a\nRUN {run}\n"}, HADOLINT))
    assert ("DL3019" in found) is is_shown


@pytest.mark.parametrize(
    ("run", "place"),
    [
        ('RUN echo "$SUM *a.tar" | sha256sum -c -', None),
        ('RUN x="$(printf %s "$Y" | tr -d 3)"', None),
        ("RUN case $A in \\\n    amd64|arm64) \\\n    true ;; \\\n    esac; \\\n    ls | wc -l", (7, 8)),
        ("RUN echo a; ls | wc -l", (3, 16)),
    ],
)
def test_pipe_of_constant_text_cannot_fail(
    reviewed: Reviewed, run: str, place: tuple[int, int] | None
) -> None:
    files = {"Dockerfile": f"FROM debian:12\nUSER a\n{run}\n", ".wardround.toml": "preview = true\n"}
    done = reviewed(files, HADOLINT)
    found = [finding.span.start for finding in done.visible if finding.rule == "hadolint/DL4006"]
    assert found == ([place] if place else [])


BOT = "github.actor == 'dependabot[bot]'"


@pytest.mark.parametrize(
    ("on", "condition", "is_shown"),
    [
        ("pull_request_target", BOT, True),
        ("pull_request_target", f"{BOT} && github.event.pull_request.user.login == 'dependabot[bot]'", False),
        ("{pull_request_target: {types: [opened]}}", BOT, False),
        ("{pull_request_target: {types: [opened, synchronize]}}", BOT, True),
    ],
)
def test_actor_of_a_bot(reviewed: Reviewed, on: str, condition: str, is_shown: bool) -> None:
    text = f"on: {on}\n{JOBS}    if: {condition}\n    steps:\n      - run: gh pr merge --auto\n"
    assert ("bot-conditions" in codes(reviewed({WORKFLOW: text}, ZIZMOR))) is is_shown


@pytest.mark.parametrize(
    ("line", "is_shown"),
    [
        ('echo "$HOME/.local/bin" >> $GITHUB_PATH', False),
        ('echo "$(cat folder)" >> "$GITHUB_PATH"', True),
    ],
)
def test_constant_in_an_environment_file(reviewed: Reviewed, line: str, is_shown: bool) -> None:
    text = f"on: pull_request_target\n{JOBS}    steps:\n      - run: |\n          {line}\n"
    assert ("github-env" in codes(reviewed({WORKFLOW: text}, ZIZMOR))) is is_shown


@pytest.mark.parametrize(
    ("command", "is_shown"),
    [
        ("twine upload dist/*", True),
        ("twine upload --repository-url https://pypi.acme.dev dist/*", False),
        ("npm exec electron-builder --publish never", False),
    ],
)
def test_upload_to_an_index_without_trusted_publishing(
    reviewed: Reviewed, command: str, is_shown: bool
) -> None:
    found = codes(reviewed({WORKFLOW: f"{HEAD}      - run: {command}\n"}, ZIZMOR))
    assert ("use-trusted-publishing" in found) is is_shown


@pytest.mark.parametrize(
    ("expression", "is_shown"),
    [
        ("github.event.release.tag_name", True),
        ("inputs.version", True),
        ("inputs.kind", False),
        ("github.ref_type", False),
        ("github.event", False),
        ("matrix.module", False),
    ],
)
def test_expression_with_one_of_few_values(reviewed: Reviewed, expression: str, is_shown: bool) -> None:
    inputs = "{version: {type: string}, kind: {type: choice, options: [a, b]}}"
    on = f"on:\n  release:\n  workflow_dispatch:\n    inputs: {inputs}\n"
    jobs = JOBS.replace(
        "    runs-on", "    strategy: {matrix: {module: '${{ fromJSON(needs.b.outputs.c) }}'}}\n    runs-on"
    )
    text = f"{on}{jobs}    steps:\n      - run: echo ${{{{ {expression} }}}}\n"
    assert ("template-injection" in codes(reviewed({WORKFLOW: text}, ZIZMOR))) is is_shown


@pytest.mark.parametrize(
    ("reference", "expected"), [("main", ["cache-call-unrestricted"]), ("0" * 39 + "1", [])]
)
def test_cache_of_a_called_workflow_that_is_pinned(
    reviewed: Reviewed, reference: str, expected: list[str]
) -> None:
    text = (
        f"on: issues\npermissions: {{}}\njobs:\n  a:\n    uses: acme/ci/.github/workflows/a.yml@{reference}\n"
    )
    assert [c for c in codes(reviewed({WORKFLOW: text}, ACTIONLINT)) if "cache" in c] == expected


@pytest.mark.parametrize(
    ("events", "is_shown"),
    [
        ("{schedule: [{cron: '0 1 * * *'}]}", False),
        ("{schedule: [{cron: '0 1 * * *'}], push: {}}", True),
        ("push", True),
    ],
)
def test_name_of_the_branch_in_a_scheduled_workflow(reviewed: Reviewed, events: str, is_shown: bool) -> None:
    text = f"on: {events}\n{JOBS}    steps:\n      - run: echo ${{{{ github.ref_name }}}}\n"
    assert ("template-injection" in codes(reviewed({WORKFLOW: text}, ZIZMOR))) is is_shown


REF = "github.ref_name"


@pytest.mark.parametrize(
    ("job", "step", "is_shown"),
    [
        (f"{REF} == 'a' || {REF} == 'b'", "success()", False),
        (f"github.event_name == 'push' && ( {REF} == 'a' || 'b' == {REF} )", "success()", False),
        ("github.ref == 'refs/heads/a'", "success()", False),
        ("always()", f'${{{{ contains(fromJSON(\'["a", "b"]\'), {REF}) }}}}', False),
        (f"{REF} == 'a' || github.event_name == 'push'", "success()", True),
        (f"{REF} != 'a'", f"startsWith({REF}, 'b')", True),
        (f"({REF} == 'a' && github.actor) == (github.actor && {REF})", "success()", True),
        (f"!({REF} == 'a')", "github.base_ref == 'a'", True),
    ],
)
def test_name_of_the_branch_that_a_condition_lists(
    reviewed: Reviewed, job: str, step: str, is_shown: bool
) -> None:
    jobs = JOBS.replace("    runs-on", f"    if: >-\n      {job}\n    runs-on")
    steps = (
        f"    steps:\n      - run: a\n      - if: >-\n          {step}\n        run: echo ${{{{ {REF} }}}}\n"
    )
    found = codes(reviewed({WORKFLOW: f"on: push\n{jobs}{steps}"}, ZIZMOR))
    assert ("template-injection" in found) is is_shown


ACTION = "name: a\ndescription: d\nruns: {using: node24, main: dist/a.js, post: ../post.js}\n"


@pytest.mark.parametrize("folder", ["", "tools/a/"])
def test_program_of_a_local_action_that_the_project_has(reviewed: Reviewed, folder: str) -> None:
    action = ACTION.replace("../", "") if not folder else ACTION
    files: dict[str, str | bytes] = {
        WORKFLOW: f"{HEAD}      - uses: ./{folder}\n",
        f"{folder}action.yml": action,
    }
    messages = [item.message for item in reviewed(files, ACTIONLINT_IN_PROJECT).visible]
    assert [message.split(". ")[0] for message in messages] == [
        f'file "{name}" does not exist in "{folder.rstrip("/") or "."}"'
        for name in ("dist/a.js", "../post.js" if folder else "post.js")
    ]

    programs = {f"{folder}dist/a.js": "", "tools/post.js" if folder else "post.js": b"\xff"}
    assert codes(reviewed(files | programs, ACTIONLINT_IN_PROJECT)) == []


@pytest.mark.parametrize(
    ("expression", "is_shown"),
    [
        ("matrix.may-fail || false", False),
        ("matrix.may-fail || 'no'", False),
        ("matrix.may-fail", True),
        ("matrix.may-fail || github.ref == 'a'", True),
        ("matrix.versions || '3.14'", True),
        ("github.may-fail || false", True),
    ],
)
def test_property_of_the_matrix_with_a_value_for_jobs_without_it(
    reviewed: Reviewed, expression: str, is_shown: bool
) -> None:
    matrix = "    strategy:\n      matrix:\n        version: ['3.13', '3.14']\n    steps:\n"
    step = (
        f"      - run: make ${{{{ matrix.version }}}}\n        env:\n          A: ${{{{ {expression} }}}}\n"
    )

    done = reviewed({WORKFLOW: f"on: push\n{JOBS}{matrix}{step}"}, ACTIONLINT)

    assert codes(done) == ["undefined-property"] * is_shown
