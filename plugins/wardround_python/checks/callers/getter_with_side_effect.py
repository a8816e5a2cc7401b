"""PY096."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import said_of_name, stale_reader_names
from wardround_python.check import PythonCheck

_GET = "class Baskets:\n    def {}(self, visitor):\n        return self._redis.{}(visitor)\n"


class GetterWithSideEffect(PythonCheck):
    """A function whose name says that it reads takes away or writes since this change.

    Whoever calls ``get_basket`` twice, or only to look, does not expect the second call to find nothing. Give
    it the name of what it does, such as ``take_basket``.
    """

    ID = "PY096"
    NAME = "getter-with-side-effect"
    DEFECT_CLASS = "reader-that-changes"
    PREFILTER = "wardround_python.prefilters:brings_a_word_of_changing"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "1,500 newest commits of each of 14 repositories, 20,593 with 37,842 changed files of "
        "code: no hit, so nothing "
        "wrong and nothing proven"
    )
    WORDS = ("def ",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_GET.format("take_basket", "getdel"), base=_GET.format("take_basket", "get")),
        Valid(_GET.format("get_basket", "hget"), base=_GET.format("get_basket", "get")),
        _GET.format("get_basket", "getdel"),
        Valid(
            "def get_status():\n    return link.info()\n\n\ndef get_purged():\n    link.purge()\n",
            base="def get_status():\n    return link.info()\n",
        ),
        Valid(
            "def get_status():\n    self._cache.reset()\n    return link.info()\n",
            base="def get_status():\n    return link.info()\n",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_GET.format("get_basket", "getdel"), 2, 9, base=_GET.format("get_basket", "get")),
        Invalid(_GET.format("load_basket", "pop"), 2, 9, base=_GET.format("load_basket", "get")),
        Invalid(_GET.format("peek", "pop"), 2, 9, base=_GET.format("peek", "get")),
        Invalid(
            "def get_status():\n    link.memory_purge()\n    return link.info()\n",
            1,
            5,
            base="def get_status():\n    return link.info()\n",
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        from wardround.semantics.docdrift.comment_lines import PYTHON  # not needed where nothing changed

        return bool(stale_reader_names(source, PYTHON))

    def visit_Module(self, node: ast.Module) -> None:
        from wardround.semantics.docdrift.comment_lines import PYTHON

        for one in stale_reader_names(self.source, PYTHON):
            self.report(*said_of_name(one))
