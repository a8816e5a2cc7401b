"""DC077."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.languages.yaml.tree import Mapping, walk
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind


class DuplicateKey(CiCheck):
    """A key stands twice in the same mapping.

    What reads the file refuses it or keeps the last one without a word, so what the first said is lost. Put
    the two together, or delete one.
    """

    ID = "DC077"
    NAME = "duplicate-key"
    TRIED_ON = "trees of 27 repositories: 5 hits; 640 commits of 16 that touch such files: 0"
    KINDS = frozenset(
        {FileKind.COMPOSE, FileKind.GITLAB_CI, FileKind.KUBERNETES, FileKind.WORKFLOW, FileKind.ACTION}
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("services:\n  a:\n    image: a:1\n  b:\n    image: a:1\n", path="compose.yml"),
        Valid("x: &x {a: 1}\ny: &y {b: 1}\nz:\n  <<: *x\n  <<: *y\n", path=".gitlab-ci.yml"),
        Valid("apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Service\n", path="a.yaml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("services:\n  a:\n    image: a:1\n    image: b:1\n", line=4, column=5, path="compose.yml"),
        Invalid(
            "test:\n  script: a\nbuild:\n  script: b\ntest:\n  script: c\n",
            line=5,
            column=1,
            path=".gitlab-ci.yml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Service\nmetadata: {name: a, 'name': b}\n",
            line=3,
            column=21,
            path="a.yaml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    env: {A: 1}\n    steps: []\n    env: {B: 2}\n",
            line=6,
            column=5,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for document in self.file.documents:
            for node in walk(document):
                if isinstance(node, Mapping):
                    self._look(node)

    def _look(self, node: Mapping) -> None:
        seen: dict[str, int] = {}
        for key, _ in node.entries:
            if key.value in seen and key.value != "<<":
                line = self.file.places.line(seen[key.value])
                self.report_at(key.start, key.end, f'"{key.value}" stands on line {line} already')
            seen.setdefault(key.value, key.start)
