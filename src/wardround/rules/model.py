"""The rule catalogue: what every rule means, and how a tool's codes become rules.

A tool's codes are mapped by a data file (``wardround_rules/tools/<tool>.yml``), read once:

* ``code``: a regular expression that every code of the tool matches,
* ``families``: prefix -> plane, severity, defect class, why; the longest matching prefix counts,
* ``codes``: the same for single codes, on top of their family.
"""

from __future__ import annotations

import fnmatch
import importlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.errors import UnknownRuleError, WardroundError
from wardround.findings import Plane, Severity
from wardround.storage.digest import file_stamp, sha256
from wardround.storage.memo import memoize_on_disk

RULES_PACKAGE = "wardround_rules"


class Rule(msgspec.Struct, frozen=True):
    """A documented demand.

    Attributes:
        id: ``<tool or specialist>/<code>``, as findings and suppressions name it.
        defect_class: what the rule is about whoever says it; the key for merging duplicates.
        masked: findings of this rule stand on secrets, so the source they point at is never printed.
        off: why the rule is not shown unless a project asks for it; empty if it is shown.
        unasked: why the tool is not asked for it where the project says nothing; a project may ask itself.
        specialist: who speaks for it where several review a file; if empty, whoever brings the tool.
        tried_on: which measured sets the rule was tried on, and what came of it.
    """

    id: str
    name: str
    plane: Plane
    severity: Severity
    defect_class: str
    why: str
    url: str | None = None
    masked: bool = False
    disabled_reason: str = ""
    not_selected_reason: str = ""
    specialist: str = ""
    tried_on: str = ""
    valid: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()
    reported_by: tuple[str, ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether findings of the rule are shown where a project says nothing about it."""
        return not (self.disabled_reason or self.not_selected_reason)

    @property
    def code(self) -> str:
        return self.id.partition("/")[2]


class ToolMapEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One family or code of a tool map; what is absent is inherited."""

    plane: Plane | None = None
    severity: str | None = None
    defect_class: str | None = None
    name: str | None = None
    why: str | None = None
    masked: bool | None = None
    disabled_reason: str | None = None
    specialist: str | None = None


class ToolFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Messages of an ignored code that are reported all the same, since they are right nine times in ten.

    Attributes:
        reported: where that is, as the rule's documentation says it.
        message: what is found in such a message; its named groups are what the lists below are about.
        one-of: group -> the values one of which it has; type arguments do not count.
        none-of: group -> a pattern that is not found in it.
    """

    reported: str
    message: str
    one_of: dict[str, list[str]] = {}
    none_of: dict[str, str] = {}

    def holds(self, message: str) -> bool:
        """Return True if a message states the fact."""
        match = LazyPattern(self.message).search(message)
        if match is None:
            return False
        values = {name: (match[name] or "").partition("[")[0] for name in {*self.one_of, *self.none_of}}
        return all(values[name] in self.one_of[name] for name in self.one_of) and not any(
            LazyPattern(self.none_of[name]).search(values[name]) for name in self.none_of
        )


_IF_CAUSED = "the change causes it on a line that it leaves as it was"


class ToolMapFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The content of ``wardround_rules/tools/<tool>.yml``.

    Attributes:
        facts: ignored codes that are reported where a message states a fact.
        if-caused: ignored codes that are reported where the change causes them on a line it leaves as it was.
        unless: code -> what is in its messages where it is not reported.
    """

    tool: str
    code: str
    default: ToolMapEntry
    families: dict[str, ToolMapEntry] = {}
    codes: dict[str, ToolMapEntry] = {}
    url: str | None = None
    select: list[str] = []
    ignore: list[str] = []
    ignored_because: str = ""
    ignore_in: dict[str, list[str]] = {}
    facts: dict[str, list[ToolFact]] = {}
    if_caused: list[str] = []
    unless: dict[str, str] = {}

    def states_fact(self, code: str, message: str) -> bool:
        """Return True if a message of an ignored code is one that is reported all the same."""
        return any(fact.holds(message) for fact in self.facts.get(code, ()))

    def is_left_out(self, code: str, message: str) -> bool:
        """Return True for a message that is not reported, whatever is asked for."""
        return code in self.unless and LazyPattern(self.unless[code]).search(message) is not None

    def not_selected_reason(self, code: str) -> str:
        """Why the tool is not asked for a code by default; empty if it is."""
        if code in self.ignore:
            reason = self.ignored_because or "switched off in the tool's map"
            exceptions = [fact.reported for fact in self.facts.get(code, ())]
            exceptions += [_IF_CAUSED] if code in self.if_caused else []
            return f"{reason}; reported by default where {'; '.join(exceptions)}" if exceptions else reason
        if self.select and not any(code.startswith(prefix) for prefix in self.select):
            return "not part of our selection; a project's own configuration may select it"
        return ""

    def requested(self, key: str, path: str) -> tuple[str, ...]:
        """The codes a tool must be asked for beyond our selection, for a code or family of a configuration.

        Where the selection is a list of families, a family stays one: ``E5*``, ``*``.
        """
        if not key.endswith("*"):
            is_default = key in self.codes or bool(self.select)
            return (
                ()
                if is_default and not self.not_selected_reason(key) and not self.is_ignored(key, path)
                else (key,)
            )
        if self.select:
            return (key,)
        return tuple(code for code in self.ignore if code.startswith(key[:-1]))

    def is_ignored(self, code: str, path: str) -> bool:
        """Whether a code is switched off, everywhere or for files like this one."""
        if code in self.ignore:
            return True
        return any(
            code in codes and fnmatch.fnmatchcase(f"/{path}", pattern)
            for pattern, codes in self.ignore_in.items()
        )


class ToolMap:
    """How one tool's codes become rules."""

    def __init__(self, content: ToolMapFile) -> None:
        self.content = content
        self._code = LazyPattern(content.code)

    @property
    def tool(self) -> str:
        return self.content.tool

    @property
    def lists_codes(self) -> bool:
        """Whether the map itself says what codes mean."""
        return bool(self.content.codes or self.content.families)

    def knows(self, code: str) -> bool:
        """Whether ``code`` looks like one of this tool's."""
        return self._code.fullmatch(code) is not None

    def owns_code(self, code: str) -> bool:
        """Whether ``code`` alone, without the tool's name, can only be one of this tool's."""
        listed = code in self.content.codes
        return listed or (self.knows(code) and code.rstrip("0123456789") in self.content.families)

    def could_match_prefix(self, stem: str) -> bool:
        """Whether one of the tool's codes may begin like this: numbered ones do so as their families do."""
        if not stem or not self.lists_codes or self.knows("some-name"):
            return True
        known = (*self.content.families, *self.content.codes)
        return any(one.startswith(stem) or stem.startswith(one) for one in known)

    @cached_property
    def _prefixes(self) -> list[str]:
        return sorted(self.content.families, key=len, reverse=True)

    def rule(self, code: str) -> Rule:
        """The rule for a code; codes nobody mapped get their family's or the tool's default."""
        layers = [self.content.default]
        family = next((p for p in self._prefixes if code.startswith(p)), None)
        if family is not None:
            layers.insert(0, self.content.families[family])
        if code in self.content.codes:
            layers.insert(0, self.content.codes[code])

        def first(field: str) -> Any:
            return next((v for v in (getattr(layer, field) for layer in layers) if v is not None), None)

        own = layers[0].defect_class if code in self.content.codes else None
        url = self.content.url
        return Rule(
            id=f"{self.tool}/{code}",
            name=first("name") or code,
            plane=first("plane") or Plane.SEMANTIC,
            severity=Severity.named(first("severity") or "warn"),
            defect_class=own or f"{self.tool}-{code}",
            why=(first("why") or "").strip(),
            masked=bool(first("masked")),
            disabled_reason=first("off") or "",
            not_selected_reason=self.content.not_selected_reason(code),
            specialist=first("specialist") or "",
            url=url.replace("{code}", code) if url else None,
            reported_by=(self.tool,),
        )

    def listed(self) -> list[Rule]:
        """The rules of the codes the map names."""
        return [self.rule(code) for code in sorted(self.content.codes)]


@cache
def package_folder(package: str) -> Path:
    """Where a package keeps its data, which the engines read too: always files on disk."""
    return Path(importlib.import_module(package).__path__[0])


def has_tool_map(tool: str) -> bool:
    """Whether the map of a tool is among ours."""
    return (package_folder(RULES_PACKAGE) / "tools" / f"{tool}.yml").is_file()


def load_tool_map(tool: str, package: str = RULES_PACKAGE) -> ToolMap:
    """Read the map of one tool.

    Raises:
        WardroundError: the file is absent or does not have the shape of ``ToolMapFile``.
    """
    source = package_folder(package) / "tools" / f"{tool}.yml"
    try:
        return ToolMap(msgspec.convert(load_yaml(source.read_text("utf-8")), ToolMapFile))
    except (OSError, msgspec.ValidationError) as cause:
        raise WardroundError(f"{package}/tools/{tool}.yml is not a tool map: {cause}") from cause


def load_yaml(text: str) -> Any:
    """Parse YAML; the parsed form is kept, since parsing costs more than all else at start-up."""
    return memoize_on_disk("rules", sha256(f"1.2 {text}".encode()).hexdigest(), lambda: _parsed(text))


def _parsed(text: str) -> Any:
    """YAML as version 1.2 reads it: ``on``, ``off``, ``yes`` and ``no`` are words, as the engines have it."""
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    truth = "tag:yaml.org,2002:bool"
    usual = base.yaml_implicit_resolvers
    words = {first: [one for one in some if one[0] != truth] for first, some in usual.items()}
    loader: Any = type("RuleLoader", (base,), {"yaml_implicit_resolvers": words})
    loader.add_implicit_resolver(truth, re.compile(r"(?:true|false|True|False)\Z"), list("tfTF"))
    return yaml.load(text, Loader=loader)  # noqa: S506  (a safe loader, in C where it was built)


class RuleGroup(msgspec.Struct, frozen=True):
    """Rules that are described together.

    Attributes:
        prefix: the first part of their ids, where all have the same.
        one: code -> its rule, or None where it cannot be had without the rest.
    """

    load: Callable[[], Iterable[Rule]]
    prefix: str | None = None
    one: Callable[[str], Rule | None] = lambda code: None


class Catalogue:
    """Every rule that can be reported, suppressed or explained in this run.

    Groups are loaded when a rule of theirs is asked for: a change to one kind of code pays for no other.

    Args:
        groups: the rules written down with code of ours.
        maps: tool -> its map; one that lists no codes belongs to an engine, whose rules a group describes.
    """

    def __init__(self, groups: Iterable[RuleGroup], maps: Mapping[str, ToolMap]) -> None:
        self._rules: dict[str, Rule] = {}
        self._pending = list(groups)
        self._maps = maps

    def rule(self, rule_id: str) -> Rule:
        """The rule of a finding; every id a tool or check reported has one.

        Raises:
            UnknownRuleError: a plugin reported what it has no rule for.
        """
        found = self._rules.get(rule_id) or self._declared(rule_id)
        if found is None:
            prefix, _, code = rule_id.partition("/")
            if prefix not in self._maps:
                raise UnknownRuleError(prefix, code)
            found = self._rules[rule_id] = self._maps[prefix].rule(code)
        return found

    def _declared(self, rule_id: str) -> Rule | None:
        """A rule that is written down with code of ours."""
        prefix, _, code = rule_id.partition("/")
        if prefix in self._maps and self._maps[prefix].lists_codes:
            return None
        for group in [group for group in self._pending if group.prefix in (prefix, None)]:
            alone = group.one(code) if group.prefix else None
            if alone is None:
                self._load(group)
            else:
                self._rules[rule_id] = alone
            if rule_id in self._rules:
                break
        return self._rules.get(rule_id)

    def _load(self, group: RuleGroup) -> None:
        self._pending.remove(group)
        self._rules.update({rule.id: rule for rule in group.load()})

    def _load_all(self) -> None:
        for group in list(self._pending):
            self._load(group)

    def resolve(self, name: str) -> list[Rule]:
        """The rules a person means by ``name``: an id, a bare code or a rule's name; none if nothing fits."""
        prefix, slash, code = name.partition("/")
        if slash:
            found = self._rules.get(name) or self._declared(name)
            tool_map = self._maps.get(prefix)
            if found is None and tool_map is not None and tool_map.knows(code):
                found = tool_map.rule(code)
            return [] if found is None else [found]
        self._load_all()
        own = [r for r in self._rules.values() if name in (r.code, r.name)]
        if own:
            return sorted(own, key=lambda r: r.id)
        return [m.rule(name) for _, m in sorted(self._maps.items()) if m.owns_code(name)]

    def is_known(self, key: str) -> bool:
        """Whether a key of ``rules`` in a configuration can be about any rule: an id, or a prefix and a star.

        Codes that a tool may come to have are known; a tool or plugin that is not there is not.
        """
        if not key.endswith("*"):
            prefix, slash, code = key.partition("/")
            return bool(slash and self.resolve(key)) and self._may_be(prefix, code)
        prefix, slash, stem = key[:-1].partition("/")
        if not slash:
            return True if not prefix else any(one.startswith(prefix) for one in self._prefixes())
        self._load_all()
        return any(one.startswith(key[:-1]) for one in self._rules) or (
            prefix in self._maps and self._may_be(prefix, stem)
        )

    def _may_be(self, prefix: str, stem: str) -> bool:
        return prefix not in self._maps or self._maps[prefix].could_match_prefix(stem)

    def _prefixes(self) -> set[str]:
        return {*self._maps, *(group.prefix for group in self._pending if group.prefix),
                *(rule.partition("/")[0] for rule in self._rules)}  # fmt: skip

    def listed(self) -> Sequence[Rule]:
        """Every rule that is written down somewhere, by id."""
        self._load_all()
        rules = dict(self._rules)
        for tool_map in self._maps.values():
            rules.update({rule.id: rule for rule in tool_map.listed()})
        return [rules[key] for key in sorted(rules)]


class DeclaredCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Source that a declarative rule must report at one place."""

    source: str
    line: int
    column: int


class DeclaredMetadata(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The ``metadata`` of a declarative rule; the rest of the file is in its engine's own syntax.

    ``needs`` are pieces of text one of which stands in every file the rule can match in; where none does,
    the engine need not be asked. Empty if nothing can be said. ``path`` is the name of the files the cases
    are tried as. ``off`` says why the rule is not shown by default; ``tried-on`` what it was measured on.
    """

    name: str
    plane: Plane
    severity: str
    defect_class: str
    valid: list[str]
    invalid: list[DeclaredCase]
    why: str = ""
    needs: list[str] = []
    path: str = ""
    disabled_reason: str = ""
    tried_on: str = ""


class DeclarativeRule(msgspec.Struct, frozen=True):
    """What ast-grep's and semgrep's rule files have in common."""

    id: str
    message: str
    metadata: DeclaredMetadata
    note: str = ""


def load_declarative(folder: str, engine: str, package: str = RULES_PACKAGE) -> list[DeclarativeRule]:
    """The declarative rules of one engine for one kind of code, by id.

    Raises:
        WardroundError: a rule file lacks its metadata.
    """
    return [rule for rule, _ in declared_sources(folder, engine, package)]


def declared_sources(
    folder: str, engine: str, package: str = RULES_PACKAGE
) -> list[tuple[DeclarativeRule, dict[str, Any]]]:
    """The same, each with all its file says of it."""
    found = []
    for source in (package_folder(package) / folder / engine).iterdir():
        if not source.name.endswith(".yml"):
            continue
        content = load_yaml(source.read_text("utf-8"))
        for one in content.get("rules", [content]):
            try:
                found.append((msgspec.convert(one, DeclarativeRule), one))
            except msgspec.ValidationError as cause:
                raise WardroundError(f"{package}/{folder}/{engine}/{source.name}: {cause}") from cause
    return sorted(found, key=lambda pair: pair[0].id)


def rules_folder(folder: str, package: str = RULES_PACKAGE) -> Path:
    """Where the declarative rules for one kind of code are."""
    return package_folder(package) / folder


def rules_digest(folder: str, engine: str, package: str = RULES_PACKAGE) -> str:
    """A digest of what changes with the declarative rules of one engine, on which its answers depend."""
    rules = rules_folder(folder, package) / engine
    names = sorted(name for name in os.listdir(rules) if name.endswith(".yml"))
    states = (f"{name} {file_stamp(f'{rules}/{name}')}" for name in names)
    return sha256("\n".join(states).encode()).hexdigest()


def declarative_rules(folder: str, engine: str, package: str = RULES_PACKAGE) -> list[Rule]:
    """The same as entries of the catalogue."""
    return [
        Rule(
            id=f"{engine}/{rule.id}",
            name=rule.metadata.name,
            plane=rule.metadata.plane,
            severity=Severity.named(rule.metadata.severity),
            defect_class=rule.metadata.defect_class,
            disabled_reason=rule.metadata.disabled_reason,
            tried_on=rule.metadata.tried_on,
            why=(rule.metadata.why or rule.note or rule.message).strip(),
            valid=tuple(rule.metadata.valid),
            invalid=tuple(case.source for case in rule.metadata.invalid),
            reported_by=(engine,),
        )
        for rule in load_declarative(folder, engine, package)
    ]
