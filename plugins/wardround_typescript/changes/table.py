"""What each check is for. Not to be edited: ``wardround.checks.index`` writes it."""

from __future__ import annotations

from wardround.checks.registry import CheckEntry

TABLE: tuple[CheckEntry, ...] = (
    (
        "TS004",
        "withdrawn_option:WithdrawnScriptOption",
        (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"),
        ("ption(",),
        "",
    ),
    (
        "TS005",
        "stale_option_value:StaleScriptOptionValue",
        (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"),
        ("ption(",),
        "",
    ),
    (
        "TS006",
        "withdrawn_variable:WithdrawnScriptVariable",
        (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"),
        (".env",),
        "",
    ),
    (
        "TS007",
        "unlisted_variable:UnlistedScriptVariable",
        (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"),
        (".env",),
        "",
    ),
    (
        "TS098",
        "removed_export:RemovedExport",
        (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".svelte", ".ts", ".tsx", ".vue"),
        (),
        "wardround_typescript.export_prefilters:removes_an_export_or_imports",
    ),
    (
        "TS390",
        "guard_gone:GuardGone",
        (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"),
        (),
        "wardround.semantics.semdiff.guards:may_be_guarded",
    ),
    (
        "TS391",
        "guard_of_siblings:GuardOfSiblings",
        (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"),
        (),
        "wardround.semantics.semdiff.guards:may_be_guarded",
    ),
)
