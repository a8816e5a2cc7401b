"""PY442."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.module import last_name, nodes_run_by
from wardround_python.check import PythonCheck

_CHECKS = LazyPattern(
    r"_*(?:(?:validate|verify|ensure|assert|authorize|authenticate|require|enforce|forbid|clean|check)(?:_\w+)?"
    r"|full_clean|raise_for_\w+|raise_if_\w+)"
)
_WEAK = LazyPattern(r"_*(?:check|clean|ensure|require|verify)(?:_(?P<what>\w+))?")
"""Words that also mean to look into something, or to make sure that it is there."""
_GRAVE = LazyPattern(
    r"(?i)perm|access|auth|owner|user|role|admin|token|signature|password|csrf|url|path|host|origin|redirect|safe"
    r"|valid|limit|quota|size|input|schema|checksum|hash|cert|email|amount|balance|name|type|data"
)
_TELLS = LazyPattern(
    r"(?:.*\.)?(?:_?log(?:ger|ging)?|LOG(?:GER)?|warnings|statsd|metrics|stdout|stderr)", re.DOTALL
)
_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break, ast.Yield, ast.YieldFrom, ast.Await)
_SETS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Delete)


class ValidationOnlyLogged(PythonCheck):
    """A check refuses something, its error is logged, and the function goes on as if it had passed.

    Such a call says no by raising. With the error caught and nothing done about it, the check has no effect:
    what it refuses is used all the same. Raise, return, or leave the error to the caller.
    """

    ID = "PY442"
    NAME = "validation-only-logged"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "swallowed-exception"
    WORDS = ("except",)
    TRIED_ON = (
        "eighteen trees of 7,043 files and 27,775 files of installed packages and six more trees: "
        "none; the newest 300 commits of nine projects (6,311 changed files): one in four "
        "versions, right: a token is taken though its claims were refused"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def take(url):\n    try:\n        validate_url(url)\n    except ValueError as e:\n"
        "        raise Refused from e\n    return load(url)\n",
        "def take(url):\n    try:\n        validate_url(url)\n    except ValueError:\n        url = None\n"
        "    return url\n",
        "def take(urls):\n    for url in urls:\n        try:\n            validate_url(url)\n"
        "        except ValueError as e:\n            logger.warning('%s', e)\n",
        "def take(url):\n    try:\n        validate_url(url)\n    except ValueError as e:\n"
        "        errors.append(e)\n    return load(url)\n",
        "def take(url):\n    try:\n        validate_url(url)\n    except ValueError as e:\n"
        "        logger.warning('%s', e)\n    else:\n        load(url)\n    tidy()\n",
        "def take():\n    try:\n        check_for_updates()\n    except OSError:\n"
        "        logger.warning('no')\n    run()\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def take(url):\n    try:\n        validate_url(url)\n    except ValueError as e:\n"
            "        logger.warning('%s', e)\n    return load(url)\n",
            line=4,
            column=5,
        ),
        Invalid(
            "class View:\n    def put(self, form):\n        try:\n"
            "            self.check_permission(form.owner)\n        except Forbidden:\n            pass\n"
            "        form.save()\n",
            line=5,
            column=9,
        ),
        Invalid(
            "def store(rows):\n    for row in rows:\n        try:\n            row.full_clean()\n"
            "        except ValidationError:\n            logging.exception('odd row')\n        row.save()\n",
            line=5,
            column=9,
        ),
    ]

    def visit_Try(self, node: ast.Try) -> None:
        call = _check_in(node)
        if call is None or node.orelse or not self._goes_on(node, call):
            return
        for handler in node.handlers:
            if only_tells(handler):
                self.report(
                    self.module.keyword_span(handler, len("except")),
                    f"what {ast.unparse(call.func)}() refuses is logged at most, and used all the same",
                )

    def _goes_on(self, node: ast.Try, call: ast.Call) -> bool:
        """Whether what was checked is used after it, in the same block or the function around it."""
        checked = {
            one.id
            for one in nodes_run_by([*call.args, *call.keywords, call.func])
            if isinstance(one, ast.Name)
        }
        parent = self.module.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                after = block[block.index(node) + 1 :]
                used = {one.id for one in nodes_run_by(after) if isinstance(one, ast.Name)}
                return bool(checked - {"self", "cls"} & used) if checked - {"self", "cls"} else bool(after)
        return False


def _check_in(node: ast.Try) -> ast.Call | None:
    """The call that is all a ``try`` does, if nobody takes its answer and it refuses by raising."""
    if len(node.body) != 1 or not isinstance(node.body[0], ast.Expr):
        return None
    value = node.body[0].value
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call) or not _CHECKS.fullmatch(name := last_name(call.func)):
        return None
    weak = _WEAK.fullmatch(name)
    return call if weak is None or _GRAVE.search(weak["what"] or "") else None


def only_tells(handler: ast.ExceptHandler) -> bool:
    """Whether a handler logs at most: it leaves nothing, sets nothing and calls nothing else."""
    for node in nodes_run_by(handler.body):
        if isinstance(node, (*_LEAVES, *_SETS)):
            return False
        if isinstance(node, ast.Call):
            func = node.func
            owner = ast.unparse(func.value) if isinstance(func, ast.Attribute) else ""
            is_text = last_name(func) in ("str", "repr", "format", "print", "warn", "_", "type", "join")
            if not is_text and not _TELLS.fullmatch(owner):
                return False
    return True
