"""The adapter of Python's command-line options for the checks of documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.semantics.docdrift.cli_checks import OptionCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.cli_options import CommandLine
    from wardround.semantics.docdrift.references import ProgramName

_DERIVING = (
    "typer", "HfArgumentParser", "import fire", "tyro", "jsonargparse", "simple_parsing", "cyclopts",
    "pydantic_settings", "draccus", "clize", "defopt", "cappa", "LightningCLI", "import Tap", "absl",
)  # fmt: skip
"""Libraries that derive options from parameters or fields, by a substring of modules that use one."""


class PythonOptionCheck(OptionCheck):
    """A check of declared command-line options; their parser is imported only if one changed."""

    PATHS = (".py",)
    WORDS = ("add_argument", "addoption", "add_option", "option(", "Option(")

    def command_line(self, path: str, text: str) -> CommandLine | None:
        from wardround_python.docdrift.cli_parsers import command_line

        return command_line(path, text)

    def may_derive(self, name: str, text: str) -> bool:
        if not any(library in text for library in _DERIVING):
            return False
        plain = name.removeprefix("--").removeprefix("no-").replace("-", "_")
        return re.search(rf"(?<!\w){re.escape(plain)}\s*[:=,)]", text) is not None

    def is_test(self, path: str) -> bool:
        from wardround.languages.python.module import is_test_path

        return is_test_path(path) and not path.endswith("conftest.py")

    def program(self, path: str) -> ProgramName:
        from wardround_python.docdrift.program_name import program_of

        file = self.change.file(path)
        return program_of(path, (file and file.text) or "", self.change.project)
