"""What kind of file a path and its text make, and that nothing else is claimed."""

from __future__ import annotations

import pytest
from wardround_docker_ci.file_kinds import Kind, kind_of
from wardround_docker_ci.specialist import specialist

from wardround.host import Host

_MANIFEST = "# ours\napiVersion: apps/v1\nkind: Deployment\n"


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("Dockerfile", "", Kind.DOCKERFILE),
        ("a/web.Dockerfile", "", Kind.DOCKERFILE),
        ("Dockerfile.prod", "", Kind.DOCKERFILE),
        ("Containerfile", "", Kind.DOCKERFILE),
        ("Dockerfile.dockerignore", "", None),
        ("Dockerfile.template", "", None),
        ("docker-compose.yml", "", Kind.COMPOSE),
        ("docker-compose.test.yaml", "", Kind.COMPOSE),
        ("compose.yaml", "", Kind.COMPOSE),
        ("composer.yml", "", None),
        (".github/workflows/ci.yml", "", Kind.WORKFLOW),
        ("case_1/.github/workflows/ci.yaml", "", Kind.WORKFLOW),
        ("workflows/ci.yml", "", None),
        (".github/dependabot.yml", "", Kind.DEPENDABOT),
        (".pre-commit-config.yaml", "", Kind.PRE_COMMIT),
        ("a/action.yml", "", Kind.ACTION),
        (".gitlab-ci.yml", "", Kind.GITLAB_CI),
        (".gitlab/ci/build.yml", "", Kind.GITLAB_CI),
        ("Jenkinsfile", "", Kind.JENKINSFILE),
        ("ci/release.jenkinsfile", "", Kind.JENKINSFILE),
        ("run.sh", "", Kind.SHELL),
        ("run.sh", "#!/usr/bin/env -S bash -e\n", Kind.SHELL),
        ("run.sh", "#!/usr/bin/env zsh\n", None),
        ("bin/run", "#!/bin/dash\n", Kind.SHELL),
        ("bin/run", "#!/usr/bin/python3\n", None),
        ("bin/run", "", None),
        ("deploy/web.yml", _MANIFEST, Kind.KUBERNETES),
        ("deploy/web.yml", "kind: Deployment\n", None),
        ("deploy/web.yaml", _MANIFEST + "metadata:\n  name: {{ .Values.name }}\n", None),
        (
            "chart/templates/web.yaml",
            _MANIFEST + "metadata:\n  name: {{ .Values.name }}\n",
            Kind.HELM_TEMPLATE,
        ),
        ("charts/web/values-prod.yaml", "image: {}\n", Kind.HELM_VALUES),
        ("config/values.yaml", "replicaCount: 1\n", Kind.HELM_VALUES),
        ("config/values.yaml", "a: 1\n", None),
        ("mkdocs.yml", "site_name: a\n", None),
    ],
)
def test_kind(path: str, text: str, kind: Kind | None) -> None:
    assert kind_of(path, text) is kind
    assert bool(Host([specialist()]).claiming(path, text.encode())) is (kind is not None)
