"""Examples of JSDoc comments and code that parted, or did not, from a repository's history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.drift.documented import Compared
from wardround.drift.rows import Row, rows
from wardround.tasks import History
from wardround_typescript.bundles import SCRIPTS, is_bundle
from wardround_typescript.functions import ComparedFunction, compared_functions
from wardround_typescript.tree_check import is_test_path

_PATTERNS = tuple(f"*{suffix}" for suffix in SCRIPTS)
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")


@dataclass(frozen=True, slots=True)
class ComparedScript(Compared):
    """A function with a JSDoc comment; ``is_exported`` is what the checks ask of it besides."""

    is_exported: bool

    @property
    def function(self) -> ComparedFunction:
        """The same as the checks take it, without the places of its parameters."""
        return ComparedFunction(self, self.is_exported, {})


def jsdoc_rows(history: History) -> Iterator[Row]:
    """Each function with a JSDoc comment whose code one commit changed: did it change the comment too.

    Tests, declarations of types and what is vendored or generated are left out.
    """
    return rows(history, _PATTERNS, _compared, _is_wanted)


def _compared(old_text: str, new_text: str) -> Sequence[ComparedScript]:
    found = compared_functions(old_text, new_text)
    if not found or is_bundle("", new_text):
        return ()
    return [_script(one) for one in found]


def _script(one: ComparedFunction) -> ComparedScript:
    same = one.compared
    return ComparedScript(
        same.change, same.words_before, same.words_after, same.line, same.words_line, one.is_exported
    )


def _is_wanted(path: str) -> bool:
    return not (path.endswith(_DECLARATIONS) or is_test_path(path) or is_bundle(path, ""))
