from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Plane
from wardround.languages.positions import Passage
from wardround.languages.shell import Command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import PIPELINES, CiCheck
from wardround_docker_ci.checks.secrets.secret_printed import secret_in, secret_variables
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.node_lists import scalars

_SECRET_FILE = LazyPattern(
    r"(?:^|/)(?:\.env(?:\.(?!example|sample|template|dist|schema)[\w-]+)?|\.npmrc|\.pypirc|\.netrc|\.git-credentials"
    r"|\.docker(?:/config\.json)?|\.aws(?:/\S*)?|\.ssh(?:/\S*)?|id_(?:rsa|ed25519|ecdsa)|kubeconfig\S*|\.kube(?:/config)?"
    r"|[\w.*-]+\.(?:p12|pfx|jks|keystore|tfstate)|terraform\.tfvars|\*\.key|[\w-]*private[\w-]*\.(?:pem|key))$"
)


class SecretInArtifact(CiCheck):
    """A file that usually contains secrets is uploaded as a build artifact.

    Anyone who can view the run can download it, in a public project everyone, for as long as it is
    retained. Name the required files.
    """

    ID = "DC084"
    NAME = "secret-in-artifact"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-artifact"
    KINDS = PIPELINES
    NEEDS = ("upload-artifact", "artifacts", "stash")
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            a:
              script: b
              artifacts:
                paths: [dist, .env.example]
        """),
        code("""
            a:
              script: b
              artifacts:
                reports: {dotenv: build.env}
        """),
    ]
    INVALID = [
        code("""
            a:
              script:
                - echo $API_KEY > out/conf
              artifacts:
                paths: [dist/, «out/conf»]
        """),
        code("""
            a:
              script: b
              artifacts:
                paths:
                  - «.env»
                  - dist
        """),
    ]

    def run(self) -> None:
        written = self._written_files()
        for text in self._paths():
            for found in re.finditer(r"[^\s,][^\n,]*", text.text):
                path = found.group().strip()
                holds = _SECRET_FILE.search(path) or path.removeprefix("./") in written
                if holds and not path.startswith("!"):
                    start = text.start + found.start()
                    self.report_at(
                        start, start + len(path), f"{path} can be downloaded with the artifact; exclude it"
                    )

    def _written_files(self) -> frozenset[str]:
        """Return the files that scripts write a secret to."""
        files: set[str] = set()
        for script in self.file.scripts if ">" in self.file.text else ():
            names = secret_variables(self.file, script)
            for command in script.commands:
                if command.name in ("echo", "printf") and _has_secret(command, names):
                    files.update(_output_files(command))
        return frozenset(files)

    def _paths(self) -> Iterator[Passage]:
        if self.file.kind is FileKind.JENKINSFILE:
            return self._jenkins_paths()
        return self._gitlab_paths() if self.file.kind is FileKind.GITLAB_CI else self._workflow_paths()

    def _jenkins_paths(self) -> Iterator[Passage]:
        for call in self.file.jenkinsfile.calls:
            if call.name.text in ("archiveArtifacts", "archive", "stash"):
                argument = call.named_argument("includes" if call.name.text == "stash" else "artifacts")
                token = argument or next(iter(call.arguments), None)
                if token is not None and token.kind == "string":
                    yield token.passage()

    def _gitlab_paths(self) -> Iterator[Passage]:
        for job in self.file.gitlab_jobs:
            yield from map(self.file.passage, scalars(job.node.items_at("artifacts", "paths")))

    def _workflow_paths(self) -> Iterator[Passage]:
        for _, step in self.file.workflow.all_steps:
            path = step.inputs.scalar("path") if step.action == "actions/upload-artifact" else None
            if path is not None:
                yield self.file.passage(path)


def _has_secret(command: Command, names: frozenset[str]) -> bool:
    return any(secret_in(word, names) for word in command.words[1:])


def _output_files(command: Command) -> Iterator[str]:
    for redirect in command.redirects:
        if redirect.sign in (">", ">>"):
            yield redirect.target.removeprefix("./")
