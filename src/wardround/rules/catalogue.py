from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from wardround.errors import UnknownRuleError
from wardround.rules.model import Rule, RuleGroup
from wardround.rules.removed import is_removed
from wardround.rules.renamed import former_names
from wardround.rules.tool_map import ToolMap


class Catalogue:
    """Every rule that can be reported, suppressed or explained in this run.

    Groups are loaded on the first use of one of their rules: a change to one kind of code loads no other.
    Threads may use a catalogue at once: a group is pending until its rules are known, and may load twice.

    Args:
        groups: the rules that are declared with code of ours.
        maps: tool -> its map; one that lists no codes belongs to an engine, whose rules a group describes.
    """

    def __init__(self, groups: Iterable[RuleGroup], maps: Mapping[str, ToolMap]) -> None:
        self._rules: dict[str, Rule] = {}
        self._pending = list(groups)
        self._maps = maps

    def rule(self, rule_id: str) -> Rule:
        """Return the rule of a finding; every id that a tool or check reported has one.

        Raises:
            UnknownRuleError: a plugin reported an id for which it has no rule.
        """
        found = self._rules.get(rule_id) or self._declared_rule(rule_id)
        if found is None:
            prefix, _, code = rule_id.partition("/")
            if prefix not in self._maps:
                raise UnknownRuleError(prefix, code)
            found = self._rules[rule_id] = self._maps[prefix].rule(code)
        return found

    def is_high_impact(self, rule_id: str) -> bool:
        """Return True for a rule of a tool about defects that are never folded for their number."""
        tool, _, code = rule_id.partition("/")
        return tool in self._maps and self._maps[tool].has_high_impact(code)

    def _declared_rule(self, rule_id: str) -> Rule | None:
        """Return a rule that is declared with code of ours."""
        prefix, _, code = rule_id.partition("/")
        if prefix in self._maps and self._maps[prefix].lists_codes:
            return None
        for group in [group for group in list(self._pending) if group.prefix in (prefix, None)]:
            alone = group.one(code) if group.prefix else None
            if alone is None:
                self._load(group)
            else:
                self._rules[rule_id] = alone
            if rule_id in self._rules:
                break
        return self._rules.get(rule_id)

    def _load(self, group: RuleGroup) -> None:
        self._rules.update({rule.id: rule for rule in group.load()})
        with suppress(ValueError):  # another thread has loaded it too
            self._pending.remove(group)

    def _load_all(self) -> None:
        for group in list(self._pending):
            self._load(group)

    def resolve(self, name: str) -> list[Rule]:
        """Return the rules that ``name`` denotes: an id, a bare code, a name or a former name."""
        return self._rules_by_id(name) if "/" in name else self._rules_by_bare_name(name)

    def _rules_by_id(self, rule_id: str) -> list[Rule]:
        prefix, _, code = rule_id.partition("/")
        found = self._rules.get(rule_id) or self._declared_rule(rule_id)
        if found is not None:
            return [found]
        if rule_id in former_names():
            return self._formerly(rule_id)
        tool_map = self._maps.get(prefix)
        is_of_tool = tool_map is not None and tool_map.knows(code) and not is_removed(rule_id)
        return [tool_map.rule(code)] if tool_map is not None and is_of_tool else []

    def _rules_by_bare_name(self, name: str) -> list[Rule]:
        self._load_all()
        own = [rule for rule in list(self._rules.values()) if name in (rule.code, rule.name)]
        if own:
            return sorted(own, key=lambda rule: rule.id)
        owners = [tool_map for _, tool_map in sorted(self._maps.items()) if tool_map.owns_code(name)]
        return [tool_map.rule(name) for tool_map in owners] or self._formerly(name)

    def _formerly(self, name: str) -> list[Rule]:
        return [rule for former_name in former_names().get(name, ()) for rule in self.resolve(former_name)]

    def is_known(self, key: str) -> bool:
        """Return True if a key of ``rules`` in a configuration may match a rule: an id, or a prefix and a
        star.

        Codes that a tool may add later are known; a tool or plugin that is not installed is not.
        """
        if key.endswith("*"):
            return self._is_known_pattern(key[:-1])
        prefix, slash, code = key.partition("/")
        is_present = slash and self.resolve(key) and self._may_be(prefix, code)
        return bool(is_present) or is_removed(key)

    def _is_known_pattern(self, stem: str) -> bool:
        prefix, slash, code = stem.partition("/")
        if not slash:
            return not prefix or any(known.startswith(prefix) for known in self._prefixes())
        self._load_all()
        if any(rule_id.startswith(stem) for rule_id in list(self._rules)):
            return True
        return prefix in self._maps and self._may_be(prefix, code)

    def _may_be(self, prefix: str, stem: str) -> bool:
        return prefix not in self._maps or self._maps[prefix].could_match_prefix(stem)

    def _prefixes(self) -> set[str]:
        return {*self._maps, *(group.prefix for group in list(self._pending) if group.prefix),
                *(rule.partition("/")[0] for rule in list(self._rules))}  # fmt: skip

    def all_rules(self) -> Sequence[Rule]:
        """Every declared rule, by id."""
        self._load_all()
        rules = dict(self._rules)
        for tool_map in self._maps.values():
            rules.update({rule.id: rule for rule in tool_map.all_rules()})
        return [rules[key] for key in sorted(rules)]
