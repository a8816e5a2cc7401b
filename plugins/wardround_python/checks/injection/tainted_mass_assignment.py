from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedMassAssignment(TaintedCheck):
    """The sender of a request chooses which fields of a record are written.

    Every column can then be set, including the owner and administrator flags. List the writable fields, or
    pass the data through a serializer or a form that does.
    """

    ID = "PY312"
    NAME = "tainted-mass-assignment"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "mass-assignment"
    SINK = SinkKind.FIELDS
    MESSAGE = "the request chooses which fields of the record are written; list the writable fields"
    WORDS = ("session.update(", "**", "setattr(", "update(", "update_", "insert_one", "replace_one")
    VALID = [
        code("""
            def save(request):
                Member.objects.filter(pk=1).update(title=request.data['title'])
        """),
        code("""
            FIELDS = ('title', 'city')
            def save(request):
                values = {k: v for k, v in request.data.items() if k in FIELDS}
                Member.objects.filter(pk=1).update(**values)
        """),
    ]
    INVALID = [
        code("""
            from flask import request, session
            def keep():
                session.update(«request.form»)
        """),
        code("""
            def save(request):
                Member.objects.create(**«request.data»)
        """),
    ]
