"""The places at which constraints bind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.documentation import is_changelog
from wardround.authoring.context.mentions import mentioned_files, mentioned_names
from wardround.authoring.context.model import ContextItem, WriteContext
from wardround.authoring.instance import Constraint
from wardround.authoring.plan.files import place_of
from wardround.authoring.plan.model import BoundConstraint
from wardround.change.encoding import escape_undecodable
from wardround.lazy import LazyPattern
from wardround.retrieval.documents import query_text
from wardround.text.search_terms import count_words

_MOST = 4
_LEAST_SHARED = 2
_MOST_SIMILAR = 2
_LEAST_SHARE = 0.4
"""The share of a constraint's words that similar code has."""
_COMMON = 0.4
"""The share of the context's functions with a word, above which it binds a constraint to none of them."""
_MANIFESTS = LazyPattern(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|package\.json|go\.mod|Cargo\.toml|pom\.xml)$"
)
_DEPENDENCIES = LazyPattern(
    r"(?i)\bdependenc|\brequirements?\b|\bpackages?\b|\bpython ?3|\bnode(?:\.js)? ?\d"
)
_CHANGELOG = LazyPattern(r"(?i)\bchange ?log|\brelease notes?|\bnews\b")
_DOCUMENTATION = LazyPattern(r"(?i)\bdocs?\b|\bdocument(?:ed|ation|s)?\b|\breadme\b")
_TESTS = LazyPattern(r"(?i)\btests?\b|\btested\b|\bcoverage\b")
_PUBLIC_NAME = LazyPattern(r"(?:(?:\.|^)[A-Za-z]\w*)+$")
_MOST_PUBLIC = 3
_PUBLIC = LazyPattern(r"(?i)\bpublic\b|\bapi\b|\bsignatures?\b|\bbackwards?\b|\bcompatib|\bbreaking\b")


def bound_constraints(
    context: WriteContext, tree: BaseTree, files: Sequence[str], tests: Sequence[str]
) -> tuple[BoundConstraint, ...]:
    """Return the constraints with their places: named ones, else those of a subject, else similar code."""
    places = ConstraintPlaces(context, tree, files, tests)
    return tuple(
        BoundConstraint(constraint, tuple(dict.fromkeys(places.of(constraint)))[:_MOST])
        for constraint in context.constraints
    )


class ConstraintPlaces:
    """The places of a context at which constraints can bind."""

    def __init__(
        self, context: WriteContext, tree: BaseTree, files: Sequence[str], tests: Sequence[str]
    ) -> None:
        self._context = context
        self._tree = tree
        self._files = files
        self._subjects: Sequence[tuple[LazyPattern, Callable[[], Sequence[str]]]] = (
            (_DEPENDENCIES, self._manifests),
            (_CHANGELOG, self._changelogs),
            (_TESTS, lambda: tests),
            (_DOCUMENTATION, self._documents),
            (_PUBLIC, self._public_functions),
        )

    def of(self, constraint: Constraint) -> list[str]:
        """Return the places of a constraint; none if it binds everywhere."""
        named = list(self._named_places(constraint.text))
        if named:
            return named
        for pattern, places in self._subjects:
            if pattern.search(constraint.text):
                return list(places())
        return list(self._similar(constraint.text))

    def _named_places(self, text: str) -> Iterator[str]:
        for mention in mentioned_files(text, self._tree.blobs):
            yield escape_undecodable(mention.path) + (f":{mention.line}" if mention.line else "")
        names = set(mentioned_names(text))
        for item in (*self._context.functions, *self._context.conventions):
            if item.pointer.symbol.rpartition(".")[2] in names:
                yield _place(item)

    def _manifests(self) -> list[str]:
        found = [path for path in self._tree.blobs if _MANIFESTS.search(path)]
        return sorted(found, key=lambda path: (path.count("/"), path))[:2]

    def _changelogs(self) -> list[str]:
        paths = [item.pointer.path for item in self._context.conventions]
        convention = [path for path in paths if is_changelog(path)]
        return convention or [path for path in self._tree.documents if is_changelog(path)][:1]

    def _documents(self) -> list[str]:
        return [_place(item) for item in self._context.documentation[:2]]

    def _public_functions(self) -> list[str]:
        planned = [item for item in self._context.functions if item.pointer.path in self._files]
        public = [item for item in planned if _PUBLIC_NAME.match(item.pointer.symbol)]
        return list(map(_place, public[:_MOST_PUBLIC]))

    def _similar(self, text: str) -> Iterator[str]:
        """Yield the code that shares at least two rare words with a constraint."""
        words = {word for word in count_words(query_text(text)) if len(word) > 2}
        items = self._context.functions
        shared = [words & self._words_of(item).keys() for item in items]
        most = max(_COMMON * len(items), 1)
        rare = {word for word in words if sum(word in own for own in shared) <= most}
        scores = [len(own & rare) for own in shared]
        least = max(_LEAST_SHARED, _LEAST_SHARE * len(words))
        order = sorted(range(len(items)), key=lambda at: (-scores[at], at))
        for at in order[:_MOST_SIMILAR]:
            if scores[at] >= least:
                yield _place(items[at])

    def _words_of(self, item: ContextItem) -> Mapping[str, int]:
        at = item.pointer
        lines = self._tree.lines(at.path)[at.first_line - 1 : at.last_line]
        return count_words("\n".join((at.symbol, *lines)))


def _place(item: ContextItem) -> str:
    return f"{item.pointer.path} {place_of(item)}"
