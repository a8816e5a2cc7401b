"""The configuration files of a tool, read from the trusted side."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wardround.tools.tool import Tool


def configuration(
    tool: Tool, folder: str, read: Callable[[str], str | None], above: Mapping[str, str]
) -> dict[str, str]:
    """Return the files that apply in a folder, text by path, with those they refer to; ``../`` is above the
    root.

    Args:
        read: the text of a file, None if it does not exist.
        above: the files that apply in the folder above; none for the root, whose name is empty.
    """
    found = dict(above)
    stem = f"{folder}/" if folder else ""
    waiting = [] if folder and tool.config_at_root else [stem + name for name in tool.config_names]
    while waiting:
        name = waiting.pop(0)
        text = None if name in found else read(name)
        if text is not None:
            found[name] = text
            waiting += tool.config_closure(name, text)
    found |= tool.config_overlay(folder, found)
    fallback = None if folder else tool.fallback_config(read)
    if fallback is not None:
        name, text = fallback
        found["../" + name] = text
    return found
