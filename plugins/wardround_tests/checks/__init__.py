"""Checks of Python tests, one rule in each file."""

from __future__ import annotations

from wardround_tests.check import PythonTestCheck
from wardround_tests.checks.after_raise import AfterRaise
from wardround_tests.checks.always_true import AlwaysTrue
from wardround_tests.checks.bare_skip import BareSkip
from wardround_tests.checks.commented_out import CommentedOut
from wardround_tests.checks.comparison_inside import ComparisonInside
from wardround_tests.checks.conditional_assertion import ConditionalAssertion
from wardround_tests.checks.expected_by_formula import ExpectedByFormula
from wardround_tests.checks.expected_from_code import ExpectedFromCode
from wardround_tests.checks.fixed_port import FixedPort
from wardround_tests.checks.fixture_called import FixtureCalled
from wardround_tests.checks.float_equality import FloatEquality
from wardround_tests.checks.left_changed import LeftChanged
from wardround_tests.checks.left_for_others import LeftForOthers
from wardround_tests.checks.left_output import LeftOutput
from wardround_tests.checks.left_resource import LeftResource
from wardround_tests.checks.local_time_zone import LocalTimeZone
from wardround_tests.checks.lost_assertion import LostAssertion
from wardround_tests.checks.misused_raises import MisusedRaises
from wardround_tests.checks.module_state import ModuleState
from wardround_tests.checks.never_run import NeverRun
from wardround_tests.checks.no_assertion import NoAssertion
from wardround_tests.checks.only_mock_calls import OnlyMockCalls
from wardround_tests.checks.patch_arguments import PatchArguments
from wardround_tests.checks.patch_misses import PatchMisses
from wardround_tests.checks.patched_for_good import PatchedForGood
from wardround_tests.checks.real_clock import RealClock
from wardround_tests.checks.real_network import RealNetwork
from wardround_tests.checks.repeated_assertion import RepeatedAssertion
from wardround_tests.checks.self_tested_mock import SelfTestedMock
from wardround_tests.checks.shared_object import SharedObject
from wardround_tests.checks.shared_path import SharedPath
from wardround_tests.checks.sleep import Sleep
from wardround_tests.checks.swallowed_assertion import SwallowedAssertion
from wardround_tests.checks.unawaited import Unawaited
from wardround_tests.checks.uncollected_test import UncollectedTest
from wardround_tests.checks.unordered_expected import UnorderedExpected
from wardround_tests.checks.unreached_except import UnreachedExcept
from wardround_tests.checks.unseeded_random import UnseededRandom
from wardround_tests.checks.whole_snapshot import WholeSnapshot

CHECKS: tuple[type[PythonTestCheck], ...] = (
    NoAssertion,
    AlwaysTrue,
    SelfTestedMock,
    OnlyMockCalls,
    ExpectedFromCode,
    Sleep,
    RealClock,
    UnseededRandom,
    RealNetwork,
    ModuleState,
    ConditionalAssertion,
    BareSkip,
    UnreachedExcept,
    SwallowedAssertion,
    Unawaited,
    NeverRun,
    MisusedRaises,
    LeftChanged,
    WholeSnapshot,
    PatchedForGood,
    LeftForOthers,
    AfterRaise,
    LostAssertion,
    ExpectedByFormula,
    PatchArguments,
    PatchMisses,
    FixtureCalled,
    RepeatedAssertion,
    LeftOutput,
    ComparisonInside,
    UnorderedExpected,
    LocalTimeZone,
    FixedPort,
    SharedPath,
    LeftResource,
    FloatEquality,
    UncollectedTest,
    SharedObject,
    CommentedOut,
)
