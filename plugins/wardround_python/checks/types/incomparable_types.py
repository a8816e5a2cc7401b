"""PY401."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_python.analysis.type_inference import BYTES, TEXT, ValueKinds
from wardround_python.check import PythonCheck

_BY_TEXT = frozenset(
    """
    startswith endswith split rsplit partition rpartition strip lstrip rstrip replace find count index
    """.split()  # noqa: SIM905
)


class IncomparableTypes(PythonCheck):
    """Two values are compared that can't be equal, for they are of different kinds.

    Bytes equal no text, text no number, a list no tuple: the comparison is False whatever is in them, and the
    branch behind it never runs. Redis, a socket, a child process or a request's body give bytes unless asked
    for text. Decode or convert one of the two first.
    """

    ID = "PY401"
    NAME = "incomparable-types"
    PREFILTER = "wardround_python.prefilters:compares_what_is_made"
    DEFECT_CLASS = "useless-comparison"
    TRIED_ON = (
        "eleven trees of 500,000 lines and 7,500 modules of installed libraries, tests left out: 5, all "
        "of them right, one in code that only Python 2 could run"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import redis\ndb = redis.Redis(decode_responses=True)\ndef f(key):\n"
        "    return db.get(key) == 'on'\n",
        "import redis\ndb = redis.Redis()\ndef f(key):\n    return db.get(key) == b'on'\n",
        "import redis\ndef f(db: redis.Redis, key):\n    return db.get(key) == 'on'\n",
        "import subprocess\ndef f():\n"
        "    return subprocess.check_output(['id'], text=True).strip() == 'root'\n",
        "def f(a):\n    return a.encode() == b'x'\n",
        "def f(a):\n    if a:\n        b = 'x'\n    else:\n        b = a.encode()\n    return b == 'x'\n",
        "def f(a):\n    return sorted(a) == list(a) and set(a) == {1} and tuple(a) == (1,)\n",
        "import os\ndef f():\n    return os.environ['SIZE'] == '1' and len('a') == 1.0\n",
        "import requests\ndef f():\n    return requests.get('x', timeout=1).status_code == 200\n",
        "def f(b):\n    a = 'x'\n    a = b\n    return a == 1\n",
        "def f(data):\n    return data.keys() == {'a', 'b'}\n",
        "import hmac, hashlib\ndef f(key, sent, body):\n"
        "    return hmac.compare_digest(hmac.new(key, body, hashlib.sha256).hexdigest(), sent)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import redis\n\ndef _db():\n    return redis.Redis.from_url('redis://db')\n\ndef is_on(name):\n"
            "    found = _db().get(name)\n    return found == 'on'\n",
            line=8,
            column=12,
        ),
        Invalid(
            "import redis.asyncio as redis\nDONE = 'done'\nclass Jobs:\n    def __init__(self, url):\n"
            "        self._db = redis.from_url(url)\n\n    async def is_done(self, job):\n"
            "        return await self._db.hget(job, 'state') == DONE\n",
            line=8,
            column=16,
        ),
        Invalid(
            "import subprocess\ndef f():\n    branch = subprocess.check_output(['git', 'branch']).strip()\n"
            "    if branch in ('main', 'master'):\n        return True\n",
            line=4,
            column=8,
        ),
        Invalid(
            "import os\ndef f():\n    level = os.environ.get('LEVEL', '1')\n    return level == 2\n",
            line=4,
            column=12,
        ),
        Invalid(
            "import hashlib\ndef f(path, wanted):\n"
            "    return hashlib.sha256(path.read_bytes()).digest() != f'{wanted}'\n",
            line=3,
            column=12,
        ),
        Invalid("def f(a, b):\n    return sorted(a) == tuple(b)\n", line=2, column=12),
        Invalid(
            "import requests\ndef f(url):\n    answer = requests.get(url, timeout=5)\n"
            "    if answer.status_code == '200':\n        return answer\n",
            line=4,
            column=8,
        ),
        Invalid("import sys\nif sys.argv[1] == 3:\n    run()\n", line=2, column=4),
        Invalid(
            "import subprocess\ndef f():\n    found = subprocess.run(['ls'], capture_output=True)\n"
            "    return found.stdout.split('\\n')\n",
            line=4,
            column=12,
        ),
        Invalid(
            "import requests\ndef f(url):\n    return 'error' in requests.get(url, timeout=5).content\n",
            line=3,
            column=12,
        ),
        Invalid(
            "import uuid\ndef f(a):\n    key = uuid.UUID(a)\n    return key == str(a)\n", line=4, column=12
        ),
        Invalid(
            "import redis\ndb = redis.Redis(host='db')\ndef f(key):\n    found = db.hgetall(key)\n"
            "    return found['state']\n",
            line=5,
            column=12,
        ),
        Invalid(
            "def f(path):\n    with open(path, 'rb') as handle:\n        head = handle.read(2)\n"
            "    return head == 'MZ'\n",
            line=4,
            column=12,
        ),
        Invalid(
            "from uuid import UUID\nfrom flask import request\ndef f(owner: UUID):\n"
            "    return owner == request.args.get('owner')\n",
            line=4,
            column=12,
        ),
        Invalid(
            "from starlette.requests import Request\nasync def f(request: Request):\n"
            "    return await request.body() == 'ping'\n",
            line=3,
            column=12,
        ),
    ]

    @property
    def _kinds(self) -> ValueKinds:
        return ValueKinds.shared(self.module, self.callees)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1:
            return
        operator, left, right = node.ops[0], node.left, node.comparators[0]
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            told = self._of_pair(left, [right])
        elif isinstance(operator, (ast.In, ast.NotIn)):
            if isinstance(right, (ast.Tuple, ast.List, ast.Set)):
                told = self._of_pair(left, right.elts)
            else:
                self._look_for(left, right, node)
                return
        else:
            return
        if told:
            always = "true" if isinstance(operator, (ast.NotEq, ast.NotIn)) else "false"
            self.report(
                self.module.span(node), f"{told[0]} is compared with {told[1]}: this is always {always}"
            )

    def visit_Call(self, node: ast.Call) -> None:
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in _BY_TEXT or not node.args:
            return
        if self._kinds.of(node.args[0]) == TEXT and self._kinds.of(func.value) == BYTES:
            self.report(
                self.module.span(node), f"{func.attr}() of bytes is given text: this raises TypeError"
            )

    def visit_Subscript(self, node: ast.Subscript) -> None:
        key = node.slice
        if (
            isinstance(key, ast.Constant)
            and isinstance(key.value, str)
            and self._kinds.holds_bytes(node.value)
        ):
            self.report(self.module.span(node), "the keys are bytes and this is text: it is never there")

    def _look_for(self, left: ast.expr, right: ast.expr, node: ast.Compare) -> None:
        if self._kinds.of(left) != TEXT:
            return
        if self._kinds.of(right) == BYTES:
            self.report(self.module.span(node), "text is looked for in bytes: this raises TypeError")
        elif self._kinds.holds_bytes(right):
            self.report(self.module.span(node), "text is looked for among bytes: it is never there")

    def _of_pair(self, left: ast.expr, others: Sequence[ast.expr]) -> tuple[str, ...]:
        """The two kinds, where what is on one side can equal nothing on the other."""
        if isinstance(left, ast.Constant) and all(isinstance(one, ast.Constant) for one in others):
            return ()
        first = self._kinds.of(left)
        seconds = {self._kinds.of(one) for one in others} if first else set()
        if not seconds or "" in seconds or len(seconds) > 1:
            return ()
        second = seconds.pop()
        if second == first or {first, second} <= {"a set", "a view"}:
            return ()
        return first, second
