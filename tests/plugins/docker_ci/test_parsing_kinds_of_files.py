"""The content of each kind of file as checks read it: scripts, images, variables, mounts, with original
offsets.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wardround_docker_ci.check import run_docker_ci_checks
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.specialist import DockerCiSpecialist

from wardround.checks.source import SourceFile

COMPOSE = """services:
  a:
    image: "a:1"
    environment:
      - A=b
      - "C=d"
    volumes:
      - /x:/y
      - {type: bind, source: /z, target: /q}
    command: ["sh", "-c", "echo hi"]
"""
POD = """apiVersion: v1
kind: Pod
spec:
  containers:
  - name: a
    image: b:2
    env:
    - {name: A, value: 'c'}
    command: [sh, -c]
    args: [make]
  volumes:
  - name: v
    hostPath: {path: /host}
"""


def test_a_compose_file_shows_its_parts_at_their_places() -> None:
    file = CiFile(FileKind.COMPOSE, "compose.yml", COMPOSE)
    assert [COMPOSE[i.start : i.end] for i in file.images] == ["a:1"]
    assert [(v.name, COMPOSE[v.start : v.end]) for v in file.variables] == [("A", "b"), ("C", "d")]
    assert [COMPOSE[m.start : m.end] for m in file.mounts] == ["/x", "/z"]
    assert [script.passage.text for script in file.scripts] == ["echo hi"]


def test_a_manifest_shows_its_parts_at_their_places() -> None:
    file = CiFile(FileKind.KUBERNETES, "pod.yaml", POD)
    assert [POD[i.start : i.end] for i in file.images] == ["b:2"]
    assert [(v.name, POD[v.start : v.end]) for v in file.variables] == [("A", "c")]
    assert [POD[m.start : m.end] for m in file.mounts] == ["/host"]
    assert [script.passage.text for script in file.scripts] == ["make"]


TEMPLATE = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "web.name" . }}
spec:
  template:
    spec:
      {{- if .Values.host }}
      hostNetwork: true
      {{- end }}
      containers:
        - name: {{ .Chart.Name }}
          image: "{{ .Values.image }}:{{ .Values.tag }}"
        - name: side
          image: b:2
          {{- with .Values.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
"""


def test_a_template_of_helm_shows_what_is_in_it_on_no_condition() -> None:
    file = CiFile(FileKind.HELM_TEMPLATE, "chart/templates/web.yaml", TEMPLATE)
    assert [TEMPLATE[i.start : i.end] for i in file.images] == [
        "{{ .Values.image }}:{{ .Values.tag }}",
        "b:2",
    ]
    assert file.images[0].reference == "$" * 19 + ":" + "$" * 17
    assert file.pods[0].node.get("hostNetwork") is None
    assert CiFile(FileKind.HELM_TEMPLATE, "a.yaml", "a: [{{ x }}\nb: c\n").documents == []


def test_the_values_of_a_chart_show_their_images() -> None:
    text = "image:\n  repository: a/b\n  tag: latest\nsidecar:\n  image: {repository: c, tag: ''}\n"
    file = CiFile(FileKind.HELM_VALUES, "charts/a/values.yaml", text)
    assert [(image.reference, text[image.start : image.end]) for image in file.images] == [
        ("a/b:latest", "latest")
    ]


def test_steps_for_other_shells_are_not_read_as_shell() -> None:
    text = (
        "on: push\njobs:\n  a:\n    runs-on: windows-latest\n    steps:\n      - run: a\n"
        "      - run: b\n        shell: bash\n      - run: c\n        shell: pwsh\n"
    )
    file = CiFile(FileKind.WORKFLOW, ".github/workflows/a.yml", text)
    assert [script.passage.text for script in file.scripts] == ["b"]


def test_commands_of_a_windows_image_are_not_read_as_shell() -> None:
    text = (
        "FROM acme/nanoserver:1 AS a\nRUN b\nFROM a\nRUN c\nFROM acme/web:2\nRUN d\n"
        'FROM acme/nanoserver:1\nSHELL ["bash", "-c"]\nRUN e\n'
    )
    file = CiFile(FileKind.DOCKERFILE, "Dockerfile", text)
    assert [script.passage.text.strip() for script in file.scripts] == ["d", "e"]


def test_a_script_that_an_alias_repeats_is_read_once() -> None:
    text = ".x: &x\n  - a\n  - b\nc:\n  script: [*x, c]\nd:\n  script: *x\n"
    file = CiFile(FileKind.GITLAB_CI, ".gitlab-ci.yml", text)
    assert [script.passage.text for script in file.scripts] == ["a", "b", "c", "a", "b"]


PATHS = [
    "Dockerfile",
    "compose.yml",
    ".github/workflows/a.yml",
    "action.yml",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "a.sh",
]
START = {
    "Dockerfile": "FROM a\n",
    "compose.yml": "services:\n  a:\n    ",
    ".github/workflows/a.yml": "on: push\njobs:\n  a:\n    steps:\n      - run: ",
}


@settings(deadline=None)
@pytest.mark.parametrize("path", PATHS)
@given(text=st.text(alphabet="aRUN curl|sh$(){}[]:- '\"\\\n#&*<>!=@é", max_size=80))
def test_no_text_brings_a_check_down(path: str, text: str) -> None:
    for source in (text, START.get(path, "") + text):
        try:
            found = list(run_docker_ci_checks(DockerCiSpecialist().checks, SourceFile(path, source)))
        except SyntaxError:
            continue
        assert all(result.span.end_line <= source.count("\n") + 1 for result in found)
