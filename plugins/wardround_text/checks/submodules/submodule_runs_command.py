from __future__ import annotations

import re
from typing import ClassVar

from wardround.checks.base import Check
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code

_VALUE = LazyPattern(r"""(?im)^[ \t]*(url|path|update)[ \t]*=[ \t"]*([^\s"].*?)"?[ \t]*\r?$""")
_RUNS = {"url": r"-|ext::|fd::", "path": r"-", "update": r"!"}
_LOCAL = LazyPattern(r"(?i)file:|/")


class SubmoduleRunsCommand(Check):
    """A submodule's URL or settings make git run a program or read local files.

    ``ext::`` URLs are commands, a URL or path with a leading dash is an option of the program that git
    starts, and ``update = !command`` runs at every update. ``file:`` URLs and absolute paths refer to the
    machine that clones the repository. Use an https or ssh URL.
    """

    ID = "TX005"
    NAME = "submodule-runs-command"
    PLANE: ClassVar[Plane] = Plane.SECURITY
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    URL = "https://git-scm.com/docs/git-remote-ext"
    CASE_PATH = ".gitmodules"
    VALID = [
        code("""
            [submodule "a"]
            \tpath = a
            \turl = https://example.org/a.git
        """),
        code("""
            [submodule "a"]
            \tpath = a
            \turl = ../a.git
            \tupdate = rebase
        """),
    ]
    INVALID = [
        code("""
            [submodule "a"]
            \turl = «ext::sh -c id»
        """),
        code("""
            [submodule "a"]
            \turl = "«-u./run»"
        """),
    ]

    def run(self) -> None:
        if self.source.path.rpartition("/")[2] != ".gitmodules":
            return
        for match in _VALUE.finditer(self.source.text):
            key, value = match[1].lower(), match[2]
            line, column = self.source.position(match.start(2))
            span = Span(line, column, line, column + len(value))
            if re.match(_RUNS[key], value, re.IGNORECASE):
                self.report(span, f"{key} = {value[:40]} runs a program; use an https or ssh URL")
            elif key == "url" and _LOCAL.match(value) is not None:
                text = "URL refers to the machine that clones the repository; use an https or ssh URL"
                self.report(span, text, severity=Severity.WARN)
