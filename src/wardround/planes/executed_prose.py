"""Prose that executes: its examples are run, or building it runs code or publishes other files."""

from __future__ import annotations

import re

from wardround.change.diff import ChangedFile
from wardround.lazy import LazyPattern

_DIRECTIVES = (
    r"doctest|test(?:code|setup|cleanup)|jupyter-execute|jupyter-kernel|code-cell|ipython|plot|[a-z]{1,20}-plot|"
    r"nbplot|exec(?:[-_]code)?|execute[-_]code|runblock|(?:program|command)-output|cog|jinja|eval-rst|eval_rst|"
    r"(?:literal|md|nb)?include|include-[a-z]{1,20}|"
    r"argparse|autoprogram|click|raw"
)
"""Directives of Sphinx and MyST that run code or read files."""
_ENGINES = r"python|py|r|julia|bash|sh|zsh|node|js|ojs|perl|ruby|sql|stan|cpp|rcpp|csv-table"
"""Words in braces after a fence by which knitr and Quarto run a block, or MyST reads a file."""
_EXECUTES = LazyPattern(
    rf"""
      ^[ \t]*>>>[ ]                                                  # an example for doctest
    | (?:^|[ \t|])\.\.[ \t]{{1,20}}(?:{_DIRECTIVES})[ \t]?::(?:\s|$)
    | ^[ \t>*+-]{{0,40}}[`~:]{{3,20}}[ \t]*\{{(?:{_DIRECTIVES}|{_ENGINES})\b
    | ^[ \t>*+-]{{0,40}}[`~]{{3,20}}[^`\n]{{0,200}}[ \t{{]exec(?:ute)?(?:=|\b(?=[ \t}}]|$))   # markdown-exec
    | \{{(?:eval|download|literalinclude)\}}`                        # roles of MyST
    | :download:`
    | ^[ \t]*\.\.[ \t]{{1,20}}role::[^\n]{{0,200}}\(raw\)
    | ^[ \t]{{1,40}}:(?:file|filename|url):[ \t]{{1,20}}\S           # options of csv-table and its like
    | ^[ \t]*:(?:file|filename):[ \t]{{1,20}}\S
    | -{{1,20}}8<-{{1,20}}[ \t]                                      # snippets of PyMdown
    | \{{![^!\n]{{1,500}}!\}}                                        # Markdown-Include
    | \{{%[-+]?[ \t]*(?:include|import|from|extends|render|call|macro|set|do)\b  # Jinja and Liquid
    | (?<!\$)\{{\{{[^{{}}\n]{{0,500}}(?:\(|__)                       # calls in Jinja and Vue
    | \{{\{{[<%][ \t]*(?:include|read|raw|import|exec|embed|code|snippet)  # shortcodes of Hugo
    | ^[ \t]*include::\S[^\n]{{0,500}}\[                             # AsciiDoc
    | ^\+\+\+\+[ \t]*$
    | ^[ \t]*<(?:script|iframe|object|embed)\b
    | \[\[\[cog\b
    | (?:<!--|;)[-\s]{{0,20}}(?:pytest|invisible-code|name:[ ]?test_)
    | ^[ \t]*\.\.[ \t]{{1,20}}invisible-code
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_IMPORTS = LazyPattern(
    r"(?:^|[ \t|{.])(?:auto(?:module|class|function|method|data|exception|attribute|summary|decorator"
    r"|property|pydantic_\w{1,20}|apimodule)|currentmodule)\}?(?:[ \t]?::|[ \t])"
    r"|^:::[ \t]{1,20}[\w.]+[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Directives that import a module, which has been reviewed unless the name of another one is written."""


def is_executed_prose(file: ChangedFile, text: str) -> bool:
    """Return True if a test runner or a builder of documentation executes or includes something in prose.

    Args:
        text: content of the file at the head.
    """
    return _EXECUTES.search(text) is not None or _IMPORTS.search(_changed_lines(file, text)) is not None


def _changed_lines(file: ChangedFile, text: str) -> str:
    """Return the added lines, each with the line above it, which may be the beginning of a directive."""
    lines = text.split("\n")
    added = {*file.added_line_numbers(len(lines))}
    return "\n".join(
        line for number, line in enumerate(lines, 1) if not added.isdisjoint((number, number + 1))
    )
