"""Discovery and loading of plugins and their specialists."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

from wardround import hookspecs
from wardround.checks.base import ChangeCheck, Check, RuleDoc
from wardround.checks.registry import CheckRegistry
from wardround.errors import PLUGIN_EXCEPTIONS, PluginLoadError
from wardround.findings import LANGUAGE_MODEL, RUN
from wardround.plugin_discovery import Plugin, discover
from wardround.rules.catalogue import Catalogue
from wardround.rules.model import RULES_PACKAGE, Rule, RuleGroup
from wardround.rules.tool_map import ToolMap, has_tool_map, load_tool_map
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.tools.tool import Tool
    from wardround.training_tasks import AnyTask

Contribution = TypeVar("Contribution")


class PluginHost:
    """The loaded plugins: their specialists in name order, and the catalogue of their rules.

    Attributes:
        requests_all: tools report every code, including those that our selection excludes.
    """

    requests_all = False

    def __init__(self, specialists: Iterable[Specialist], plugins: Sequence[Plugin] = ()) -> None:
        self.specialists: tuple[Specialist, ...] = tuple(sorted(specialists, key=lambda s: s.name))
        self.plugins = tuple(plugins)
        self._reviewed: dict[str, set[str]] = {}

    @cached_property
    def maps(self) -> Mapping[str, ToolMap]:
        """The tool maps, by tool; each is loaded on first use."""
        return _ToolMaps(self.specialists)

    @cached_property
    def catalogue(self) -> Catalogue:
        groups = [
            RuleGroup(partial(_rules_of_checks, s), s.name, partial(_rule_of_check, s))
            for s in self.specialists
        ]
        groups += [RuleGroup(s.rules) for s in self.specialists]
        return Catalogue(groups, self.maps)

    def same_defect(self, rule: Rule) -> list[str]:
        """Return the other rules that report the same defect of the same file: at one position they are one
        finding.

        A defect class has rules for many languages; rules that never apply to the same file are excluded.
        """
        alike = self._by_defect_class.get(rule.defect_class, [])
        files = self._reviewed_by(rule.id.partition("/")[0])
        return [one for one in alike if one != rule.id and self._reviewed_by(one.partition("/")[0]) & files]

    @cached_property
    def _by_defect_class(self) -> dict[str, list[str]]:
        """Return the ids of the rules of each defect class."""
        found: dict[str, list[str]] = {}
        for rule in self.catalogue.listed():
            found.setdefault(rule.defect_class, []).append(rule.id)
        return found

    def _reviewed_by(self, reporter: str) -> set[str]:
        """Return the names of files a tool or specialist may report, one for each pattern of a specialist."""
        if reporter not in self._reviewed:
            self._reviewed[reporter] = self._files_of(reporter)
        return self._reviewed[reporter]

    def _files_of(self, reporter: str) -> set[str]:
        found: set[str] = set()
        reached: set[str] = set()
        for specialist in self.specialists:
            names = {name for name in self._file_names if specialist.claims_name(name)}
            tools = [t for t in (*specialist.tools, *specialist.borrowed_tools) if t.name == reporter]
            reached |= names if tools or specialist.name == reporter else set()
            found |= names if specialist.name == reporter else set()
            found |= {n for n in names for tool in tools if _is_for_any_text(tool, n)}
        return found or reached

    @cached_property
    def _file_names(self) -> set[str]:
        return {pattern.replace("*", "x") for s in self.specialists for pattern in s.patterns}

    def specialists_for(self, path: str, content: bytes) -> list[Specialist]:
        """Return the specialists that review a file, by its name or by its content."""
        by_name = [s for s in self.specialists if s.claims_name(path)]
        asked = [s for s in self.specialists if s.sniffs_content(path)]
        if "." not in path.rpartition("/")[2] and all(s.reviews_all_text for s in by_name):
            asked = list(self.specialists)
        by_text = [s for s in asked if s not in by_name and s.claims_content(path, content)]
        return [s for s in self.specialists if s in by_name or s in by_text] if by_text else by_name


def _is_for_any_text(tool: Tool, name: str) -> bool:
    """Return True if a tool may report something about a file of this name, whatever its content."""
    return tool.accepts(name, "") and tool.can_match("")


def load(skip: Sequence[str] = (), only: Sequence[str] = ()) -> PluginHost:
    """Load every installed plugin, in the order of their names.

    Args:
        skip: specialists to leave out.
        only: if given, the specialists to keep.

    Raises:
        PluginLoadError: a plugin does not import, breaks its contract, or repeats a specialist's name.
    """
    plugins, brought = _collect(_specialists_of)
    _require_unique("specialist", ((plugin, specialist.name) for plugin, specialist in brought))
    kept = [s for _, s in brought if s.name not in skip and (not only or s.name in only)]
    return PluginHost(kept, plugins)


def load_tasks() -> tuple[AnyTask, ...]:
    """Load the tasks of every installed plugin, in the order of their names; none from a plugin without
    models.

    Raises:
        PluginLoadError: a plugin does not import, breaks its contract, or repeats a task's name.
    """
    _, brought = _collect(_tasks_of)
    _require_unique("task", ((plugin, task.name) for plugin, task in brought))
    return tuple(sorted((task for _, task in brought), key=lambda task: task.name))


def _collect(
    brought: Callable[[pluggy.PluginManager, object, Plugin], list[Contribution]],
) -> tuple[Sequence[Plugin], list[tuple[Plugin, Contribution]]]:
    """Import and register every plugin, and collect the values of its plugin hook."""
    manager = pluggy.PluginManager(hookspecs.GROUP)
    manager.add_hookspecs(hookspecs)
    plugins = discover(hookspecs.GROUP).plugins
    _require_unique("plugin", ((plugin, plugin.name) for plugin in plugins))
    found: list[tuple[Plugin, Contribution]] = []
    for plugin in plugins:
        try:
            module = _loaded(plugin.module)
            manager.register(module, name=plugin.name)
            manager.check_pending()
            found += [(plugin, one) for one in brought(manager, module, plugin)]
        except PluginLoadError:
            raise
        except PLUGIN_EXCEPTIONS as cause:
            raise PluginLoadError(plugin.name, source_of(plugin), _one_line(cause)) from cause
    return plugins, found


def _loaded(entry: str) -> object:
    """Import the target of an entry point: a module, or an object in one, as ``module:object``."""
    name, _, attributes = entry.partition(":")
    found: object = importlib.import_module(name)
    for attribute in attributes.split(".") if attributes else ():
        found = getattr(found, attribute)
    return found


def _require_unique(kind: str, brought: Iterable[tuple[Plugin, str]]) -> None:
    """Reject two of one name, in the name of the plugin that is not ours, else of the later one."""
    first: dict[str, Plugin] = {}
    for plugin, name in brought:
        other = first.get(name)
        first[name] = plugin
        if other is not None:
            wrong, right = (other, plugin) if plugin.distribution == "wardround" else (plugin, other)
            whose = "it" if wrong is right else source_of(right)
            said = f"{whose} has a {kind} named {name!r} already"
            raise PluginLoadError(wrong.name, source_of(wrong), said)


class _ToolMaps(Mapping[str, ToolMap]):
    """Tool -> its map. A tool of ours has a map file; the map of any other comes from its specialist."""

    def __init__(self, specialists: Sequence[Specialist]) -> None:
        self._specialists = specialists
        self._read: dict[str, ToolMap] = {}

    def __getitem__(self, tool: str) -> ToolMap:
        if tool not in self._read:
            package = RULES_PACKAGE if has_tool_map(tool) else self._packages.get(tool)
            if package is None:
                raise KeyError(tool)
            self._read[tool] = load_tool_map(tool, package)
        return self._read[tool]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._packages))

    def __len__(self) -> int:
        return len(self._packages)

    @cached_property
    def _packages(self) -> dict[str, str]:
        """The package that holds each tool's map."""
        brought = {t.name: t.map_package for s in self._specialists for t in (*s.tools, *s.borrowed_tools)}
        return {"wardround": RULES_PACKAGE, LANGUAGE_MODEL: RULES_PACKAGE, RUN: RULES_PACKAGE, **brought}


