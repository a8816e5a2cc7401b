"""A file under review and its parsed form, in any of the supported formats.

Each part is parsed lazily, by a parser that is imported at that time.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.languages.positions import Passage, Places
from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround.languages.yaml.tree import documents, passage
from wardround.lazy import LazyPattern
from wardround_docker_ci.file_kinds import FileKind

if TYPE_CHECKING:
    from wardround.languages.dockerfile import Dockerfile
    from wardround_docker_ci.models import compose, gitlab, kubernetes
    from wardround_docker_ci.models.github_workflow import Workflow
    from wardround_docker_ci.models.jenkinsfile import Jenkinsfile

_COMMENT_LINES = 4
_MAY_FAIL = LazyPattern(
    r"#.*\b(?:ignor\w+|continue|allow\w*|advisory|non-?blocking|best.effort|optional|informational|fail\w*)\b",
    re.IGNORECASE,
)


class ParsedFile:
    """A file under review; each part is parsed lazily, once for all checks."""

    def __init__(self, kind: FileKind, path: str, text: str) -> None:
        self.kind = kind
        self.path = path
        self.text = text
        self.places = Places(path, text)

    @cached_property
    def documents(self) -> list[Node]:
        if self.kind is not FileKind.HELM_TEMPLATE:
            return documents(self.text)
        from wardround_docker_ci.models.helm_template import blank_actions

        try:
            return documents(blank_actions(self.text))
        except SyntaxError:
            return []  # only the rendered template is YAML

    @cached_property
    def root(self) -> Mapping:
        """The first YAML document that is a mapping."""
        return next((node for node in self.documents if isinstance(node, Mapping)), Mapping(0))

    @cached_property
    def dockerfile(self) -> Dockerfile:
        from wardround.languages import dockerfile

        return dockerfile.read(self.text)

    @cached_property
    def workflow(self) -> Workflow:
        from wardround_docker_ci.models.github_workflow import Workflow

        return Workflow(self.root)

    @cached_property
    def jenkinsfile(self) -> Jenkinsfile:
        from wardround_docker_ci.models.jenkinsfile import Jenkinsfile

        return Jenkinsfile(self.text)

    @cached_property
    def services(self) -> list[compose.Service]:
        from wardround_docker_ci.models import compose

        return compose.services(self.root)

    @cached_property
    def gitlab_jobs(self) -> list[gitlab.GitlabJob]:
        from wardround_docker_ci.models import gitlab

        return gitlab.jobs(self.root)

    @cached_property
    def pods(self) -> list[kubernetes.Pod]:
        from wardround_docker_ci.models import kubernetes

        return kubernetes.pods(self.documents)

    def is_explained(self, offset: int) -> bool:
        """Return True if a comment on the line or just above it allows a failure there."""
        line = self.places.line(offset)
        first = self.places.line_start(max(1, line - _COMMENT_LINES))
        end = self.text.find("\n", offset)
        return _MAY_FAIL.search(self.text[first : end if end >= 0 else len(self.text)]) is not None

    def passage(self, scalar: Scalar) -> Passage:
        """Return the text of a YAML scalar, at its offset."""
        return passage(self.text, scalar)
