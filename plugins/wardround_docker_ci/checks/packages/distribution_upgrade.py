from __future__ import annotations

from wardround.findings import Severity
from wardround.languages.shell import Command, unwrap_command
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.commands import program

_UPGRADES = {
    "apt-get": ("dist-upgrade", "full-upgrade"),
    "apt": ("dist-upgrade", "full-upgrade"),
    "aptitude": ("dist-upgrade", "full-upgrade", "safe-upgrade"),
    "dnf": ("distro-sync", "system-upgrade"),
    "yum": ("distro-sync", "distribution-synchronization"),
    "zypper": ("dist-upgrade", "dup"),
    "do-release-upgrade": (),
}


class DistributionUpgrade(CiCheck):
    """The image upgrades its complete distribution, including kernel packages and removals.

    The version of the base image then has no meaning: the contents depend on the day of the build, and the
    upgrade may remove required packages. Use a newer base image.
    """

    ID = "DC124"
    NAME = "distribution-upgrade"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "distribution-upgrade"
    KINDS = DOCKERFILE
    NEEDS = ("upgrade", "distro-sync", "zypper", "synchronization")
    VALID = [
        code("""
            FROM a:1
            RUN apt-get update && apt-get upgrade -y
        """),
        code("""
            FROM a:1
            RUN zypper refresh && zypper -n install dup
        """),
    ]
    INVALID = [
        code(r"""
            FROM a:1
            RUN apt-get update && \
              «apt-get dist-upgrade -y»
        """),
        code("""
            FROM a:1
            RUN «apt-get -qq -y full-upgrade»
        """),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                if _is_upgrade(command):
                    self.report_at(
                        command.start,
                        command.end,
                        "the upgrade makes the base image's version meaningless; use a newer base image",
                    )


def _is_upgrade(command: Command) -> bool:
    subcommands = _UPGRADES.get(program(command))
    if subcommands is None:
        return False
    arguments = [word.text for word in unwrap_command(command)[1:] if not word.text.startswith("-")]
    return not subcommands or (bool(arguments) and arguments[0] in subcommands)
