from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.run import emit


@click.command("rules")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True
)
@click.option(
    "--pages",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write one Markdown page per rule and an index into this folder.",
)
def command(form: str, folder: Path | None) -> None:
    """List every documented rule: wardround's own and the mapped codes of tools."""
    from wardround import host
    from wardround.reports import catalogue, rule_pages

    loaded = host.load()
    rules = loaded.catalogue.all_rules()
    if folder is None:
        render = {"text": catalogue.as_text, "json": catalogue.as_json, "md": rule_pages.index}[form]
        emit(render(rules))
        return
    for path, text in rule_pages.pages(rules, loaded.same_defect).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
