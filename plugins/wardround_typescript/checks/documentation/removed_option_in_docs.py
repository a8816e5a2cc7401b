"""TS004."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.findings import Severity
from wardround.semantics.docdrift.cli_checks import RemovedOptionCheck
from wardround_typescript.docdrift.cli_adapter import ScriptOptionCheck, has_key

_PACKAGE = {"package.json": '{"name": "@shop/post", "bin": {"post": "dist/cli.js"}}'}
_README = "# Post\n\n```\npost --tries 3 letter.txt\n```\n"
_YARGS = 'import yargs from "yargs";\nyargs\n  .option("to", {})'
_TO, _TRIES, _BOX = '"--to <who>"', '"-t, --tries <n>", "how often"', '"--post-box <b>"'


def _cli(*options: str, rest: str = "") -> str:
    added = "".join(f"  .option({option})\n" for option in options)
    return f'import {{ program }} from "commander";\n\nprogram\n{added}  .parse();\n{rest}'


def _taken(readme: str, after: str = _cli(_TO, _BOX), line: int | None = None, **others: str) -> ChangeCase:
    """A change that takes ``--tries`` out of ``src/cli.ts``."""
    return ChangeCase(
        {"src/cli.ts": (_cli(_TO, _TRIES, _BOX), after)},
        others={**_PACKAGE, "README.md": readme, **{f"src/{name}.ts": text for name, text in others.items()}},
        place=None if line is None else ("src/cli.ts", line, 3),
    )


class RemovedOptionInDocs(ScriptOptionCheck, RemovedOptionCheck):
    """A change took an option off a command line, and words about the program still name it.

    Whoever follows them gets an error, and a step that runs the program fails. Change the words in the same
    commit, or keep the option as a deprecated one. Options are those of commander, cac and yargs that are
    written out; one counts as gone where no code has it as a string any more.
    """

    ID = "TS004"
    NAME = "removed-option-in-docs"
    DEFECT_CLASS = "withdrawn-option"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "2,500 newest commits of each of 5 repositories: 2 hits, both left by the author, both right: too "
        "few for more than a note; python/PY013 has the larger sample"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _taken("# Post\n"),
        _taken(_README, after=_cli(_TO, _BOX, _TRIES)),
        _taken(_README.replace("post", "wget")),
        _taken(_README, more='run(["--tries"]);\n'),
        _taken(_README, after=_cli(_TO, _BOX, rest="for (const o of OPTIONS) program.option(o.flags);\n")),
        _taken("`post --tries` was removed in 2.0.\n"),
        _taken(_README, after="const options = { tries: { type: 'number' } };\nmake(options);\n"),
        _taken(_README, after="meow({ flags: { to: {}, tries: {}, postBox: {} } });\n"),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _taken(_README, line=4),
        _taken("Run `post --tries 3`.\n", after=_cli(_TO, '"-t, --attempts <n>", "how often"', _BOX), line=5),
        ChangeCase(
            {
                "src/cli.js": (
                    f'{_YARGS}\n  .option("tries", {{ default: 3 }});\n',
                    f"{_YARGS};\n",
                )
            },
            others={**_PACKAGE, "README.md": _README},
            place=("src/cli.js", 3, 3),
        ),
    ]

    def may_derive(self, name: str, text: str) -> bool:
        """Whether a text may declare an option; a key that has an object may, whatever the library is."""
        return super().may_derive(name, text) or has_key(name, text, r":\s*\{")
