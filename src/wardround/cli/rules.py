"""``wardround rules``."""

from __future__ import annotations

import click

from wardround.cli.run import emit


@click.command("rules")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True
)
def command(form: str) -> None:
    """List every rule that is written down: of our own, and of the tools' codes that are mapped."""
    from wardround import host
    from wardround.reports import catalogue

    render = {"text": catalogue.as_text, "json": catalogue.as_json, "md": catalogue.as_markdown}[form]
    emit(render(host.load().catalogue.listed()))
