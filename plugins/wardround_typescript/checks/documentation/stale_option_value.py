"""TS005."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.cli_values import StaleValueCheck
from wardround_typescript.docdrift.cli_adapter import ScriptOptionCheck


class StaleOptionValue(ScriptOptionCheck, StaleValueCheck):
    """A change gave an option another default or took one of its choices, and words still state the old one.

    The words are the option's own description, or documentation of the program that names the option. Whoever
    believes them relies on what no longer happens.
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
