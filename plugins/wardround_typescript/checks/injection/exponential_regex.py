"""TS330."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.analysis.call_options import ServerCheck


class ExponentialRegex(ServerCheck):
    """A regular expression can split the same text in exponentially many ways.

    Thirty letters and a wrong sign at the end then keep the process busy for minutes, and nobody else is
    answered meanwhile. Let what is repeated begin with a sign that cannot be a part of it, or bound the text.
    """

    ID = "TS330"
    NAME = "exponential-regex"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "regex-denial-of-service"
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): one hit, right (hoppscotch's pattern for addresses); one "
        "more in NodeGoat, right"
    )
    WORDS = (")+", ")*", "){")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;\n", path="a.ts"),
        Valid("const LIST = /^(\\d+,)*\\d+$/;\nconst WORDS = /^(\\w+\\s)*$/;\n", path="a.ts"),
        Valid("const TAGS = /(<[^>]+>)+/g;\nconst IP = /^(\\d{1,3}\\.){3}\\d{1,3}$/;\n", path="a.ts"),
        Valid("const NAME = /^(?:[A-Z][a-z]+ )+x$/;\nconst CSV = /^([^,]+,)+x$/;\n", path="a.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("const NAME = /^([a-z]+[ .'-]?)+$/;\n", line=1, column=14, path="a.ts"),
        Invalid("const WORDS = /^(\\w+\\s?)*$/;\n", line=1, column=15, path="a.ts"),
        Invalid("const CLASS = /^(([a-z])+.)+[A-Z]([a-z])+$/;\n", line=1, column=15, path="a.ts"),
        Invalid("ok = new RegExp('^(a|aa)+$').test(text);\n", line=1, column=17, path="a.ts"),
        Invalid(
            "const LINKS = /^(https?:\\/\\/([\\w-]+\\.?)+\\/?\\s*)+$/;\n", line=1, column=15, path="a.ts"
        ),
    ]

    def look(self) -> None:
        from wardround.languages.regex_dos import is_slow

        for node in self.code.kinds("regex"):
            pattern = self.code.field(node, "pattern")
            if is_slow(pattern):
                self.say(node, "text made for it keeps this pattern busy for minutes")
        for name, _, arguments in self.calls():
            if (
                name == "RegExp"
                and arguments
                and arguments[0].type == "string"
                and is_slow(self.text(arguments[0])[1:-1].replace("\\\\", "\\"))
            ):
                self.say(arguments[0], "text made for it keeps this pattern busy for minutes")
