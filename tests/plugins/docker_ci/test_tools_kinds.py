"""The kind of file of a path and its content, and files that are not claimed."""

from __future__ import annotations

import pytest
from wardround_docker_ci.file_kinds import FileKind, kind_of
from wardround_docker_ci.specialist import DockerCiSpecialist

from wardround.host import PluginHost

_MANIFEST = "# ours\napiVersion: apps/v1\nkind: Deployment\n"


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("Dockerfile", "", FileKind.DOCKERFILE),
        ("a/web.Dockerfile", "", FileKind.DOCKERFILE),
        ("Dockerfile.prod", "", FileKind.DOCKERFILE),
        ("Containerfile", "", FileKind.DOCKERFILE),
        ("Dockerfile.dockerignore", "", None),
        ("Dockerfile.template", "", None),
        ("docker-compose.yml", "", FileKind.COMPOSE),
        ("docker-compose.test.yaml", "", FileKind.COMPOSE),
        ("compose.yaml", "", FileKind.COMPOSE),
        ("composer.yml", "", None),
        (".github/workflows/ci.yml", "", FileKind.WORKFLOW),
        ("case_1/.github/workflows/ci.yaml", "", FileKind.WORKFLOW),
        ("workflows/ci.yml", "", None),
        (".github/dependabot.yml", "", FileKind.DEPENDABOT),
        (".pre-commit-config.yaml", "", FileKind.PRE_COMMIT),
        ("a/action.yml", "", FileKind.ACTION),
        (".gitlab-ci.yml", "", FileKind.GITLAB_CI),
        (".gitlab/ci/build.yml", "", FileKind.GITLAB_CI),
        ("Jenkinsfile", "", FileKind.JENKINSFILE),
        ("ci/release.jenkinsfile", "", FileKind.JENKINSFILE),
        ("run.sh", "", FileKind.SHELL),
        ("run.sh", "#!/usr/bin/env -S bash -e\n", FileKind.SHELL),
        ("run.sh", "#!/usr/bin/env zsh\n", None),
        ("bin/run", "#!/bin/dash\n", FileKind.SHELL),
        ("bin/run", "#!/usr/bin/python3\n", None),
        ("bin/run", "", None),
        ("deploy/web.yml", _MANIFEST, FileKind.KUBERNETES),
        ("deploy/web.yml", "kind: Deployment\n", None),
        ("deploy/web.yaml", _MANIFEST + "metadata:\n  name: {{ .Values.name }}\n", None),
        (
            "chart/templates/web.yaml",
            _MANIFEST + "metadata:\n  name: {{ .Values.name }}\n",
            FileKind.HELM_TEMPLATE,
        ),
        ("charts/web/values-prod.yaml", "image: {}\n", FileKind.HELM_VALUES),
        ("config/values.yaml", "replicaCount: 1\n", FileKind.HELM_VALUES),
        ("config/values.yaml", "a: 1\n", None),
        ("mkdocs.yml", "site_name: a\n", None),
    ],
)
def test_kind(path: str, text: str, kind: FileKind | None) -> None:
    assert kind_of(path, text) is kind
    assert bool(PluginHost([DockerCiSpecialist()]).specialists_for(path, text.encode())) is (kind is not None)
