"""TS004: removed option in docs."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.findings import Severity
from wardround.semantics.docdrift.cli_checks import RemovedOptionCheck
from wardround_typescript.docdrift.cli_adapter import ScriptOptionCheck, has_key

_TO, _TRIES, _BOX = '"--to <who>"', '"-t, --tries <n>", "how often"', '"--post-box <b>"'


class RemovedOptionInDocs(ScriptOptionCheck, RemovedOptionCheck):
    """The documentation names a command-line option that this change removes.

    Users who follow it get an error, and scripts that run the program fail. Update the documentation in the
    same commit, or keep the option as a deprecated one. The rule reads literal options of commander, cac and
    yargs; one is removed when no code has it as a string any more.
    """

    ID = "TS004"
    NAME = "removed-option-in-docs"
    DEFECT_CLASS = "withdrawn-option"
    SEVERITY = Severity.INFO
    VALID = [
        change(
            {
                "src/cli.ts": (
                    """
                    import { program } from "commander";

                    program
                      .option("--to <who>")
                      .option("-t, --tries <n>", "how often")
                      .option("--post-box <b>")
                      .parse();
                    """,
                    """
                    import { program } from "commander";

                    program
                      .option("--to <who>")
                      .option("--post-box <b>")
                      .parse();
                    """,
                ),
            },
            others={
                "package.json": '{"name": "@shop/post", "bin": {"post": "dist/cli.js"}}',
                "README.md": """
                # Post
                """,
            },
        ),
        change(
            {
                "src/cli.ts": (
                    """
                    import { program } from "commander";

                    program
                      .option("--to <who>")
                      .option("-t, --tries <n>", "how often")
                      .option("--post-box <b>")
                      .parse();
                    """,
                    """
                    import { program } from "commander";

                    program
                      .option("--to <who>")
                      .option("--post-box <b>")
                      .option("-t, --tries <n>", "how often")
                      .parse();
                    """,
                ),
            },
            others={
                "package.json": '{"name": "@shop/post", "bin": {"post": "dist/cli.js"}}',
                "README.md": """
                # Post

                ```
                post --tries 3 letter.txt
                ```
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "src/cli.ts": (
                    """
                    import { program } from "commander";

                    program
                      .option("--to <who>")
                      .option("-t, --tries <n>", "how often")
                      .option("--post-box <b>")
                      .parse();
                    """,
                    """
                    import { program } from "commander";

                    program
                      .option("--to <who>")
                      «.option("-t, --attempts <n>", "how often")»
                      .option("--post-box <b>")
                      .parse();
                    """,
                ),
            },
            others={
                "package.json": '{"name": "@shop/post", "bin": {"post": "dist/cli.js"}}',
                "README.md": """
                Run `post --tries 3`.
                """,
            },
        ),
        change(
            {
                "src/cli.js": (
                    """
                    import yargs from "yargs";
                    yargs
                      .option("to", {})
                      .option("tries", { default: 3 });
                    """,
                    """
                    import yargs from "yargs";
                    yargs
                      «.option("to", {});»
                    """,
                ),
            },
            others={
                "package.json": '{"name": "@shop/post", "bin": {"post": "dist/cli.js"}}',
                "README.md": """
                # Post

                ```
                post --tries 3 letter.txt
                ```
                """,
            },
        ),
    ]

    def may_derive(self, name: str, text: str) -> bool:
        """Return True if a text may declare an option; a key with an object may, in any library."""
        return super().may_derive(name, text) or has_key(name, text, r":\s*\{")
