"""The SQL specialist's own checks, by id."""

from __future__ import annotations

from wardround_sql.check import SqlCheck
from wardround_sql.checks.auth_users_exposed import AuthUsersExposed
from wardround_sql.checks.blocking_index import BlockingIndex
from wardround_sql.checks.cross_join import ImplicitCrossJoin
from wardround_sql.checks.definer_search_path import DefinerSearchPath
from wardround_sql.checks.duplicate_index import DuplicateIndex
from wardround_sql.checks.enum_value_used import EnumValueUsed
from wardround_sql.checks.extension_in_public import ExtensionInPublic
from wardround_sql.checks.foreign_table import ForeignTable
from wardround_sql.checks.function_search_path import FunctionSearchPath
from wardround_sql.checks.grant_to_everyone import GrantToEveryone
from wardround_sql.checks.limit_without_order import LimitWithoutOrder
from wardround_sql.checks.materialized_view import MaterializedView
from wardround_sql.checks.money_in_float import MoneyInFloat
from wardround_sql.checks.not_in_subquery import NotInSubquery
from wardround_sql.checks.offset_pagination import OffsetPagination
from wardround_sql.checks.open_policy import OpenPolicy
from wardround_sql.checks.overlapping_policies import OverlappingPolicies
from wardround_sql.checks.policy_per_row import PolicyPerRow
from wardround_sql.checks.policy_without_check import PolicyWithoutCheck
from wardround_sql.checks.policy_without_rls import PolicyWithoutRls
from wardround_sql.checks.required_column import RequiredColumn
from wardround_sql.checks.rewriting_type import RewritingType
from wardround_sql.checks.rls_without_policy import RlsWithoutPolicy
from wardround_sql.checks.self_escalation import SelfEscalation
from wardround_sql.checks.table_without_rls import TableWithoutRls
from wardround_sql.checks.timestamp_without_zone import TimestampWithoutZone
from wardround_sql.checks.unindexed_foreign_key import UnindexedForeignKey
from wardround_sql.checks.unparsed import UnparsedStatement
from wardround_sql.checks.user_metadata import UserMetadata
from wardround_sql.checks.view_security import ViewSecurity
from wardround_sql.checks.view_star import ViewStar
from wardround_sql.checks.write_without_where import WriteWithoutWhere

CHECKS: tuple[type[SqlCheck], ...] = (
    TableWithoutRls,
    OpenPolicy,
    PolicyWithoutCheck,
    PolicyPerRow,
    DefinerSearchPath,
    FunctionSearchPath,
    ViewSecurity,
    GrantToEveryone,
    RlsWithoutPolicy,
    PolicyWithoutRls,
    OverlappingPolicies,
    AuthUsersExposed,
    ExtensionInPublic,
    UserMetadata,
    MaterializedView,
    ForeignTable,
    SelfEscalation,
    DuplicateIndex,
    UnindexedForeignKey,
    WriteWithoutWhere,
    RequiredColumn,
    BlockingIndex,
    RewritingType,
    EnumValueUsed,
    NotInSubquery,
    ImplicitCrossJoin,
    ViewStar,
    LimitWithoutOrder,
    OffsetPagination,
    MoneyInFloat,
    TimestampWithoutZone,
    UnparsedStatement,
)
