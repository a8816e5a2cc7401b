"""The names, keyword arguments, exceptions and similar functions that a project offers to an edit.

Only the modules that a failing test executes count; they are parsed once for all candidates of an instance.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from wardround.authoring.repair.module_code import FunctionCode, ModuleCode, Node, read_module
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.text.search_terms import count_words, parts

_SIMILAR_FUNCTIONS = 6


class ProjectCode:
    """The modules that a failing test executes."""

    def __init__(self, modules: Iterable[ModuleCode]) -> None:
        self.modules = {module.path: module for module in modules}

    @classmethod
    def of(cls, paths: Iterable[str], read: Callable[[str], str | None]) -> ProjectCode:
        """Parse the files of these paths; what is missing or not Python is left out."""
        found = (read_module(path, read(path)) for path in paths)
        return cls(module for module in found if module is not None)

    @cached_property
    def functions(self) -> tuple[FunctionCode, ...]:
        return tuple(function for module in self.modules.values() for function in module.functions)

    def function(self, path: str, first_line: int) -> FunctionCode | None:
        """Return the outermost function that starts on a line, counted from its first decorator."""
        module = self.modules.get(path)
        if module is None:
            return None
        return next((found for found in module.functions if found.first_line == first_line), None)

    def _nodes_of(self, kind: type[Node]) -> Iterator[tuple[ModuleCode, Node]]:
        for module in self.modules.values():
            for node in module.nodes_of(kind):
                yield module, node

    @cached_property
    def keywords(self) -> Mapping[str, Sequence[str]]:
        """The keyword arguments of calls by the called name, as they are written, the most common first."""
        found: dict[str, Counter[str]] = {}
        for module, call in self._nodes_of(ast.Call):
            texts = [module.source(keyword) for keyword in call.keywords if keyword.arg is not None]
            found.setdefault(last_name(call.func), Counter()).update(texts)
        return {name: _by_count(texts) for name, texts in found.items()}

    @cached_property
    def parameters(self) -> Mapping[str, Sequence[str]]:
        """The parameters of functions by their plain name; those of ``__init__`` by that of the class."""
        found: dict[str, dict[str, None]] = {}
        for function in self.functions:
            owner, _, name = function.symbol.rpartition(".")
            name = owner.rpartition(".")[2] if name == "__init__" else name
            found.setdefault(name, {}).update(dict.fromkeys(function.parameters))
        return {name: tuple(names) for name, names in found.items()}

    @cached_property
    def attributes(self) -> Counter[str]:
        """The names of attributes and methods, with the number of uses."""
        return Counter(node.attr for _, node in self._nodes_of(ast.Attribute))

    @cached_property
    def _attributes_by_word(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for name in sorted(self.attributes):
            for word in set(parts(name)):
                found.setdefault(word, []).append(name)
        return found

    def similar_attributes(self, name: str) -> Sequence[str]:
        """Return the attributes that share words with a name, the most similar first."""
        own = set(parts(name))
        scores: Counter[str] = Counter()
        for word in sorted(own):
            for other in self._attributes_by_word.get(word, ()):
                scores[other] += 1
        scores.pop(name, None)
        shares = {other: times / len(own | set(parts(other))) for other, times in scores.items()}
        return sorted(shares, key=lambda other: (-shares[other], -self.attributes[other], other))

    def attributes_of(self, value: ast.expr) -> Sequence[str]:
        """Return the attributes that the project reads of an expression, the most common first."""
        return self._attributes_by_owner.get(unparse(value), ())

    @cached_property
    def _attributes_by_owner(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, Counter[str]] = {}
        for _, node in self._nodes_of(ast.Attribute):
            found.setdefault(unparse(node.value), Counter())[node.attr] += 1
        return {owner: _by_count(names) for owner, names in found.items()}

    @cached_property
    def raised(self) -> Sequence[str]:
        """The exceptions that the project raises, as they are called, the most common first."""
        found: Counter[str] = Counter()
        for module, node in self._nodes_of(ast.Raise):
            if isinstance(node.exc, ast.Call):
                found[module.source(node.exc.func)] += 1
        return _by_count(found)

    @cached_property
    def _words(self) -> Mapping[int, Counter[str]]:
        return {id(function): count_words(function.text) for function in self.functions}

    def similar_functions(self, function: FunctionCode) -> Sequence[FunctionCode]:
        """Return other functions of the project whose words are the most similar, the best first."""
        if function not in self._similar:
            self._similar[function] = self._most_similar(function)
        return self._similar[function]

    @cached_property
    def _similar(self) -> dict[FunctionCode, Sequence[FunctionCode]]:
        return {}

    def _most_similar(self, function: FunctionCode) -> Sequence[FunctionCode]:
        own = self._words.get(id(function)) or count_words(function.text)
        others = [other for other in self.functions if other is not function]
        scores = {other: _similarity(own, self._words[id(other)]) for other in others}
        for other in others:
            is_sibling = other.module is function.module and other.class_name == function.class_name
            scores[other] *= 1.5 if is_sibling else 1.0
        ordered = sorted(others, key=lambda other: (-scores[other], other.module.path, other.first_line))
        return ordered[:_SIMILAR_FUNCTIONS]


def _by_count(counts: Counter[str]) -> Sequence[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _similarity(words: Counter[str], others: Counter[str]) -> float:
    """Return the share of common words, with their counts."""
    common = (words & others).total()
    return common / max((words | others).total(), 1)
