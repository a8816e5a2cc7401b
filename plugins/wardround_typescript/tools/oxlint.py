"""oxlint: location, command line and output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from wardround.findings import Plane, RawFinding
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import RAN
from wardround.tools.process import find_program
from wardround.tools.tool import Invocation, Probe, Tool, ToolScope, install_line
from wardround_typescript.generated_files import PARSED, TYPED
from wardround_typescript.node_modules import native_program, script
from wardround_typescript.specialist import SCRIPT_COMMENT
from wardround_typescript.tools.own_config import check_seals
from wardround_typescript.tools.oxlint_config import (
    CODE_NAMES,
    CONFIG_NAMES,
    LINK_SUFFIX,
    config_closure,
    config_overlay,
    fallback_config,
    selection,
)
from wardround_typescript.tools.tsc import PROJECT_FILES

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
"""The codes of defects that need the type checker of oxlint."""


def _named_for_oxlint(root: Path, file: str) -> str:
    """Return a name with a suffix that oxlint reads; a script without one gets a symbolic link."""
    if file.endswith(PARSED):
        return file
    link = root / f"{file}{LINK_SUFFIX}"
    if not link.is_symlink():
        link.symlink_to(PurePosixPath(file).name)
    return file + LINK_SUFFIX


class Oxlint(Tool):
    """oxlint of the project, or of wardround."""

    name = "oxlint"
    planes = frozenset(Plane) - {Plane.INTENT}
    ignore_comments = (
        IgnoreComment(
            r"\b(?:eslint|oxlint)-(?:disable|env)",
            ("eslint", "oxlint"),
            ((SCRIPT_COMMENT, r"((?:eslint|oxlint)-disable(?:-next-line|-line)?\b)"),),
            region=r"(?:eslint|oxlint)-(?:disable(?!-next-line|-line)|env)",
            region_end=r"(?:eslint|oxlint)-enable",
        ),
    )
    probe = Probe("probe.js", "debugger;\n", "no-debugger")
    program = "oxlint"
    success_codes = RAN
    typical_s = 0.1
    install = install_line("web")
    distribution: str | None = "oxlint"
    timeout_s = 30.0
    config_names = CONFIG_NAMES
    config_code = CODE_NAMES

    def command(self, run: Invocation) -> Sequence[str]:
        check_seals("oxlint", run, (*CONFIG_NAMES, *CODE_NAMES))
        files = [_named_for_oxlint(run.root, file) for file in run.files]
        on = [part for code in run.requested for part in ("-W", code)]
        return [str(run.program), "-f", "json", "--no-error-on-unmatched-pattern", *on, "--", *files]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``oxlint -f json``."""
        from wardround_typescript.tools.oxlint_output import parse

        return parse(output, run)

    def unparsed_files(self, output: bytes, run: Invocation) -> Mapping[str, str]:
        """Return the scripts with template tags, which oxlint does not lint."""
        from wardround_typescript.tools.oxlint_output import unparsed_templates

        return unparsed_templates(output, run)

    def find(self, root: Path) -> Path | None:
        """Return the project's own, as a native program or run by node; else that of wardround, or on
        PATH.
        """
        own = native_program(root, "oxlint", "@oxlint", "", "oxlint") or script(root, "oxlint", "bin/oxlint")
        return own or find_program("oxlint")

    def accepts(self, path: str, text: str) -> bool:
        """Return True for scripts: a specialist that shares oxlint also reviews other files."""
        from wardround_typescript.specialist import TypescriptSpecialist

        return TypescriptSpecialist().claims(path, text)

    def identity(self) -> str:
        return msgspec.json.encode(selection(), order="sorted").decode()

    def config_closure(self, path: str, text: str) -> Sequence[str]:
        return config_closure(path, text)

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        from wardround_typescript.tools.tsc import extended_by

        return extended_by(text)

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        return config_overlay(folder, configs)

    def fallback_config(self, read: Callable[[str], str | None]) -> tuple[str, str] | None:
        return fallback_config(read)


OXLINT = Oxlint()


class OxlintTypes(Oxlint):
    """oxlint with the type checker of the project."""

    probe = Probe(
        "probe.ts",
        "export async function later(): Promise<void> {}\nlater();\n",
        "typescript/no-floating-promises",
        2,
        settings={"tsconfig.json": '{"compilerOptions": {"strict": true}, "files": ["probe.ts"]}\n'},
    )
    program = "tsgolint"
    typical_s = 1.0
    install = "npm install --save-dev oxlint-tsgolint"
    distribution = None
    scope = ToolScope.PROJECT
    timeout_s = 60.0
    optional = True
    project_files = PROJECT_FILES

    def command(self, run: Invocation) -> Sequence[str]:
        check_seals("oxlint", run, (*CONFIG_NAMES, *CODE_NAMES))
        return [
            "/usr/bin/env", f"OXLINT_TSGOLINT_PATH={run.program}", str(find_program("oxlint")), "-f", "json",
            "--type-aware", "--no-error-on-unmatched-pattern", "--", *run.files,
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read the findings that need types; the run without types reports the others as well."""
        return [result for result in super().parse(output, run) if result.code in _TYPE_AWARE]

    def find(self, root: Path) -> Path | None:
        """Return the type checker that the project has installed for oxlint.

        It is the program of this tool, so that oxlint never starts a checker under version control either.
        """
        if find_program("oxlint") is None:
            return None
        return native_program(root, "oxlint-tsgolint", "@oxlint-tsgolint", "", "tsgolint")

    def is_configured(self, read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
        return read("tsconfig.json") is not None

    def accepts(self, path: str, text: str) -> bool:
        return path.endswith(TYPED)


OXLINT_TYPES = OxlintTypes()
