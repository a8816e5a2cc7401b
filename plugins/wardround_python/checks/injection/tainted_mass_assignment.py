"""PY312."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedMassAssignment(TaintedCheck):
    """The sender of a request chooses which fields of a record are written.

    Every column can then be set, those that make somebody an owner or an administrator too. Name the fields
    that may be written, or pass the data through a serializer or a form that does.
    """

    ID = "PY312"
    NAME = "tainted-mass-assignment"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "mass-assignment"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding; "
        "widened, over twenty-eight trees of 1.3 million lines: none"
    )
    DANGER = SinkKind.FIELDS
    MESSAGE = "the request chooses which fields of the record are written"
    WORDS = ("session.update(", "**", "setattr(", "update(", "update_", "insert_one", "replace_one")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def save(request):\n    Member.objects.filter(pk=1).update(title=request.data['title'])\n",
        "FIELDS = ('title', 'city')\ndef save(request):\n"
        "    values = {k: v for k, v in request.data.items() if k in FIELDS}\n"
        "    Member.objects.filter(pk=1).update(**values)\n",
        "FIELDS = ('title', 'city')\ndef save(request, member):\n    for name in FIELDS:\n"
        "        setattr(member, name, request.data[name])\n",
        "def save(request):\n    serializer = MemberSerializer(data=request.data)\n"
        "    Member.objects.create(**serializer.validated_data)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from flask import request, session\ndef keep():\n    session.update(request.form)\n",
            line=3,
            column=20,
        ),
        Invalid("def save(request):\n    Member.objects.create(**request.data)\n", line=2, column=29),
        Invalid(
            "from flask import request\n\ndef save(user):\n"
            "    for name, value in request.get_json().items():\n"
            "        setattr(user, name, value)\n",
            line=5,
            column=23,
        ),
        Invalid(
            "from flask import request\nfrom shop.models import User\n\ndef add():\n"
            "    data = request.get_json()\n"
            "    data.pop('id', None)\n    return User(**data)\n",
            line=7,
            column=19,
        ),
    ]
