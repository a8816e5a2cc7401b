"""The file under review as all checks inspect it: its scripts, images, variables and mounts."""

from __future__ import annotations

from functools import cached_property

from wardround_docker_ci.contents.images import Image, images_of
from wardround_docker_ci.contents.mounts import Mount, mounts_of
from wardround_docker_ci.contents.scripts import EmbeddedScript, scripts_of
from wardround_docker_ci.contents.variables import EnvironmentVariable, variables_of
from wardround_docker_ci.parsed_file import ParsedFile


class CiFile(ParsedFile):
    """A file under review and its contents, collected lazily and once for all checks."""

    @cached_property
    def scripts(self) -> list[EmbeddedScript]:
        """The shell scripts in the file, in source order."""
        return scripts_of(self)

    @cached_property
    def images(self) -> list[Image]:
        """The images that containers use."""
        return images_of(self)

    @cached_property
    def variables(self) -> list[EnvironmentVariable]:
        """The environment variables that the file sets."""
        return variables_of(self)

    @cached_property
    def mounts(self) -> list[Mount]:
        """The host paths that are mounted in containers."""
        return mounts_of(self, lambda: self.scripts)
