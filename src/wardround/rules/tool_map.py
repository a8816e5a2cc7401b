"""Tool maps: the plane, severity and defect class of each code of a static tool.

Each is a data file (``wardround_rules/tools/<tool>.yml``), read once:

* ``code``: a regular expression that every code of the tool matches,
* ``families``: prefix -> plane, severity, defect class, why; the longest matching prefix applies,
* ``codes``: the same for single codes, in addition to their family.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec

from wardround.errors import WardroundError
from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.maturity import Maturity
from wardround.rules.model import RULES_PACKAGE, Rule, package_folder
from wardround.rules.yaml_loader import load_yaml
from wardround.text.globs import matches_whole


class ToolMapEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One family or code of a tool map; absent values are inherited."""

    plane: Plane | None = None
    severity: str | None = None
    defect_class: str | None = None
    name: str | None = None
    why: str | None = None
    masked: bool | None = None
    disabled_reason: str | None = msgspec.field(default=None, name="off")
    maturity: Maturity | None = None
    specialist: str | None = None


class ToolFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Messages of an ignored code that are reported nevertheless, since they are right nine times in ten.

    Attributes:
        reported: the condition, in the words of the rule's documentation.
        message: the pattern of such a message; the lists below refer to its named groups. one-of: group ->
            its permitted values; type arguments do not count. none-of: group -> a pattern that it does not
            contain.
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
        facts: ignored codes that are reported if a message states a fact. if-caused: ignored codes that are
            reported if the change causes them on an unchanged line.
        unless: code -> the pattern of its messages that are not reported.
        high-impact: patterns of codes about defects that are never folded, however many of them there are or
            were dismissed.
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
    high_impact: list[str] = []

    def states_fact(self, code: str, message: str) -> bool:
        """Return True if a message of an ignored code is reported nevertheless."""
        return any(fact.holds(message) for fact in self.facts.get(code, ()))

    def is_ignored_message(self, code: str, message: str) -> bool:
        """Return True for a message that is never reported, even if its code is requested."""
        return code in self.unless and LazyPattern(self.unless[code]).search(message) is not None

    def not_selected_reason(self, code: str) -> str:
        """Return why the tool does not report a code by default; empty if it does."""
        if code in self.ignore:
            reason = self.ignored_because or "switched off in the tool's map"
            exceptions = [fact.reported for fact in self.facts.get(code, ())]
            exceptions += [_IF_CAUSED] if code in self.if_caused else []
            return f"{reason}; reported by default where {'; '.join(exceptions)}" if exceptions else reason
        if self.select and not any(code.startswith(prefix) for prefix in self.select):
            return "not part of our selection; a project's own configuration may select it"
        return ""

    def requested_codes(self, key: str, path: str) -> tuple[str, ...]:
        """Return the codes to request from a tool beyond our selection, for a code or family of a
        configuration.

        If the selection is a list of families, a family is not expanded: ``E5*``, ``*``.
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
        """Return True if a code is switched off, everywhere or for files like this one."""
        if code in self.ignore:
            return True
        return any(
            code in codes and matches_whole(f"/{path}", (pattern,))
            for pattern, codes in self.ignore_in.items()
        )


class ToolMap:
    """The mapping of one tool's codes to rules."""

    def __init__(self, content: ToolMapFile) -> None:
        self.content = content
        self._code = LazyPattern(content.code)

    @property
    def tool(self) -> str:
        return self.content.tool

    @property
    def lists_codes(self) -> bool:
        """Return True if the map itself describes the codes."""
        return bool(self.content.codes or self.content.families)

    def knows(self, code: str) -> bool:
        """Return True if ``code`` has the form of this tool's codes."""
        return self._code.fullmatch(code) is not None

    def has_high_impact(self, code: str) -> bool:
        """Return True for a code about defects that are never folded."""
        return matches_whole(code, tuple(self.content.high_impact))

    def owns_code(self, code: str) -> bool:
        """Return True if ``code`` alone, without the tool's name, can only belong to this tool."""
        listed = code in self.content.codes
        return listed or (self.knows(code) and code.rstrip("0123456789") in self.content.families)

    def could_match_prefix(self, stem: str) -> bool:
        """Return True if one of the tool's codes may have this prefix: numbered codes begin with that of
        their family.
        """
        if not stem or not self.lists_codes or self.knows("some-name"):
            return True
        known = (*self.content.families, *self.content.codes)
        return any(code.startswith(stem) or stem.startswith(code) for code in known)

    @cached_property
    def _prefixes(self) -> list[str]:
        return sorted(self.content.families, key=len, reverse=True)

    def rule(self, code: str) -> Rule:
        """Return the rule for a code; codes without an entry get their family's or the tool's default."""
        layers = self._layers(code)

        def first(field: str, default: Any) -> Any:
            values = (getattr(layer, field) for layer in layers)
            return next((value for value in values if value is not None), None) or default

        own = layers[0].defect_class if code in self.content.codes else None
        url = self.content.url
        return Rule(
            id=f"{self.tool}/{code}",
            name=first("name", code),
            plane=first("plane", Plane.SEMANTIC),
            severity=Severity.from_label(first("severity", "warn")),
            defect_class=own or f"{self.tool}-{code}",
            why=first("why", "").strip(),
            masked=bool(first("masked", False)),
            disabled_reason=first("disabled_reason", ""),
            not_selected_reason=self.content.not_selected_reason(code),
            maturity=first("maturity", Maturity.STABLE),
            specialist=first("specialist", ""),
            url=url.replace("{code}", code) if url else None,
            reported_by=(self.tool,),
        )

    def _layers(self, code: str) -> list[ToolMapEntry]:
        """Return what is known about a code, the most specific first."""
        layers = [self.content.default]
        family = next((prefix for prefix in self._prefixes if code.startswith(prefix)), None)
        if family is not None:
            layers.insert(0, self.content.families[family])
        if code in self.content.codes:
            layers.insert(0, self.content.codes[code])
        return layers

    def all_rules(self) -> list[Rule]:
        """Return the rules of the codes that the map names."""
        return [self.rule(code) for code in sorted(self.content.codes)]


def has_tool_map(tool: str) -> bool:
    """Return True if the map of a tool is among ours."""
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
