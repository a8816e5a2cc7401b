"""PY390."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.semantics.semdiff.guard_checks import GuardGoneCheck
from wardround_python.analysis.guarded_functions import PythonGuards

_LOCKED = (
    "import threading\n\n_lock = threading.Lock()\n_known = {}\n\n\ndef known(key):\n    with _lock:\n"
    "        if key not in _known:\n            _known[key] = make(key)\n    return _known[key]\n"
)
_FREE = (
    "_known = {}\n\n\ndef known(key):\n    if key not in _known:\n        _known[key] = make(key)\n"
    "    return _known[key]\n"
)
_ATOMIC = (
    "def move(order, to):\n    with transaction.atomic():\n        order.lines.update(order=to)\n"
    "        order.delete()\n"
)
_LOOSE = "def move(order, to):\n    order.lines.update(order=to)\n    order.delete()\n"
_ASKS = "def drop(request, key):\n    require_admin(request.user)\n    shelf.remove(key)\n"


def _case(before: str, after: str, line: int = 0, column: int = 0) -> ChangeCase:
    place = ("shop/store.py", line, column) if line else None
    return ChangeCase({"shop/store.py": (before, after)}, place)


class RemovedGuard(PythonGuards, GuardGoneCheck):
    """A lock, a transaction, a check of rights or a limit was there before the change, and what it guarded is
    still done.

    Such a guard is easily lost while code is moved or made shorter, and no test fails. Put it back around
    what it protected, or say in the commit why it is not needed. It counts as gone where no line the change
    brought holds a guard of that kind.
    """

    ID = "PY390"
    TRIED_ON = (
        "the newest 250 to 300 commits with Python of twelve projects (2,731, celery, aiohttp, redash, "
        "dbt-core, healthchecks and gunicorn among them): four: two are as it says and meant, one check "
        "had become another and one is doubtful; people merge few of these by mistake, so a note"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _case(_LOCKED, _LOCKED.replace("make", "build")),
        _case(_LOCKED, _LOCKED.replace("with _lock", "with _guard_lock")),
        _case(_LOCKED, "def known(key):\n    return make(key)\n"),
        _case(_ATOMIC, "@transaction.atomic\n" + _LOOSE),
        _case(_ATOMIC, "def move(order, to):\n    order.delete()\n"),
        ChangeCase(
            {
                "shop/store.py": (_ASKS, _ASKS.replace("    require_admin(request.user)\n", "")),
                "shop/views.py": ("", "@admin_required\ndef view(request): ...\n"),
            }
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _case(_LOCKED, _FREE, 6, 9),
        _case(_ATOMIC, _LOOSE, 2, 5),
        _case(_ASKS, _ASKS.replace("    require_admin(request.user)\n", ""), 2, 5),
        _case(
            "@login_required\ndef drop(request, key):\n    shelf.remove(key)\n",
            "def drop(request, key):\n    shelf.remove(key)\n",
            2,
            5,
        ),
        _case(
            "def load(url):\n    return fetch(url, timeout=5)\n",
            "def load(url):\n    return fetch(url, retries=2)\n",
            2,
            12,
        ),
        _case(
            "def shown(name):\n    return f'<b>{escape(name)}</b>'\n",
            "def shown(name):\n    return f'<b>{name}</b>'\n",
            2,
            18,
        ),
        _case(
            "def send(box, mail):\n    try:\n        box.send(mail)\n    finally:\n        box.close()\n",
            "def send(box, mail):\n    box.send(mail)\n    box.close()\n",
            2,
            5,
        ),
    ]
