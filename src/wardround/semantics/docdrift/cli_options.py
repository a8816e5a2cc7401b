"""The options of a command line as code declares them, and the effect of a change on them."""

from __future__ import annotations

from collections.abc import Sequence
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


def removed_options(before: CommandLine, after: CommandLine) -> Sequence[RemovedOption]:
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


def _successor(name: str, option: Option, added: Sequence[Option]) -> Option | None:
    """Return the new option that replaced a removed one, if one sign shows that."""
    same_short = [other for other in added if not set(option.short).isdisjoint(other.short)]
    same_help = [other for other in added if option.help and other.help == option.help]
    alike = [other for other in added if _is_alike(name, other)]
    candidates = (same_short, same_help, alike)
    return next((options[0] for options in candidates if len(options) == 1), None)


def _is_alike(name: str, option: Option) -> bool:
    return any(_ratio(name, other) >= _ALIKE for other in option.names)


def _ratio(value: str, other: str) -> float:
    import difflib  # only if an option was removed

    return difflib.SequenceMatcher(None, value.strip("-"), other.strip("-"), autojunk=False).ratio()
