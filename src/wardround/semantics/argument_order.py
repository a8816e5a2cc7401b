"""Swapped arguments, detected by their names and those of the parameters.

After Rice, Aftandilian, Jaspan, Johnston, Pradel and Arroyo-Paredes, "Detecting Argument Selection Defects"
(OOPSLA 2017): a call is suspicious if another order of its arguments fits the callee's parameter names much
better. The distance over the terms of names, the threshold on the gain of every moved argument, and the
exclusions come from there: uninformative names, functions that reorder on purpose, and a call next to the
same call in the other order. In addition, both positions of a move must be distinguishable by their names,
which costs recall and improves precision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from wardround.text.stemming import stem
from wardround.text.tokens import parts

MOST_ARGUMENTS = 8
"""Orders are compared over all sets of arguments: 2 to this power steps."""

_AGREES = 0.6
_GAIN = 0.45
_ABBREVIATED = 0.9
_SHORTEST_PREFIX = 3
_SHORTEST_SKELETON = 2

UNINFORMATIVE_NAMES = frozenset(
    """
    a an any arg args argument arguments array b cb cls data default dict e el elem element entry err
    error ex exc field fn func function info instance it item items kw kwargs list me my none null num
    number o obj object option options opts other p param parameter params props r res resp response
    result ret s self set str string t temp that the thing this tmp val value values var x y z
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
"""Uninformative names; as parts of longer names they count."""

_TURNS_ROUND = frozenset(
    """
    ascending backward backwards complement converse counter desc descending endian exchange flip flipped
    inverse invert inverted landscape mirror mirrored negate opposite permute portrait reciprocal reflect
    rev reverse reversed revert rollback rotate rotated rotation rtl shuffle swap swapped symmetric toggle
    transpose transposed turn undo
    """.split()  # noqa: SIM905
)
_VOWELS = frozenset("aeiou")


class ArgumentName(msgspec.Struct, frozen=True):
    """The name of an argument: ``width`` of ``self.image.width``, and that of its owner, ``image``."""

    name: str
    owner: str = ""


class Reordering(msgspec.Struct, frozen=True):
    """An order of the arguments that fits better.

    Attributes:
        moves: (position of an argument, position it fits), both 0-based, by the first.
        gain: the smallest gain of a moved argument, 0 to 1.
    """

    moves: tuple[tuple[int, int], ...]
    gain: float


def is_informative(name: str) -> bool:
    """Return True if a name can identify a parameter."""
    bare = name.strip("_$0123456789").lower()
    return len(bare) > 1 and bare not in UNINFORMATIVE_NAMES


def implies_reordering(name: str) -> bool:
    """Return True if a function's name implies that it reorders its arguments on purpose."""
    return any(part in _TURNS_ROUND for part in parts(name))


@lru_cache(maxsize=20_000)
def similarity(value: str, other: str) -> float:
    """Return the similarity of two names, 0 to 1: the share of matching parts.

    Parts match as words without their endings, and with less weight as an abbreviation: a prefix (``conf``),
    or a
    word's consonants (``src``).
    """
    ours, theirs = _terms(value), list(_terms(other))
    if not ours or not theirs:
        return 0.0
    total = len(ours) + len(theirs)
    met = 0.0
    for term in ours:
        best = max(theirs, key=lambda t: _likeness(term, t), default="")
        likeness = _likeness(term, best)
        if likeness:
            theirs.remove(best)
            met += likeness
    return 2 * met / total


@lru_cache(maxsize=20_000)
def _terms(name: str) -> tuple[str, ...]:
    return tuple(stem(part) for part in parts(name))


def _likeness(value: str, other: str) -> float:
    if value == other:
        return 1.0 if value else 0.0
    short, long = sorted((value, other), key=lambda word: (len(word), word))
    return _ABBREVIATED if _is_abbreviation(short, long) else 0.0


def _is_abbreviation(short: str, long: str) -> bool:
    """Return True if one word may abbreviate the other: ``conf`` config, ``src`` source, ``idx`` index."""
    if len(short) == len(long) or len(short) < _SHORTEST_SKELETON or short[0] != long[0]:
        return False
    if short.isdigit() or long.isdigit():
        return False
    if long.startswith(short):
        return len(short) >= _SHORTEST_PREFIX
    if _VOWELS.intersection(short[1:]):
        return False
    rest = iter(long[1:])
    return all(letter in rest for letter in short[1:])


