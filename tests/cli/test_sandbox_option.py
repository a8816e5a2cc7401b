"""A command that runs code takes the name of an isolation, and rejects any other."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from wardround.cli.sandbox_option import sandbox_option
from wardround.sandbox.choices import CHOICES


@click.command()
@sandbox_option
def command(sandbox: str | None) -> None:
    click.echo(repr(sandbox))


@pytest.mark.parametrize("name", CHOICES)
def test_every_isolation_can_be_chosen(name: str) -> None:
    assert CliRunner().invoke(command, ["--sandbox", name]).output == f"{name!r}\n"


def test_the_choice_is_left_to_the_configuration_by_default() -> None:
    assert CliRunner().invoke(command, []).output == "None\n"


def test_an_unknown_isolation_is_rejected_with_the_names() -> None:
    result = CliRunner().invoke(command, ["--sandbox", "chroot"])

    assert result.exit_code == 2
    assert "'auto', 'bubblewrap', 'namespaces', 'docker', 'podman', 'none'" in result.output
