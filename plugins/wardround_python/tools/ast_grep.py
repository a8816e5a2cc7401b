"""ast-grep, with rules of ours: how it is called and read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import msgspec

from wardround.findings import RawResult, Span
from wardround.rules import declared
from wardround.tools.tool import Invocation, Tool
from wardround_python.tools.output import (
    INSTALL_BASE,
    RAN,
    decoded,
    one_line,
    relative,
    rules_digest,
    rules_folder,
)


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


def ast_grep_command(run: Invocation) -> Sequence[str]:
    config = rules_folder() / "sgconfig.yml"
    return [str(run.program), "scan", "-c", str(config), "--json=compact", "--no-ignore", "hidden",
            "--", *run.files]  # fmt: skip


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


@cache
def _ast_grep_needs() -> re.Pattern[str]:
    """What a file must hold for one of the ast-grep rules to match; anything, if a rule cannot say."""
    needs = [rule.metadata.needs for rule in declared("python", "ast-grep")]
    words = {word for some in needs for word in some}
    return re.compile("|".join(map(re.escape, sorted(words))) if all(needs) else "")


AST_GREP = Tool(
    name="ast-grep",
    program="ast-grep",
    command=ast_grep_command,
    parse=parse_ast_grep,
    clean=RAN,
    install=INSTALL_BASE,
    distribution="ast-grep-cli",
    can_match=lambda text: _ast_grep_needs().search(text) is not None,
    identity=lambda: rules_digest("ast-grep"),
)