def best_order(arguments: Sequence[ArgumentName | None], parameters: Sequence[str]) -> Reordering | None:
    """Return the order of the arguments that fits the parameters far better, or None.

    Args:
        arguments: the positional ones, in order; None for one without a name.
        parameters: their names, as many; empty for one without a name.
    """
    count = len(arguments)
    if not 2 <= count <= MOST_ARGUMENTS or count != len(parameters):
        return None
    fits = [[_fit(words, name) for name in parameters] for words in _qualify_names(arguments)]
    if not _has_better_position(fits):
        return None
    gains = {(i, j): fits[i][j] - fits[i][i] for i, j in enumerate(_best_assignment(fits)) if i != j}
    if not gains or not all(_is_clear(fits, i, j) for i, j in gains):
        return None
    return Reordering(tuple(gains), min(gains.values()))


def _has_better_position(fits: Sequence[Sequence[float]]) -> bool:
    """Return True if an argument fits another parameter far better than its own."""
    return any(max(row) >= row[own] + _GAIN for own, row in enumerate(fits))


def _is_clear(fits: Sequence[Sequence[float]], i: int, j: int) -> bool:
    """Return True if an argument fits a parameter well, far better than its own, and better than others."""
    is_gain = fits[i][j] - fits[i][i] >= _GAIN
    return is_gain and fits[i][j] >= _AGREES and not _is_as_good(fits, i, j)


def _qualify_names(arguments: Sequence[ArgumentName | None]) -> list[str]:
    """Return the name of each argument; two with the same name are qualified by their owners' names."""
    names = [argument.name if argument else "" for argument in arguments]
    return [
        f"{argument.owner}_{argument.name}"
        if argument and argument.owner and names.count(argument.name) > 1
        else name
        for argument, name in zip(arguments, names, strict=True)
    ]


def _fit(argument: str, parameter: str) -> float:
    if is_informative(argument) and is_informative(parameter):
        return similarity(argument, parameter)
    return 0.0


def _is_as_good(fits: Sequence[Sequence[float]], argument: int, parameter: int) -> bool:
    """Return True if another parameter, or another argument, fits as well: then the names decide nothing."""
    fit = fits[argument][parameter]
    return (
        any(
            fits[argument][j] >= fit or fits[j][parameter] >= fit
            for j in range(len(fits))
            if j not in (argument, parameter)
        )
        or fits[parameter][parameter] >= fit
    )


def _best_assignment(fits: Sequence[Sequence[float]]) -> list[int]:
    """Return for each argument the parameter of the best order; of equal ones that with the fewest moves."""
    count = len(fits)
    best: dict[int, tuple[float, int, tuple[int, ...]]] = {0: (0.0, 0, ())}
    for argument in range(count):
        following: dict[int, tuple[float, int, tuple[int, ...]]] = {}
        for used, (score, retained, order) in best.items():
            for parameter in range(count):
                if used >> parameter & 1:
                    continue
                total = round(score + fits[argument][parameter], 6)
                candidate = (total, retained + (argument == parameter), (*order, parameter))
                held = following.get(used | 1 << parameter)
                if held is None or candidate[:2] > held[:2]:
                    following[used | 1 << parameter] = candidate
        best = following
    return list(best[(1 << count) - 1][2])


def has_mirror_call(order: Sequence[str], others: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> bool:
    """Return True if another call has the same arguments in another order: then both are intended."""
    own = list(order)
    return any(list(call) != own and sorted(call) == sorted(own) for call in others)


class ArgumentList(msgspec.Struct, frozen=True):
    """A call with a known callee.

    Attributes:
        callee: the name of its definition.
        parameters: the names that the arguments are bound to; empty for one without a name.
        arguments: the positional ones, in order; None for one without a name.
        texts: the source of the same arguments.
    """

    callee: str
    parameters: tuple[str, ...]
    arguments: tuple[ArgumentName | None, ...]
    texts: tuple[str, ...]

    def better_order(self) -> Reordering | None:
        """Return the order that fits far better, unless the callee's name implies that it reorders."""
        found = best_order(self.arguments, self.parameters)
        return None if found is None or implies_reordering(self.callee) else found

    def swap(self, item: int, other: int) -> ArgumentList:
        """Return the same call with two arguments swapped."""
        order = list(range(len(self.arguments)))
        order[item], order[other] = other, item
        return ArgumentList(
            self.callee,
            self.parameters,
            tuple(self.arguments[location] for location in order),
            tuple(self.texts[location] for location in order),
        )

    def describe(self, swap: Reordering) -> str:
        """Return a one-line message about it."""
        found = [f'"{self.texts[i]}" goes to "{self.parameters[i]}"' for i, _ in swap.moves]
        return f'{", ".join(found[:-1])} and {found[-1]} of "{self.callee}": they appear to be swapped'
