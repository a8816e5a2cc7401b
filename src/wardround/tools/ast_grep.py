"""ast-grep, with the structural rules of one kind of code: how it is called and read.

The rules stand in ``<package>/<folder>/ast-grep/*.yml`` in ast-grep's own syntax, with our ``metadata``;
``<package>/<folder>/sgconfig.yml`` names that folder and, where one grammar reads several kinds of files,
which. Reading a rule costs ast-grep some milliseconds, most of them for its regular expressions, so a run is
given those alone that a word of its files asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from pathlib import Path

import msgspec

from wardround.findings import RawFinding, Span
from wardround.rules.declarative import declared_sources, rules_digest, rules_folder
from wardround.rules.model import RULES_PACKAGE
from wardround.rules.yaml_loader import load_yaml
from wardround.storage.memo import memoize_on_disk
from wardround.tools.parsing import RAN, collapse_whitespace, decoded, relative
from wardround.tools.tool import Invocation, Probe, Tool, install_line

_NUMBER = count()
"""Of runs, since several stand side by side."""


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


def parse_ast_grep(output: bytes, run: Invocation) -> list[RawFinding]:
    """Read ``ast-grep scan --json=compact``, whose places are 0-based.

    The compact form prints an empty list where there is nothing to say; the streaming form prints nothing,
    as a program does that never ran.
    """
    found = []
    for result in decoded(output, list[AstGrepResult]):
        start, end = result.range.start, result.range.end
        span = Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        found.append(
            RawFinding(result.rule_id, relative(result.file, run), span, collapse_whitespace(result.message))
        )
    return found


class RuleFile(msgspec.Struct, frozen=True, array_like=True):
    """A rule as ast-grep is given it, without our metadata, and the words of which a file must hold one."""

    needs: tuple[str, ...]
    text: str

    def can_match(self, text: str) -> bool:
        return not self.needs or any(word in text for word in self.needs)


def _rule_files(folder: str, package: str) -> list[RuleFile]:
    found = []
    for rule, content in declared_sources(folder, "ast-grep", package):
        kept_keys = {name: value for name, value in content.items() if name not in ("metadata", "note")}
        text = msgspec.json.encode(kept_keys).decode()  # which is YAML
        found.append(RuleFile(tuple(rule.metadata.needs), text))
    return found


def ast_grep(
    folder: str,
    *,
    takes: Callable[[str, str], bool] | None = None,
    package: str = RULES_PACKAGE,
    probe: Probe | None = None,
    endings: tuple[str, ...] = (),
) -> Tool:
    """ast-grep with the rules of ``folder``, as a specialist brings it.

    It is asked only about files that hold a word one of the rules needs.
    """

    def command(run: Invocation) -> Sequence[str]:
        return [str(run.program), "scan", "-c", str(config(run)), "--json=compact", "--no-ignore", "hidden",
                "--", *run.files]  # fmt: skip

    def config(run: Invocation) -> Path:
        """Write down the rules that can match in the files of a run."""
        texts = [(run.root / name).read_text("utf-8", errors="replace") for name in run.files]
        asked = [rule.text for rule in rules() if any(map(rule.can_match, texts))]
        made = run.scratch / f"ast-grep-{folder}-{next(_NUMBER)}"
        (made / "rules").mkdir(parents=True)
        (made / "rules" / "asked.yml").write_text("\n---\n".join(asked), "utf-8")
        rest = load_yaml((rules_folder(folder, package) / "sgconfig.yml").read_text("utf-8"))
        file = made / "sgconfig.yml"
        file.write_bytes(msgspec.json.encode({**rest, "ruleDirs": ["rules"]}))
        return file

    @cache
    def digest() -> str:
        return rules_digest(folder, "ast-grep", package)

    @cache
    def rules() -> list[RuleFile]:
        return memoize_on_disk("ast-grep", digest(), lambda: _rule_files(folder, package), list[RuleFile])

    return Tool(
        name="ast-grep",
        probe=probe,
        program="ast-grep",
        command=command,
        parse=parse_ast_grep,
        success_codes=RAN,
        install=install_line(),
        distribution="ast-grep-cli",
        accepts=takes,
        endings=endings,
        can_match=lambda text: any(rule.can_match(text) for rule in rules()),
        identity=digest,
    )
