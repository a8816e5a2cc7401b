"""The options of a command line as code declares them, and the effect of a change on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

_ALIKE = 0.6
"""The similarity of two names, by difflib's ratio, from which one counts as the other's new name."""


@dataclass(frozen=True, slots=True)
class Option:
    """The declaration of one option.

    Attributes:
        names: the long ones, dashes included: ``--out``, ``--no-out``.
        line: the first line of its declaration, 1-based.
        end_line: the last line.
        short: the names with one dash.
        default: as a user would write it; None if there is none or it is not a literal.
        choices: the permitted values; empty if they are not all literals.
        help: its help text, empty if that is not a literal.
        help_line: the first line of that, 1-based.
    """

    names: tuple[str, ...]
    line: int
    end_line: int
    short: tuple[str, ...] = ()
    default: str | None = None
    choices: tuple[str, ...] = ()
    help: str = ""
    help_line: int = 0


@dataclass(frozen=True)
class CommandLine:
    """The options that a file declares.

    Attributes:
        computed: the number of declarations whose names are not literals.
    """

    options: tuple[Option, ...] = ()
    computed: int = 0

    @cached_property
    def by_name(self) -> dict[str, tuple[Option, ...]]:
        found: dict[str, tuple[Option, ...]] = {}
        for option in self.options:
            for name in option.names:
                found[name] = (*found.get(name, ()), option)
        return found


@dataclass(frozen=True, slots=True)
class RemovedOption:
    """An option that a change removed from a file; ``now`` is its replacement."""

    name: str
    was: Option
    now: Option | None


def gone_options(before: CommandLine, after: CommandLine) -> Sequence[RemovedOption]:
    """Return the options that are no longer declared, in the order of their old declarations.

    None if more declarations are computed than before: those may include them.
    """
    if after.computed > before.computed:
        return ()
    come = [o for o in after.options if not any(name in before.by_name for name in o.names)]
    return tuple(
        RemovedOption(name, options[0], _successor(name, options[0], come))
        for name, options in before.by_name.items()
        if name not in after.by_name
    )


def _successor(name: str, option: Option, come: Sequence[Option]) -> Option | None:
    """Return the new option that replaced a removed one, if one sign shows that."""
    same_short = [o for o in come if set(o.short) & set(option.short)]
    same_help = [o for o in come if option.help and o.help == option.help]
    alike = [o for o in come if any(_ratio(name, other) >= _ALIKE for other in o.names)]
    return next((found[0] for found in (same_short, same_help, alike) if len(found) == 1), None)


def _ratio(one: str, other: str) -> float:
    import difflib  # only if an option was removed

    return difflib.SequenceMatcher(None, one.strip("-"), other.strip("-"), autojunk=False).ratio()


@dataclass(frozen=True, slots=True)
class ChangedValues:
    """An option whose default or choices changed; ``gone`` are the removed values."""

    name: str
    was: Option
    now: Option

    @property
    def default(self) -> tuple[str, str] | None:
        """Return the old and the new default, if both are known and differ."""
        old, new = self.was.default, self.now.default
        return (old, new) if old is not None and new is not None and old != new else None

    @property
    def gone_choices(self) -> tuple[str, ...]:
        if not self.was.choices or not self.now.choices:
            return ()
        return tuple(choice for choice in self.was.choices if choice not in self.now.choices)


def other_values(before: CommandLine, after: CommandLine) -> Iterator[ChangedValues]:
    """Return the options that are declared once on both sides with different values, in the new order."""
    seen: set[int] = set()
    for name, options in after.by_name.items():
        were = before.by_name.get(name, ())
        if len(options) != 1 or len(were) != 1 or options[0].line in seen:
            continue
        one = ChangedValues(name, were[0], options[0])
        if one.default is not None or one.gone_choices:
            seen.add(options[0].line)
            yield one
