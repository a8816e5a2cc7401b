"""The names in a Python module, in its code and in its strings."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from wardround.lazy import LazyPattern
from wardround.semantics.docdrift.model import DocumentedPair
from wardround.semantics.docdrift.new_parameters import WORD, Naming, ParameterContext

_PIECE = LazyPattern(
    r"""#(?P<comment>[^\n]*)"""
    r"""|[rRbBuUfF]{0,2}(?P<long>\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?''')"""
    r"""|[rRbBuUfF]{0,2}(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<name>[^\W\d]\w*)""",
    re.DOTALL,
)


@lru_cache(maxsize=2)
def naming(text: str) -> Naming:
    """Return the names in a module; triple-quoted strings count as prose, other strings are ignored."""
    names, words = Counter[str](), Counter[str]()
    for match in _PIECE.finditer(text):
        kind = match.lastgroup
        if kind == "name":
            names[match[0]] += 1
        elif kind is not None:
            words.update(WORD.findall(match[kind]))
    return Naming(names, words)


def surroundings(pair: DocumentedPair, before: str, after: str) -> ParameterContext:
    """Return a changed function within its module, for the module's source at base and head."""
    old, new = naming(before).without(pair.words_before), naming(after).without(pair.words_after or "")
    return ParameterContext(pair.change, old, new)
