"""ast-grep, with the structural rules of one kind of code: how it is called and read.

The rules stand in ``<package>/<folder>/ast-grep/*.yml`` in ast-grep's own syntax, with our ``metadata``;
``<package>/<folder>/sgconfig.yml`` names that folder and, where one grammar reads several kinds of files,
which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from wardround.findings import RawResult, Span
from wardround.kept import kept
from wardround.rules import RULES_PACKAGE, declared, rules_digest, rules_folder
from wardround.tools.output import RAN, decoded, one_line, relative
from wardround.tools.tool import Invocation, Tool, install_line


class AstGrepPlace(msgspec.Struct):
    line: int
    column: int


class AstGrepRange(msgspec.Struct):
    start: AstGrepPlace
    end: AstGrepPlace


class AstGrepResult(msgspec.Struct, rename="camel"):
    file: str
    rule_id: str
    message: str
    range: AstGrepRange


def parse_ast_grep(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``ast-grep scan --json=compact``, whose places are 0-based.

    The compact form prints an empty list where there is nothing to say; the streaming form prints nothing,
    as a program does that never ran.
    """
    found = []
    for result in decoded(output, list[AstGrepResult]):
        start, end = result.range.start, result.range.end
        span = Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        found.append(RawResult(result.rule_id, relative(result.file, run), span, one_line(result.message)))
    return found


def ast_grep(
    folder: str,
    *,
    takes: Callable[[str, str], bool] | None = None,
    package: str = RULES_PACKAGE,
) -> Tool:
    """ast-grep with the rules of ``folder``, as a specialist brings it.

    It is asked only about files that hold a word one of the rules needs.
    """

    def command(run: Invocation) -> Sequence[str]:
        config = rules_folder(folder, package) / "sgconfig.yml"
        return [str(run.program), "scan", "-c", str(config), "--json=compact", "--no-ignore", "hidden",
                "--", *run.files]  # fmt: skip

    @cache
    def digest() -> str:
        return rules_digest(folder, "ast-grep", package)

    @cache
    def needs() -> tuple[str, ...]:
        """Words of which a file must hold one for a rule to match; the empty word, if a rule cannot say."""

        def words() -> tuple[str, ...]:
            wanted = [rule.metadata.needs for rule in declared(folder, "ast-grep", package)]
            return tuple(sorted({word for some in wanted for word in some} if all(wanted) else ())) or ("",)

        return kept("needs", digest(), words, tuple[str, ...])

    return Tool(
        name="ast-grep",
        program="ast-grep",
        command=command,
        parse=parse_ast_grep,
        clean=RAN,
        install=install_line(),
        distribution="ast-grep-cli",
        takes=takes,
        can_match=lambda text: any(word in text for word in needs()),
        identity=digest,
    )
