"""Parameters that a change added and the documentation does not mention, and the features of each.

This includes more than ``parameters.undocumented_parameters``, which reports only if the documentation
covers nearly all of the others: here every added parameter counts that is not mentioned. Many callables
document few of their parameters, so most of these may stay undocumented. The features let a model predict
which of them the author would document: how the documentation treats the other parameters, the role of the
parameter in the callable, and its mentions in the rest of the file.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.lazy import LazyPattern
from wardround.semantics.docdrift import features as whole
from wardround.semantics.docdrift.model import DocComment, DocumentedChange, DocumentedCode, Parameter
from wardround.semantics.docdrift.parameters import undocumented_parameters, unnamed_parameters
from wardround.text.tokens import is_code_like, stems_of_name

_SECTIONS = ("Args", "Arguments", "Parameters", "Params")
_FIELDS = ("param", "arg")
_RESULTS = ("Returns", "return", "returns", "rtype")
WORD = LazyPattern(r"\w+")
"""A word of prose, for the comparison of word counts."""


@dataclass(frozen=True)
class Naming:
    """The names in one version of a file.

    Attributes:
        names: names in its code, with their counts.
        words: words in its comments and documentation.
    """

    names: Counter[str]
    words: Counter[str]

    def without(self, words: str) -> Naming:
        """Return the rest of the file, without the documentation of one callable."""
        return Naming(self.names, self.words - Counter(WORD.findall(words)))


@dataclass(frozen=True)
class ParameterContext:
    """A changed callable within its file.

    Attributes:
        before, after: the file, without the callable's own documentation, whose new text would reveal
            whether it
            was changed.
    """

    change: DocumentedChange
    before: Naming
    after: Naming

    @cached_property
    def documented(self) -> frozenset[str]:
        """The documented parameters."""
        return frozenset(entry.name for entry in self.change.words.parameters)

    @cached_property
    def counts(self) -> dict[str, float]:
        """The features of the callable."""
        change = self.change
        old, new = change.old.signature, change.new.signature
        retained = [name for name in old.names if name in new.names]
        return {
            **dict(zip(whole.NAMES, whole.features(change), strict=True)),
            **self._documented_counts(retained),
            "others_come": len(unnamed_parameters(change)),
        }

    def _documented_counts(self, kept: Sequence[str]) -> dict[str, float]:
        """Return the features of the parameters that both versions have."""
        documented, defaults = self.documented, self.change.old.signature.defaults
        named = [name for name in kept if name in self.change.words.named]
        both = documented.intersection(kept)
        return {
            "others_documented": len(both),
            "others_documented_share": len(both) / max(1, len(kept)),
            "others_named_share": len(named) / max(1, len(kept)),
            "others_kept": len(kept),
            "others_last_documented": bool(kept) and kept[-1] in documented,
            "others_first_documented": bool(kept) and kept[0] in documented,
            "others_optional_share": _share(documented, [name for name in kept if name in defaults]),
            "others_required_share": _share(documented, [name for name in kept if name not in defaults]),
        }


def _share(documented: frozenset[str], names: Sequence[str]) -> float:
    return len(documented.intersection(names)) / len(names) if names else -1.0


def features(parameter: Parameter, around: ParameterContext) -> tuple[float, ...]:
    """Return the features of one parameter, in the order of ``NAMES``; all finite."""
    return tuple(float(value) for value in _measure(parameter, around).values())


def _measure(parameter: Parameter, around: ParameterContext) -> dict[str, float]:
    return {**around.counts, **_role_features(parameter, around), **_file(parameter, around)}


def _role_features(parameter: Parameter, around: ParameterContext) -> dict[str, float]:
    """Return the features of its role in the callable."""
    change, name, default = around.change, parameter.name, parameter.default
    old, new = change.old.signature, change.new.signature
    location = new.names.index(name) if name in new.names else 0
    stems = frozenset(stems_of_name(name))
    lines = [line for line in change.new.lines[1:] if name in line]
    uses = re.compile(rf"(?<![\w.]){re.escape(name)}\b(?!\s*=[^=])")
    forwarded = sum(f"{name}={name}" in line for line in lines)
    return {
        "own_rule": parameter in undocumented_parameters(change),
        "own_place": location,
        "own_last": location == len(new.names) - 1,
        "own_after_documented": location > 0 and new.names[location - 1] in around.documented,
        "own_before_documented": location + 1 < len(new.names)
        and new.names[location + 1] in around.documented,
        "own_optional": default is not None,
        "own_none": default == "None",
        "own_flag": default in ("True", "False"),
        "own_number": default is not None and default[:1].isdigit(),
        "own_text": default is not None and default[:1] in "'\"",
        "own_length": len(name),
        "own_parts": len(stems),
        "own_code_like": is_code_like(name),
        "own_stems_in_words": len(stems & change.words.stems) / max(1, len(stems)),
        "own_stems_were": len(stems & change.old.stems) / max(1, len(stems)),
        "own_was_in_code": name in change.old.names,
        "own_uses": math.log1p(sum(len(uses.findall(line)) for line in lines)),
        "own_forwarded": forwarded,
        "own_only_forwarded": forwarded > 0 and forwarded == len(lines),
        "own_unused": not lines,
        "own_like_gone": max(
            (_alike(name, other) for other in old.names if other not in new.names), default=0.0
        ),
        "own_like_kept": max((_alike(name, other) for other in old.names if other in new.names), default=0.0),
    }  # fmt: skip


def _alike(item: str, other: str) -> float:
    first, second = set(stems_of_name(item)), set(stems_of_name(other))
    return len(first & second) / max(1, len(first | second))


def _file(parameter: Parameter, around: ParameterContext) -> dict[str, float]:
    """Return the features of its mentions in the rest of the file, and of the change there."""
    name, before, after, words = parameter.name, around.before, around.after, around.change.words
    retained = [other for other in around.change.old.signature.names if other in words.named]
    usual = sorted(before.words[other] / max(1, before.names[other]) for other in retained)
    callables = max(1, before.names["def"])
    return {
        "file_names": math.log1p(before.names[name]),
        "file_words": math.log1p(before.words[name]),
        "file_words_share": before.words[name] / max(1, before.names[name]),
        "file_usual_share": usual[len(usual) // 2] if usual else -1.0,
        "file_sections": sum(before.words[section] for section in _SECTIONS) / callables,
        "file_fields": sum(before.words[field] for field in _FIELDS) / callables,
        "file_results": sum(before.words[result] for result in _RESULTS) / callables,
        "file_callables": math.log1p(callables),
        "file_names_come": math.log1p(max(0, after.names[name] - before.names[name])),
        "file_words_come": math.log1p(max(0, after.words[name] - before.words[name])),
        "file_told": math.log1p((after.words - before.words).total()),
        "file_untold": math.log1p((before.words - after.words).total()),
    }


def _names_of_features() -> tuple[str, ...]:
    change, nothing = (
        DocumentedChange("", DocComment(""), DocumentedCode(()), DocumentedCode(())),
        Naming(Counter(), Counter()),
    )
    return tuple(_measure(Parameter(""), ParameterContext(change, nothing, nothing)))


NAMES: tuple[str, ...] = _names_of_features()
"""The names of the features, in order; the part before the first underscore is the group."""
