"""The rule catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from wardround.errors import UnknownRuleError
from wardround.rules.model import Rule, RuleGroup
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
        found = self._rules.get(rule_id) or self._declared(rule_id)
        if found is None:
            prefix, _, code = rule_id.partition("/")
            if prefix not in self._maps:
                raise UnknownRuleError(prefix, code)
            found = self._rules[rule_id] = self._maps[prefix].rule(code)
        return found

    def _declared(self, rule_id: str) -> Rule | None:
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
        prefix, slash, code = name.partition("/")
        if slash:
            found = self._rules.get(name) or self._declared(name)
            tool_map = self._maps.get(prefix)
            if found is None and name in former_names():
                return self._formerly(name)
            if found is None and tool_map is not None and tool_map.knows(code):
                found = tool_map.rule(code)
            return [] if found is None else [found]
        self._load_all()
        own = [r for r in list(self._rules.values()) if name in (r.code, r.name)]
        if own:
            return sorted(own, key=lambda r: r.id)
        owned = [m.rule(name) for _, m in sorted(self._maps.items()) if m.owns_code(name)]
        return owned or self._formerly(name)

    def _formerly(self, name: str) -> list[Rule]:
        return [rule for one in former_names().get(name, ()) for rule in self.resolve(one)]

    def is_known(self, key: str) -> bool:
        """Return True if a key of ``rules`` in a configuration may match a rule: an id, or a prefix and a
        star.

        Codes that a tool may add later are known; a tool or plugin that is not installed is not.
        """
        if not key.endswith("*"):
            prefix, slash, code = key.partition("/")
            return bool(slash and self.resolve(key)) and self._may_be(prefix, code)
        prefix, slash, stem = key[:-1].partition("/")
        if not slash:
            return True if not prefix else any(one.startswith(prefix) for one in self._prefixes())
        self._load_all()
        return any(one.startswith(key[:-1]) for one in list(self._rules)) or (
            prefix in self._maps and self._may_be(prefix, stem)
        )

    def _may_be(self, prefix: str, stem: str) -> bool:
        return prefix not in self._maps or self._maps[prefix].could_match_prefix(stem)

    def _prefixes(self) -> set[str]:
        return {*self._maps, *(group.prefix for group in list(self._pending) if group.prefix),
                *(rule.partition("/")[0] for rule in list(self._rules))}  # fmt: skip

    def listed(self) -> Sequence[Rule]:
        """Every declared rule, by id."""
        self._load_all()
        rules = dict(self._rules)
        for tool_map in self._maps.values():
            rules.update({rule.id: rule for rule in tool_map.listed()})
        return [rules[key] for key in sorted(rules)]
