from __future__ import annotations

from wardround.languages.yaml.nodes import Mapping
from wardround.languages.yaml.tree import walk
from wardround.rules.cases import code
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind


class DuplicateKey(CiCheck):
    """A mapping contains the same key twice.

    Parsers reject the file or silently use the last value, so the first is lost. Merge the two, or delete
    one.
    """

    ID = "DC077"
    NAME = "duplicate-key"
    KINDS = frozenset(
        {FileKind.COMPOSE, FileKind.GITLAB_CI, FileKind.KUBERNETES, FileKind.WORKFLOW, FileKind.ACTION}
    )
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                image: a:1
              b:
                image: a:1
        """),
        code(
            """
            x: &x {a: 1}
            y: &y {b: 1}
            z:
              <<: *x
              <<: *y
            """,
            path=".gitlab-ci.yml",
        ),
    ]
    INVALID = [
        code("""
            services:
              a:
                image: a:1
                «image»: b:1
        """),
        code(
            """
            test:
              script: a
            build:
              script: b
            «test»:
              script: c
            """,
            path=".gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        for document in self.file.documents:
            for node in walk(document):
                if isinstance(node, Mapping):
                    self._check(node)

    def _check(self, node: Mapping) -> None:
        seen: dict[str, int] = {}
        for key, _ in node.entries:
            if key.value in seen and key.value != "<<":
                line = self.file.places.line(seen[key.value])
                self.report_at(key.start, key.end, f'"{key.value}" is already defined on line {line}')
            seen.setdefault(key.value, key.start)
