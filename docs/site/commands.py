"""Pages of the reference of commands, from the help of each command."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from wardround.reports import rule_pages

FOLDER = "commands"
_INTRODUCTION = """\
# Commands

The help of each command, as `wardround COMMAND --help` prints it. A shell can
[complete](../editors.md#shell-completion) them; [exit statuses](../report.md#exit-statuses) mean the same
for all.

| command | does |
|---|---|
"""
_PROGRAM = "wardround"
_LONGEST_SUMMARY = 200
_UNWRAPPED = "\b"


def pages(program: click.Group) -> dict[str, str]:
    """Return the Markdown of every page by its path in the site."""
    root = click.Context(program, info_name=_PROGRAM)
    found = {}
    rows = []
    for name, command in _subcommands(program, root):
        page = f"{_PROGRAM}-{name}.md"  # a command may have the name of the list, index
        rows.append(f"| [{name}]({page}) | {_escape(command.get_short_help_str(_LONGEST_SUMMARY))} |")
        sections = _sections(command, click.Context(command, root, name), 1)
        found[f"{FOLDER}/{page}"] = "\n".join(sections) + "\n"
    return {f"{FOLDER}/index.md": _INTRODUCTION + "\n".join(rows) + "\n"} | found


def _subcommands(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield name, command


def _sections(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    """Yield the lines about a command, then those about its subcommands."""
    yield f"{'#' * level} {context.command_path}\n"
    yield f"```console\n$ {' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n```\n"
    yield from _help(command.help or "")
    yield from _options(command, context)
    if isinstance(command, click.Group):
        for name, child in _subcommands(command, context):
            yield from _sections(child, click.Context(child, context, name), level + 1)


def _help(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; those that click does not wrap are blocks of code."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.startswith(_UNWRAPPED):
            block = paragraph.removeprefix(_UNWRAPPED).strip("\n")
            yield f"```text\n{block}\n```\n"
        else:
            yield _escape(" ".join(paragraph.split())) + "\n"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = [parameter.get_help_record(context) for parameter in command.params]
    rows = [f"| `{name}` | {_escape(meaning)} |" for name, meaning in filter(None, records)]
    if rows:
        yield "\n".join(["| option | meaning |", "|---|---|", *rows]) + "\n"


def _escape(text: str) -> str:
    """Return a text in which only code in backticks is markup."""
    return rule_pages.escape(" ".join(text.split())).replace("|", "\\|")
