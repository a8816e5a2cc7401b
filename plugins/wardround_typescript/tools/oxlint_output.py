"""The output of oxlint; imported when there is output to read."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import PurePosixPath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawFinding, Severity, Span
from wardround.languages import jsonc
from wardround.tools.parsing import collapse_whitespace, decode_output, relative
from wardround.tools.tool import Invocation
from wardround_typescript.tools.linted_file import LintedFile
from wardround_typescript.tools.oxlint_config import CONFIG_NAMES, LINK_SUFFIX
from wardround_typescript.tools.oxlint_sense import sensible

_CODE = r"(?:eslint-plugin-)?@?([\w@/-]+)\(([\w/-]+)\)"
_SYNTAX_ERROR = "syntax-error"
_SCOPES = {
    "typescript-eslint": "typescript", "jsx_a11y": "jsx-a11y", "react_perf": "react-perf", "next": "nextjs",
}  # fmt: skip
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_OF_PARSER = "TS"
_IN_DECLARATIONS = "in ambient contexts"
_TEMPLATE = (
    r"\{%-?[ \t]*(?:if|else|elif|endif|for|endfor|block|load|include|extends|set|macro|raw|url|with)\b"
    r"|^[ \t]*<%[-=#]?[ \t]"
)
"""Tags of Django, Jinja, Twig and Liquid, and of ERB and EJS."""
_UNPARSED = "a script in it has tags of a template, and cannot be parsed; pass the values in data attributes"
_REFUSED = (b"Failed to parse oxlint configuration", b"Failed to build configuration")
_PLACED_LAST = frozenset(
    {"no-class-assign", "no-const-assign", "no-dupe-class-members", "no-dupe-else-if", "no-dupe-keys",
     "no-duplicate-case", "no-redeclare", "react/jsx-key", "react/jsx-no-duplicate-props",
     "react-hooks/exhaustive-deps", "typescript/no-duplicate-enum-values"}
)  # fmt: skip
"""Codes whose first label is the original and whose last is the defect."""


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
    """Read ``oxlint -f json``; a requested file that was not linted is a failure.

    Raises:
        ToolOutputError: it reports on other files, or skipped some that no configuration excludes.
    """
    if output.lstrip().startswith(_REFUSED):
        reason = " ".join(output.decode("utf-8", "replace").partition("\n")[2].split())
        raise ToolOutputError(f"oxlint rejects the project's configuration: {collapse_whitespace(reason)}")
    report = decode_output(output, OxlintOutput)
    if report.number_of_files < len(run.files) and not _excludes_files(run):
        raise ToolOutputError(f"oxlint linted {report.number_of_files} of {len(run.files)} files")
    linted = cache(lambda file: LintedFile(file, (run.root / file).read_bytes()))
    findings = [_result(diagnostic, run, linted) for diagnostic in report.diagnostics]
    return sensible([result for result in findings if not _is_contradicted(result, linted)], linted)


def unparsed_templates(output: bytes, run: Invocation) -> dict[str, str]:
    """Return the files with a script that is a template, which oxlint does not parse, with the reason."""
    diagnostics = decode_output(output, OxlintOutput).diagnostics
    errors = (diagnostic for diagnostic in diagnostics if _code(diagnostic.code) == _SYNTAX_ERROR)
    failed = {relative(error.filename.removesuffix(LINK_SUFFIX), run) for error in errors}
    files = (LintedFile(file, (run.root / file).read_bytes()) for file in sorted(failed))
    return {file.path: _UNPARSED for file in files if file.has_in_code(_TEMPLATE)}


def _is_contradicted(result: RawFinding, linted: Callable[[str], LintedFile]) -> bool:
    """Return True for a syntax error in a template of a script, or in a declaration file that parses.

    A program renders a template before a browser loads it. Bundlers, and snapshots of their output, put the
    declarations of several modules into one file, where oxlint reports repeated names as syntax errors.
    Statements and bodies of functions are errors there: a file that has them may run after all.
    """
    if result.code != _SYNTAX_ERROR:
        return False
    if linted(result.file).has_in_code(_TEMPLATE):
        return True
    if not result.file.endswith(_DECLARATIONS):
        return False
    if linted(result.file).is_built:
        return True
    if _IN_DECLARATIONS in result.message:
        return False
    from wardround.languages.script.syntax import (
        parse_script,  # loads the grammar: findings in declaration files are rare
    )

    return not parse_script(result.file, linted(result.file).text).root.has_error


def _excludes_files(run: Invocation) -> bool:
    """Return True if a configuration in the snapshot excludes files."""
    folders = {run.root / parent for file in run.files for parent in PurePosixPath(file).parents}
    configs = [folder / name for folder in folders for name in CONFIG_NAMES if (folder / name).is_file()]
    return any("ignorePatterns" in (jsonc.loads(config.read_text("utf-8")) or {}) for config in configs)


def _result(diagnostic: OxlintDiagnostic, run: Invocation, linted: Callable[[str], LintedFile]) -> RawFinding:
    code = _code(diagnostic.code)
    if code.endswith("tsconfig-error"):
        raise ToolOutputError(f"oxlint could not read the project: {collapse_whitespace(diagnostic.message)}")
    file = relative(diagnostic.filename.removesuffix(LINK_SUFFIX), run)
    span = Span(1, 1, 1, 1)
    if diagnostic.labels:
        last = code in _PLACED_LAST or diagnostic.message.endswith("has already been declared")
        label = diagnostic.labels[-1 if last else 0].span
        span = linted(file).span(label.offset, label.length)
    # Our own selection has warnings only.
    is_error = diagnostic.severity == "error" and code != _SYNTAX_ERROR
    return RawFinding(
        code,
        file,
        span,
        collapse_whitespace(diagnostic.message),
        diagnostic.url,
        severity=Severity.ERROR if is_error else None,
        explicitly_enabled=is_error,
    )


def _code(code: str | None) -> str:
    """Return a code in the form of the configuration: ``react(jsx-key)`` -> ``react/jsx-key``; no scope for
    eslint.

    An error with a TypeScript code is a parse error: oxlint reports nothing else about the file.
    """
    if code is None:
        return _SYNTAX_ERROR
    match = re.fullmatch(_CODE, code)
    if match is None or match[1] == _OF_PARSER:
        return _SYNTAX_ERROR
    scope = _SCOPES.get(match[1], match[1])
    return match[2] if scope == "eslint" else f"{scope}/{match[2]}"
