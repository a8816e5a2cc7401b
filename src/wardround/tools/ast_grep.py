"""ast-grep, with the structural rules of one kind of code.

The rules are in ``<package>/<folder>/ast-grep/*.yml`` in ast-grep's own syntax, with our ``metadata``;
``<package>/<folder>/sgconfig.yml`` names that folder and, if one grammar reads several kinds of files, those
kinds. Parsing a rule takes ast-grep some milliseconds, most of them for its regular expressions, so a run
only gets rules that a word of its files can match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import count
from pathlib import Path

import msgspec

from wardround.findings import Plane, RawFinding, Span
from wardround.rules.declarative import declared_sources, rules_digest, rules_folder
from wardround.rules.model import RULES_PACKAGE
from wardround.rules.yaml_loader import load_yaml
from wardround.storage.memo import memoize_on_disk
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, relative
from wardround.tools.tool import Invocation, Probe, Tool, install_line

_NUMBER = count()
"""Counts the runs in this process, since several run in parallel."""


class AstGrepPosition(msgspec.Struct):
    line: int
    column: int


class AstGrepRange(msgspec.Struct):
    start: AstGrepPosition
    end: AstGrepPosition


class AstGrepResult(msgspec.Struct, rename="camel"):
    file: str
    rule_id: str
    message: str
    range: AstGrepRange


def parse_ast_grep(output: bytes, run: Invocation) -> list[RawFinding]:
    """Parse ``ast-grep scan --json=compact``, whose positions are 0-based.

    The compact form prints an empty list if there are no findings; the streaming form prints nothing, like a
    program that never ran.
    """
    found = []
    for result in decode_output(output, list[AstGrepResult]):
        start, end = result.range.start, result.range.end
        span = Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        found.append(
            RawFinding(result.rule_id, relative(result.file, run), span, collapse_whitespace(result.message))
        )
    return found


class RuleFile(msgspec.Struct, frozen=True, array_like=True):
    """A rule in ast-grep's form, without our metadata, and words; every file that it matches contains one."""

    needs: tuple[str, ...]
    text: str

    def can_match(self, text: str) -> bool:
        return not self.needs or any(word in text for word in self.needs)


def _rule_files(folder: str, package: str) -> list[RuleFile]:
    found = []
    for rule, content in declared_sources(folder, "ast-grep", package):
        kept_keys = {name: value for name, value in content.items() if name not in ("metadata", "note")}
        text = msgspec.json.encode(kept_keys).decode()  # valid YAML
        found.append(RuleFile(tuple(rule.metadata.needs), text))
    return found


class AstGrep(Tool):
    """ast-grep with the rules of a folder, over files that contain a word that one of the rules needs.

    Args:
        accepts: (path, text) -> True for the specialist's files to which the rules apply.
        package: the package that holds the folder.
    """

    name = "ast-grep"
    planes = frozenset(Plane) - {Plane.INTENT}
    ignore_comments = (IgnoreComment(r"\bast-grep-ignore\b", ("ignore",)),)
    program = "ast-grep"
    success_codes = RAN
    install = install_line()
    distribution = "ast-grep-cli"

    def __init__(
        self,
        folder: str,
        *,
        accepts: Callable[[str, str], bool] = lambda path, text: True,
        package: str = RULES_PACKAGE,
        probe: Probe | None = None,
        endings: tuple[str, ...] = (),
    ) -> None:
        self._folder = folder
        self._package = package
        self._accepts = accepts
        self.probe = probe
        self.endings = endings

    def command(self, run: Invocation) -> Sequence[str]:
        return [str(run.program), "scan", "-c", str(self._config(run)), "--json=compact",
                "--no-ignore", "hidden", "--", *run.files]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        return parse_ast_grep(output, run)

    def accepts(self, path: str, text: str) -> bool:
        return self._accepts(path, text)

    def can_match(self, text: str) -> bool:
        return any(rule.can_match(text) for rule in self._rules)

    def identity(self) -> str:
        return self._digest

    def _config(self, run: Invocation) -> Path:
        """Write the rules that can match in the files of a run; return the configuration that names them."""
        texts = [(run.root / name).read_text("utf-8", errors="replace") for name in run.files]
        rules = [rule.text for rule in self._rules if any(map(rule.can_match, texts))]
        folder = run.scratch / f"ast-grep-{self._folder}-{next(_NUMBER)}"
        (folder / "rules").mkdir(parents=True)
        (folder / "rules" / "selected.yml").write_text("\n---\n".join(rules), "utf-8")
        settings = rules_folder(self._folder, self._package) / "sgconfig.yml"
        content = {**load_yaml(settings.read_text("utf-8")), "ruleDirs": ["rules"]}
        file = folder / "sgconfig.yml"
        file.write_bytes(msgspec.json.encode(content))
        return file

    @cached_property
    def _digest(self) -> str:
        return rules_digest(self._folder, "ast-grep", self._package)

    @cached_property
    def _rules(self) -> list[RuleFile]:
        def read() -> list[RuleFile]:
            return _rule_files(self._folder, self._package)

        return memoize_on_disk("ast-grep", self._digest, read, list[RuleFile])
