from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedTemplate(TaintedCheck):
    """Data from the request is run as a template.

    A template can call methods of its variables and so reach the entire process. Use a fixed template and
    pass the value as a variable.
    """

    ID = "PY306"
    NAME = "tainted-template"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "template-injection"
    SINK = SinkKind.TEMPLATE
    MESSAGE = "data from the request is run as a template; pass it as a variable of a fixed template"
    WORDS = ("render_template_string", "Template(", "from_string", ".format(", ".format_map(")
    VALID = [
        code("""
            from flask import render_template_string, request
            def hello():
                return render_template_string('Hello {{ name }}', name=request.args['name'])
        """),
        code("""
            def find(request):
                return UID.from_string(request.GET['uid'])
        """),
    ]
    INVALID = [
        code("""
            from flask import render_template_string, request

            def hello():
                page = 'Hello %s' % request.args.get('name')
                return render_template_string(«page»)
        """),
        code("""
            def preview(request, environment):
                return environment.from_string(«request.POST['template']»).render()
        """),
    ]
