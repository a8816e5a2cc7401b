"""The static tools of the Docker and CI specialist: one in each module."""

from __future__ import annotations

from wardround.tools.tool import Tool
from wardround_docker_ci.tools.actionlint import ACTIONLINT, ACTIONLINT_IN_PROJECT
from wardround_docker_ci.tools.checkov import CHECKOV
from wardround_docker_ci.tools.hadolint import HADOLINT
from wardround_docker_ci.tools.ruff import RUFF_IN_WORKFLOWS
from wardround_docker_ci.tools.shellcheck import SHELLCHECK, SHELLCHECK_IN_WORKFLOWS
from wardround_docker_ci.tools.zizmor import ZIZMOR

TOOLS: tuple[Tool, ...] = (
    ACTIONLINT,
    ACTIONLINT_IN_PROJECT,
    ZIZMOR,
    HADOLINT,
    SHELLCHECK,
    SHELLCHECK_IN_WORKFLOWS,
    RUFF_IN_WORKFLOWS,
    CHECKOV,
)
