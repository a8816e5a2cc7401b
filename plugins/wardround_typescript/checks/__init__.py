"""The TypeScript specialist's own checks, one rule in each file."""

from __future__ import annotations

from wardround.checks import Check
from wardround_typescript.checks.documented_parameter_gone import DocumentedParameterGone
from wardround_typescript.checks.memo_defeated import ImportedMemoDefeated
from wardround_typescript.checks.parameter_undocumented import ParameterUndocumented
from wardround_typescript.checks.promise_dropped import PromiseDropped
from wardround_typescript.checks.stale_comment import StaleComment
from wardround_typescript.checks.swapped_arguments import SwappedScriptArguments

CHECKS: tuple[type[Check], ...] = (
    DocumentedParameterGone,
    ImportedMemoDefeated,
    ParameterUndocumented,
    PromiseDropped,
    StaleComment,
    SwappedScriptArguments,
)
