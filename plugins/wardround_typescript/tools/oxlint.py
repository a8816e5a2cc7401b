"""oxlint: where it is, how it is called and read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawResult, Span
from wardround.tools.output import RAN, decoded, one_line, relative
from wardround.tools.process import find_program
from wardround.tools.tool import Invocation, Scope, Tool, install_line
from wardround_typescript import jsonc
from wardround_typescript.bundles import PARSED, TYPED, is_bundle, written
from wardround_typescript.node_modules import native_program, script
from wardround_typescript.tools.own_config import check_seals
from wardround_typescript.tools.oxlint_config import (
    CONFIG_NAMES,
    config_closure,
    config_overlay,
    fallback_config,
    selection,
)
from wardround_typescript.tools.oxlint_sense import Looked, sensible
from wardround_typescript.tools.tsc import PROJECT_FILES

_BORROWED_NAME = ".wardround.ts"
"""What a script without a telling name is called while oxlint looks at it."""
_CODE = re.compile(r"(?:eslint-plugin-)?@?([\w@/-]+)\(([\w/-]+)\)")
_SCOPES = {"typescript-eslint": "typescript", "jsx_a11y": "jsx-a11y", "react_perf": "react-perf"}
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
_PLACED_LAST = frozenset(
    {"no-class-assign", "no-const-assign", "no-dupe-class-members", "no-dupe-else-if", "no-dupe-keys",
     "no-duplicate-case", "no-redeclare", "react/jsx-key", "react/jsx-no-duplicate-props",
     "react-hooks/exhaustive-deps", "typescript/no-duplicate-enum-values"}
)  # fmt: skip
"""Codes whose first label is where things were in order, and whose last is where they are not."""


class OxlintSpan(msgspec.Struct):
    offset: int
    length: int


class OxlintLabel(msgspec.Struct):
    span: OxlintSpan


class OxlintDiagnostic(msgspec.Struct):
    message: str
    severity: str
    filename: str
    labels: list[OxlintLabel]
    code: str | None = None
    url: str | None = None


class OxlintOutput(msgspec.Struct):
    diagnostics: list[OxlintDiagnostic]
    number_of_files: int


def find_oxlint(root: Path) -> Path | None:
    """The project's own, as a native program or by node; else the one that comes with wardround, or PATH."""
    own = native_program(root, "oxlint", "@oxlint", "", "oxlint") or script(root, "oxlint", "bin/oxlint")
    return own or find_program("oxlint")


def oxlint_command(run: Invocation) -> Sequence[str]:
    check_seals("oxlint", run)
    files = [_named_for_oxlint(run.root, file) for file in run.files]
    return [str(run.program), "-f", "json", "--no-error-on-unmatched-pattern", "--", *files]


def find_type_aware(root: Path) -> Path | None:
    """The type checker of a project that has one for oxlint, its packages and a configuration.

    The checker is what is looked for, so that one under version control is never started by oxlint either.
    """
    if not (root / "tsconfig.json").is_file() or find_program("oxlint") is None:
        return None
    return native_program(root, "oxlint-tsgolint", "@oxlint-tsgolint", "", "tsgolint")


def type_aware_command(run: Invocation) -> Sequence[str]:
    check_seals("oxlint", run)
    return [
        "/usr/bin/env", f"OXLINT_TSGOLINT_PATH={run.program}", str(find_program("oxlint")), "-f", "json",
        "--type-aware", "--no-error-on-unmatched-pattern", "--", *run.files,
    ]  # fmt: skip


def parse_type_aware(output: bytes, run: Invocation) -> list[RawResult]:
    """What only the types can tell; the rest the run without them says as well."""
    return [result for result in parse_oxlint(output, run) if result.code in _TYPE_AWARE]


def _named_for_oxlint(root: Path, file: str) -> str:
    """A name oxlint takes for that of a script; one that has no suffix gets a link that has."""
    if file.endswith(PARSED):
        return file
    link = root / f"{file}{_BORROWED_NAME}"
    if not link.is_symlink():
        link.symlink_to(PurePosixPath(file).name)
    return file + _BORROWED_NAME


def parse_oxlint(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``oxlint -f json``; a file it was given and did not look at is a failure.

    Raises:
        ToolOutputError: it speaks of other files, or left some out that no configuration excludes.
    """
    answer = decoded(output, OxlintOutput)
    if answer.number_of_files < len(run.files) and not _excludes(run):
        raise ToolOutputError(f"oxlint looked at {answer.number_of_files} of {len(run.files)} files")
    looked = cache(lambda file: Looked(file, (run.root / file).read_bytes()))
    found = [_result(diagnostic, run, looked) for diagnostic in answer.diagnostics]
    return sensible(found, looked)


def _excludes(run: Invocation) -> bool:
    """Whether a configuration in the snapshot leaves files out on purpose."""
    folders = {run.root / parent for file in run.files for parent in PurePosixPath(file).parents}
    configs = [folder / name for folder in folders for name in CONFIG_NAMES if (folder / name).is_file()]
    return any("ignorePatterns" in (jsonc.loads(config.read_text("utf-8")) or {}) for config in configs)


def _result(diagnostic: OxlintDiagnostic, run: Invocation, looked: Callable[[str], Looked]) -> RawResult:
    code = _code(diagnostic.code)
    if code.endswith("tsconfig-error"):
        raise ToolOutputError(f"oxlint could not read the project: {one_line(diagnostic.message)}")
    file = relative(diagnostic.filename.removesuffix(_BORROWED_NAME), run)
    if not diagnostic.labels:
        return RawResult(code, file, Span(1, 1, 1, 1), one_line(diagnostic.message), diagnostic.url)
    last = code in _PLACED_LAST or diagnostic.message.endswith("has already been declared")
    place = diagnostic.labels[-1 if last else 0].span
    span = looked(file).span(place.offset, place.length)
    return RawResult(code, file, span, one_line(diagnostic.message), diagnostic.url)


def _code(code: str | None) -> str:
    """A code as one configures it: ``react(jsx-key)`` -> ``react/jsx-key``; eslint's own have no scope."""
    if code is None:
        return "syntax-error"
    match = _CODE.fullmatch(code)
    if match is None:
        return "syntax-error"
    scope = _SCOPES.get(match[1], match[1])
    return match[2] if scope == "eslint" else f"{scope}/{match[2]}"


def _identity() -> str:
    return json.dumps(selection(), sort_keys=True)


OXLINT = Tool(
    name="oxlint",
    program="oxlint",
    command=oxlint_command,
    parse=parse_oxlint,
    clean=RAN,
    install=install_line("web"),
    distribution="oxlint",
    find=find_oxlint,
    takes=lambda path, text: not is_bundle(path, text),
    config_names=CONFIG_NAMES,
    config_closure=config_closure,
    config_overlay=config_overlay,
    fallback_config=fallback_config,
    identity=_identity,
)
OXLINT_TYPES = Tool(
    name="oxlint",
    program="tsgolint",
    command=type_aware_command,
    parse=parse_type_aware,
    clean=RAN,
    install="npm install --save-dev oxlint-tsgolint",
    scope=Scope.PROJECT,
    timeout_s=60.0,
    find=find_type_aware,
    optional=True,
    takes=written(TYPED),
    config_names=CONFIG_NAMES,
    config_closure=config_closure,
    config_overlay=config_overlay,
    fallback_config=fallback_config,
    identity=_identity,
    project_files=PROJECT_FILES,
)