def _rules_of_checks(specialist: Specialist) -> list[Rule]:
    checks: list[type[RuleDoc]] = [*specialist.checks, *specialist.change_checks]
    return [_validated(check, specialist).rule(specialist.name) for check in checks]


def _rule_of_check(specialist: Specialist, code: str) -> Rule | None:
    """Return the rule of one check, which an index may load without the others."""
    for checks in (specialist.checks, specialist.change_checks):
        check = checks.get(code) if isinstance(checks, CheckRegistry) else None
        if check is not None:
            return _validated(check, specialist).rule(specialist.name)
    return None


def _validated(check: type[RuleDoc], specialist: Specialist) -> type[RuleDoc]:
    """Return a check that fulfils the contract.

    Raises:
        PluginLoadError: it does not.
    """
    missing = [name for name in ("ID", "NAME") if not hasattr(check, name)]
    if missing or not issubclass(check, (Check, ChangeCheck)):
        wrong = f"lacks {' and '.join(missing)}" if missing else "is not a wardround.checks.base.Check"
        raise PluginLoadError(specialist.name, check.__module__, f"check {check.__name__} {wrong}")
    return check


def source_of(plugin: Plugin) -> str:
    """Return the origin of a plugin, as displayed."""
    return f"{plugin.distribution} {plugin.version} ({plugin.module})"


def _specialists_of(manager: pluggy.PluginManager, module: object, plugin: Plugin) -> list[Specialist]:
    """Return the specialists of one plugin, validated against the contract."""
    callers = [c.name for c in manager.get_hookcallers(module) or ()]
    if "wardround_specialists" not in callers:
        raise PluginLoadError(
            plugin.name, source_of(plugin), "it has no function wardround_specialists marked with hookimpl"
        )
    brought: list[Specialist] = _call_hook(manager, module, "wardround_specialists")
    for specialist in brought:
        if not isinstance(specialist, Specialist):
            raise PluginLoadError(
                plugin.name, source_of(plugin), f"{specialist!r} is not a wardround.specialists.Specialist"
            )
        if not hasattr(specialist, "name") or not hasattr(specialist, "patterns"):
            reason = f"{type(specialist).__name__} lacks name or patterns"
            raise PluginLoadError(plugin.name, source_of(plugin), reason)
    return brought


def _tasks_of(manager: pluggy.PluginManager, module: object, plugin: Plugin) -> list[AnyTask]:
    """Return the tasks of one plugin, validated against the contract."""
    from wardround.training_tasks import LineTask, Task

    brought: list[AnyTask] = _call_hook(manager, module, "wardround_tasks")
    for task in brought:
        if not isinstance(task, Task | LineTask):
            raise PluginLoadError(
                plugin.name, source_of(plugin), f"{task!r} is not a wardround.training_tasks.Task"
            )
    return brought


def _call_hook(manager: pluggy.PluginManager, module: object, name: str) -> list[Any]:
    """Return the values that one plugin returns for a plugin hook."""
    others = [one for one in manager.get_plugins() if one is not module]
    return [each for answer in manager.subset_hook_caller(name, others)() for each in answer]


def _one_line(cause: BaseException) -> str:
    text = " ".join(str(cause).split())
    return f"{type(cause).__name__}: {text}" if text else type(cause).__name__
