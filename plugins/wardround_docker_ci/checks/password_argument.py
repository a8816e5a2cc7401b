"""DC036."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.programs import program
from wardround_docker_ci.secret_names import is_real_secret
from wardround_docker_ci.shell import unwrapped


class PasswordArgument(CiCheck):
    """A password is given as an argument, where every process of the machine can read it.

    Arguments stand in the process list, in `set -x` traces and in crash reports. Hand it over on standard
    input: `echo "$PASSWORD" | docker login -u NAME --password-stdin`.
    """

    ID = "DC036"
    NAME = "password-argument"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "password-on-command-line"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = SCRIPTS
    NEEDS = ("login",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('echo "$P" | docker login -u me --password-stdin\n', path="a.sh"),
        Valid("docker login registry.example.org\n", path="a.sh"),
        Valid("az login --identity\nnpm login -p 3\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('docker login -u me -p "$PASSWORD" example.org\n', 1, 20, path="a.sh"),
        Invalid("a:\n  script:\n    - podman login --password=$P -u x r\n", 3, 20, path=".gitlab-ci.yml"),
        Invalid("helm registry login r -u x --password $P\n", 1, 28, path="a.sh"),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                if program(command) not in (
                    "docker",
                    "podman",
                    "buildah",
                    "skopeo",
                    "helm",
                    "nerdctl",
                    "oras",
                ):
                    continue
                words = unwrapped(command)
                if "login" not in [word.text for word in words[1:4]]:
                    continue
                for at, word in enumerate(words):
                    if word.text.split("=", 1)[0] == "--password" or re.match(r"-p(?!\w*-)", word.text):
                        following = words[at + 1].text if at + 1 < len(words) else ""
                        if is_real_secret(word.text.partition("=")[2] or following):
                            break  # one that stands here in clear is worse, and said by others
                        self.report_at(word.start, word.end, "the password stands in the process list")
                        break
