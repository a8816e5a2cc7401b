"""The hooks that pytest calls for a test, without those that report and capture, found once for each folder."""

from __future__ import annotations

from typing import Any

_REPORTERS = (
    "capturemanager", "terminalreporter", "faulthandler", "lfplugin", "nfplugin", "stepwiseplugin",
    "pastebin", "junitxml", "_xmllog", "_cov", "pytest_cov", "html", "sugar",
)  # fmt: skip


class ItemHooks:
    """Calls of hooks, each without the plugins that are left out."""

    def __init__(self, manager: Any, left_out: set[Any]) -> None:
        self._manager = manager
        self._left_out = left_out

    def __getattr__(self, name: str) -> Any:
        caller = self._manager.subset_hook_caller(name, self._left_out)
        setattr(self, name, caller)
        return caller


def use_few_hooks(session: Any) -> None:
    """Let the tests of a session call few hooks, with the plugins of their folders."""
    manager = session.config.pluginmanager
    reporters = {plugin for plugin in map(manager.get_plugin, _REPORTERS) if plugin is not None}
    proxies: dict[Any, ItemHooks] = {}
    find = session.gethookproxy

    def gethookproxy(path: Any) -> ItemHooks:
        if path not in proxies:
            found = find(path)
            relay = getattr(found, "_hook_relay", found)
            proxies[path] = ItemHooks(manager, reporters | set(getattr(relay, "remove_mods", ())))
        return proxies[path]

    session.gethookproxy = gethookproxy


def begin_capture(config: Any) -> None:
    """Capture output from now on, as the hooks of the capture would do for each phase of a test."""
    manager = config.pluginmanager.get_plugin("capturemanager")
    if manager is not None:
        manager.resume_global_capture()
        manager.read_global_capture()
