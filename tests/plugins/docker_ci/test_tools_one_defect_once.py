"""A defect that a tool and an own check report is reported once, at the position of the fix."""

from __future__ import annotations

import pytest
from wardround_docker_ci.libraries.buildkit_checks import waived_codes
from wardround_docker_ci.tools.hadolint import HADOLINT
from wardround_docker_ci.tools.here_documents import insert_gaps, strip_here_documents
from wardround_docker_ci.tools.zizmor import ZIZMOR

from tests.conftest import GitRepository
from tests.plugins.docker_ci.conftest import Reviewed, places
from wardround.languages.dockerfile import read

WORKFLOW = ".github/workflows/build.yml"
_JOB = "permissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
_APT = "RUN apt-get update && apt-get install -y {} && rm -rf /var/lib/apt/lists/*\n"


def _said(reviewed: Reviewed, dockerfile: str) -> list[str]:
    return [rule for rule, *_ in places(reviewed({"Dockerfile": dockerfile}, HADOLINT))]


def test_inherited_secrets_are_pointed_at_where_they_are_handed_over(reviewed: Reviewed) -> None:
    call = (
        "jobs:\n  a:\n    uses: x/y/.github/workflows/z.yml@"
        + "0" * 40
        + "\n    with: {b: c}\n    secrets: inherit\n"
    )

    done = reviewed({WORKFLOW: "on: push\npermissions: {}\n" + call}, ZIZMOR)

    assert ("zizmor/secrets-inherit", 7, 5) in places(done)


def test_expressions_in_one_line_of_a_script_are_one_finding(reviewed: Reviewed) -> None:
    title = "github.event.pull_request.title"
    step = f"      - run: |\n          echo ${{{{ github.head_ref }}}} ${{{{ {title} }}}}\n          date\n"

    done = reviewed({WORKFLOW: f"on: pull_request\n{_JOB}{step}"}, ZIZMOR)

    assert [rule for rule, *_ in places(done)].count("zizmor/template-injection") == 1
    reported = [f.message for f in done.findings if f.rule == "zizmor/template-injection"]
    assert title in reported[0]


@pytest.mark.parametrize(
    ("trigger", "publishes", "is_said"),
    [
        ("push: {tags: ['v*']}", "npm publish", True),
        ("push: {branches: [main], tags: ['v*']}", "npm publish", False),
        ("push: {tags: ['v*']}", "npm test", False),
    ],
)
def test_a_cache_matters_where_a_release_is_built(
    reviewed: Reviewed, trigger: str, publishes: str, *, is_said: bool
) -> None:
    cache = f"      - uses: actions/cache@{'0' * 40}\n        with: {{path: a, key: b}}\n"
    steps = f"{cache}      - run: {publishes}\n"

    done = reviewed({WORKFLOW: f"on: {{{trigger}}}\n{_JOB}{steps}"}, ZIZMOR)

    assert ("zizmor/cache-of-release" in [rule for rule, *_ in places(done)]) is is_said


def test_hadolint_leaves_to_us_what_is_reported_with_its_cause(reviewed: Reviewed) -> None:
    script = "FROM a:1\nRUN curl -fsSL https://x.org/i.sh | sh\n"
    alone = "FROM a:1\nRUN apt-get update\nRUN apt-get install -y --no-install-recommends a=1\n"
    secret = "FROM a:1\nENV API_TOKEN=gk7Rt2Qw9zLp\n"

    for text, code in ((script, "DL4006"), (alone, "DL3009"), (secret, "DL3064")):
        assert f"hadolint/{code}" not in [
            rule for rule, *_ in places(reviewed({"Dockerfile": text}, HADOLINT))
        ]


def test_a_port_hadolint_cannot_read_is_not_a_broken_file(reviewed: Reviewed) -> None:
    done = reviewed({"Dockerfile": "FROM a:1\nEXPOSE 127.0.0.1:80:80\n"}, HADOLINT)

    assert places(done) == [("hadolint/DL3011", 2, 1)]


def test_a_version_is_missed_where_the_others_have_one(reviewed: Reviewed) -> None:
    most = "FROM a:1\n" + _APT.format("--no-install-recommends a=1 b=2 c")
    none = "FROM a:1\n" + _APT.format("--no-install-recommends a b c")

    assert "hadolint/forgotten-DL3008" in [r for r, *_ in places(reviewed({"Dockerfile": most}, HADOLINT))]
    assert "hadolint/forgotten-DL3008" not in [
        r for r, *_ in places(reviewed({"Dockerfile": none}, HADOLINT))
    ]


