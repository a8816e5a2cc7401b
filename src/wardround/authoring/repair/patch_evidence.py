"""The evidence on a plausible candidate, which its packet states.

No rule on it was found that selects the right candidates: an exception and an early rank did so where the
rule was made, and gave 0 right, 1 nearly right and 4 wrong patches of 5 elsewhere.
"""

from __future__ import annotations

import ast

import msgspec

from wardround.authoring.repair.failure_kind import FailureKind, first_failure, kind_of
from wardround.authoring.repair.model import Candidate, Observation, Validation
from wardround.authoring.repair.module_code import FunctionCode, ModuleCode
from wardround.authoring.repair.operators.registry import OPERATORS_BY_NAME
from wardround.authoring.repair.operators.site import Edit, Site
from wardround.authoring.repair.project_code import ProjectCode
from wardround.languages.python.tree import UNREADABLE, parse, walk

_DELETION = "delete-statement"
_COMMON_LITERALS = frozenset({repr(value) for value in ("", " ", b"", 0, 1, -1, 2, None, True, False)})


class PatchEvidence(msgspec.Struct, frozen=True):
    """The evidence on a plausible candidate that its packet states.

    Attributes:
        rank: position in the order of the search, from 1.
        is_deletion_plausible: True if all tests pass without the edited statement, too, and thus prove
            nothing about the patch; None if that was not validated.
        test_literals: literals of the failing tests that the patch adds to the code, as ``repr`` writes them.
        failure: how the failing test ends.
        plausible: the number of plausible candidates; many among few tried ones show weak tests.
        tried: the number of validated candidates.
    """

    rank: int
    is_deletion_plausible: bool | None
    test_literals: tuple[str, ...]
    failure: FailureKind
    plausible: int = 1
    tried: int = 0


def evidence_of(
    candidate: Candidate,
    rank: int,
    validation: Validation,
    observation: Observation,
    text: str,
    test_source: str,
    is_deletion_plausible: bool | None,
) -> PatchEvidence:
    """Return the evidence on a plausible candidate.

    Args:
        rank: its position in the order of the search, from 1.
        text: the file of the candidate at the base.
        test_source: what ``failing_source`` returns.
        is_deletion_plausible: the result of the candidate that ``deletion_of`` returns.
    """
    kind = kind_of(first_failure(observation))
    literals = added_test_literals(candidate, text, test_source)
    plausible = sum(result.is_plausible for result in validation.results)
    return PatchEvidence(rank, is_deletion_plausible, literals, kind, plausible, validation.tried)


def deletion_of(candidate: Candidate, text: str) -> Candidate | None:
    """Return the candidate that deletes the statement which another one edits; None if there is none.

    Args:
        text: the file of the candidate at the base.
    """
    found = _edited_statement(candidate, text)
    if found is None:
        return None
    function, statement = found
    site = Site(function, statement, ProjectCode([function.module]), "")
    operator = OPERATORS_BY_NAME[_DELETION]
    edit = next(operator.edits(site), None)
    return None if edit is None else _deletion(candidate, edit)


def _deletion(candidate: Candidate, edit: Edit) -> Candidate:
    return msgspec.structs.replace(
        candidate, start=edit.start, end=edit.end, replacement=edit.replacement, operator=_DELETION
    )


def _edited_statement(candidate: Candidate, text: str) -> tuple[FunctionCode, ast.stmt] | None:
    """Return the innermost statement around an edit, or the one before which it inserts lines."""
    for function in ModuleCode(candidate.path, text).functions:
        if function.span[0] <= candidate.start <= function.span[1]:
            statements = (node for node in function.nodes if isinstance(node, ast.stmt))
            around = [statement for statement in statements if _is_around(function, statement, candidate)]
            return (function, around[-1]) if around else None
    return None


def _is_around(function: FunctionCode, statement: ast.stmt, candidate: Candidate) -> bool:
    start, end = function.module.span(statement)
    return start <= candidate.start and candidate.end <= end


def added_test_literals(candidate: Candidate, text: str, test_source: str) -> tuple[str, ...]:
    """Return the literals that a candidate adds and the failing tests have, except the common ones."""
    after = text[: candidate.start] + candidate.replacement + text[candidate.end :]
    added = _literals(after) - _literals(text) - _COMMON_LITERALS
    return tuple(sorted(added & _literals(test_source)))


def _literals(source: str) -> frozenset[str]:
    """Return the literals of a source as ``repr`` writes them; none if it cannot be read."""
    try:
        tree = parse(source)
    except UNREADABLE:
        return frozenset()
    return frozenset(repr(node.value) for node in walk(tree) if isinstance(node, ast.Constant))
