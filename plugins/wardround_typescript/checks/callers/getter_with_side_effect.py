"""TS096."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.base import Check
from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import said_of_name, stale_reader_names
from wardround_typescript.check import SCRIPTS


def _basket(name: str, call: str) -> str:
    body = f"    return this.redis.{call}(visitor);\n"
    return f"class Baskets {{\n  async {name}(visitor: string) {{\n{body}  }}\n}}\n"


class GetterWithSideEffect(Check):
    """A function whose name says that it reads takes away or writes since this change.

    Whoever calls ``getBasket`` twice, or only to look, does not expect the second call to find nothing. Give
    it the name of what it does, such as ``takeBasket``.
    """

    ID = "TS096"
    NAME = "getter-with-side-effect"
    DEFECT_CLASS = "reader-that-changes"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "1,500 newest commits of each of 14 repositories, 20,593 with 37,842 changed files of "
        "code: no hit, so nothing "
        "wrong and nothing proven"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_basket("takeBasket", "getdel"), path="a.ts", base=_basket("takeBasket", "get")),
        Valid(_basket("getBasket", "hget"), path="a.ts", base=_basket("getBasket", "get")),
        Valid(_basket("getBasket", "getdel"), path="a.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_basket("getBasket", "getdel"), 2, 9, path="a.ts", base=_basket("getBasket", "get")),
        Invalid(_basket("peek", "shift"), 2, 9, path="a.ts", base=_basket("peek", "first")),
        Invalid(
            _basket("findJob", "findOneAndDelete"), 2, 9, path="a.ts", base=_basket("findJob", "findOne")
        ),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ()

    def run(self) -> None:
        from wardround.semantics.docdrift.comment_lines import SCRIPT  # not needed where nothing changed

        for one in stale_reader_names(self.source, SCRIPT):
            self.report(*said_of_name(one))
