from __future__ import annotations

import click

from wardround.cli.completion import complete_rules
from wardround.cli.run import emit
from wardround.errors import UsageError

_NO_TERMINAL = (80, 1000)
"""Columns and lines where the output goes to a file or a pager."""


@click.command("explain")
@click.argument("rule", shell_complete=complete_rules)
def command(rule: str) -> None:
    """Show why RULE exists, its cases, the tools that report it and how to suppress it.

    RULE is an id as findings show it (ruff/B006), a bare code (B006) or a name (swallowed-exception).
    """
    import shutil

    from wardround import host
    from wardround.reports.explanation import render_rule
    from wardround.rules.reading_counts import reading_counts
    from wardround.rules.removed import is_removed, removal_note
    from wardround.rules.renamed import is_former_name, renaming_note

    loaded = host.load()
    found = loaded.catalogue.resolve(rule)
    if not found and is_removed(rule):
        raise UsageError(removal_note([rule]))
    if not found:
        raise UsageError(f"unknown rule {rule!r}; run `wardround rules` to list all rules")
    if is_former_name(rule, found):
        click.echo(f"note: {renaming_note({rule: found})}", err=True)
    width, height = shutil.get_terminal_size(fallback=_NO_TERMINAL)
    counts = reading_counts()
    pages = [
        render_rule(match, loaded.same_defect(match), width, height, counts.get(match.id)) for match in found
    ]
    emit("\n".join(pages))
