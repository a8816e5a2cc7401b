"""What oxlint prints; imported when there is something to read."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import PurePosixPath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawFinding, Span
from wardround.tools.parsing import collapse_whitespace, decoded, relative
from wardround.tools.tool import Invocation
from wardround_typescript.syntax import jsonc
from wardround_typescript.tools.linted_file import LintedFile
from wardround_typescript.tools.oxlint_config import CONFIG_NAMES, LINK_SUFFIX
from wardround_typescript.tools.oxlint_sense import sensible

_CODE = r"(?:eslint-plugin-)?@?([\w@/-]+)\(([\w/-]+)\)"
_SCOPES = {
    "typescript-eslint": "typescript", "jsx_a11y": "jsx-a11y", "react_perf": "react-perf", "next": "nextjs",
}  # fmt: skip
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_REFUSED = (b"Failed to parse oxlint configuration", b"Failed to build configuration")
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


def parse(output: bytes, run: Invocation) -> list[RawFinding]:
    """Read ``oxlint -f json``; a file it was given and did not look at is a failure.

    Raises:
        ToolOutputError: it speaks of other files, or left some out that no configuration excludes.
    """
    if output.lstrip().startswith(_REFUSED):
        said = " ".join(output.decode("utf-8", "replace").partition("\n")[2].split())
        raise ToolOutputError(
            f"oxlint does not take the project's configuration: {collapse_whitespace(said)}"
        )
    answer = decoded(output, OxlintOutput)
    if answer.number_of_files < len(run.files) and not _excludes(run):
        raise ToolOutputError(f"oxlint looked at {answer.number_of_files} of {len(run.files)} files")
    looked = cache(lambda file: LintedFile(file, (run.root / file).read_bytes()))
    found = [_result(diagnostic, run, looked) for diagnostic in answer.diagnostics]
    return sensible([result for result in found if not _is_contradicted(result, looked)], looked)


def _is_contradicted(result: RawFinding, looked: Callable[[str], LintedFile]) -> bool:
    """Return True for a syntax error in a declaration file that parses.

    Nothing of such a file runs. Bundlers, and the snapshots of their output, put the declarations of several
    modules into one file, where oxlint takes names that occur twice for errors of syntax.
    """
    if result.code != "syntax-error" or not result.file.endswith(_DECLARATIONS):
        return False
    from wardround.languages.script.syntax import (
        parsed,  # the grammar: few declaration files are complained of
    )

    return not parsed(result.file, looked(result.file).text).root.has_error


def _excludes(run: Invocation) -> bool:
    """Whether a configuration in the snapshot leaves files out on purpose."""
    folders = {run.root / parent for file in run.files for parent in PurePosixPath(file).parents}
    configs = [folder / name for folder in folders for name in CONFIG_NAMES if (folder / name).is_file()]
    return any("ignorePatterns" in (jsonc.loads(config.read_text("utf-8")) or {}) for config in configs)


def _result(diagnostic: OxlintDiagnostic, run: Invocation, looked: Callable[[str], LintedFile]) -> RawFinding:
    code = _code(diagnostic.code)
    if code.endswith("tsconfig-error"):
        raise ToolOutputError(f"oxlint could not read the project: {collapse_whitespace(diagnostic.message)}")
    file = relative(diagnostic.filename.removesuffix(LINK_SUFFIX), run)
    if not diagnostic.labels:
        return RawFinding(
            code, file, Span(1, 1, 1, 1), collapse_whitespace(diagnostic.message), diagnostic.url
        )
    last = code in _PLACED_LAST or diagnostic.message.endswith("has already been declared")
    place = diagnostic.labels[-1 if last else 0].span
    span = looked(file).span(place.offset, place.length)
    return RawFinding(code, file, span, collapse_whitespace(diagnostic.message), diagnostic.url)


def _code(code: str | None) -> str:
    """A code as one configures it: ``react(jsx-key)`` -> ``react/jsx-key``; eslint's own have no scope."""
    if code is None:
        return "syntax-error"
    match = re.fullmatch(_CODE, code)
    if match is None:
        return "syntax-error"
    scope = _SCOPES.get(match[1], match[1])
    return match[2] if scope == "eslint" else f"{scope}/{match[2]}"
