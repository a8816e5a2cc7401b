"""TS005."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.findings import Severity
from wardround.semantics.docdrift.cli_values import StaleValueCheck
from wardround_typescript.docdrift.cli_adapter import ScriptOptionCheck

_PACKAGE = {"package.json": '{"name": "post", "bin": "dist/cli.js"}'}


def _change(before: str, after: str, line: int | None = None, readme: str = "") -> ChangeCase:
    text = 'import {{ program }} from "commander";\n\nprogram\n  .option({});\n'
    return ChangeCase(
        {"src/cli.ts": (text.format(before), text.format(after))},
        others={**_PACKAGE, "README.md": readme},
        place=None if line is None else ("src/cli.ts", line, 3),
    )


_SAID = '"--tries <n>", "how often (default: 3)", "{}"'
_SILENT = '"--tries <n>", "how often", {}'


class StaleOptionValue(ScriptOptionCheck, StaleValueCheck):
    """A change gave an option another default or took one of its choices, and words still state the old one.

    The words are the option's own description, or documentation of the program that names the option. Whoever
    believes them relies on what no longer happens.
    """

    ID = "TS005"
    NAME = "stale-option-value"
    SEVERITY = Severity.INFO
    TRIED_ON = "2,500 newest commits of each of 4 repositories: no hit, so a note"
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _change(_SAID.format(3), _SAID.format(5).replace(": 3", ": 5")),
        _change(_SILENT.format(3), _SILENT.format(5), readme="`post --tries` posts 3 times.\n"),
        _change(_SAID.format(3), _SAID.format(3).replace("how often", "how many times")),
        _change(_SILENT.format(3), _SILENT.format("tries()"), readme="`post --tries`: default 3.\n"),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _change(_SAID.format(3), _SAID.format(5), 4),
        _change(_SILENT.format(3), _SILENT.format(5), 4, readme="`post --tries`: how often; default `3`.\n"),
        ChangeCase(
            {
                "src/cli.js": (
                    'import yargs from "yargs";\nyargs.option("tries", {\n  describe: "once or twice",\n'
                    '  choices: ["once", "twice"],\n});\n',
                    'import yargs from "yargs";\nyargs.option("tries", {\n  describe: "once or twice",\n'
                    '  choices: ["once", "always"],\n});\n',
                )
            },
            others=_PACKAGE,
            place=("src/cli.js", 3, 3),
        ),
    ]
