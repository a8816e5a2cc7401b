"""The Python specialist's own checks, one rule in each file."""

from __future__ import annotations

from wardround_python.check import PythonCheck
from wardround_python.checks.answerless_name import AnswerlessName
from wardround_python.checks.blocking_in_async import BlockingInAsync
from wardround_python.checks.blocking_under_lock import BlockingUnderLock
from wardround_python.checks.documented_parameter_gone import DocumentedParameterGone
from wardround_python.checks.env_outside_settings import EnvOutsideSettings
from wardround_python.checks.env_without_validation import EnvWithoutValidation
from wardround_python.checks.parameter_undocumented import ParameterUndocumented
from wardround_python.checks.stale_callers import StaleCallers
from wardround_python.checks.stale_docstring import StaleDocstring
from wardround_python.checks.stub_in_production import StubInProduction
from wardround_python.checks.swallowed_exception import SwallowedException
from wardround_python.checks.swapped_arguments import SwappedArguments
from wardround_python.checks.unbounded_retry import UnboundedRetry
from wardround_python.checks.unclosed_on_error import UnclosedOnError

CHECKS: tuple[type[PythonCheck], ...] = (
    EnvOutsideSettings,
    EnvWithoutValidation,
    SwallowedException,
    UnboundedRetry,
    BlockingInAsync,
    BlockingUnderLock,
    UnclosedOnError,
    StaleCallers,
    StubInProduction,
    DocumentedParameterGone,
    ParameterUndocumented,
    StaleDocstring,
    SwappedArguments,
    AnswerlessName,
)
