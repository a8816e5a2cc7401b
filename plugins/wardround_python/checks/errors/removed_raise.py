"""PY454."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck
from wardround_python.checks.errors.validation_only_logged import only_tells

_RAISES = (
    "def load(key):\n    try:\n        row = find(key)\n    except KeyError as e:\n"
    "        raise Missing(key) from e\n    return row.name\n"
)
_LOGS = _RAISES.replace("raise Missing(key) from e", "logger.warning('no %s', e)")


class RemovedRaise(PythonCheck):
    """A handler raised before the change; now it logs at most, and the function goes on.

    What comes after the ``try`` was never reached without what the ``try`` gives: it works on a name that
    is not set, or on what was refused. Raise, or leave with an answer that says so.
    """

    ID = "PY454"
    NAME = "removed-raise"
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "swallowed-exception"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    WORDS = ("except",)
    TRIED_ON = (
        "the newest 300 commits of nine projects (6,311 changed files): none, so nothing wrong; "
        "tried on edits made by script in five projects beside that"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_RAISES.replace("Missing(key)", "Unknown(key)"), base=_RAISES),
        Valid(_LOGS.replace("    return row", "        return ''\n    return row"), base=_RAISES),
        Valid(_LOGS, base=_LOGS),
        Valid(_LOGS.replace("    return row.name\n", ""), base=_RAISES),
        Valid(_LOGS.replace("find", "find_again"), base=_RAISES),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_LOGS, base=_RAISES, line=4, column=5),
        Invalid(_LOGS.replace("logger.warning('no %s', e)", "pass"), base=_RAISES, line=4, column=5),
        Invalid(
            "def keep(box):\n    try:\n        box.check(1)\n    except (Full, Closed):\n"
            "        log.exception('odd')\n    box.add(1)\n    box.close()\n",
            base="def keep(box):\n    try:\n        box.check(1)\n    except (Full, Closed):\n        raise\n"
            "    box.add(1)\n",
            line=4,
            column=5,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        for was, now in rewritten(self.source, self.module):
            raised = {told for told, _, handler in _handlers(was) if isinstance(handler.body[-1], ast.Raise)}
            for told, attempt, handler in _handlers(now):
                if told in raised and only_tells(handler) and self._goes_on(attempt):
                    self.report(
                        self.module.keyword_span(handler, len("except")),
                        "this raised before the change; now what follows the try is done all the same",
                    )

    def _goes_on(self, attempt: ast.Try) -> bool:
        """Whether something follows in the same block, or the end of the function gives None in its place."""
        parent = self.module.parents[attempt]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and attempt in block:
                return block[-1] is not attempt or isinstance(attempt.body[-1], ast.Return)
        return False


def _handlers(function: FunctionNode) -> Iterator[tuple[tuple[str, str], ast.Try, ast.ExceptHandler]]:
    """The handlers of a function, each with what it catches and what the attempt does last."""
    for node in walk(function):
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                kind = "" if handler.type is None else ast.unparse(handler.type)
                yield (kind, ast.unparse(node.body[-1])), node, handler