def test_a_dockerfile_waives_checks_by_docker_s_own_names(reviewed: Reviewed) -> None:
    text = "# check=skip=JSONArgsRecommended;experimental=all\nFROM a:1\nCMD a\n"
    assert waived_codes(read(text)) == {"DC015", "DL3025"}
    assert "hadolint/DL3025" not in _said(reviewed, text)
    assert "DC042" in waived_codes(read("# syntax=docker/dockerfile:1\n# check=skip=all\nFROM a:1\n"))


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        ("COPY <<-\\EOT <<B.b /x/\n  $X\n\tEOT\nfoo\nB.b\n", "COPY here.txt here.txt /x/\n\n\n\n\n"),
        ("ADD <<EOF-1 /x\na\nEOF-1\n", "ADD here.tar /x\n\n\n"),
        ("RUN cat > x <<'E' && \\\n  rm y\nbody\nE\n", "RUN cat > x  && \\\n  rm y\n\n\n"),
        ("RUN <<e.f bash\na\ne.f\n", "RUN <<e_f bash\na\ne_f\n"),
        ("RUN <<'A B'\nx\nA B\n", "RUN <<'A_B'\nx\nA_B\n"),
        ("RUN <<'E'\nx\nE\n", "RUN <<'E'\nx\nE\n"),
        ("RUN <<-E sh -e\n\tx\n\t\ty\n\tE\n", "RUN <<E sh -e\nx\ny\nE\n"),
        ("RUN <<-'E'\n\tx\n\tE\n", "RUN <<'E'\nx\nE\n"),
        ("RUN <<A cat >a && <<B cat >b\nx\nA\ny\nB\n", "RUN  cat >a &&  cat >b\n\n\n\n\n"),
        ("RUN <<E\nE\n", "RUN true\n\n"),
        ("ONBUILD RUN <<E\nx\nE\n", "ONBUILD RUN true\n\n\n"),
        ("ONBUILD COPY <<E /x\nx\nE\n", "ONBUILD COPY here.txt /x\n\n\n"),
        ('RUN echo $((1 <<2)) "a <<EOF b" $((1<<3))\n', 'RUN echo $((1 <<2)) "a <<EOF b" $((1<<3))\n'),
    ],
)
def test_hadolint_reads_here_documents_as_buildkit_does(text: str, copy: str) -> None:
    assert strip_here_documents(f"FROM a:1\n{text}USER u\n") == f"FROM a:1\n{copy}USER u\n"


@pytest.mark.parametrize(
    "text",
    [
        "RUN <<-E sh -ex\n\tmake\n\tE\n",
        "RUN <<-'E'\n\tmake\n\tmake check\n\tE\n\n",
        "RUN <<A cat > /x && <<B cat > /y\na\nA\nb\nB\n",
        "RUN <<E\nE\n",
        "ONBUILD RUN <<E\nmake\nE\n",
    ],
)
def test_hadolint_checks_files_with_any_here_document(reviewed: Reviewed, text: str) -> None:
    found = _said(reviewed, f"FROM debian:12-slim\n{text}WORKDIR srv\nUSER u\n")

    assert "hadolint/DL1000" not in found
    assert "hadolint/DL3000" in found


_BASH = 'SHELL ["/bin/bash", "-o", "pipefail", "-c"]\n'


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (f"{_BASH}ENV A=b\nRUN [[ -f /x ]] && cat x | grep y\n", []),
        (f"{_BASH}ARG X\nWORKDIR /x\nFROM a AS b\nRUN [[ -f /x ]] && cat x | grep y\n", []),
        ("# hadolint shell=bash\nENV A=b\nRUN [[ -f /x ]]\n", []),
        ("RUN <<EOT bash\n[[ -f /x ]]\nEOT\n", []),
        ("RUN <<EOT\n#!/usr/bin/env bash\nset -o pipefail\nEOT\n", []),
        ("RUN <<EOT python3\nfor x in range(3):\n  print(x)\nEOT\n", []),
        ("RUN <<EOT sh\nset -e\n[[ -f /x ]]\nEOT\n", ["hadolint/SC3010"]),
        (f"RUN [[ -f /x ]]\n{_BASH}RUN [[ -f /x ]]\n", ["hadolint/SC3010"]),
        ('SHELL ["/bin/sh", "-c"]\nENV A=b\nRUN [[ -f /x ]]\n', ["hadolint/SC3010"]),
        (
            "RUN apt-get update && apt-get install -y --no-install-recommends a=1 \\\n"
            " && cat > /x <<'EOT' && rm -rf /var/lib/apt/lists/*\nb\nEOT\n",
            [],
        ),
    ],
)
def test_scripts_are_those_of_the_shell_that_runs_them(
    reviewed: Reviewed, text: str, rules: list[str]
) -> None:
    done = reviewed({"Dockerfile": f"FROM debian:12-slim AS a\n{text}USER 1000\n"}, HADOLINT)

    assert [item.rule for item in done.visible] == rules
    assert done.unreviewed == ()


def test_hadolint_reads_on_behind_a_here_document(reviewed: Reviewed) -> None:
    text = "FROM a:1\nRUN <<EOF\nset -e\nmake\nEOF\n# more\nRUN <<A\nx\nA\nWORKDIR srv\nUSER a\n"

    assert ("hadolint/DL3000", 10, 1) in places(reviewed({"web/Dockerfile": text}, HADOLINT))
    assert "hadolint/DL1000" not in _said(reviewed, text)
    assert insert_gaps(text).count("\n") == text.count("\n")
    assert "set -e; make\nEOF\n\n# more" in insert_gaps(text)
    assert "a \\\nE\n\nUSER" in insert_gaps("FROM a:1\nRUN <<E\na \\\n b\nE\nUSER a\n")
    assert insert_gaps("FROM a:1\nRUN <<E\nE\nUSER a\n") == "FROM a:1\nRUN <<E\nE\nUSER a\n"


def test_one_missing_timeout_is_one_finding(repo: GitRepository) -> None:
    steps = "steps {\n sh 'kubectl rollout status deployment/a'\n }"
    pipeline = "pipeline {\n triggers { cron('H 2 * * *') }\n stages {\n stage('a') {\n %s\n }\n }\n}\n"
    repo.stage({".wardround.toml": "preview = true\n", "Jenkinsfile": pipeline % (steps + "\n input 'go'")})

    found = [item for item in repo.report("--staged", "--all")["findings"] if item["file"] == "Jenkinsfile"]

    assert [(item["rule"], item["line"], item["sources"]) for item in found] == [
        ("docker-ci/DC093", 8, ["docker-ci/DC093", "docker-ci/DC095"])
    ]
