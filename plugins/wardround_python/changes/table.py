"""What each check is for. Not to be edited: ``wardround.checks.index`` writes it."""

from __future__ import annotations

from wardround.checks.registry import CheckEntry

TABLE: tuple[CheckEntry, ...] = (
    (
        "PY013",
        "withdrawn_option:WithdrawnOption",
        (".py",),
        ("add_argument", "addoption", "add_option", "option(", "Option("),
        "",
    ),
    (
        "PY014",
        "stale_option_value:StaleOptionValue",
        (".py",),
        ("add_argument", "addoption", "add_option", "option(", "Option("),
        "",
    ),
    ("PY015", "withdrawn_variable:WithdrawnVariable", (".py",), ("environ", "getenv", "BaseSettings"), ""),
    ("PY016", "unlisted_variable:UnlistedVariable", (".py",), ("environ", "getenv", "BaseSettings"), ""),
    (
        "PY084",
        "removed_name:RemovedName",
        (".py",),
        (),
        "wardround_python.prefilters:removes_a_binding_or_uses_an_import",
    ),
    (
        "PY340",
        "tainted_elsewhere:TaintedElsewhere",
        (".py",),
        ("request", "_argument(", "router", "routes", "@app.", "@bp."),
        "",
    ),
    (
        "PY360",
        "unescaped_value:UnescapedTemplateValue",
        (".htm", ".html", ".j2", ".jinja"),
        ("safe", "autoescape"),
        "",
    ),
    ("PY390", "guard_gone:GuardGone", (".py",), (), "wardround.semantics.semdiff.guards:may_be_guarded"),
    (
        "PY391",
        "guard_of_siblings:GuardOfSiblings",
        (".py",),
        (),
        "wardround.semantics.semdiff.guards:may_be_guarded",
    ),
)
