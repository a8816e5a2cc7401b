"""The options and variables of a module."""

from __future__ import annotations

from wardround_python.docdrift.cli_parsers import command_line
from wardround_python.docdrift.program_name import program_of

from wardround.change.repository_view import InMemoryRepository


def names(text: str) -> list[tuple[str, ...]]:
    read = command_line("cli.py", text)
    assert read is not None
    return [option.names for option in read.options]


def test_options_of_argparse() -> None:
    text = (
        "LIMIT = 5\n"
        'p.add_argument("-n", "--number", default=LIMIT, choices=[1, 5], help="how " "many")\n'
        'p.add_argument("--colour", action=argparse.BooleanOptionalAction)\n'
        'p.add_argument("file")\n'
        "p.add_argument(*names)\n"
    )
    read = command_line("cli.py", text)
    assert read is not None
    first, second = read.options
    assert (first.names, first.short, first.default, first.choices, first.help) == (
        ("--number",),
        ("-n",),
        "5",
        ("1", "5"),
        "how many",
    )
    assert second.names == ("--colour", "--no-colour")
    assert read.computed == 1


def test_options_of_click_and_pytest() -> None:
    assert names(
        'import click\n@click.option("--a/--no-a", "-a/-A")\n'
        '@click.option("-f", "--file-name")\ndef f(): ...\n'
    ) == [
        ("--a", "--no-a"),
        ("--file-name",),
    ]
    assert names('def pytest_addoption(parser):\n    parser.addoption("--slow", action="store_true")\n') == [
        ("--slow",)
    ]


def test_options_that_typer_derives_from_parameters() -> None:
    text = (
        "import typer\nfrom typing import Annotated\n\n\n"
        'def f(to_whom: Annotated[str, typer.Option("-t")], loud: bool = typer.Option(False),\n'
        '      n: int = typer.Option(3, "--count")): ...\n'
    )
    assert sorted(names(text)) == [("--count",), ("--loud", "--no-loud"), ("--to-whom",)]


def test_calls_of_similar_names_are_not_options() -> None:
    assert names('table.option("--a")\n') == []


def test_a_program_has_the_names_its_project_installs() -> None:
    project = InMemoryRepository(
        {
            "pyproject.toml": '[project.scripts]\npost = "mail.cli:main"\nother = "else.cli:main"\n',
            "src/mail/__main__.py": "",
        }
    )
    program = program_of("src/mail/cli.py", "", project)
    assert program.commands == {"post"}
    assert program.files == {"src/mail/cli.py", "mail.cli", "mail"}
    assert program_of("tool.py", "parser.addoption()", InMemoryRepository()).commands == {"pytest"}
