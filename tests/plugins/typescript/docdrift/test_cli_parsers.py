"""The options and variables of a script."""

from __future__ import annotations

from wardround_typescript.docdrift.cli_parsers import command_line
from wardround_typescript.docdrift.env_vars import variables
from wardround_typescript.docdrift.program_name import program_of

from wardround.checks.source import InMemoryRepository


def test_options_of_commander() -> None:
    text = (
        'program\n  .option("-t, --tries <n>", "how often, or \'never\'", "3")\n'
        '  .option("--no-colour", "plain")\n  // .option("--gone")\n  .requiredOption(`--to <who>`)\n'
        '  .addOption(new Option("--mode [m]", "how"))\n'
        "  .option(flags)\n"
    )
    read = command_line(text)
    assert [option.names for option in read.options] == [
        ("--tries",),
        ("--no-colour",),
        ("--to",),
        ("--mode",),
    ]
    first = read.options[0]
    assert (first.short, first.default, first.help, first.line) == (("-t",), "3", "how often, or 'never'", 2)
    assert read.computed == 1


def test_options_of_yargs() -> None:
    text = (
        'import yargs from "yargs"\nyargs.option("out-dir", {\n  alias: "o",\n  describe: "where",\n'
        '  default: "dist",\n  choices: ["dist", "lib"],\n})\n'
    )
    (option,) = command_line(text).options
    assert (option.names, option.default, option.help, option.choices) == (
        ("--out-dir",),
        "dist",
        "where",
        ("dist", "lib"),
    )
    assert option.end_line == 7
    assert command_line('table.option("out-dir", {})\n').options == ()


def test_a_program_has_the_names_of_its_package() -> None:
    project = InMemoryRepository(
        {"packages/a/package.json": '{"name": "@x/post", "bin": {"p": "a.js"}}', "package.json": "{"}
    )
    assert program_of("packages/a/src/cli.ts", project).commands == {"p", "post", "@x/post"}
    assert program_of("src/cli.ts", project).commands == frozenset()
    assert program_of("cli.ts", InMemoryRepository({"package.json": "[1]"})).commands == frozenset()


def test_variables_are_read_and_declared() -> None:
    text = (
        "const env = createEnv({ server: {\n  A_A: z.string().min(1),\n"
        "  B_B: z\n    .string()\n    .optional(),\n"
        "  C_C: z.enum(['a']).default('a'),\n}, runtimeEnv: {\n  A_A: process.env.A_A,\n} })\n"
        "// process.env.D_D\nf(process.env['E_E'], process.env.F_F!, process.env.G_G !== 1)\n"
    )
    found = variables(text)
    assert {name: one.required for name, one in found.items()} == {
        "A_A": True, "B_B": False, "C_C": False, "E_E": False, "F_F": True, "G_G": False,
    }  # fmt: skip
    assert found["A_A"].span.start == (2, 3)
