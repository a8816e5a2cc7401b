from __future__ import annotations

import re

from wardround.findings import Plane
from wardround.languages.shell import Command, unwrap_command
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.analysis.secret_values import is_setting
from wardround_docker_ci.check import COMPOSE, PIPELINES, STEPS, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import program
from wardround_docker_ci.models.compose import Service
from wardround_docker_ci.models.node_lists import scalars

_SECRET = LazyPattern(r"\$\{\{\s*secrets\.\w+")


class BuildArgumentSecret(CiCheck):
    """A secret is passed to an image build as a build argument.

    Build arguments are stored in the image's history, where anyone who pulls it can read them. Pass it as a
    build secret: `--secret id=NAME`, and mount that in the RUN that needs it.
    """

    ID = "DC004"
    NAME = "build-argument-secret"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-image"
    KINDS = PIPELINES | COMPOSE | {FileKind.SHELL}
    NEEDS = ("build-arg", "args:")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            docker build --build-arg VERSION=1 --secret id=NPM_TOKEN .
        """),
        code(
            """
            services:
              a:
                build:
                  args:
                    NODE_ENV: production
            """,
            path="compose.yml",
        ),
    ]
    INVALID = [
        code(
            """
            on: push
            jobs:
              a:
                steps:
                  - run: docker build --build-arg «REG»=${{ secrets.REG }} .
            """,
            path=".github/workflows/a.yml",
        ),
        code("""
            docker build --build-arg «NPM_TOKEN»=$NPM_TOKEN .
        """),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                if program(command) in ("docker", "podman", "buildah", "docker-compose", "nerdctl"):
                    self._check(command)
        for _, step in self.file.workflow.all_steps if self.file.kind in STEPS else ():
            self._check_list(step.inputs.scalar("build-args"))
        for service in self.file.services if self.file.kind is FileKind.COMPOSE else ():
            self._check_service(service)

    def _check_service(self, service: Service) -> None:
        node = service.node.at("build", "args")
        if isinstance(node, Mapping):
            for key, _ in node.entries:
                self._check_name(key.value, key.start)
        elif node is not None:
            for item in scalars(service.node.items_at("build", "args")):
                self._check_name(item.value.partition("=")[0], self.file.passage(item).start)

    def _check(self, command: Command) -> None:
        words = unwrap_command(command)
        for at, word in enumerate(words):
            option, sign, value = word.text.partition("=")
            if option != "--build-arg":
                continue
            if sign:
                self._check_argument(value, word.start + len("--build-arg="))
            elif at + 1 < len(words):
                self._check_argument(words[at + 1].text, words[at + 1].start)

    def _check_list(self, scalar: Scalar | None) -> None:
        if scalar is not None:
            text = self.file.passage(scalar)
            for found in re.finditer(r"^[ \t]*([\w-]+=[^\n]*)", text.text, re.MULTILINE):
                self._check_argument(found.group(1), text.start + found.start(1))

    def _check_argument(self, argument: str, start: int) -> None:
        name, _, value = argument.partition("=")
        if is_setting(value):
            return
        self._check_name(name, start, is_secret=_SECRET.search(value) is not None)

    def _check_name(self, name: str, start: int, *, is_secret: bool = False) -> None:
        if is_secret or is_secret_name(name):
            self.report_at(
                start, start + len(name), f"{name} is stored in the image's history; use a build secret"
            )
