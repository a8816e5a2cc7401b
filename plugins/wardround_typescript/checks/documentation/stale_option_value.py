"""TS005: stale option value."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.cli_values import StaleValueCheck
from wardround_typescript.docdrift.cli_adapter import ScriptOptionCheck


class StaleOptionValue(ScriptOptionCheck, StaleValueCheck):
    """The documentation states a default or a choice of an option that this change replaces.

    The text is the option's own description, or documentation of the program that names the option. Users
    rely on behaviour that no longer exists. Update the text in the same commit.
    """

    ID = "TS005"
    NAME = "stale-option-value"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    VALID = [
        change(
            {
                "src/cli.ts": (
                    """
                    import { program } from "commander";

                    program
                      .option("--tries <n>", "how often (default: 3)", "3");
                    """,
                    """
                    import { program } from "commander";

                    program
                      .option("--tries <n>", "how often (default: 5)", "5");
                    """,
                ),
            },
            others={
                "package.json": '{"name": "post", "bin": "dist/cli.js"}',
                "README.md": "",
            },
        ),
        change(
            {
                "src/cli.ts": (
                    """
                    import { program } from "commander";

                    program
                      .option("--tries <n>", "how often", 3);
                    """,
                    """
                    import { program } from "commander";

                    program
                      .option("--tries <n>", "how often", 5);
                    """,
                ),
            },
            others={
                "package.json": '{"name": "post", "bin": "dist/cli.js"}',
                "README.md": """
                `post --tries` posts 3 times.
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
                      .option("--tries <n>", "how often (default: 3)", "3");
                    """,
                    """
                    import { program } from "commander";

                    program
                      «.option("--tries <n>", "how often (default: 3)", "5");»
                    """,
                ),
            },
            others={
                "package.json": '{"name": "post", "bin": "dist/cli.js"}',
                "README.md": "",
            },
        ),
        change(
            {
                "src/cli.ts": (
                    """
                    import { program } from "commander";

                    program
                      .option("--tries <n>", "how often", 3);
                    """,
                    """
                    import { program } from "commander";

                    program
                      «.option("--tries <n>", "how often", 5);»
                    """,
                ),
            },
            others={
                "package.json": '{"name": "post", "bin": "dist/cli.js"}',
                "README.md": """
                `post --tries`: how often; default `3`.
                """,
            },
        ),
    ]
