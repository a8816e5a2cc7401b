"""Command line options of published programs."""

from __future__ import annotations

import pytest

from tests.context.surface.differences import PYPROJECT, lines, surface

PROGRAM = PYPROJECT + '[project.scripts]\nshop = "shop._cli:main"\n'
ARGPARSE = 'parser.add_argument("-v", "--verbose")\nparser.add_argument("--level", choices=["a", "b"])\n'
CLICK = (
    '@click.option("--yes/--no")\n@click.option("--kind", type=click.Choice(["a", "b"]))\ndef main(): ...\n'
)


def broken(before: str, after: str, pyproject: str = PROGRAM, **others: str) -> list[str]:
    base = {"pyproject.toml": pyproject, "src/shop/__init__.py": "", "src/shop/_cli.py": before}
    return lines(surface({**base, **others}, {"src/shop/_cli.py": after}).breaking)


def test_a_removed_option_of_argparse_breaks_commands() -> None:
    assert broken(ARGPARSE, ARGPARSE.replace('"-v", "--verbose"', '"-v"')) == [
        "src/shop/_cli.py:1 option `--verbose` is removed"
    ]


def test_a_removed_option_of_click_breaks_commands() -> None:
    assert broken(CLICK, CLICK.replace("--yes/--no", "--yes")) == [
        "src/shop/_cli.py:1 option `--no` is removed"
    ]


@pytest.mark.parametrize("text", [ARGPARSE, CLICK])
def test_a_value_that_is_not_accepted_breaks_commands(text: str) -> None:
    (found,) = broken(text, text.replace('["a", "b"]', '["a"]'))
    assert found.endswith("does not accept `b`")


def test_an_option_that_is_required_breaks_commands() -> None:
    assert broken(ARGPARSE, ARGPARSE.replace('"--verbose"', '"--verbose", required=True')) == [
        "src/shop/_cli.py:1 option `--verbose` is required"
    ]


def test_an_option_that_another_file_declares_is_not_removed() -> None:
    assert broken(ARGPARSE, "", **{"src/shop/_other.py": ARGPARSE}) == []


def test_hidden_options_are_nobodys_surface() -> None:
    assert (
        broken('p.add_argument("--x1", help=argparse.SUPPRESS)\no = click.option("--x2", hidden=True)\n', "")
        == []
    )


def test_a_package_without_commands_has_no_options() -> None:
    assert broken(ARGPARSE, "", PYPROJECT) == []


def test_options_of_commander_are_read() -> None:
    text = 'program.option("-p, --port <n>", "port").requiredOption("--host <h>")\n'
    package = '{"name": "shop", "version": "1.0.0", "bin": "cli.js"}\n'
    head = {"cli.js": text.replace("-p, --port <n>", "-p <n>")}
    found = surface({"package.json": package, "cli.js": text}, head, package=False)
    assert lines(found.breaking) == ["cli.js:1 option `--port` is removed"]
