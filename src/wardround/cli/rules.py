"""``wardround rules``."""

from __future__ import annotations

import click

from wardround.cli.reviewing import emit


@click.command("rules")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(form: str) -> None:
    """List every rule that is written down: of our own, and of the tools' codes that are mapped."""
    import msgspec

    from wardround import host

    rules = host.load().catalogue.listed()
    if form == "json":
        rows = [
            {
                "rule": rule.id,
                "name": rule.name,
                "plane": rule.plane,
                "severity": rule.severity.label,
                "defect_class": rule.defect_class,
                "why": rule.why,
                "url": rule.url,
            }
            for rule in rules
        ]
        emit(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode() + "\n")
        return
    width = max(len(rule.id) for rule in rules)
    lines = [f"{rule.id:<{width}}  {rule.severity.label:<5}  {rule.plane:<8}  {rule.name}" for rule in rules]
    emit("\n".join(lines) + "\n")
