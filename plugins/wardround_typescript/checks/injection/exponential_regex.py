from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck


class ExponentialRegex(TreeCheck):
    """A regular expression can match the same text in exponentially many ways.

    Thirty characters with a mismatch at the end then block the process for minutes, and no other request is
    served meanwhile. Let the repeated group start with a character that it cannot contain otherwise, or limit
    the length of the string.
    """

    ID = "TS330"
    NAME = "exponential-regex"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "regex-denial-of-service"
    WORDS = (")+", ")*", "){")
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
        """),
        code(r"""
            const LIST = /^(\d+,)*\d+$/;
            const WORDS = /^(\w+\s)*$/;
        """),
    ]
    INVALID = [
        code("""
            const NAME = «/^([a-z]+[ .'-]?)+$/»;
        """),
        code(r"""
            const WORDS = «/^(\w+\s?)*$/»;
        """),
    ]

    def check(self) -> None:
        from wardround.languages.regex_dos import is_slow

        for node in self.code.kinds("regex"):
            pattern = self.code.field(node, "pattern")
            if is_slow(pattern):
                self.report_node(
                    node,
                    "regular expression backtracks exponentially on crafted text; make the repetition "
                    "unambiguous",
                )
        for name, _, arguments in self.reader.calls():
            if (
                name == "RegExp"
                and arguments
                and arguments[0].type == "string"
                and is_slow(self.text(arguments[0])[1:-1].replace("\\\\", "\\"))
            ):
                self.report_node(
                    arguments[0],
                    "regular expression backtracks exponentially on crafted text; make the repetition "
                    "unambiguous",
                )
