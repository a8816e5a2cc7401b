"""oxlint: where it is, how it is called and read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import msgspec

from wardround.findings import RawFinding
from wardround.tools.parsing import RAN
from wardround.tools.process import find_program
from wardround.tools.tool import Invocation, Probe, Tool, ToolScope, install_line
from wardround_typescript.generated_files import PARSED, TYPED, named
from wardround_typescript.node_modules import native_program, script
from wardround_typescript.tools.own_config import check_seals
from wardround_typescript.tools.oxlint_config import (
    CODE_NAMES,
    CONFIG_NAMES,
    config_closure,
    config_overlay,
    fallback_config,
    selection,
)
from wardround_typescript.tools.tsc import PROJECT_FILES

BORROWED_NAME = ".wardround.ts"
"""What a script without a telling name is called while oxlint looks at it."""
_TYPE_AWARE = frozenset(
    f"typescript/{name}"
    for name in (
        "await-thenable", "no-array-delete", "no-base-to-string", "no-deprecated", "no-floating-promises",
        "no-for-in-array", "no-implied-eval", "no-misused-promises", "no-misused-spread",
        "no-unsafe-argument", "no-unsafe-assignment", "no-unsafe-call", "no-unsafe-member-access",
        "no-unsafe-return", "no-unsafe-unary-minus", "only-throw-error",
        "prefer-promise-reject-errors", "require-await", "restrict-plus-operands", "return-await",
        "switch-exhaustiveness-check",
        "use-unknown-in-catch-callback-variable",
    )
)  # fmt: skip
"""The codes about defects for which oxlint asks the type checker."""


def find_oxlint(root: Path) -> Path | None:
    """The project's own, as a native program or by node; else the one that comes with wardround, or PATH."""
    own = native_program(root, "oxlint", "@oxlint", "", "oxlint") or script(root, "oxlint", "bin/oxlint")
    return own or find_program("oxlint")


def oxlint_command(run: Invocation) -> Sequence[str]:
    check_seals("oxlint", run, (*CONFIG_NAMES, *CODE_NAMES))
    files = [_named_for_oxlint(run.root, file) for file in run.files]
    on = [part for code in run.requested for part in ("-W", code)]
    return [str(run.program), "-f", "json", "--no-error-on-unmatched-pattern", *on, "--", *files]


def find_type_aware(root: Path) -> Path | None:
    """The type checker of a project that has one for oxlint.

    The checker is what is looked for, so that one under version control is never started by oxlint either.
    """
    if find_program("oxlint") is None:
        return None
    return native_program(root, "oxlint-tsgolint", "@oxlint-tsgolint", "", "tsgolint")


def type_aware_command(run: Invocation) -> Sequence[str]:
    check_seals("oxlint", run, (*CONFIG_NAMES, *CODE_NAMES))
    return [
        "/usr/bin/env", f"OXLINT_TSGOLINT_PATH={run.program}", str(find_program("oxlint")), "-f", "json",
        "--type-aware", "--no-error-on-unmatched-pattern", "--", *run.files,
    ]  # fmt: skip


def _named_for_oxlint(root: Path, file: str) -> str:
    """A name oxlint takes for that of a script; one that has no suffix gets a link that has."""
    if file.endswith(PARSED):
        return file
    link = root / f"{file}{BORROWED_NAME}"
    if not link.is_symlink():
        link.symlink_to(PurePosixPath(file).name)
    return file + BORROWED_NAME


def parse_oxlint(output: bytes, run: Invocation) -> list[RawFinding]:
    """Read ``oxlint -f json``."""
    from wardround_typescript.tools.oxlint_output import parse

    return parse(output, run)


def parse_type_aware(output: bytes, run: Invocation) -> list[RawFinding]:
    """What only the types can tell; the rest the run without them says as well."""
    return [result for result in parse_oxlint(output, run) if result.code in _TYPE_AWARE]


def _identity() -> str:
    return msgspec.json.encode(selection(), order="sorted").decode()


def _takes(path: str, text: str) -> bool:
    """Whether a file is a script: a specialist that borrows oxlint claims other files too."""
    from wardround_typescript.specialist import specialist

    return specialist().claims(path, text)


OXLINT = Tool(
    name="oxlint",
    probe=Probe("probe.js", "debugger;\n", "no-debugger"),
    program="oxlint",
    command=oxlint_command,
    parse=parse_oxlint,
    success_codes=RAN,
    typical_s=0.1,
    install=install_line("web"),
    distribution="oxlint",
    timeout_s=30.0,
    find=find_oxlint,
    accepts=_takes,
    config_names=CONFIG_NAMES,
    config_code=CODE_NAMES,
    config_closure=config_closure,
    config_overlay=config_overlay,
    fallback_config=fallback_config,
    identity=_identity,
)
OXLINT_TYPES = Tool(
    name="oxlint",
    probe=Probe(
        "probe.ts",
        "export async function later(): Promise<void> {}\nlater();\n",
        "typescript/no-floating-promises",
        2,
        settings={"tsconfig.json": '{"compilerOptions": {"strict": true}, "files": ["probe.ts"]}\n'},
    ),
    program="tsgolint",
    command=type_aware_command,
    parse=parse_type_aware,
    success_codes=RAN,
    typical_s=1.0,
    install="npm install --save-dev oxlint-tsgolint",
    scope=ToolScope.PROJECT,
    timeout_s=60.0,
    find=find_type_aware,
    is_configured=lambda read, paths: read("tsconfig.json") is not None,
    optional=True,
    accepts=named(TYPED),
    config_names=CONFIG_NAMES,
    config_code=CODE_NAMES,
    config_closure=config_closure,
    config_overlay=config_overlay,
    fallback_config=fallback_config,
    identity=_identity,
    project_files=PROJECT_FILES,
)
