"""Discovery and loading of plugins and their specialists."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

from wardround import __version__, hookspecs
from wardround.checks.base import ChangeCheck, Check, RuleDoc
from wardround.checks.registry import CheckRegistry
from wardround.errors import PLUGIN_EXCEPTIONS, PluginLoadError
from wardround.findings import LANGUAGE_MODEL, RUN
from wardround.plugin_discovery import GROUP, Plugin, discover
from wardround.rules.catalogue import Catalogue
from wardround.rules.model import RULES_PACKAGE, Rule, RuleGroup
from wardround.rules.tool_map import ToolMap, has_tool_map, load_tool_map
from wardround.specialists import Specialist, SyntaxCheck
from wardround.tool_declarations import ToolDeclarations, declarations
from wardround.tools.ignore_comments import IgnoreComments

if TYPE_CHECKING:
    from wardround.tools.excluded_files import ExcludedFiles
    from wardround.tools.tool import Tool
    from wardround.training_tasks import AnyTask

Contribution = TypeVar("Contribution")

_BUILT_IN = Plugin("wardround", "wardround.builtin", "wardround", __version__)


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
    def ignore_comments(self) -> IgnoreComments:
        """The ignore comments of all tools."""
        return IgnoreComments(
            comment for declared in self._declarations for comment in declared.ignore_comments
        )

    @property
    def excluded_files(self) -> Sequence[ExcludedFiles]:
        """The settings by which projects exclude files from tools."""
        return [setting for declared in self._declarations for setting in declared.excluded_files]

    @cached_property
    def _declarations(self) -> Sequence[ToolDeclarations]:
        return declarations(self.specialists)

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
        alike = self._rules_by_defect_class.get(rule.defect_class, [])
        files = self._reviewed_by(rule.id.partition("/")[0])
        return [
            rule_id
            for rule_id in alike
            if rule_id != rule.id and self._reviewed_by(rule_id.partition("/")[0]) & files
        ]

    @cached_property
    def _rules_by_defect_class(self) -> dict[str, list[str]]:
        """Return the ids of the rules of each defect class."""
        found: dict[str, list[str]] = {}
        for rule in self.catalogue.all_rules():
            found.setdefault(rule.defect_class, []).append(rule.id)
        return found

    def _reviewed_by(self, reporter: str) -> set[str]:
        """Return the names of files a tool or specialist may report, one for each pattern of a specialist."""
        if reporter not in self._reviewed:
            self._reviewed[reporter] = self._files_of(reporter)
        return self._reviewed[reporter]

    def _files_of(self, reporter: str) -> set[str]:
        own: set[str] = set()
        reached: set[str] = set()
        for specialist in self.specialists:
            names = set(filter(specialist.claims_name, self._file_names))
            tools = _tools_named(reporter, specialist)
            if specialist.name == reporter:
                own |= names
            elif tools:
                reached |= names
            for tool in tools:
                own |= {name for name in names if _is_for_any_text(tool, name)}
        return own or reached

    @cached_property
    def _file_names(self) -> set[str]:
        return {pattern.replace("*", "x") for s in self.specialists for pattern in s.patterns}

    def breakage(self, path: str, before: str, after: str) -> str | None:
        """Return why the text of a file does not parse after an edit; None if it does, or did not before."""
        for check in self._syntax_checks(path, before):
            complaint = check(after)
            if complaint is not None and check(before) is None:
                return complaint
        return None

    def unproven(self, path: str, before: str, after: str) -> str | None:
        """Return why it is not sure that an edit leaves a file that parses; None if it is.

        Unlike ``breakage``, a file that nothing parses has no proof, nor has one that did not parse before.
        """
        checks = self._syntax_checks(path, before)
        if not checks:
            return "nothing parses files of this kind"
        results = (check(text) for check in checks for text in (before, after))
        return next((complaint for complaint in results if complaint is not None), None)

    def _syntax_checks(self, path: str, text: str) -> list[SyntaxCheck]:
        """Return the parsers of a file, by the specialists that review it."""
        claiming = self.specialists_for(path, text.encode("utf-8", "surrogateescape"))
        checks = (specialist.syntax_check(path, text) for specialist in claiming)
        return [check for check in checks if check is not None]

    def specialists_for(self, path: str, content: bytes) -> list[Specialist]:
        """Return the specialists that review a file, by its name or by its content."""
        by_name = [specialist for specialist in self.specialists if specialist.claims_name(path)]
        others = (item for item in self._content_readers(path, by_name) if item not in by_name)
        by_text = [specialist for specialist in others if specialist.claims_content(path, content)]
        if not by_text:
            return by_name
        return [specialist for specialist in self.specialists if specialist in (*by_name, *by_text)]

    def _content_readers(self, path: str, by_name: Sequence[Specialist]) -> Iterable[Specialist]:
        """Return the specialists that may claim a file by its content: all, if its name has no suffix."""
        has_suffix = "." in path.rpartition("/")[2]
        if not has_suffix and all(specialist.reviews_all_text for specialist in by_name):
            return self.specialists
        return (specialist for specialist in self.specialists if specialist.sniffs_content(path))


def _tools_named(name: str, specialist: Specialist) -> list[Tool]:
    return [tool for tool in (*specialist.tools, *specialist.borrowed_tools) if tool.name == name]


def _is_for_any_text(tool: Tool, name: str) -> bool:
    """Return True if a tool may report something about a file of this name, whatever its content."""
    return tool.accepts(name, "") and tool.can_match("")


def load(skip: Sequence[str] = (), only: Sequence[str] = ()) -> PluginHost:
    """Load every installed plugin, in the order of their names.

    Args:
        skip: specialists to exclude.
        only: if given, the specialists to keep.

    Raises:
        PluginLoadError: a plugin does not import, breaks its contract, or repeats a specialist's name.
    """
    plugins, contributed = _collect(_specialists_of)
    _require_unique("specialist", ((plugin, specialist.name) for plugin, specialist in contributed))
    retained = [s for _, s in contributed if s.name not in skip and (not only or s.name in only)]
    return PluginHost(retained, plugins)


def load_tasks() -> tuple[AnyTask, ...]:
    """Load the tasks of every installed plugin, in the order of their names; none from a plugin without
    models.

    Raises:
        PluginLoadError: a plugin does not import, breaks its contract, or repeats a task's name.
    """
    _, contributed = _collect(_tasks_of)
    _require_unique("task", ((plugin, task.name) for plugin, task in contributed))
    return tuple(sorted((task for _, task in contributed), key=lambda task: task.name))


def load_entries(hook: str) -> Mapping[str, str]:
    """Load what every installed plugin returns for a plugin hook of named entries.

    Args:
        hook: such as ``wardround_formats``.

    Returns:
        Name -> ``module:attribute``, those of wardround first, then in the order of their plugins.

    Raises:
        PluginLoadError: a plugin does not import, breaks its contract, or repeats a name.
    """
    _, entries = _collect(partial(_entries_of, hook))
    _require_unique(f"{hook} entry", ((plugin, name) for plugin, (name, _) in entries))
    return dict(entry for _, entry in entries)


def find_entry(hook: str, name: str) -> str | None:
    """Return the entry of a name, None if there is none; other plugins are loaded only if wardround has none.

    Raises:
        PluginLoadError: a plugin cannot be loaded.
    """
    return _builtin_entries(hook).get(name) or load_entries(hook).get(name)


def load_entry(hook: str, name: str) -> Any:
    """Import what wardround or a plugin contributes under a name.

    Raises:
        KeyError: there is none of this name.
        PluginLoadError: a plugin cannot be loaded, or the target of the entry cannot.
    """
    own = _builtin_entries(hook)
    return loaded_entry(own[name]) if name in own else _contributed_entry(name, load_entries(hook)[name])


def load_every_entry(hook: str) -> Mapping[str, Any]:
    """Import what wardround and every installed plugin contribute, in the order of ``load_entries``.

    Raises:
        PluginLoadError: a plugin cannot be loaded, or the target of an entry cannot.
    """
    own = _builtin_entries(hook)
    return {
        name: loaded_entry(target) if name in own else _contributed_entry(name, target)
        for name, target in load_entries(hook).items()
    }


def _contributed_entry(name: str, target: str) -> Any:
    """Import the target of an entry of another plugin."""
    try:
        return loaded_entry(target)
    except PLUGIN_EXCEPTIONS as cause:
        raise PluginLoadError(name, target, _first_line(cause)) from cause


def _builtin_entries(hook: str) -> Mapping[str, str]:
    from wardround import builtin

    entries: Mapping[str, str] = getattr(builtin, hook)()
    return entries


def loaded_entry(entry: str) -> Any:
    """Import the target of an entry: a module, or an object in one, as ``module:object``."""
    name, _, attributes = entry.partition(":")
    found: Any = importlib.import_module(name)
    for attribute in attributes.split(".") if attributes else ():
        found = getattr(found, attribute)
    return found


def _collect(
    contributed: Callable[[pluggy.PluginManager, object, Plugin], list[Contribution]],
) -> tuple[Sequence[Plugin], list[tuple[Plugin, Contribution]]]:
    """Import and register every plugin, and collect the values of its plugin hook."""
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(hookspecs)
    plugins = discover(GROUP).plugins
    _require_unique("plugin", ((plugin, plugin.name) for plugin in (_BUILT_IN, *plugins)))
    found: list[tuple[Plugin, Contribution]] = []
    for plugin in (_BUILT_IN, *plugins):
        try:
            module = loaded_entry(plugin.module)
            manager.register(module, name=plugin.name)
            manager.check_pending()
            _require_hook(manager, module, plugin)
            found += [(plugin, contribution) for contribution in contributed(manager, module, plugin)]
        except PluginLoadError:
            raise
        except PLUGIN_EXCEPTIONS as cause:
            raise PluginLoadError(plugin.name, source_of(plugin), _first_line(cause)) from cause
    return plugins, found


def _require_unique(kind: str, contributed: Iterable[tuple[Plugin, str]]) -> None:
    """Reject two of one name, naming the plugin that is not built in, else the later one."""
    first: dict[str, Plugin] = {}
    for plugin, name in contributed:
        other = first.get(name)
        first[name] = plugin
        if other is not None:
            wrong, right = (other, plugin) if plugin.distribution == "wardround" else (plugin, other)
            whose = "it" if wrong is right else source_of(right)
            reported = f"{whose} has a {kind} named {name!r} already"
            raise PluginLoadError(wrong.name, source_of(wrong), reported)


class _ToolMaps(Mapping[str, ToolMap]):
    """Tool -> its map. A built-in tool has a map file; the map of any other comes from its specialist."""

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
        contributed = {
            t.name: t.map_package for s in self._specialists for t in (*s.tools, *s.borrowed_tools)
        }
        return {"wardround": RULES_PACKAGE, LANGUAGE_MODEL: RULES_PACKAGE, RUN: RULES_PACKAGE, **contributed}


def _rules_of_checks(specialist: Specialist) -> list[Rule]:
    checks: list[type[RuleDoc]] = [*specialist.checks, *specialist.change_checks]
    return [_validate_check(check, specialist).rule(specialist.name) for check in checks]


def _rule_of_check(specialist: Specialist, code: str) -> Rule | None:
    """Return the rule of one check, which an index may load without the others."""
    for checks in (specialist.checks, specialist.change_checks):
        check = checks.get(code) if isinstance(checks, CheckRegistry) else None
        if check is not None:
            return _validate_check(check, specialist).rule(specialist.name)
    return None


def _validate_check(check: type[RuleDoc], specialist: Specialist) -> type[RuleDoc]:
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
    contributed: list[Specialist] = _call_hook(manager, module, "wardround_specialists")
    for specialist in contributed:
        if not isinstance(specialist, Specialist):
            raise PluginLoadError(
                plugin.name, source_of(plugin), f"{specialist!r} is not a wardround.specialists.Specialist"
            )
        if not hasattr(specialist, "name") or not hasattr(specialist, "patterns"):
            reason = f"{type(specialist).__name__} lacks name or patterns"
            raise PluginLoadError(plugin.name, source_of(plugin), reason)
    return contributed


def _require_hook(manager: pluggy.PluginManager, module: object, plugin: Plugin) -> None:
    if not manager.get_hookcallers(module):
        names = ", ".join(name for name in vars(hookspecs) if name.startswith("wardround_"))
        reason = f"it has no function marked with hookimpl, which would be one of {names}"
        raise PluginLoadError(plugin.name, source_of(plugin), reason)


def _entries_of(
    hook: str, manager: pluggy.PluginManager, module: object, plugin: Plugin
) -> list[tuple[str, str]]:
    """Return the named entries of one plugin, validated against the contract."""
    others = [other for other in manager.get_plugins() if other is not module]
    answers = manager.subset_hook_caller(hook, others)()
    entries = [entry for answer in answers for entry in answer.items()]
    for name, target in entries:
        if not (isinstance(name, str) and isinstance(target, str) and ":" in target):
            reason = f"{hook} returns {name!r}: {target!r}, which is not a name and module:attribute"
            raise PluginLoadError(plugin.name, source_of(plugin), reason)
    return entries


def _tasks_of(manager: pluggy.PluginManager, module: object, plugin: Plugin) -> list[AnyTask]:
    """Return the tasks of one plugin, validated against the contract."""
    from wardround.training_tasks import AnyTask

    contributed: list[AnyTask] = _call_hook(manager, module, "wardround_tasks")
    for task in contributed:
        if not isinstance(task, AnyTask):
            raise PluginLoadError(
                plugin.name, source_of(plugin), f"{task!r} is not a wardround.training_tasks.Task"
            )
    return contributed


def _call_hook(manager: pluggy.PluginManager, module: object, name: str) -> list[Any]:
    """Return the values that one plugin returns for a plugin hook."""
    others = [plugin for plugin in manager.get_plugins() if plugin is not module]
    return [each for answer in manager.subset_hook_caller(name, others)() for each in answer]


def _first_line(cause: BaseException) -> str:
    text = " ".join(str(cause).split())
    return f"{type(cause).__name__}: {text}" if text else type(cause).__name__
