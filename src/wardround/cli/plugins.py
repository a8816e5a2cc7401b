from __future__ import annotations

import click

from wardround.cli.run import emit_line


@click.command("plugins")
def command() -> None:
    """List the loaded plugins, their origin, and the specialists they contribute."""
    from wardround import host

    loaded = host.load()
    lines = [f"{plugin.name:<12} {host.source_of(plugin)}" for plugin in loaded.plugins]
    lines += ["", "specialists:"]
    for specialist in loaded.specialists:
        tools = ", ".join(f"{tool.name} ({'/'.join(sorted(tool.profiles))})" for tool in specialist.tools)
        lines.append(f"  {specialist.name:<10} {' '.join(specialist.patterns)}")
        lines.append(f"  {'':<10} tools: {tools or 'none'}; checks of its own: {len(specialist.checks)}")
    for line in lines:
        emit_line(line)
