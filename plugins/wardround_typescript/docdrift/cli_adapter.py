"""Command-line options of scripts, for the checks of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.cli_checks import OptionCheck
from wardround_typescript.generated_files import SCRIPTS

if TYPE_CHECKING:
    from wardround.semantics.docdrift.cli_options import CommandLine
    from wardround.semantics.docdrift.references import ProgramName

_TEST = LazyPattern(
    r"(^|/)(?:__tests__|__mocks__|tests?|e2e|cypress|playwright)/|\.(?:test|spec|e2e|stories)\.[mc]?[jt]sx?$"
)
_DERIVING = (
    "yargs", "meow", "oclif", "citty", "clipanion", "minimist", "parseArgs", "cleye", "gunshi", "optionator",
)  # fmt: skip
"""Libraries that declare options as keys, by a sign of their use in a script."""


def is_test_script(path: str) -> bool:
    """Return True for the path of a test, by the usual names."""
    return _TEST.search(path) is not None


class ScriptOptionCheck(OptionCheck):
    """A check of the options that scripts declare; the reader is imported when an option changed."""

    PATHS = SCRIPTS
    WORDS = ("ption(",)

    def may_declare(self, text: str) -> bool:
        from wardround_typescript.docdrift.cli_parsers import declares_options

        return declares_options(text)

    def command_line(self, path: str, text: str) -> CommandLine | None:
        from wardround_typescript.docdrift.cli_parsers import command_line
        from wardround_typescript.generated_files import is_bundle

        return None if is_bundle(path, text) else command_line(text)

    def may_derive(self, name: str, text: str) -> bool:
        return any(library in text for library in _DERIVING) and has_key(name, text, "[:,]")

    def is_test(self, path: str) -> bool:
        return is_test_script(path)

    def program(self, path: str) -> ProgramName:
        from wardround_typescript.docdrift.program_name import program_of

        return program_of(path, self.change.project)


def has_key(option: str, text: str, behind: str) -> bool:
    """Return True if a text names an option as a key, as ``dry-run`` or ``dryRun``."""
    plain = option.removeprefix("--").removeprefix("no-")
    first, *rest = plain.split("-")
    camel = first + "".join(part.capitalize() for part in rest)
    key = rf"(?<![\w-])(?:{re.escape(plain)}|{re.escape(camel)})['\"`]?\s*{behind}"
    return re.search(key, text) is not None
