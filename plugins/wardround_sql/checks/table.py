"""What each check is for. Not to be edited: ``wardround.check_table`` writes it."""

from __future__ import annotations

from wardround.late import Row

TABLE: tuple[Row, ...] = (
    ("SQ001", "table_without_rls:TableWithoutRls", (), ("create", "disable", "schema", "into")),
    ("SQ002", "open_policy:OpenPolicy", (), ("policy",)),
    ("SQ003", "policy_without_check:PolicyWithoutCheck", (), ("policy",)),
    ("SQ004", "policy_per_row:PolicyPerRow", (), ("policy",)),
    ("SQ005", "definer_search_path:DefinerSearchPath", (), ("definer", "reset")),
    ("SQ006", "function_search_path:FunctionSearchPath", (), ("function",)),
    ("SQ007", "view_security:ViewSecurity", (), ("view",)),
    ("SQ008", "grant_to_everyone:GrantToEveryone", (), ("grant",)),
    ("SQ009", "rls_without_policy:RlsWithoutPolicy", (), ("row level security",)),
    ("SQ010", "policy_without_rls:PolicyWithoutRls", (), ("policy", "disable")),
    ("SQ011", "overlapping_policies:OverlappingPolicies", (), ("policy",)),
    ("SQ012", "auth_users_exposed:AuthUsersExposed", (), ("view",)),
    ("SQ013", "extension_in_public:ExtensionInPublic", (), ("extension",)),
    ("SQ014", "user_metadata:UserMetadata", (), ("user_metadata", "raw_user_meta_data")),
    ("SQ015", "materialized_view:MaterializedView", (), ("materialized",)),
    ("SQ016", "foreign_table:ForeignTable", (), ("foreign",)),
    ("SQ017", "duplicate_index:DuplicateIndex", (), ("index",)),
    ("SQ018", "unindexed_foreign_key:UnindexedForeignKey", (), ("references",)),
    ("SQ019", "self_escalation:SelfEscalation", (), ("policy",)),
    ("SQ020", "write_without_where:WriteWithoutWhere", (), ("update", "delete")),
    ("SQ021", "required_column:RequiredColumn", (), ("column", "add")),
    ("SQ022", "blocking_index:BlockingIndex", (), ("index",)),
    ("SQ023", "rewriting_type:RewritingType", (), ("type",)),
    ("SQ024", "enum_value_used:EnumValueUsed", (), ("add value",)),
    (
        "SQ025",
        "comment_on_missing_column:CommentOnMissingColumn",
        (),
        ("comment on column", "comment  on", "comment\n"),
    ),
    ("SQ030", "not_in_subquery:NotInSubquery", (), ("not in", "not  in", "in (", "in(")),
    ("SQ031", "cross_join:ImplicitCrossJoin", (), ("from",)),
    ("SQ032", "view_star:ViewStar", (), ("view",)),
    ("SQ033", "limit_without_order:LimitWithoutOrder", (), ("limit", "fetch first", "fetch next")),
    ("SQ034", "offset_pagination:OffsetPagination", (), ("offset",)),
    ("SQ035", "money_in_float:MoneyInFloat", (), ("float", "real", "double")),
    ("SQ036", "timestamp_without_zone:TimestampWithoutZone", (), ("timestamp", "datetime")),
    ("SQ040", "unparsed:UnparsedStatement", (), ()),
    ("SQ050", "documented_column_gone:DocumentedColumnGone", (), ("{{",)),
    ("SQ051", "column_undocumented:ColumnUndocumented", (), ("{{",)),
)
